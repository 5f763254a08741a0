"""Every model of the site, for Django and a shell. Code imports those of a package from there."""

from leaderboard.accounts.models import ApiToken, FormerName, NameClaim, ServiceAccount
from leaderboard.benchmarks.models import Benchmark, FrozenError, Preset, Version
from leaderboard.boards.models import DuePlacements, StoredLengths, StoredPlacements
from leaderboard.conformance.models import ConformanceReport
from leaderboard.jobs.models import CheckSlot, DelayedTask, PeriodicWork
from leaderboard.ready_pages.models import ContentChange, RenderedPage
from leaderboard.runs.benches.models import Bench, BenchEvent
from leaderboard.runs.models import ModelCheck, ModelFile, ModelHolder, Run, RunEvent
from leaderboard.submissions.models import (
    AnswerPrint,
    Event,
    Likeness,
    Score,
    Submission,
    SubmissionCount,
    System,
    SystemCounts,
)

__all__ = [
    "AnswerPrint",
    "ApiToken",
    "Bench",
    "BenchEvent",
    "Benchmark",
    "CheckSlot",
    "ConformanceReport",
    "ContentChange",
    "DelayedTask",
    "DuePlacements",
    "Event",
    "FormerName",
    "FrozenError",
    "Likeness",
    "ModelCheck",
    "ModelFile",
    "ModelHolder",
    "NameClaim",
    "PeriodicWork",
    "Preset",
    "RenderedPage",
    "Run",
    "RunEvent",
    "Score",
    "ServiceAccount",
    "StoredLengths",
    "StoredPlacements",
    "Submission",
    "SubmissionCount",
    "System",
    "SystemCounts",
    "Version",
]
