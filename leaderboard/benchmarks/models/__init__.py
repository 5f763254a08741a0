"""Benchmarks, their presets and frozen versions."""

from leaderboard.benchmarks.models.benchmark import Benchmark, Preset
from leaderboard.benchmarks.models.version import Version
from leaderboard.benchmarks.querysets import FrozenError

__all__ = ["Benchmark", "FrozenError", "Preset", "Version"]
