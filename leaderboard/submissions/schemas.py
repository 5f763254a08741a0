"""API schemas of submissions. Null numbers mean "not reported", never 0."""

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
    """A finding about a file as a whole."""

    code: str = Field(description="A short name that scripts can compare.")
    message: str = Field(description="A sentence for people.")


class Checked(Schema):
    """A valid file."""

    model_config = example(
        valid=True,
        rows=96,
        conditions=["closed_book"],
        row_states={"answered": 95, "unreadable": 1},
        warning="1 of 96 lines holds no readable answer (1 unreadable); it will count as wrong.",
    )

    valid: Literal[True] = Field(True, description="Always true: a file with problems is a 422.")
    rows: int = Field(description="How many lines it has.")
    conditions: list[str] = Field(description="The conditions that it covers.")
    row_states: dict[str, int] = Field(
        description="Numbers of lines by state: `answered`, `abstained`, or why there is no answer."
    )
    warning: str = Field(
        description="Lines that will count as wrong because they hold no answer; empty if there are none."
    )
    warnings: list[FindingOut] = Field(
        default_factory=list,
        description="What looks mistaken in a valid file: `constant_answers`, `more_citations_than_count`, "
        "`nothing_cited`, `answer_not_in_its_field`, `same_file`. It refuses nothing.",
    )


class SystemRef(Schema):
    """A system by its address."""

    owner: str = Field(description="Name of the account that owns it.")
    slug: str = Field(description="Its part of addresses.")
    name: str = Field(description="Its name.")


def system_ref(system: Any) -> dict[str, str]:
    return {"owner": system.owner.get_username(), "slug": system.slug, "name": system.name}


class Figure(Schema):
    """A value with its 95% interval; null without one, as over a single unit. At 0 and 1 one end is a bound."""

    value: float | None = Field(description="The value; null: not reported.")
    low: float | None = Field(None, description="Lower end of the 95% interval; null: none.")
    high: float | None = Field(None, description="Upper end of the 95% interval; null: none.")


class GateOut(Schema):
    """A requirement that a submission must meet to be ranked."""

    letter: str = Field(description="Its letter on boards.")
    name: str = Field(description="Its name for people.")
    state: str = Field(
        description="pass or fail if the whole interval is on one side of the threshold, else undecided; none: not "
        "reported, or not tested by any row."
    )
    help: str = Field(description="The threshold, and what was measured.")


class StandingOut(Schema):
    """A place on a board. If the rank is null, `reason` says why: a failed gate, say, or a diagnostic version."""

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
    """The rows of a trial. Its figures are over these alone and not comparable with others."""

    rows: int = Field(description="How many rows it asked.")
    of: int = Field(description="How many the version has.")


class SubmissionOut(Schema):
    """A submission and the progress of its grading."""

    model_config = example(
        id="5b0f3a5e-8a3c-4a57-9d3b-6d3a0c9f1f77",
        version="goldevidencebench/order-bias-short",
        status="graded",
        progress=100,
        visibility="public",
        headline={"value": 0.92, "low": 0.88, "high": 0.95},
    )

    id: UUID = Field(description="Names it in the addresses of this API.")
    version: str = Field(description="The version, `benchmark/version`.")
    system: SystemRef = Field(description="The system under test.")
    submitter: str = Field(description="Name of the account that sent it.")
    source: str = Field(
        description="`browser`, `api`, `cli`; `run`: by this site; `mean`: of repeats; `shipped`: run by the makers of "
        "the site, and handed out with its source."
    )
    verified: bool = Field(description="Whether this site ran the system itself.")
    origin: str = Field("", description=ORIGIN)
    visibility: str = Field(description="`public` or `private`.")
    predictions_public: bool = Field(
        True,
        description="Whether its predictions are public where the answers of its version are; of older submissions "
        "once their owners agree.",
    )
    note: str = Field(description="What its submitter noted; empty: nothing.")
    status: str = Field(
        description="`queued`, `grading`, `graded`, `failed`, `waiting` (a mean, for its repeats) or `withdrawn`."
    )
    progress: int = Field(description="Progress of the grading, 0 to 100.")
    shown: bool = Field(description="Whether the board shows this submission for its system.")
    repeats: int = Field(1, description="Number of repeats of the mean, for a mean and its repeats.")
    repeat: int | None = Field(None, description="Which of the repeats it is; null of all others.")
    mean: UUID | None = Field(None, description="Of a repeat: the submission that is the mean of all.")
    repeats_graded: int | None = Field(None, description="Of a mean: how many of its repeats are graded.")
    run_sd: float | None = Field(
        None, description="Of a mean: the standard deviation of the headline between its repeats."
    )
    rows: int = Field(description="How many lines its file has.")
    conditions: list[str] = Field(description="The conditions that its file covers.")
    row_states: dict[str, int] = Field(
        description="How many lines hold an answer, and why the others hold none; empty for older submissions."
    )
    tokens_per_query: float | None = Field(description="Tokens per question; null: not reported.")
    trial: TrialOut | None = Field(
        None,
        description="Of a run over a part of the rows, which all its figures are over; null for all others.",
    )
    headline: Figure | None = Field(
        description="Null before the grading. Its value is null where it is not reported, as of a system of a kind "
        "that gives no answers."
    )
    gates: list[GateOut] = Field(description="Empty before the grading, and if the suite has none.")
    grader: str | None = Field(description="The grader and its revision; null before the grading.")
    revision: int | None = Field(description="Number of its present grading, from 1; null before the first.")
    statistics: int | None = Field(None, description="The version of the statistics that made the intervals.")
    error: str = Field(description="Why the grading failed, or what it waits for.")
    next_attempt_at: datetime | None = Field(
        None,
        description="If it waits for a fault of this site to pass: the time of the next automatic attempt.",
    )
    created_at: datetime = Field(description="When it was sent.")
    graded_at: datetime | None = Field(description="When it was graded first; null: not yet.")
    withdrawn_at: datetime | None = Field(description="When it was withdrawn; null: it was not.")
    flags: list[Any] | None = Field(
        None, description="What the intake noticed; null without the permission view_submission."
    )
    alike: list[FindingOut] | None = Field(
        None,
        description="What its file has in common with an earlier one of another account, or with a reference "
        "system: `same_file`, `same_answers` or `same_mistakes`; every reader is told. Null in lists.",
    )
    warnings: list[FindingOut] | None = Field(
        None, description="Likely mistakes in its file; null in lists, and for submissions of others."
    )
    url: str = Field(description="Address of its page for people.")


class SubmissionDetail(SubmissionOut):
    """A submission with its place on the board."""

    standing: StandingOut | None = Field(description="Null if the board does not show it.")
    predictions_url: str | None = Field(
        None, description="The file of its predictions; null where the reader may not have it."
    )
    held_back: str | None = Field(
        None,
        description="Why no board shows it for now: its account has no confirmed e-mail address, or a moderator "
        "has not approved it; null for all others.",
    )
    transcripts_url: str | None = Field(
        None,
        description="Prompt hashes and raw replies of a run, where the version is open and a model was asked.",
    )


class MetricOut(Figure):
    """One figure of a score."""

    name: str = Field(description="Name that scripts use.")
    label: str = Field(description="Its name for people.")
    better: str = Field(description="Whether a `higher` or a `lower` value is better.")
    format: str = Field(
        description="How people read it: `ratio` (shown as per cent), `points`, `count` or `seconds`."
    )
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

    revision: int = Field(description="Its number, from 1.")
    grader: str = Field(description="The grader and its revision.")
    headline: float | None = Field(description="The headline of this grading; null: not reported.")
    created_at: datetime = Field(description="When it was graded so.")


class MetricsOut(Schema):
    """All figures of one graded revision."""

    submission: UUID = Field(description="The id of the submission.")
    revision: int = Field(description="Number of the grading that the figures are of.")
    grader: str = Field(description="The grader and its revision.")
    trial: TrialOut | None = Field(None, description="The rows of a trial, else null.")
    metrics: list[MetricOut] = Field(description="All figures over all rows.")
    groups: dict[str, dict[str, dict[str, Figure]]] = Field(description="Grouping → group → metric.")
    failures: dict[str, int] = Field(description="Failure code → rows.")
    revisions: list[RevisionOut] = Field(description="All gradings of the submission.")
    repeats: int = Field(1, description="How many repeats the figures are the mean of.")
    run_sds: dict[str, float] = Field(
        default_factory=dict,
        description="Metric -> standard deviation between the repeats; empty without repeats.",
    )


class ArtifactOut(Schema):
    """An artifact that a system built for one episode, compared with the true state."""

    episode_id: str = Field(description="The episode that it was built for.")
    artifact: str = Field(description="The text, a book.")
    tokens: int = Field(description="Its words.")
    sections: int = Field(description="How many sections it has.")
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
    """An event in the history of a submission."""

    kind: str = Field(description="Name of the event, such as `graded`.")
    label: str = Field(description="The event for people.")
    detail: str = Field(description="What there is to say of it; may be empty.")
    actor: str | None = Field(description="Name of the account that did it; null: this site.")
    at: datetime = Field(description="When it happened.")


class PredictionsOut(Schema):
    """The predictions file of a public submission."""

    submission: UUID = Field(description="The id of the submission.")
    system: str = Field(description="The system, `owner/slug`.")
    verified: bool = Field(description="Whether a run of this site made it.")
    origin: str = Field("", description=ORIGIN)
    content_sha256: str = Field(description="Of the lines, uncompressed: `zcat FILE | sha256sum`.")
    file_sha256: str = Field(
        description="Of the gzip file as it is sent: `sha256sum FILE`. Empty where it is missing."
    )
    url: str = Field(description="Where the file is downloaded.")
