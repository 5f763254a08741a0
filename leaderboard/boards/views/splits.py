"""Page of a board by parts of its rows. `Display.page` of the suite declares the grouping, the URL and the chart."""

from __future__ import annotations

from collections.abc import Sequence
from urllib.parse import urlencode

from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_safe

from evaluation.core.plugin import SplitPage
from evaluation.core.records import Figures
from evaluation.core.suite import Column, Unranked
from leaderboard.benchmarks.models import Version
from leaderboard.boards import charts, measured
from leaderboard.boards.charts.figure import Figure
from leaderboard.boards.headline_summary import NO_MODEL
from leaderboard.submissions.models import Submission
from leaderboard.submissions.scores.score_tables import MetricCell, label, readings

Line = tuple[Submission, Figures]
Table = tuple[list[Column], list[tuple[Submission, list[MetricCell]]]]


def split_page(version: Version) -> SplitPage | None:
    """The suite's declaration of the page. None if the suite declares no page, or if no score has figures by part."""
    page = version.suite.display.page
    if page is None:
        return None
    grouped = Submission.objects.on_board(version).filter(score__groups__has_key=page.grouping)
    return page if grouped.exists() else None


@require_safe
def splits(request: HttpRequest, benchmark: str, version: str, page: str) -> HttpResponse:
    frozen, declared = _read(benchmark, version, page)
    shown = _shown(frozen)
    scores = [each.score for each in shown if each.score]
    names = list(dict.fromkeys(name for score in scores for name in score.groups.get(declared.grouping, {})))
    if not names:
        raise Http404
    chosen = request.GET.get(declared.grouping, "")
    if chosen not in names:
        chosen = ""
    headline, columns = frozen.bound.headline(chosen), frozen.columns
    ranked = [each for each in shown if each.system.kind not in frozen.suite.unranked]
    lines = [(each, _group(each, declared, chosen)) for each in ranked]
    lines.sort(key=lambda line: _rank(line[1]["metrics"].get(headline.name), headline))
    context = {
        "version": frozen,
        "split_page": declared,
        "parts": [("", declared.whole), *((name, label(name)) for name in names)],
        "chosen": chosen,
        "chosen_label": label(chosen) if chosen else declared.whole,
        "table": _table(columns, lines),
        "apart": _apart(frozen, shown, declared, chosen),
        "figure": _figure(frozen, shown, declared, chosen),
        "figure_url": _figure_url(frozen, declared, chosen),
    }
    return render(request, "leaderboard/board_splits.html", context)


@require_safe
def figure(request: HttpRequest, benchmark: str, version: str, page: str) -> HttpResponse:
    frozen, declared = _read(benchmark, version, page)
    chosen = request.GET.get(declared.grouping, "")
    return JsonResponse(_figure(frozen, _shown(frozen), declared, chosen).as_json())


def _read(benchmark: str, version: str, page: str) -> tuple[Version, SplitPage]:
    frozen = Version.objects.get_readable(benchmark, version)
    declared = frozen.suite.display.page
    if declared is None or declared.slug != page:
        raise Http404
    return frozen, declared


def _shown(version: Version) -> list[Submission]:
    return list(
        Submission.objects.on_board(version).select_related("system__owner", "score").order_by("system__name")
    )


def _group(submission: Submission, page: SplitPage, part: str) -> Figures:
    score = submission.score
    assert score is not None  # only graded ones are shown
    if not part:
        return {"metrics": score.metrics, "intervals": score.intervals}
    figures: Figures | None = score.groups.get(page.grouping, {}).get(part)
    return figures or {"metrics": {}, "intervals": {}}


def _table(columns: Sequence[Column], lines: Sequence[Line]) -> Table:
    reported = [c for c in columns if any(group["metrics"].get(c.name) is not None for _, group in lines)]
    return reported, [(each, readings(reported, group)) for each, group in lines]


def _apart(
    version: Version, shown: Sequence[Submission], page: SplitPage, part: str
) -> list[tuple[Unranked, Table]]:
    """Make tables of systems without a rank, one table per reason, with only the columns that apply to the systems."""
    tables = []
    for _, unranked in measured.apart(version.suite):
        kinds = [kind for kind, each in version.suite.unranked.items() if each.reason == unranked.reason]
        columns = [column for column in version.columns if column.name in unranked.columns]
        if lines := [(each, _group(each, page, part)) for each in shown if each.system.kind in kinds]:
            tables.append((unranked, _table(columns, lines)))
    return tables


def _rank(value: float | None, headline: Column) -> tuple[bool, float]:
    return value is None, (value or 0.0) * (1 if headline.better == "lower" else -1)


def _figure(version: Version, shown: list[Submission], page: SplitPage, part: str) -> Figure:
    unranked = version.suite.unranked
    deciding = [each for each in shown if each.system.kind not in unranked]
    lines = [(each.system.name, _group(each, page, part)["metrics"]) for each in deciding]
    return charts.draw_board(
        page.plot,
        lines,
        where=label(part) if part else "",
        empty="" if deciding else NO_MODEL,
        references={each.system.name: each.system.reference for each in deciding if each.system.reference},
    )


def _figure_url(version: Version, page: SplitPage, part: str) -> str:
    address = {"benchmark": version.benchmark.slug, "version": version.slug, "page": page.slug}
    path = reverse("leaderboard:board_split_figure", kwargs=address)
    return f"{path}?{urlencode({page.grouping: part})}" if part else path
