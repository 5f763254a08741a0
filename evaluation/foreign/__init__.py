"""Outputs of other tools as predictions: logs of Inspect, samples of lm-evaluation-harness, batches, tables."""

from evaluation.foreign.convert import Converted, convert, convert_for
from evaluation.foreign.reading import Foreign, Reply, open_foreign

__all__ = ["Converted", "Foreign", "Reply", "convert", "convert_for", "open_foreign"]
