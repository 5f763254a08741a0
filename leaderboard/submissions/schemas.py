"""API schemas of submissions. Null numbers mean "not reported", never 0."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal
from uuid import UUID

from ninja import Schema
from pydantic import Field

from leaderboard.web.api.fields import example

ORIGIN = (
    "Origin of the result: `verified` (this site ran the system), `run_by_authors` (shipped with the source of the "
    "site), or `self_reported` (uploaded)."
)


class FindingOut(Schema):
    """A finding about a file as a whole."""

    code: str = Field(description="A short name that scripts can compare.")
    message: str = Field(description="A sentence for people.")


class Checked(Schema):
    """The outcome of a check of a valid file."""

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
        description="Likely mistakes in a valid file, which do not refuse it: `constant_answers`, "
        "`more_citations_than_count`, `nothing_cited`, `answer_not_in_its_field`, `same_file`.",
    )


class SystemRef(Schema):
    """A system, identified by owner and slug."""

    owner: str = Field(description="Name of the account that owns it.")
    slug: str = Field(description="Name of the system in addresses.")
    name: str = Field(description="Name of the system for people.")


def system_ref(system: Any) -> dict[str, str]:
    return {"owner": system.owner.get_username(), "slug": system.slug, "name": system.name}


class Figure(Schema):
    """A value with its 95% interval, which may be null (as for a single unit). At 0 and 1 one end is a bound."""

    value: float | None = Field(description="The value; null: not reported.")
    low: float | None = Field(None, description="Lower end of the 95% interval; null: none.")
    high: float | None = Field(None, description="Upper end of the 95% interval; null: none.")


class GateOut(Schema):
    """A gate: a requirement that a submission must meet to be ranked."""

    letter: str = Field(description="Letter of the gate on boards.")
    name: str = Field(description="Name for people.")
    state: str = Field(
        description="pass or fail if the whole interval is on one side of the threshold, else undecided; none: not "
        "reported, or not tested by any row."
    )
    help: str = Field(description="The threshold and the measured value, in words.")


class StandingOut(Schema):
    """A place on a board. If the rank is null, `reason` says why (a failed gate, a diagnostic version)."""

    rank: int | None = Field(description="Best rank that the system may have.")
    low: int | None = Field(
        description="Same as `rank`: first rank of the range. All ranges of a board hold simultaneously."
    )
    high: int | None = Field(description="Last rank of the range.")
    among: int = Field(description="Number of ranked systems.")
    sharing: int = Field(
        description="Number of systems tied with this one (overlapping ranges), itself included."
    )
    reason: str | None = Field(description="Why there is no rank.")


class TrialOut(Schema):
    """The rows of a trial. Its metrics are over these rows only, and not comparable with other submissions."""

    rows: int = Field(description="Number of rows that the trial asked.")
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
    submitter: str = Field(description="Name of the account that sent it.")
    source: str = Field(
        description="`browser`, `api` or `cli`: uploaded; `run`: by this site; `mean`: of repeats; `shipped`: run by "
        "the site's authors, and part of its source."
    )
    verified: bool = Field(description="Whether this site ran the system itself.")
    origin: str = Field("", description=ORIGIN)
    visibility: str = Field(description="`public` or `private`.")
    predictions_public: bool = Field(
        True,
        description="Whether its predictions are public if the version's answers are; for older submissions, once "
        "their owners agree.",
    )
    note: str = Field(description="Note of the submitter; may be empty.")
    status: str = Field(
        description="`queued`, `grading`, `graded`, `failed`, `waiting` (a mean, for its repeats) or `withdrawn`."
    )
    progress: int = Field(description="Progress of the grading, 0 to 100.")
    shown: bool = Field(description="Whether the board shows this submission for its system.")
    repeats: int = Field(1, description="Number of repeats of the mean, for a mean and its repeats.")
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
        description="For a run over some of the rows: their number. Its metrics are over these rows only.",
    )
    headline: Figure | None = Field(
        description="The headline; null before the grading. Its value is null if not reported, as for strategies."
    )
    gates: list[GateOut] = Field(description="Gates; empty before the grading, or if there are none.")
    grader: str | None = Field(description="The grader and its revision; null before the grading.")
    revision: int | None = Field(description="Number of the current grading, from 1; null before the first.")
    statistics: int | None = Field(None, description="Version of the statistics that made the intervals.")
    error: str = Field(description="Why the grading failed, or what it waits for.")
    next_attempt_at: datetime | None = Field(
        None,
        description="While it waits after a fault of this site: the time of the next automatic attempt.",
    )
    created_at: datetime = Field(description="When it was sent.")
    graded_at: datetime | None = Field(description="When it was first graded; null: not yet.")
    withdrawn_at: datetime | None = Field(description="When it was withdrawn; null: it was not.")
    flags: list[Any] | None = Field(
        None, description="Findings of intake checks; null without the permission view_submission."
    )
    alike: list[FindingOut] | None = Field(
        None,
        description="Likeness of its file with an earlier file of another account, or of a reference system: "
        "`same_file`, `same_answers` or `same_mistakes`. Public; null in lists.",
    )
    warnings: list[FindingOut] | None = Field(
        None, description="Likely mistakes in its file; null in lists, and for submissions of others."
    )
    url: str = Field(description="Address of its page for people.")


class SubmissionDetail(SubmissionOut):
    """A submission with its place on the board."""

    standing: StandingOut | None = Field(description="Its place; null if the board does not show it.")
    predictions_url: str | None = Field(
        None, description="Where its predictions are downloaded; null if the caller may not."
    )
    held_back: str | None = Field(
        None,
        description="Why boards do not show it for now: its account has no confirmed e-mail address, or a moderator "
        "has not approved it; else null.",
    )
    transcripts_url: str | None = Field(
        None,
        description="Where prompt hashes and raw replies are downloaded; null on sealed versions and without model.",
    )


class MetricOut(Figure):
    """A metric of a score."""

    name: str = Field(description="Name that scripts use.")
    label: str = Field(description="Name for people.")
    better: str = Field(description="Whether a `higher` or a `lower` value is better.")
    format: str = Field(
        description="How pages show it: `ratio` (as per cent), `points`, `count` or `seconds`."
    )
    denominator: int | None = Field(
        None,
        description="Number of rows (or other items) over which it is computed; null: unknown, or a metric of several "
        "rates or of weights.",
    )
    chance: float | None = Field(
        None, description="Expected value of random choice on the same rows; null: unknown."
    )


class RevisionOut(Schema):
    """A grading of a submission; older gradings stay readable."""

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

    episode_id: str = Field(description="The episode that it was built for.")
    artifact: str = Field(description="The text of the artifact.")
    tokens: int = Field(description="Number of words.")
    sections: int = Field(description="Number of sections.")
    lines: int = Field(description="Number of lines of its ledger: `live`, `dead` and `wrong`.")
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
    label: str = Field(description="The event for people.")
    detail: str = Field(description="Details; may be empty.")
    actor: str | None = Field(description="Name of the account that did it; null: this site.")
    at: datetime = Field(description="When it happened.")


class PredictionsOut(Schema):
    """The predictions file of a public submission."""

    submission: UUID = Field(description="The id of the submission.")
    system: str = Field(description="The system, `owner/slug`.")
    verified: bool = Field(description="Whether a run of this site made it.")
    origin: str = Field("", description=ORIGIN)
    content_sha256: str = Field(description="SHA-256 of the uncompressed lines: `zcat FILE | sha256sum`.")
    file_sha256: str = Field(
        description="SHA-256 of the gzip file: `sha256sum FILE`. Empty if the file is missing."
    )
    url: str = Field(description="Where the file is downloaded.")
