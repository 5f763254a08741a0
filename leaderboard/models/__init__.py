"""Imports every model of the site, for Django and for shells. Other code imports models from their packages."""

from leaderboard.accounts.models import (
    ApiToken,
    DeletedAccount,
    FormerName,
    Mail,
    NameClaim,
    ServiceAccount,
    StaffAct,
)
from leaderboard.benchmarks.models import Benchmark, FrozenError, Preset, Version
from leaderboard.boards.models import DuePlacements, StoredLengths, StoredPlacements
from leaderboard.conformance.models import ConformanceReport
from leaderboard.jobs.models import CheckSlot, DelayedTask, IdleWorker, PeriodicWork
from leaderboard.notices.models import Delivery, Follow, Notice, NoticeSettings, Webhook
from leaderboard.ready_pages.models import ContentChange, RenderedPage
from leaderboard.runs.benches.models import Bench, BenchEvent
from leaderboard.runs.gym.models import GymLoop, GymLoopEvent
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
    "DeletedAccount",
    "Delivery",
    "DuePlacements",
    "Event",
    "Follow",
    "FormerName",
    "FrozenError",
    "GymLoop",
    "GymLoopEvent",
    "IdleWorker",
    "Likeness",
    "Mail",
    "ModelCheck",
    "ModelFile",
    "ModelHolder",
    "NameClaim",
    "Notice",
    "NoticeSettings",
    "PeriodicWork",
    "Preset",
    "RenderedPage",
    "Run",
    "RunEvent",
    "Score",
    "ServiceAccount",
    "StaffAct",
    "StoredLengths",
    "StoredPlacements",
    "Submission",
    "SubmissionCount",
    "System",
    "SystemCounts",
    "Version",
    "Webhook",
]
