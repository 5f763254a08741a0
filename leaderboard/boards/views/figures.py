"""Charts of a whole board: a page with all charts, and each chart as JSON for Plotly and as CSV."""

from __future__ import annotations

from collections.abc import Iterable

from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_safe

from leaderboard.benchmarks.models import Version
from leaderboard.boards import exports, figures
from leaderboard.boards.charts.figure import Figure
from leaderboard.boards.figures import items
from leaderboard.boards.figures.data import FiguresBoard, board_of
from leaderboard.boards.lengths.figures import rungs_of
from leaderboard.boards.views.splits import split_page


@require_safe
def page(request: HttpRequest, benchmark: str, version: str) -> HttpResponse:
    """Page of all charts with their sentences and tables. The browser fetches a drawing when it comes into view."""
    board = _board(request, benchmark, version)
    query, drawn = request.GET.urlencode(), figures.drawn(board)
    context = {
        "version": board.version,
        "filter": board.filters,
        "among": board.filters.among,
        "part": board.part,
        "figures": [(figure, *_addresses(figure, board.version, query)) for figure in drawn],
        "split_page": split_page(board.version),
        "rungs": rungs_of(board.version),
    }
    return _kept(render(request, "leaderboard/board_figures.html", context), drawn)


@require_safe
def figure(request: HttpRequest, benchmark: str, version: str, figure: str) -> HttpResponse:
    board = _board(request, benchmark, version)
    drawn = _drawn(board, figure)
    return _kept(JsonResponse(drawn.as_json()), [drawn])


@require_safe
def table(request: HttpRequest, benchmark: str, version: str, figure: str) -> HttpResponse:
    board = _board(request, benchmark, version)
    drawn = _drawn(board, figure)
    if drawn.marks is None:
        raise Http404
    whole = drawn.whole() if drawn.whole else drawn.marks
    return exports.respond_frame(board.version, exports.safe_texts(whole), name=figure)


def _board(request: HttpRequest, benchmark: str, version: str) -> FiguresBoard:
    return board_of(Version.objects.get_readable(benchmark, version), request.GET)


def _drawn(board: FiguresBoard, name: str) -> Figure:
    if name not in figures.KINDS or (drawn := figures.draw(name, board)).irrelevant:
        raise Http404
    return drawn


def _kept(response: HttpResponse, drawn: Iterable[Figure]) -> HttpResponse:
    """Forbid caching while a chart is being computed, because it will change without a change of the database."""
    if any(map(items.is_late, drawn)):
        response["Cache-Control"] = "no-store"
    return response


def _addresses(figure: Figure, version: Version, query: str) -> tuple[str, str]:
    named, tail = [version.benchmark.slug, version.slug, figure.name], f"?{query}" if query else ""
    file = "" if figure.marks is None else reverse("leaderboard:board_figure_table", args=named) + tail
    return reverse("leaderboard:board_figure", args=named) + tail, file
