"""What the API says of submissions. Every number may be null: null is "not reported", never 0."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal
from uuid import UUID

from ninja import Schema
from pydantic import Field

from leaderboard.web.api.fields import example

ORIGIN = (
    "How the result came about: `verified` (this site ran the system), `run_by_authors` (shipped with the source "
    "of the site), or `self_reported` (uploaded)."
)


class FindingOut(Schema):
    """What was noticed of a file as a whole."""

    code: str
    message: str


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
    warnings: list[FindingOut] = Field(
        default_factory=list,
        description="What looks mistaken in a legal file: `constant_answers`, `more_citations_than_count`, "
        "`nothing_cited`, `answer_not_in_its_field`, `same_file`. It refuses nothing.",
    )


class SystemRef(Schema):
    """A system by its address."""

    owner: str
    slug: str
    name: str


def system_ref(system: Any) -> dict[str, str]:
    """The fields of `SystemRef`.

    Args:
        system: With its owner.
    """
    return {"owner": system.owner.get_username(), "slug": system.slug, "name": system.name}


class Figure(Schema):
    """A value with its 95% interval; null where there is none, as over one unit. At 0 and 1 one end is a bound."""

    value: float | None
    low: float | None = None
    high: float | None = None


class GateOut(Schema):
    """A bar that a submission has to pass before it is ranked."""

    letter: str
    name: str
    state: str = Field(
        description="pass or fail where the whole interval is on one side of the bar, else undecided; none: not "
        "reported, or not tested by any row."
    )
    help: str = Field(description="The threshold, and what was measured.")


class StandingOut(Schema):
    """A place on a board. Where the rank is null, `reason` says why: a failed gate, say, or a diagnostic version."""

    rank: int | None = Field(description="The best rank that it may have.")
    low: int | None = Field(
        description="The same: where the ranks that it may have begin. All ranges of a board hold together."
    )
    high: int | None = Field(description="Where they end.")
    among: int = Field(description="How many systems are ranked.")
    sharing: int = Field(
        description="How many of them are tied with it, itself included: their ranges overlap."
    )
    reason: str | None = Field(description="Why there is no rank.")


class TrialOut(Schema):
    """The rows of a trial: its figures are over these alone, and stand beside no others."""

    rows: int = Field(description="How many rows it asked.")
    of: int = Field(description="How many the version has.")


class SubmissionOut(Schema):
    """A submission and how far its grading is."""

    model_config = example(
        id="5b0f3a5e-8a3c-4a57-9d3b-6d3a0c9f1f77",
        version="goldevidencebench/order-bias-short",
        status="graded",
        progress=100,
        visibility="public",
        headline={"value": 0.92, "low": 0.88, "high": 0.95},
    )

    id: UUID
    version: str
    system: SystemRef
    submitter: str
    source: str = Field(
        description="`browser`, `api`, `cli`; `run`: by this site; `mean`: of repeats; `shipped`: run by the makers of "
        "the site, and handed out with its source."
    )
    verified: bool = Field(description="Whether this site ran the system itself.")
    origin: str = Field("", description=ORIGIN)
    visibility: str
    note: str
    status: str
    progress: int = Field(description="Of the grading, 0 to 100.")
    shown: bool = Field(description="Whether the board shows this one of its system.")
    repeats: int = Field(1, description="How many repeats stand together: of a mean and of its repeats.")
    repeat: int | None = Field(None, description="Which of the repeats it is; null of all others.")
    mean: UUID | None = Field(None, description="Of a repeat: the submission that is the mean of all.")
    repeats_graded: int | None = Field(None, description="Of a mean: how many of its repeats are graded.")
    run_sd: float | None = Field(
        None, description="Of a mean: the standard deviation of the headline between its repeats."
    )
    rows: int
    conditions: list[str]
    row_states: dict[str, int] = Field(
        description="How many lines hold an answer, and why the others hold none; empty for older submissions."
    )
    tokens_per_query: float | None
    trial: TrialOut | None = Field(
        None,
        description="Of a run over a part of the rows, which all its figures are over; null for all others.",
    )
    headline: Figure | None = Field(
        description="Null before the grading. Its value is null where it is not reported, as of a system of a kind "
        "that decides nothing."
    )
    gates: list[GateOut] = Field(description="Empty before the grading, and where the suite has none.")
    grader: str | None
    revision: int | None
    statistics: int | None = Field(None, description="The version of the statistics that made the intervals.")
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
    alike: list[FindingOut] | None = Field(
        None,
        description="What its file has in common with an earlier one of another account, or with a reference "
        "system: `same_file`, `same_answers` or `same_mistakes`; every reader is told. Null in lists.",
    )
    warnings: list[FindingOut] | None = Field(
        None, description="What looks mistaken in its file; null in lists, and for submissions of others."
    )
    url: str


class SubmissionDetail(SubmissionOut):
    """A submission with its place on the board."""

    standing: StandingOut | None = Field(description="Null where the board does not show it.")
    held_back: str | None = Field(
        None,
        description="Why no board shows it until its account has a confirmed e-mail address; null for all others.",
    )
    transcripts_url: str | None = Field(
        None,
        description="Prompt hashes and raw replies of a run, where the version is open and a model was asked.",
    )


class MetricOut(Figure):
    """One figure of a score."""

    name: str
    label: str
    better: str
    format: str
    denominator: int | None = Field(
        None,
        description="Over how many rows it is, or over how many of what else it counts; null: not known, or a figure "
        "of several rates or of weights.",
    )
    chance: float | None = Field(
        None, description="What choosing at random gets in the same rows; null: not known."
    )


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
    trial: TrialOut | None = Field(None, description="Over which rows, where it is a trial.")
    metrics: list[MetricOut]
    groups: dict[str, dict[str, dict[str, Figure]]] = Field(description="Grouping → group → metric.")
    failures: dict[str, int] = Field(description="Failure code → rows.")
    revisions: list[RevisionOut]
    repeats: int = Field(1, description="How many repeats the figures are the mean of.")
    run_sds: dict[str, float] = Field(
        default_factory=dict,
        description="Metric -> standard deviation between the repeats; empty where there are none.",
    )


class ArtifactOut(Schema):
    """What a system built for one episode, and what it holds of the true state."""

    episode_id: str
    artifact: str = Field(description="The text, a book.")
    tokens: int = Field(description="Its words.")
    sections: int
    lines: int = Field(description="Of its ledger; the next three divide them.")
    live: int | None = Field(
        None,
        description="Lines that hold at the end of the log. This and what follows are null while a version keeps its "
        "answers.",
    )
    dead: int | None = Field(None, description="Lines that are superseded in the log, or NOTEs.")
    wrong: int | None = Field(None, description="Lines that the log does not have so.")
    missing: int | None = Field(
        None, description="Lines that hold at the end of the log and that the ledger lacks."
    )
    state: int | None = Field(None, description="How many lines hold at the end of the log.")


class EventOut(Schema):
    """Something that happened to a submission."""

    kind: str
    label: str
    detail: str
    actor: str | None
    at: datetime


class PredictionsOut(Schema):
    """The predictions file of a public submission to a retired version."""

    submission: UUID
    system: str
    verified: bool = Field(description="Whether a run of this site made it.")
    origin: str = Field("", description=ORIGIN)
    content_sha256: str = Field(description="Of the lines, uncompressed: `zcat FILE | sha256sum`.")
    file_sha256: str = Field(
        description="Of the gzip file as it is sent: `sha256sum FILE`. Empty where it is missing."
    )
    url: str
