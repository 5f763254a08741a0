"""The nouns of the site. `docs/architecture.md` says how they live."""

from leaderboard.models.benchmark import Benchmark, Preset
from leaderboard.models.conformance import ConformanceReport
from leaderboard.models.run import ModelFile, Run, RunEvent
from leaderboard.models.score import Score
from leaderboard.models.submission import Event, Submission
from leaderboard.models.system import System
from leaderboard.models.token import ApiToken
from leaderboard.models.version import FrozenError, Version

__all__ = [
    "ApiToken",
    "Benchmark",
    "ConformanceReport",
    "Event",
    "FrozenError",
    "ModelFile",
    "Preset",
    "Run",
    "RunEvent",
    "Score",
    "Submission",
    "System",
    "Version",
]
