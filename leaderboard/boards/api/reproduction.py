"""API of everything needed to recompute a published figure, read by `goldevidencebench reproduce`.

It returns *marks*: for each unit (an episode or timeline), the sum of the headline over the unit's rows, and the number
of rows. The interval of the headline and all ranks of a board are computed from marks.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from uuid import UUID

from django.http import HttpRequest
from django.urls import reverse
from ninja import Field, Query, Router, Schema

from evaluation.core.metric import Reduction, worst_members
from leaderboard.accounts import permissions
from leaderboard.benchmarks.api.versions import version_id
from leaderboard.benchmarks.disclosure import State
from leaderboard.benchmarks.models import Version
from leaderboard.boards import guessing
from leaderboard.boards.api.submissions import standing_of
from leaderboard.boards.placements.contestants import contestants_of, unit_strata
from leaderboard.boards.placements.ranking import RANKING, Contestant, unit_table
from leaderboard.boards.slices import WHOLE
from leaderboard.runs import execution
from leaderboard.runs.models import Run
from leaderboard.submissions import verdicts
from leaderboard.submissions.api.submissions import figure
from leaderboard.submissions.models import Score, Submission
from leaderboard.submissions.schemas import Figure, StandingOut
from leaderboard.submissions.scores import score_sums
from leaderboard.web.api.fields import Slug
from leaderboard.web.api.openapi import problems
from leaderboard.web.api.paging import Page, Paging, by_position
from leaderboard.web.api.problems import ProblemError

of_submissions, of_boards = Router(tags=["Submissions"]), Router(tags=["Leaderboard"])


class FileOut(Schema):
    url: str | None = Field(description="URL to download the file; null: generate it from the settings.")
    content_sha256: str = Field(description="SHA-256 of the uncompressed lines.")


class MarksOut(Schema):
    """Sums of the headline over the rows of each unit."""

    units: list[list[tuple[float, float]]] = Field(
        description="Unit → part → (sum of the headline, number of rows). With several parts, the headline is the "
        "lowest of their rates."
    )
    strata: list[int] | None = Field(description="Number of the stratum of each unit; null: one stratum.")
    icc: float = Field(description="Prior of the correlation between rows of the same unit.")


class RoundingOut(Schema):
    step: float = Field(description="Smallest rounding step.")
    units: int = Field(description="Number of independently drawn units.")
    planned: bool = Field(
        description="True if the interval is the one expected for the version's size, as for undeclared uploads."
    )


class RunOfOut(Schema):
    """The run of a model that made the predictions, with the settings and the model file needed to repeat the run."""

    adapter: str = Field(description="The adapter, as `goldevidencebench model --adapter` names it.")
    settings: dict[str, Any] = Field(
        description="All settings of the adapter; model files by name, without folder."
    )
    protocol: str = Field(
        description="Text that the model read, if rows contain two texts: `open_book` or `closed_book`."
    )
    model: str = Field(description="Name of the model's file.")
    sha256: str = Field(description="SHA-256 of the model's file.")


class ReproductionOut(Schema):
    """A published figure with the files and revisions that determine it."""

    submission: UUID = Field(description="The id of the submission.")
    version: str = Field(description="Id of the version: `benchmark/version`.")
    version_sha256: str = Field(description="Hash of the version.")
    suite: str = Field(description="Name of the suite.")
    settings: dict[str, Any] | None = Field(description="Settings of the version; null while secret.")
    grader: str = Field(description="The grader and its revision.")
    statistics: int = Field(description="Version number of the statistical methods.")
    ranking: str = Field(description="Name of the ranking rule.")
    name: str = Field(description="Name of the headline metric.")
    better: str = Field(description="Whether a `higher` or a `lower` value is better.")
    headline: Figure = Field(description="The published figure.")
    standing: StandingOut | None = Field(
        description="Placement on the board; null if the board does not show it."
    )
    predictions: list[FileOut] = Field(description="One file; for a mean, one file per repeat, in order.")
    gold: FileOut | None = Field(description="Correct answers; null while secret.")
    withheld: str = Field(description="Why predictions or gold are left out; else empty.")
    marks: MarksOut | None = Field(
        description="Sums that determine the headline; null if single verdicts are secret or missing."
    )
    marks_withheld: str = Field(
        description="Why `marks` and the marks of the board (sums of the headline per unit) are withheld; else empty."
    )
    rounding: RoundingOut | None = Field(description="Rounding of the published figures; null: exact.")
    guessing: float | None = Field(description="The guessing line: only systems above it are ranked.")
    strata: list[int] | None = Field(
        description="Stratum of each unit in the board's marks; null: one stratum."
    )
    run: RunOfOut | None = Field(
        None,
        description="The run that made the predictions. Null for uploads, means, deterministic systems, and models "
        "run by a server.",
    )


class ContestantOut(Schema):
    """A system of a board, with the figures that its rank is computed from."""

    submission: UUID = Field(description="The id of the submission.")
    system: str = Field(description="The system under test.")
    value: float | None = Field(description="The headline; null: not reported.")
    low: float | None = Field(description="Lower end of the 95% interval.")
    high: float | None = Field(description="Upper end of the 95% interval.")
    apart: bool = Field(description="Whether the system is left out of all rankings.")
    units: list[list[tuple[float, float]]] = Field(
        description="Marks of each unit, as in `units` of `MarksOut`; empty if no row counts."
    )


@of_submissions.get(
    "/{uuid:id}/reproduction",
    response=ReproductionOut,
    summary="Inputs of a submission's headline and rank",
    openapi_extra=problems(409),
)
def get_reproduction(request: HttpRequest, id: UUID) -> Any:
    """Return the inputs of a published figure: gold and predictions once they are public, and sums by unit unless
    they would reveal answers.
    """
    submission = Submission.objects.get_visible(request.user, id)
    version, score = submission.version, submission.score
    if score is None or submission.is_trial:
        raise ProblemError(409, "not-graded", "This submission has no published figure.")
    secret = _why_withheld(version, request.user)
    strata, line = unit_strata(version), guessing.guessing_of(version)
    return {
        "submission": submission.pk,
        "version": version_id(version),
        "version_sha256": version.sha256,
        "suite": version.benchmark.suite,
        "settings": version.settings if version.disclosure.shows_seeds else None,
        "grader": score.grader,
        "statistics": score.statistics,
        "ranking": RANKING,
        "name": version.headline.name,
        "better": version.headline.better,
        "headline": figure(submission.result, submission.result_interval),
        "standing": standing_of(submission),
        "marks": None if secret else _own_marks(version, score),
        "marks_withheld": secret,
        "rounding": _rounding(version, score.by_split),
        "guessing": line.value if line else None,
        "strata": None if secret or strata is None else strata.tolist(),
        "run": _run_of(submission),
    } | _files(request, submission)


@of_boards.get(
    "/{benchmark}/{version}/marks", response=Page[ContestantOut], summary="Inputs of the ranks of a board"
)
def get_marks(request: HttpRequest, benchmark: Slug, version: Slug, paging: Query[Paging]) -> Any:
    """Return the sums of the headline metric per unit for every system.

    Answers 403 `marks-withheld` while the answers are secret.
    """
    frozen = Version.objects.get_readable(benchmark, version)
    if reason := _why_withheld(frozen, request.user):
        raise ProblemError(403, "marks-withheld", reason)
    listed = _board_marks(frozen)

    def read(start: int, limit: int) -> tuple[list[dict[str, object]], int | None]:
        stop = start + limit
        return listed[start:stop], stop if stop < len(listed) else None

    return by_position(request, paging, read)


def _run_of(submission: Submission) -> dict[str, object] | None:
    made = submission.provenance
    model = made.get("model") or {}
    if not {"file", "sha256"} <= model.keys():
        return None
    return {
        "adapter": made["executor"],
        "settings": made["settings"],
        "protocol": execution.protocol_of(Run(version=submission.version)),
        "model": model["file"],
        "sha256": model["sha256"],
    }


def _rounding(version: Version, by_split: bool) -> dict[str, object] | None:
    if not version.shown_step:
        return None
    return {"step": version.shown_step, "units": version.drawn.units, "planned": not by_split}


def _files(request: HttpRequest, submission: Submission) -> dict[str, object]:
    version = submission.version
    made_by = list(submission.members.order_by("repeat")) if submission.is_mean else [submission]
    if not version.lists_predictions:
        return {
            "predictions": [],
            "gold": None,
            "withheld": f"The answers of {version} are secret until it is retired.",
        }
    gold_url = None
    if version.disclosure.publishes_gold:
        place = [version.benchmark.slug, version.slug]
        gold_url = request.build_absolute_uri(reverse("api:get_gold", args=place))
    gold = {"url": gold_url, "content_sha256": version.gold_sha256}
    if not all(each.gives_predictions_to(request.user) for each in made_by):
        return {
            "predictions": [],
            "gold": gold,
            "withheld": "The predictions are not public. The owner of the submission can publish them.",
        }
    files = [
        {
            "url": request.build_absolute_uri(reverse("leaderboard:submission_predictions", args=[each.pk])),
            "content_sha256": each.file_sha256,
        }
        for each in made_by
    ]
    return {"predictions": files, "gold": gold, "withheld": ""}


def _why_withheld(version: Version, user: Any) -> str:
    """Why a reader may not see the marks (sums by unit) of a version; empty if the reader may.

    If a file consists of chosen guesses, its marks would reveal which guesses are right.
    """
    if permissions.may(user, permissions.VIEW_GOLD):
        return ""
    if version.disclosure.state == State.SEALED:
        return f"Marks by unit would reveal the answers of {version}."
    return verdicts.why_withheld(version, user)


def _board_marks(version: Version) -> list[dict[str, object]]:
    [contestants] = contestants_of(version, Submission.objects.on_board(version), [WHOLE])
    return [_contestant(each) for each in contestants]


def _contestant(contestant: Contestant) -> dict[str, object]:
    low, high = contestant.ends or (None, None)
    return {
        "submission": contestant.key,
        "system": contestant.name,
        "value": contestant.value,
        "low": low,
        "high": high,
        "apart": bool(contestant.unranked),
        "units": _by_parts(unit_table(contestant)) if contestant.units else [],
    }


def _by_parts(table: Any) -> list[Any]:
    parts = table if table.ndim == 3 else table[:, None]
    listed: list[Any] = parts.tolist()
    return listed


def _own_marks(version: Version, score: Score) -> Mapping[str, object] | None:
    """The marks (sums by unit) of one score.

    Returns None for a mean of repeats, for a score of an earlier grader that stored no sums, and if the headline is
    neither a rate nor the lowest of several rates.
    """
    sums = score_sums.read(bytes(score.metric_sums)).get(version.headline.name)
    metric = version.bound.metrics.get(version.headline.name)
    if sums is None or metric is None or score.repeats > 1:
        return None
    if metric.reducer is not None and metric.reduction is not Reduction.WORST:
        return None
    members = worst_members(metric, sums.parts) if metric.reducer is not None else [0]
    strata = None if sums.strata is None else sums.strata.tolist()
    return {"units": sums.sums[:, members].tolist(), "strata": strata, "icc": version.bound.unit_icc}
