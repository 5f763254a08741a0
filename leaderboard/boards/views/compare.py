"""Pages that compare two to four submissions of one version. Each comparison has a URL to share."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

from django.db.models import Q, QuerySet
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_safe

from leaderboard.accounts import teams
from leaderboard.benchmarks.models import Version
from leaderboard.boards.charts import differences
from leaderboard.boards.comparison import exports as comparison_exports
from leaderboard.boards.comparison.comparison import AT_LEAST, AT_MOST, Comparison
from leaderboard.boards.comparison.disagreements import Matrix
from leaderboard.boards.exports import KINDS
from leaderboard.boards.filters import mentions
from leaderboard.boards.views.board import default_version
from leaderboard.boards.views.systems import uuid_of
from leaderboard.submissions.models import Submission

MOST_CANDIDATES = 60  # submissions offered on the page; the search finds others


@require_safe
def compare(request: HttpRequest) -> HttpResponse:
    """Compare the submissions in `?s=…&s=…`, or if this is not possible, show a page to choose submissions."""
    chosen = _chosen(request)
    if problem := _problem(chosen):
        return _picker(request, chosen, problem=problem if len(chosen) >= AT_LEAST else "")
    if request.GET.get("more") and len(chosen) < AT_MOST:
        return _picker(request, chosen)
    comparison = Comparison(chosen[0].version, chosen)
    matrix = _matrix(request, comparison)
    context = {
        "comparison": comparison,
        "version": comparison.version,
        "contenders": [
            (each, _query(chosen, first=each.submission), _query(chosen, without=each.submission))
            for each in comparison.contenders
        ],
        "matrix": matrix,
        "page": matrix.page(request.GET.get("page")),
        "figure": differences.draw(comparison),
        "figure_url": f"{reverse('leaderboard:compare_figure')}?{_query(chosen)}",
        "exports": [
            (label, f"{reverse('leaderboard:compare_export', args=[name])}?{_query(chosen)}")
            for name, label in comparison_exports.TABLES.items()
        ]
        + [
            (f"All metrics, {label}", f"{reverse('leaderboard:compare_tidy', args=[kind])}?{_query(chosen)}")
            for kind, label in comparison_exports.TIDY.items()
        ],
        "rows_export": f"{reverse('leaderboard:compare_export', args=['rows'])}?{request.GET.urlencode()}",
        "more_url": f"{request.path}?{_query(chosen)}&more=1" if len(chosen) < AT_MOST else "",
    }
    return render(request, "leaderboard/compare.html", context)


@require_safe
def figure(request: HttpRequest) -> HttpResponse:
    return JsonResponse(differences.draw(_comparison(request)).as_json())


@require_safe
def export(request: HttpRequest, table: str) -> HttpResponse:
    if table not in comparison_exports.TABLES:
        raise Http404
    comparison = _comparison(request)
    return comparison_exports.respond(table, comparison, _matrix(request, comparison))


@require_safe
def export_tidy(request: HttpRequest, kind: str) -> HttpResponse:
    if kind not in KINDS:
        raise Http404
    return comparison_exports.respond_tidy(_comparison(request), kind)


def _comparison(request: HttpRequest) -> Comparison:
    chosen = _chosen(request)
    if _problem(chosen):
        raise Http404
    return Comparison(chosen[0].version, chosen)


def _chosen(request: HttpRequest) -> list[Submission]:
    ids = list(dict.fromkeys(uuid_of(text) for text in request.GET.getlist("s") if text))
    by_id = Submission.objects.with_names().visible_to(request.user).in_bulk(ids[: AT_MOST + 1])
    try:
        return [by_id[pk] for pk in ids[: AT_MOST + 1]]
    except KeyError as error:
        raise Http404 from error


def _problem(chosen: list[Submission]) -> str:
    if len(chosen) < AT_LEAST:
        return "Choose at least two submissions."
    if len(chosen) > AT_MOST:
        return f"At most {AT_MOST} submissions can be compared at once."
    if len({submission.version_id for submission in chosen}) > 1:
        return "Only submissions to the same version can be compared: versions have different questions."
    if trials := [submission.system.name for submission in chosen if submission.is_trial]:
        return f"{', '.join(trials)}: trials answer only a part of the rows and cannot be compared."
    ungraded = [submission.system.name for submission in chosen if submission.score is None]
    if ungraded:
        return f"{', '.join(ungraded)}: not graded yet."
    return Comparison(chosen[0].version, chosen).refusal


def _matrix(request: HttpRequest, comparison: Comparison) -> Matrix:
    return Matrix(comparison, pattern=request.GET.get("pattern", ""), split=request.GET.get("condition", ""))


def _query(
    chosen: list[Submission], *, first: Submission | None = None, without: Submission | None = None
) -> str:
    kept = [submission for submission in chosen if submission != without]
    kept.sort(key=lambda submission: submission != first)
    return urlencode([("s", str(submission.pk)) for submission in kept])


def _picker(request: HttpRequest, chosen: list[Submission], *, problem: str = "") -> HttpResponse:
    version = _requested_version(request, chosen)
    text = request.GET.get("q", "").strip()
    context = {
        "problem": problem,
        "version": version,
        "versions": Version.objects.readable().order_by("benchmark__position", "-featured", "-frozen_at"),
        "chosen": [submission for submission in chosen if submission.version_id == (version and version.pk)],
        "candidates": _candidates(request.user, version, text, chosen) if version else [],
        "text": text,
        "at_most": AT_MOST,
    }
    return render(request, "leaderboard/compare_choose.html", context, status=400 if problem else 200)


def _requested_version(request: HttpRequest, chosen: list[Submission]) -> Version | None:
    benchmark, _, slug = request.GET.get("version", "").partition("/")
    named = Version.objects.readable().filter(benchmark__slug=benchmark, slug=slug).first() if slug else None
    return named or (chosen[0].version if chosen else default_version())


def _candidates(user: Any, version: Version, text: str, chosen: list[Submission]) -> QuerySet[Submission]:
    """Submissions to offer: those on the board and the reader's own. A search includes all that the reader may see."""
    graded = Submission.objects.with_names().visible_to(user).filter(version=version, score__isnull=False)
    graded = graded.filter(run__row_limit=None).exclude(pk__in=[submission.pk for submission in chosen])
    if text:
        graded = graded.filter(mentions(text))
    else:
        mine = Q(submitter__in=teams.accounts_of(user)) if user.is_authenticated else Q(pk__in=[])
        graded = graded.filter(Q(shown=True) | mine)
    return graded.order_by("-shown", "-score__headline", "-created_at")[:MOST_CANDIDATES]
