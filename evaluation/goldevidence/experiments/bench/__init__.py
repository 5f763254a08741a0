"""The bench: standard experiments on one system, whose results are compared with thresholds."""

from evaluation.goldevidence.experiments.bench.bars import BARS, Bar, Judged
from evaluation.goldevidence.experiments.bench.parts import PARTS, SIZES, Size
from evaluation.goldevidence.experiments.bench.running import Bench, run_bench

__all__ = ["BARS", "PARTS", "SIZES", "Bar", "Bench", "Judged", "Size", "run_bench"]
