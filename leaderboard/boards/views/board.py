"""The board: one row per system, ranked; and what is shown as CSV, JSON and Parquet."""

from __future__ import annotations

from typing import Any

from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from evaluation.core.statistics import ENOUGH_UNITS
from evaluation.core.suite import Column, Unranked
from leaderboard.benchmarks.models import Version
from leaderboard.boards import exports, headline_summary
from leaderboard.boards import rows as boards
from leaderboard.boards.filters import filtered
from leaderboard.boards.placements import placements
from leaderboard.boards.placements.ranking import Placement
from leaderboard.boards.slices import BoardSlice
from leaderboard.boards.views.tracks import has_tracks
from leaderboard.submissions.services import headline_of

PAGE_SIZE = 50
CELLS = 3  # figures beside the headline, on a board without other evidence


@require_safe
def board(request: HttpRequest, benchmark: str = "", version: str = "") -> HttpResponse:
    found = Version.objects.get_readable(benchmark, version) if version else default_version()
    if found is None:
        return render(request, "leaderboard/board.html", {"version": None, "rows": [], "versions": []})
    shown, filters, part = filtered(request.GET, found)
    by = request.GET.get("sort", "")
    everybody = placements.board_placements(found, shown, part)
    placings = placements.sort(found, shown, filters.named(everybody), by, part)
    ranked = [placing for placing in placings if not placing.apart]
    page = Paginator(ranked, PAGE_SIZE).get_page(request.GET.get("page"))
    rows = boards.rows(found, list(page.object_list), part)
    context = {
        "version": found,
        "versions": Version.objects.readable().order_by("benchmark__position", "-featured", "-frozen_at"),
        "headline": headline_of(found.suite),
        "columns": [column for column in found.suite.columns if not column.headline],
        "facts": facts(found, few_units(everybody)),
        "filter": filters,
        "verdict": headline_summary.of_board(found, everybody, narrowed=filters.among),
        "among": filters.among,
        "part": part,
        "whole_url": _without_part(request, part),
        "part_rows": max((placing.figure.rows for placing in everybody if placing.figure), default=0),
        "few": few_units(everybody),
        "page": page,
        "rows": rows,
        "apart": [] if page.has_next() else apart(found, placings),
        "total": len(ranked),
        "sort": by,
        "exports": exports.links(found, request.GET.urlencode()),
        "shows": _shows(found, rows),
    }
    return render(request, "leaderboard/board.html", context)


def few_units(placings: list[Placement]) -> int:
    """How many units the headline of a board is over, where they are too few; else 0."""
    units = max((placing.units for placing in placings if not placing.apart), default=0)
    return units if units < ENOUGH_UNITS else 0


def apart(version: Version, placings: list[Placement]) -> list[tuple[Unranked, list[boards.BoardRow], int]]:
    """The systems of kinds that are not ranked, kind by kind: (what they do, the first of them by name, how many)."""
    found = [placing for placing in placings if placing.apart]
    rows = boards.rows(version, found[:PAGE_SIZE])
    tables = []
    for kind, unranked in version.suite.unranked.items():
        if of_kind := [row for row in rows if row.system.kind == kind]:
            tables.append((unranked, of_kind, sum(placing.reason == unranked.reason for placing in found)))
    return tables


def _without_part(request: HttpRequest, part: BoardSlice) -> str:
    """The address of the whole board under the same other filters."""
    query = request.GET.copy()
    for facet in part.facets:
        query.pop(facet.name, None)
    query.pop("page", None)
    return f"{request.path}?{query.urlencode()}" if query else request.path


def _shows(version: Version, rows: list[boards.BoardRow]) -> dict[str, Any]:
    """Which parts of a row there is anything to see of. Where no mark explains the score, the first figures do."""
    decomposition, order = any(row.decomposition for row in rows), any(_known(row.order) > 1 for row in rows)
    return {
        "decomposition": decomposition,
        "order": order,
        "gates": any(row.gates for row in rows),
        "robust": version.suite.tie_breaker if any(row.robust is not None for row in rows) else None,
        "attempts": any(row.attempts > 1 for row in rows),
        "cells": [] if decomposition or order else _first_cells(rows),
        "tracks": has_tracks(version),
    }


def _first_cells(rows: list[boards.BoardRow]) -> list[Column]:
    """The first columns, if anybody reports one of them."""
    first = [row.cells[:CELLS] for row in rows]
    reported = any(value is not None for cells in first for _, value, _ in cells)
    return [column for column, *_ in first[0]] if reported else []


def _known(steps: boards.Steps) -> int:
    return sum(value is not None for _, value in steps)


def default_version() -> Version | None:
    """The featured board, else the newest one."""
    return Version.objects.readable().order_by("-featured", "benchmark__position", "-frozen_at").first()


def facts(version: Version, few: int = 0) -> list[tuple[str, str]]:
    """What a reader has to know about the figures; `few` units make intervals that are too narrow."""
    units = f"{version.suite.unit}s"
    frozen = f"{version.frozen_at:%-d %b %Y}" if version.frozen_at else ""
    return [
        ("frozen", frozen),
        ("sha256", version.sha256),
        ("grader", version.grader),
        ("headline", headline_of(version.suite).label),
        (version.suite.asked[1], f"{version.row_count:,}"),
        (units, f"{version.unit_count:,}"),
        ("intervals", f"95%, bootstrap over {units}" + (f"; of {few} only, so too narrow" if few else "")),
    ]


@require_safe
def export(request: HttpRequest, benchmark: str, version: str, kind: str) -> HttpResponse:
    """What the board shows, as a file."""
    if kind not in exports.KINDS:
        raise Http404
    found = Version.objects.get_readable(benchmark, version)
    shown, filters, part = filtered(request.GET, found)
    placings = filters.named(placements.board_placements(found, shown, part))
    ordered = placements.sort(found, shown, placings, request.GET.get("sort", ""), part)
    return exports.respond(found, boards.rows(found, ordered, part), kind)
