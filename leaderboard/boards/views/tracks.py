"""A board track by track: the figures of every system in one track, and their trade-off as a picture."""

from __future__ import annotations

from collections.abc import Sequence
from urllib.parse import urlencode

from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_safe

from evaluation.core.suite import Column, Suite, Unranked
from leaderboard.benchmarks.models import Version
from leaderboard.boards.charts import tradeoff
from leaderboard.boards.charts.figure import Figure
from leaderboard.boards.headline_summary import NOBODY
from leaderboard.submissions.models import Submission
from leaderboard.submissions.score_tables import Figures, MetricCell, label, readings
from leaderboard.submissions.services import headline_of

GROUPING = "track"
Line = tuple[Submission, Figures]
Table = tuple[list[Column], list[tuple[Submission, list[MetricCell]]]]


def has_tracks(version: Version) -> bool:
    """Whether the scores of this board are told by track."""
    return Submission.objects.on_board(version).filter(score__groups__has_key=GROUPING).exists()


@require_safe
def tracks(request: HttpRequest, benchmark: str, version: str) -> HttpResponse:
    found = Version.objects.get_readable(benchmark, version)
    shown = _shown(found)
    scores = [each.score for each in shown if each.score]
    names = list(dict.fromkeys(name for score in scores for name in score.groups.get(GROUPING, {})))
    if not names:
        raise Http404
    chosen = request.GET.get("track", "")
    if chosen not in names:
        chosen = ""
    engine = found.suite
    headline, columns = headline_of(engine), list(engine.columns)
    lines = [(each, _group(each, chosen)) for each in shown if each.system.kind not in engine.unranked]
    lines.sort(key=lambda line: _rank(line[1]["metrics"].get(headline.name), headline))
    context = {
        "version": found,
        "tracks": [("", "All tracks"), *((name, label(name)) for name in names)],
        "chosen": chosen,
        "table": _table(columns, lines),
        "apart": _apart(engine, shown, chosen),
        "figure": _figure(found, shown, chosen),
        "figure_url": _figure_url(found, chosen),
    }
    return render(request, "leaderboard/board_tracks.html", context)


@require_safe
def figure(request: HttpRequest, benchmark: str, version: str) -> HttpResponse:
    """The picture as JSON for Plotly."""
    found = Version.objects.get_readable(benchmark, version)
    return JsonResponse(_figure(found, _shown(found), request.GET.get("track", "")).as_json())


def _shown(version: Version) -> list[Submission]:
    return list(
        Submission.objects.on_board(version).select_related("system__owner", "score").order_by("system__name")
    )


def _group(submission: Submission, track: str) -> Figures:
    """The figures of a submission in one track, or over all."""
    score = submission.score
    assert score is not None  # only graded ones are shown
    if not track:
        return {"metrics": score.metrics, "intervals": score.intervals}
    found: Figures | None = score.groups.get(GROUPING, {}).get(track)
    return found or {"metrics": {}, "intervals": {}}


def _table(columns: Sequence[Column], lines: Sequence[Line]) -> Table:
    """The columns that somebody reports, and a line of readings for each submission."""
    reported = [c for c in columns if any(group["metrics"].get(c.name) is not None for _, group in lines)]
    return reported, [(each, readings(reported, group)) for each, group in lines]


def _apart(engine: Suite, shown: Sequence[Submission], track: str) -> list[tuple[Unranked, Table]]:
    """The systems of each kind that is not ranked, by name, with the columns that are true of them all the same."""
    found = []
    for kind, unranked in engine.unranked.items():
        columns = [column for column in engine.columns if column.name in unranked.columns]
        if lines := [(each, _group(each, track)) for each in shown if each.system.kind == kind]:
            found.append((unranked, _table(columns, lines)))
    return found


def _rank(value: float | None, headline: Column) -> tuple[bool, float]:
    """Best first, what is not reported last."""
    return value is None, (value or 0.0) * (1 if headline.better == "lower" else -1)


def _figure(version: Version, shown: list[Submission], track: str) -> Figure:
    unranked = version.suite.unranked
    deciding = [each for each in shown if each.system.kind not in unranked]
    lines = [(each.system.name, _group(each, track)["metrics"]) for each in deciding]
    empty = {} if deciding else {"empty": NOBODY}
    return tradeoff.draw(lines, where=label(track) if track else "", **empty)


def _figure_url(version: Version, track: str) -> str:
    path = reverse("leaderboard:board_tracks_figure", args=[version.benchmark.slug, version.slug])
    return f"{path}?{urlencode({'track': track})}" if track else path
