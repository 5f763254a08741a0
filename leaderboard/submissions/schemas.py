"""API schemas of submissions. A number that is null is "not reported", and never means 0."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal
from uuid import UUID

from ninja import Schema
from pydantic import Field

from leaderboard.web.api.fields import example

ORIGIN = (
    "Origin of the result: `verified` (this site ran the system), `run_by_authors` (part of the source of the site), "
    "or `self_reported` (uploaded by the owner)."
)


class FindingOut(Schema):
    """A warning or remark about a file as a whole."""

    code: str = Field(description="Short name of the finding, for scripts.")
    message: str = Field(description="A sentence for people.")


class Checked(Schema):
    """The result of checking a valid file."""

    model_config = example(
        valid=True,
        rows=96,
        conditions=["closed_book"],
        row_states={"answered": 95, "unreadable": 1},
        warning="1 of 96 lines holds no readable answer (1 unreadable); it will count as wrong.",
    )

    valid: Literal[True] = Field(True, description="Always true: a file with problems gives 422.")
    rows: int = Field(description="Number of lines.")
    conditions: list[str] = Field(description="Conditions that the file covers.")
    row_states: dict[str, int] = Field(
        description="Numbers of lines by state: `answered`, `abstained`, or why there is no answer."
    )
    warning: str = Field(
        description="Warning about lines without an answer, which count as wrong; empty if there are none."
    )
    warnings: list[FindingOut] = Field(
        default_factory=list,
        description="Likely mistakes in a valid file, which is accepted all the same: `constant_answers`, "
        "`more_citations_than_count`, `nothing_cited`, `answer_not_in_its_field`, `same_file`.",
    )


class SystemRef(Schema):
    """A system, identified by owner and slug."""

    owner: str = Field(description="Name of the account that owns the system.")
    slug: str = Field(description="Name of the system in addresses.")
    name: str = Field(description="Name of the system for people.")


def system_ref(system: Any) -> dict[str, str]:
    return {"owner": system.owner.get_username(), "slug": system.slug, "name": system.name}


class Figure(Schema):
    """A value with its 95% interval, whose ends may be null. For a rate of 0 or 1, one end is a one-sided bound."""

    value: float | None = Field(description="The value; null: not reported.")
    low: float | None = Field(None, description="Lower end of the 95% interval; null: none.")
    high: float | None = Field(None, description="Upper end of the 95% interval; null: none.")


class GateOut(Schema):
    """A requirement that a submission must meet to be ranked."""

    letter: str = Field(description="Letter that identifies the gate.")
    name: str = Field(description="Name for people.")
    state: str = Field(
        description="`pass` or `fail` if the whole interval is on one side of the threshold, else `undecided`. `none`: "
        "not reported, or not tested by any row."
    )
    help: str = Field(description="The threshold and the measured value, in words.")


class StandingOut(Schema):
    """A place on a board. If the rank is null, `reason` says why, such as a requirement that is not met."""

    rank: int | None = Field(description="Best rank that the system may have.")
    low: int | None = Field(
        description="Same as `rank`: first rank of the range. All ranges of a board hold at once, with 95% confidence."
    )
    high: int | None = Field(description="Last rank of the range.")
    among: int = Field(description="Number of ranked systems.")
    sharing: int = Field(
        description="Number of systems tied with this one (overlapping ranges), itself included."
    )
    reason: str | None = Field(description="Why there is no rank.")


class TrialOut(Schema):
    """The size of a trial. Its metrics are over its own rows, and cannot be compared with other submissions."""

    rows: int = Field(description="Number of rows of the trial.")
    of: int = Field(description="Number of rows of the version.")


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

    id: UUID = Field(description="Id of the submission in addresses of this API.")
    version: str = Field(description="The version, `benchmark/version`.")
    system: SystemRef = Field(description="The system under test.")
    submitter: str = Field(description="Name of the account that owns the submission.")
    source: str = Field(
        description="`browser`, `api` or `cli`: uploaded; `run`: by this site; `mean`: of repeats; `shipped`: run by "
        "the site's authors, and part of its source."
    )
    verified: bool = Field(description="Whether this site ran the system itself.")
    origin: str = Field("", description=ORIGIN)
    visibility: str = Field(description="`public` or `private`.")
    predictions_public: bool = Field(
        True,
        description="Whether predictions are public if the version's answers are. False for older submissions until "
        "their owners agree.",
    )
    note: str = Field(description="Note of the submitter; may be empty.")
    status: str = Field(
        description="`queued`, `grading`, `graded`, `failed`, `waiting` (a mean, for its repeats) or `withdrawn`."
    )
    progress: int = Field(description="Progress of the grading, 0 to 100.")
    shown: bool = Field(description="Whether the board shows this submission for its system.")
    repeats: int = Field(
        1, description="For a mean and each of its repeats: number of repeats averaged; else 1."
    )
    repeat: int | None = Field(None, description="Number of the repeat; null: no repeat.")
    mean: UUID | None = Field(None, description="For a repeat: id of the mean of the repeats.")
    repeats_graded: int | None = Field(None, description="For a mean: number of graded repeats.")
    run_sd: float | None = Field(
        None, description="For a mean: standard deviation of the headline between repeats."
    )
    rows: int = Field(description="Number of lines of its file.")
    conditions: list[str] = Field(description="Conditions that its file covers.")
    row_states: dict[str, int] = Field(
        description="Numbers of lines by state: answered, or why not; empty for older submissions."
    )
    tokens_per_query: float | None = Field(description="Tokens per question; null: not reported.")
    trial: TrialOut | None = Field(
        None,
        description="Size of a trial, which is a run over some of the rows; null for other submissions.",
    )
    headline: Figure | None = Field(
        description="The headline metric; null before the grading. Its value is null if it is not reported."
    )
    gates: list[GateOut] = Field(description="Gates; empty before the grading, or if there are none.")
    grader: str | None = Field(description="The grader and its revision; null before the grading.")
    revision: int | None = Field(
        description="Number of the current grading, from 1; null before the first grading."
    )
    statistics: int | None = Field(None, description="Version of the statistics that made the intervals.")
    error: str = Field(description="Why the grading failed, or the cause of a delay.")
    next_attempt_at: datetime | None = Field(
        None,
        description="After a fault of this site: time of the next automatic attempt; else null.",
    )
    created_at: datetime = Field(description="When the submission was received.")
    graded_at: datetime | None = Field(description="When the submission was first graded; null: not yet.")
    withdrawn_at: datetime | None = Field(
        description="When the submission was withdrawn; null: not withdrawn."
    )
    flags: list[Any] | None = Field(
        None, description="Findings of intake checks; null without the permission view_submission."
    )
    alike: list[FindingOut] | None = Field(
        None,
        description="Likeness of the file with an earlier file of another account, or of a reference system: "
        "`same_file`, `same_answers` or `same_mistakes`. Public; null in lists.",
    )
    warnings: list[FindingOut] | None = Field(
        None, description="Likely mistakes in the file; null in lists, and for submissions of others."
    )
    url: str = Field(description="Address of the submission's page.")


class SubmissionDetail(SubmissionOut):
    """A submission with its place on the board."""

    standing: StandingOut | None = Field(
        description="Standing on the board; null if the board does not show the submission."
    )
    predictions_url: str | None = Field(
        None, description="Address to download the predictions; null if the caller may not."
    )
    held_back: str | None = Field(
        None,
        description="Why boards do not show the submission: its account has no confirmed e-mail address, or a "
        "moderator has not approved it; else null.",
    )
    transcripts_url: str | None = Field(
        None,
        description="Address to download prompt hashes and raw replies; null on sealed versions and without a model.",
    )


class MetricOut(Figure):
    """A metric of a score."""

    name: str = Field(description="Name of the metric, for scripts.")
    label: str = Field(description="Name for people.")
    better: str = Field(description="Whether a `higher` or a `lower` value is better.")
    format: str = Field(
        description="How pages show the value: `ratio` (as percent), `points`, `count` or `seconds`."
    )
    denominator: int | None = Field(
        None,
        description="Number of rows (or other items) over which the metric is computed; null: unknown, or the metric "
        "combines several rates or weights the items by cost.",
    )
    chance: float | None = Field(
        None, description="Expected value of random choice on the same rows; null: unknown."
    )


class RevisionOut(Schema):
    """A grading of a submission. Older gradings stay readable."""

    revision: int = Field(description="Number of the grading, from 1.")
    grader: str = Field(description="The grader and its revision.")
    headline: float | None = Field(description="The headline of this grading; null: not reported.")
    created_at: datetime = Field(description="When it was graded.")


class MetricsOut(Schema):
    """All metrics of a grading."""

    submission: UUID = Field(description="The id of the submission.")
    revision: int = Field(description="Number of the grading.")
    grader: str = Field(description="The grader and its revision.")
    trial: TrialOut | None = Field(None, description="The rows of a trial, else null.")
    metrics: list[MetricOut] = Field(description="All metrics over all rows.")
    groups: dict[str, dict[str, dict[str, Figure]]] = Field(description="Grouping → group → metric → value.")
    failures: dict[str, int] = Field(description="Failure code → number of rows.")
    revisions: list[RevisionOut] = Field(description="All gradings of the submission.")
    repeats: int = Field(1, description="Number of repeats that are averaged; 1: a single file.")
    run_sds: dict[str, float] = Field(
        default_factory=dict,
        description="Metric -> standard deviation between the repeats; empty without repeats.",
    )


class ArtifactOut(Schema):
    """An artifact that a system built for an episode, compared with the true state."""

    episode_id: str = Field(description="Id of the episode for which the artifact was built.")
    artifact: str = Field(description="The text of the artifact.")
    tokens: int = Field(description="Number of words.")
    sections: int = Field(description="Number of sections.")
    lines: int = Field(description="Number of lines of the ledger: the sum of `live`, `dead` and `wrong`.")
    live: int | None = Field(
        None,
        description="Lines that are valid at the end of the log. This and the fields below are null while the version "
        "is sealed.",
    )
    dead: int | None = Field(None, description="Lines that are superseded in the log, or NOTEs.")
    wrong: int | None = Field(None, description="Lines that are not in the log.")
    missing: int | None = Field(
        None, description="Lines that are valid at the end of the log and that the ledger lacks."
    )
    state: int | None = Field(None, description="Number of lines that are valid at the end of the log.")


class EventOut(Schema):
    """An event in the history of a submission."""

    kind: str = Field(description="Name of the event, such as `graded`.")
    label: str = Field(description="The event in words.")
    detail: str = Field(description="Details; may be empty.")
    actor: str | None = Field(description="Name of the account that caused the event; null: this site.")
    at: datetime = Field(description="When it happened.")


class PredictionsOut(Schema):
    """The predictions file of a public submission."""

    submission: UUID = Field(description="The id of the submission.")
    system: str = Field(description="Name of the system.")
    verified: bool = Field(description="Whether this site ran the system.")
    origin: str = Field("", description=ORIGIN)
    content_sha256: str = Field(description="SHA-256 of the uncompressed lines: `zcat FILE | sha256sum`.")
    file_sha256: str = Field(
        description="SHA-256 of the gzip file: `sha256sum FILE`. Empty if the file is missing."
    )
    url: str = Field(description="Address to download the file.")
