"""API of a submission's results: metrics, receipt, artifacts, and the verdict on each row."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any
from uuid import UUID

from django.http import Http404, HttpRequest
from django.shortcuts import get_object_or_404
from ninja import Field, Query, Router, Schema
from pydantic import create_model

from evaluation.core.records import Figures, ShownVerdict
from evaluation.core.suite import usable
from leaderboard.submissions import artifacts, verdicts
from leaderboard.submissions.api.submissions import FigureFields, figure, trial
from leaderboard.submissions.models import Receipt, Score, Submission
from leaderboard.submissions.schemas import ArtifactOut, MetricsOut
from leaderboard.submissions.scores import score_tables, trials
from leaderboard.web.api.fields import Words, text_fields
from leaderboard.web.api.openapi import problems
from leaderboard.web.api.paging import Page, Paging, by_position
from leaderboard.web.api.problems import ProblemError, invalid

router = Router(tags=["Submissions"])


class Revision(Schema):
    revision: Annotated[
        int | None, Field(ge=1, le=32767, description="Number of the grading; left out: the newest.")
    ] = None


@router.get(
    "/{uuid:id}/metrics",
    response=MetricsOut,
    summary="All metrics with their intervals",
    openapi_extra=problems(409),
)
def get_metrics(request: HttpRequest, id: UUID, requested: Query[Revision]) -> Any:
    """Return all metrics with intervals, over all rows and by group, of the newest grading or of a requested one."""
    submission = Submission.objects.get_visible(request.user, id)
    score = trials.readable(submission, _score(submission, requested.revision))
    return {
        "submission": submission.pk,
        "revision": score.revision,
        "grader": score.grader,
        "trial": trial(submission),
        "metrics": [
            _metric(line) for line in score_tables.figures(submission.version, score, submission.system.kind)
        ],
        "groups": {
            grouping: {
                name: _figures(score_tables.reportable(submission, group)) for name, group in members.items()
            }
            for grouping, members in score.groups.items()
        },
        "failures": score.failures,
        "repeats": score.repeats,
        "run_sds": score.run_sds,
        "revisions": [_revision(submission, each) for each in submission.scores.defer("metric_sums")],
    }


def _revision(submission: Submission, score: Score) -> dict[str, object]:
    of_score = {"revision": score.revision, "grader": score.grader, "created_at": score.created_at}
    return of_score | {"headline": submission.headline_of(score)}


def _metric(line: score_tables.FigureLine) -> dict[str, object]:
    column = line.column
    named = {"name": column.name, "label": column.label, "better": column.better, "format": column.format}
    over = {"denominator": line.denominator, "chance": line.chance}
    return named | over | figure(line.value, line.interval)


def _score(submission: Submission, revision: int | None = None) -> Score:
    if submission.score is None:
        raise ProblemError(409, "not-graded", "This submission is not graded yet.")
    if revision is None:
        return submission.score
    score = submission.scores.filter(revision=revision).first()
    if score is None:
        raise Http404
    return score


def _figures(group: Figures) -> dict[str, FigureFields]:
    intervals = group.get("intervals") or {}
    return {
        name: figure(value, score_tables.interval(intervals, name))
        for name, value in group["metrics"].items()
    }


class SignatureOut(Schema):
    keyid: str = Field(description="Id of the signing key, as in `/.well-known/receipt-keys.json`.")
    sig: str = Field(description="The signature, base64.")


class ReceiptOut(Schema):
    """A signed receipt: a DSSE envelope with an in-toto statement. `/.well-known/receipt-keys.json` lists the keys."""

    payload: str = Field(description="The statement, base64.")
    payloadType: str = Field(description="`application/vnd.in-toto+json`.")
    signatures: list[SignatureOut] = Field(description="Signatures over the payload, one per key.")


@router.get(
    "/{uuid:id}/receipt",
    response=ReceiptOut,
    summary="The current score, signed by this site",
    openapi_extra=problems(409),
)
def get_receipt(request: HttpRequest, id: UUID) -> Any:
    """Return the signed score, which `goldevidencebench receipt verify` checks. 404 if the site has no signing key."""
    submission = Submission.objects.get_visible(request.user, id)
    return get_object_or_404(Receipt, score=_score(submission)).envelope


@router.get(
    "/{uuid:id}/artifacts",
    response=Page[ArtifactOut],
    summary="Artifacts that the system built before it answered",
    openapi_extra=problems(403),
)
def get_artifacts(request: HttpRequest, id: UUID, paging: Query[Paging]) -> Any:
    """List the artifacts: texts that the system built before it answered.

    The list is empty for versions whose protocol is not `build`. On a sealed version, only the submitter sees the
    artifacts, and fields computed from correct answers are null.
    """
    submission = Submission.objects.get_visible(request.user, id)
    if not artifacts.may_be_read_by(submission, request.user):
        raise ProblemError(
            403, "not-yours", "The artifacts of a sealed version are shown to their submitter only."
        )
    built = artifacts.artifacts(submission)

    def read(start: int, limit: int) -> tuple[list[dict[str, object]], int | None]:
        stop = start + limit
        shown = [{"artifact": each.text, **each.stats} for each in built[start:stop]]
        return shown, stop if stop < len(built) else None

    return by_position(request, paging, read)


class _Filters(Paging):
    failure: Annotated[
        Words, Field(max_length=60, description="Code of a failure, or `any`; empty: all rows.")
    ] = ""
    condition: Annotated[
        Words, Field(max_length=120, description="Only rows of this condition; empty: all.")
    ] = ""


OTHER_WORD = "Same as `condition`"
#: Names of suites for their splits.
SPLIT_WORDS = sorted(
    {suite.display.splits.noun for suite in usable().values()} - {*_Filters.model_fields, "q", "questions"}
)
if TYPE_CHECKING:
    _Words = _Filters
else:
    words = text_fields(dict.fromkeys(SPLIT_WORDS, f"{OTHER_WORD}."), max_length=120)
    _Words = create_model("SplitWords", __base__=_Filters, **words)


class RowFilters(_Words):
    q: Annotated[Words, Field(max_length=100, description="Part of the row's id.")] = ""
    questions: Annotated[bool, Field(description="Add each public row under `row`.")] = False


def _split(filters: RowFilters) -> str:
    split = filters.condition
    for word in SPLIT_WORDS:
        named = getattr(filters, word)
        if named and split not in ("", named):
            raise invalid(
                [("query", word, f"{OTHER_WORD}, which has a different value: give only one of the two.")]
            )
        split = split or named
    return split


@router.get(
    "/{uuid:id}/rows",
    response=Page[dict[str, Any]],
    summary="The verdict on each row",
    openapi_extra=problems(409),
)
def get_verdicts(request: HttpRequest, id: UUID, filters: Query[RowFilters]) -> Any:
    """List the verdicts on the rows, with the correct answers unless these are secret.

    While correct answers are secret, only the submitter sees the submitted answers.
    """
    submission = Submission.objects.get_visible(request.user, id)
    _score(submission)
    if submission.is_mean:
        raise ProblemError(
            409, "mean-of-repeats", "A mean has no rows of its own: request the rows of its repeats."
        )
    if reason := verdicts.why_withheld(submission.version, request.user):
        raise ProblemError(403, "rows-withheld", reason)
    chosen = verdicts.Filters(failure=filters.failure, split=_split(filters), text=filters.q)

    def read(start: int, limit: int) -> tuple[list[ShownVerdict], int | None]:
        return verdicts.batch(
            submission, chosen, start=start, limit=limit, user=request.user, questions=filters.questions
        )

    return by_position(request, filters, read)
