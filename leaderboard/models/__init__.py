"""Every model of the site, for Django and a shell. Code imports those of a package from there."""

from leaderboard.accounts.models import ApiToken, FormerName, NameClaim, ServiceAccount
from leaderboard.benchmarks.models import Benchmark, FrozenError, Preset, Version
from leaderboard.conformance.models import ConformanceReport
from leaderboard.jobs.models import CheckSlot
from leaderboard.runs.models import ModelFile, Run, RunEvent
from leaderboard.submissions.models import Event, Score, Submission, System

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
