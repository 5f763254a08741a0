"""The nouns of the site. `docs/architecture.md` says how they live."""

from leaderboard.models.benchmark import Benchmark, Preset
from leaderboard.models.score import Score
from leaderboard.models.submission import Event, Submission
from leaderboard.models.system import System
from leaderboard.models.version import FrozenError, Version

__all__ = ["Benchmark", "Event", "FrozenError", "Preset", "Score", "Submission", "System", "Version"]
