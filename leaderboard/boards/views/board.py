"""Page of a board, with one row per system; also as SVG, CSV, JSON and Parquet."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from django.core.paginator import Page, Paginator
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from evaluation.core.plugin import Mark
from evaluation.core.suite import Column
from evaluation.core.terminal.wording import noun, number_of
from leaderboard.benchmarks.models import Version
from leaderboard.boards import exports, headline_summary, measured, references, slices
from leaderboard.boards import rows as boards
from leaderboard.boards.filters import filtered
from leaderboard.boards.guessing import guessing_of
from leaderboard.boards.lengths import computing as length_computing
from leaderboard.boards.lengths import figures as length_figures
from leaderboard.boards.lengths import maps
from leaderboard.boards.placements import placements, ranking, ties
from leaderboard.boards.placements.late import with_former_ranks
from leaderboard.boards.placements.ranking import SELF_REPORTED, Placement
from leaderboard.boards.scaled import SCALED, Scale, bounds_of, scale_of
from leaderboard.boards.slices import BoardSlice
from leaderboard.boards.views.splits import split_page
from leaderboard.submissions.models import Submission
from leaderboard.web.formatting import day

PAGE_SIZE = 30  # systems per page, which keeps a page within 120 kB and 2,500 elements
MOST_DRAWN = 150  # systems in the file of the forest plot
CARDS = 12  # systems per page if each has a curve and a map
CELLS = 3  # figures beside the headline on a board without other evidence


@require_safe
def board(request: HttpRequest, benchmark: str = "", version: str = "") -> HttpResponse:
    frozen = Version.objects.get_readable(benchmark, version) if version else default_version()
    if frozen is None:
        return render(request, "leaderboard/board.html", {"version": None, "rows": [], "versions": []})
    shown, filters, part = filtered(request.GET, frozen)
    by, budget = request.GET.get("sort", ""), request.GET.get("budget", "")
    view = _view(request, frozen)
    lengths = length_computing.board_lengths(frozen)
    beside = length_computing.sort_values(lengths)
    everybody, late = with_former_ranks(frozen, shown, part, placements.board_placements(frozen, shown, part))
    in_place = filters.in_place
    named = filters.kept(everybody)
    ordered = placements.sort(frozen, shown, named, by, part, in_place=in_place, beside=beside)
    listed = [p for p in ordered if not p.apart or (in_place and p.reference)]
    page = Paginator(listed, CARDS if view == "lengths" else PAGE_SIZE).get_page(request.GET.get("page"))
    between = bounds_of(frozen, part) if view == "figures" else None
    guessing = between.guessing if between else guessing_of(frozen, part)
    scale = between.scale if between else None
    shown_with = {"scale": scale, "lengths": lengths, "with_groups": view == "lengths"}
    reported = [placement for placement in ordered if placement.reason == SELF_REPORTED]
    rows, bounds = _rows(frozen, list(page.object_list), everybody, part, **shown_with)
    if by in ("", "rank"):
        _tie(rows, listed, page)
    headline = slices.headline(frozen, part)
    stated = _stated(rows) if view == "models" else {}
    context = {
        "version": frozen,
        "versions": boards_to_choose(),
        "headline": headline,
        "columns": _columns(frozen, scale),
        "view": view,
        "rungs": _rungs(frozen),
        "length_columns": {column.name: column for column in length_figures.columns(frozen)},
        "cards": [(row, maps.depth_map(frozen, row.score.groups)) for row in rows]
        if view == "lengths"
        else [],
        "guesses": length_computing.guesses_of(frozen) if view == "lengths" else [],
        "facts": facts(frozen),
        "stated": stated,
        "unstated": [CARD[name] for name, known in stated.items() if not known],
        "filter": filters,
        "verdict": late.words if late else headline_summary.board_summary(frozen, everybody, part),
        "among": filters.among,
        "why_no_ranks": ranking.why_no_ranks(everybody),
        "part": part,
        "whole_url": _without_part(request, part),
        "part_rows": max((placement.figure.rows for placement in everybody if placement.figure), default=0),
        "page": page,
        "rows": rows,
        "apart": [] if page.has_next() else measured.tables(frozen, ordered, budget, PAGE_SIZE),
        "reported": [] if page.has_next() else boards.rows(frozen, reported[:PAGE_SIZE], part),
        "reported_count": len(reported),
        "references": [] if in_place else bounds,
        "folded_references": references.folded(bounds),
        "lines": references.lines(bounds, guessing, better=headline.better),
        "guessing": guessing,
        "why_unscaled": between.why_none if between else "",
        "total": len(listed),
        "sort": by,
        "exports": exports.links(frozen, request.GET.urlencode()),
        "shows": _shows(frozen, rows),
        "own_of_references": _own_mark(frozen, bounds),
    }
    response = render(request, "leaderboard/board.html", context)
    if late:  # caches follow the database, and a worker that dies leaves no trace there
        response["Cache-Control"] = "no-store"
    return response


@require_safe
def forest(request: HttpRequest, benchmark: str, version: str) -> HttpResponse:
    """Draw a board as SVG, with the headline and interval of the first systems that pass the filters."""
    frozen = Version.objects.get_readable(benchmark, version)
    shown, filters, part = filtered(request.GET, frozen)
    everybody = placements.board_placements(frozen, shown, part)
    ordered = placements.sort(frozen, shown, filters.kept(everybody), "", part, in_place=filters.in_place)
    listed = [each for each in ordered if not each.apart or (filters.in_place and each.reference)]
    page = Paginator(listed, MOST_DRAWN).get_page(1)
    rows, bounds = _rows(frozen, list(page.object_list), everybody, part)
    _tie(rows, listed, page)
    headline = slices.headline(frozen, part)
    context = {
        "version": frozen,
        "headline": headline,
        "rows": rows,
        "lines": references.lines(bounds, guessing_of(frozen, part), better=headline.better),
        "site": request.build_absolute_uri("/"),
    }
    response = render(request, "leaderboard/forest.svg", context, content_type="image/svg+xml")
    name = f"{frozen.benchmark.slug}-{frozen.slug}-forest.svg"
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    return response


def boards_to_choose() -> QuerySet[Version]:
    """The readable versions except public twins, in the order of the benchmarks."""
    readable = Version.objects.readable().without_twins()
    return readable.order_by("benchmark__position", "-featured", "-frozen_at")


def _rows(
    version: Version, listed: list[Placement], everybody: list[Placement], part: BoardSlice, **shown_with: Any
) -> tuple[list[boards.BoardRow], list[boards.BoardRow]]:
    """Load the rows of a page, and the rows of the references, which every page draws as lines."""
    bounds = [placement for placement in everybody if placement.reference][:PAGE_SIZE]
    there = {placement.key for placement in listed}
    both = [*listed, *(placement for placement in bounds if placement.key not in there)]
    loaded = boards.rows(version, both, part, **shown_with)
    on_page = [row for row in loaded if row.placement.key in there]
    keys = {placement.key for placement in bounds}
    return on_page, [row for row in loaded if row.placement.key in keys]


def _tie(rows: Sequence[boards.BoardRow], listed: Sequence[Placement], page: Page[Placement]) -> None:
    """Set the tie brackets of the rows of a page. The rows must be in the order of ranks."""
    start = (page.number - 1) * page.paginator.per_page
    marks = ties.brackets(listed, slice(start, start + len(page.object_list)))
    for row in rows:
        row.ties = marks.get(row.placement.key, [])


def _columns(version: Version, scale: Scale | None) -> list[Column]:
    columns = [column for column in version.columns if not column.headline]
    first = [replace(SCALED, section=columns[0].section)] if scale and columns else []
    return [*first, *length_figures.columns(version), *columns]


def _view(request: HttpRequest, version: Version) -> str:
    view = request.GET.get("view", "")
    has_lengths = view == "lengths" and length_figures.rungs_of(version)
    return view if view in ("forest", "models", "figures") or has_lengths else ""


#: Field of a model card -> its words in a sentence.
CARD = {
    "developer": "developer",
    "weights": "weights",
    "parameters": "parameters",
    "context": "context window",
    "released": "release date",
    "licence": "licence",
    "seen": "whether it has seen the benchmark",
    "price": "price",
    "tokens": "tokens a question",
}


def _stated(rows: list[boards.BoardRow]) -> dict[str, bool]:
    found = {
        name: [getattr(row if name in ("price", "tokens") else row.system, name) for row in rows]
        for name in CARD
    }
    return {name: any(value not in (None, "") for value in values) for name, values in found.items()}


def _rungs(version: Version) -> list[str]:
    return [length_figures.tokens_label(rung.tokens) for rung in length_figures.rungs_of(version)]


@require_safe
def measures_figure(request: HttpRequest, benchmark: str, version: str, kind: str) -> JsonResponse:
    frozen = Version.objects.get_readable(benchmark, version)
    shown, filters, part = filtered(request.GET, frozen)
    everybody = filters.kept(placements.board_placements(frozen, shown, part))
    made = measured.tables(frozen, everybody, request.GET.get("budget", ""), PAGE_SIZE)
    figure = next((each.figure for each in made if each.name == kind), None)
    if figure is None:
        raise Http404
    return JsonResponse(figure.as_json())


@require_safe
def measures_export(request: HttpRequest, benchmark: str, version: str, kind: str) -> HttpResponse:
    frozen = Version.objects.get_readable(benchmark, version)
    if kind not in exports.KINDS or not frozen.suite.unranked:
        raise Http404
    shown, filters, part = filtered(request.GET, frozen)
    everybody = filters.kept(placements.board_placements(frozen, shown, part))
    records = measured.records(frozen, everybody)
    return exports.respond_with(frozen, records, measured.table(frozen), kind, name="measures")


def _without_part(request: HttpRequest, part: BoardSlice) -> str:
    query = request.GET.copy()
    for facet in part.facets:
        query.pop(facet.name, None)
    query.pop("page", None)
    return f"{request.path}?{query.urlencode()}" if query else request.path


def _shows(version: Version, rows: list[boards.BoardRow]) -> dict[str, object]:
    """Template context: the parts of a row to show, which are those that at least one row has."""
    rungs = _rungs(version)
    decomposition, order = any(row.decomposition for row in rows), any(_known(row.order) > 1 for row in rows)
    lengths = f"{rungs[0]} → {rungs[-1]}" if rungs else ""
    return {
        "decomposition": version.suite.display.steps if decomposition else None,
        "own": _own_mark(version, rows),
        "order": version.suite.display.dots if order else None,
        "gates": any(row.gates for row in rows),
        "robust": version.bound.tie_breaker
        if any(_robust_tells(row) for row in rows) and not rungs
        else None,
        "lengths": lengths,
        "price": any(row.price is not None for row in rows),
        "attempts": any(row.attempts > 1 for row in rows),
        "authors": any(row.submission.origin == Submission.Origin.AUTHORS for row in rows),
        "reported": any(row.submission.origin == Submission.Origin.REPORTED for row in rows),
        "cells": [] if decomposition or order or lengths else _first_cells(rows),
        "split_page": split_page(version),
    }


#: The tie breaker is stored by unit in single precision: smaller differences are rounding.
SAME = 1e-6


def _robust_tells(row: boards.BoardRow) -> bool:
    if row.robust is None or row.value is None:
        return row.robust is not None
    return abs(row.robust - row.value) > SAME


def _own_mark(version: Version, rows: list[boards.BoardRow]) -> Mark | None:
    own = any(row.own_decomposition for row in rows)
    return version.suite.display.own_steps if own else None


def _first_cells(rows: list[boards.BoardRow]) -> list[Column]:
    first = [row.cells[:CELLS] for row in rows]
    reported = any(value is not None for cells in first for _, value, _ in cells)
    return [column for column, *_ in first[0]] if reported else []


def _known(steps: boards.Steps) -> int:
    return sum(value is not None for _, value in steps)


def default_version() -> Version | None:
    """The version whose board opens first: the featured one, else the newest of the first benchmark; may be None."""
    ordered = ("-featured", "benchmark__position", "-frozen_at")
    return Version.objects.readable().without_twins().order_by(*ordered).first()


def facts(version: Version) -> list[tuple[str, str]]:
    """Facts that readers need to interpret the figures, as (name, text)."""
    units = noun(2, version.suite.display.unit)
    count, word, _ = version.drawn
    drawn = noun(2, word) if word == version.suite.display.unit else number_of(count, word)
    frozen = day(version.frozen_at) if version.frozen_at else ""
    return [
        ("frozen", frozen),
        ("sha256", version.sha256),
        ("grader", version.grader),
        ("headline", version.headline.label),
        (version.suite.display.asked[1], f"{version.row_count:,}"),
        (units, f"{version.unit_count:,}"),
        ("intervals", f"95%, over {drawn}"),
    ]


@require_safe
def export(request: HttpRequest, benchmark: str, version: str, kind: str) -> HttpResponse:
    if kind not in exports.KINDS:
        raise Http404
    frozen = Version.objects.get_readable(benchmark, version)
    shown, filters, part = filtered(request.GET, frozen)
    everybody = placements.board_placements(frozen, shown, part)
    matching = filters.kept(everybody)
    by, in_place, lengths = (
        request.GET.get("sort", ""),
        filters.in_place,
        length_computing.board_lengths(frozen),
    )
    beside = length_computing.sort_values(lengths)
    ordered = placements.sort(frozen, shown, matching, by, part, in_place=in_place, beside=beside)
    rows = boards.rows(frozen, ordered, part, scale=scale_of(frozen, part), lengths=lengths)
    return exports.respond(frozen, rows, kind, request.build_absolute_uri)
