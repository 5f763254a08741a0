"""The nouns of the site. `docs/architecture.md` says how they live."""

from leaderboard.models.account import FormerName, NameClaim, ServiceAccount
from leaderboard.models.benchmark import Benchmark, Preset
from leaderboard.models.check_slot import CheckSlot
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
    "CheckSlot",
    "ConformanceReport",
    "Event",
    "FormerName",
    "FrozenError",
    "ModelFile",
    "NameClaim",
    "Preset",
    "Run",
    "RunEvent",
    "Score",
    "ServiceAccount",
    "Submission",
    "System",
    "Version",
]
