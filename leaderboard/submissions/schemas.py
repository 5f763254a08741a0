"""What the API says of submissions. Every number may be null: null is "not reported", never 0."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal
from uuid import UUID

from ninja import Schema
from pydantic import Field

from leaderboard.web.api.fields import example


class Checked(Schema):
    """A valid file."""

    model_config = example(
        valid=True,
        rows=96,
        conditions=["closed_book"],
        row_states={"answered": 95, "unreadable": 1},
        warning="1 of 96 lines holds no readable answer (1 unreadable); it will count as wrong.",
    )

    valid: Literal[True] = True
    rows: int
    conditions: list[str]
    row_states: dict[str, int] = Field(
        description="How many lines are `answered` or `abstained`, and why the others hold no answer."
    )
    warning: str = Field(description="What will count as wrong because it holds no answer; empty: nothing.")


class SystemRef(Schema):
    """A system by its address."""

    owner: str
    slug: str
    name: str


class Figure(Schema):
    """A value with its 95% interval; null where there is none, as where every unit has the same value."""

    value: float | None
    low: float | None = None
    high: float | None = None


class GateOut(Schema):
    """A bar that a submission has to pass before it is ranked."""

    letter: str
    name: str
    state: str = Field(description="pass, fail, or none: not reported, or not tested by any row.")
    help: str = Field(description="The threshold, and what was measured.")


class StandingOut(Schema):
    """A place on a board. The rank is null where a gate failed, no headline is reported or its kind is not ranked."""

    rank: int | None
    low: int | None = Field(
        description="Where the middle 95% of its ranks among resamples begin; no 95% interval of its rank."
    )
    high: int | None = Field(description="Where they end.")
    among: int = Field(description="How many systems are ranked.")
    sharing: int = Field(description="How many of them have this rank.")
    reason: str | None = Field(description="Why there is no rank.")


class SubmissionOut(Schema):
    """A submission and how far its grading is."""

    model_config = example(
        id="5b0f3a5e-8a3c-4a57-9d3b-6d3a0c9f1f77",
        version="goldevidencebench/order-bias",
        status="graded",
        progress=100,
        visibility="public",
        headline={"value": 0.92, "low": 0.88, "high": 0.95},
    )

    id: UUID
    version: str
    system: SystemRef
    submitter: str
    source: str
    verified: bool = Field(description="Whether this site ran the system itself.")
    visibility: str
    note: str
    status: str
    progress: int = Field(description="Of the grading, 0 to 100.")
    shown: bool = Field(description="Whether the board shows this one of its system.")
    rows: int
    conditions: list[str]
    row_states: dict[str, int] = Field(
        description="How many lines hold an answer, and why the others hold none; empty for older submissions."
    )
    tokens_per_query: float | None
    headline: Figure | None
    gates: list[GateOut] = Field(description="Empty before the grading, and where the suite has none.")
    grader: str | None
    revision: int | None
    error: str = Field(description="Why the grading failed, or what it waits for.")
    next_attempt_at: datetime | None = Field(
        None, description="Where it waits for a fault of this site to pass: when it is tried again by itself."
    )
    created_at: datetime
    graded_at: datetime | None
    withdrawn_at: datetime | None
    flags: list[Any] | None = Field(
        None, description="What the intake noticed; null without the permission view_submission."
    )
    url: str


class SubmissionDetail(SubmissionOut):
    """A submission with its place on the board."""

    standing: StandingOut | None = Field(description="Null where the board does not show it.")


class MetricOut(Figure):
    """One figure of a score."""

    name: str
    label: str
    better: str
    format: str


class RevisionOut(Schema):
    """One grading of a submission; older ones stay readable."""

    revision: int
    grader: str
    headline: float | None
    created_at: datetime


class MetricsOut(Schema):
    """All figures of one graded revision."""

    submission: UUID
    revision: int
    grader: str
    metrics: list[MetricOut]
    groups: dict[str, dict[str, dict[str, Figure]]] = Field(description="Grouping → group → metric.")
    failures: dict[str, int] = Field(description="Failure code → rows.")
    revisions: list[RevisionOut]


class EventOut(Schema):
    """Something that happened to a submission."""

    kind: str
    label: str
    detail: str
    actor: str | None
    at: datetime
