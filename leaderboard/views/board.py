"""The board: one row per system, ranked; and what is shown as CSV, JSON and Parquet."""

from __future__ import annotations

from typing import Any

from django.core.paginator import Paginator
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from evaluation.suites import Column
from leaderboard import boards, exports, leaders, places
from leaderboard.filters import BoardFilter
from leaderboard.models import Submission, System, Version
from leaderboard.slices import Slice
from leaderboard.submissions import headline_of
from leaderboard.views.tracks import has_tracks
from leaderboard.views.versions import readable

PAGE_SIZE = 50
ENOUGH_UNITS = 20  # with fewer, a percentile bootstrap is known to be too narrow
CELLS = 3  # figures beside the headline, on a board without other evidence


@require_safe
def board(request: HttpRequest, benchmark: str = "", version: str = "") -> HttpResponse:
    found = readable(benchmark, version) if version else default_version()
    if found is None:
        return render(request, "leaderboard/board.html", {"version": None, "rows": [], "versions": []})
    shown, filters, part = filtered(request, found)
    by = request.GET.get("sort", "")
    ranked = places.of(found, shown, part)
    placings = places.sort(found, shown, filters.named(ranked), by, part)
    page = Paginator(placings, PAGE_SIZE).get_page(request.GET.get("page"))
    rows = boards.rows(found, page.object_list, part)
    context = {
        "version": found,
        "versions": Version.objects.readable().order_by("benchmark__position", "-featured", "-frozen_at"),
        "headline": headline_of(found.benchmark.engine),
        "columns": [column for column in found.benchmark.engine.columns if not column.headline],
        "facts": facts(found),
        "filter": filters,
        "verdict": leaders.sentence(ranked),
        "among": filters.among,
        "part": part,
        "whole_url": _without_part(request, part),
        "part_rows": max((placing.figure.rows for placing in ranked if placing.figure), default=0),
        "page": page,
        "rows": rows,
        "total": len(placings),
        "sort": by,
        "exports": exports.links(found, request.GET.urlencode()),
        "shows": _shows(found, rows),
    }
    return render(request, "leaderboard/board.html", context)


def _without_part(request: HttpRequest, part: Slice) -> str:
    """The address of the whole board under the same other filters."""
    query = request.GET.copy()
    for facet in part.facets:
        query.pop(facet.name, None)
    query.pop("page", None)
    return f"{request.path}?{query.urlencode()}" if query else request.path


def _shows(version: Version, rows: list[boards.BoardRow]) -> dict[str, Any]:
    """Which parts of a row there is anything to see of. Where no mark explains the score, the first figures do."""
    fall, order = any(row.fall for row in rows), any(_known(row.order) > 1 for row in rows)
    return {
        "fall": fall,
        "order": order,
        "gates": any(row.gates for row in rows),
        "robust": version.benchmark.engine.tie_breaker
        if any(row.robust is not None for row in rows)
        else None,
        "strategies": any(row.system.kind == System.Kind.STRATEGY for row in rows),
        "cells": [] if fall or order else _first_cells(rows),
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


def filtered(request: HttpRequest, version: Version) -> tuple[QuerySet[Submission], BoardFilter, Slice]:
    """The submissions that are ranked under the filters of the address, the filters, and the part to rank them by."""
    filters = BoardFilter(request.GET, queryset=Submission.objects.on_board(version), version=version)
    return filters.qs, filters, filters.part


def facts(version: Version) -> list[tuple[str, str]]:
    """What a reader has to know about the figures."""
    few, units = version.unit_count < ENOUGH_UNITS, f"{version.benchmark.engine.unit}s"
    frozen = f"{version.frozen_at:%-d %b %Y}" if version.frozen_at else ""
    return [
        ("frozen", frozen),
        ("sha256", version.sha256),
        ("grader", version.grader),
        ("headline", headline_of(version.benchmark.engine).label),
        (version.benchmark.engine.asked[1], f"{version.row_count:,}"),
        (units, f"{version.unit_count:,}"),
        ("intervals", f"95%, bootstrap over {units}" + ("; few, so rough" if few else "")),
    ]


@require_safe
def export(request: HttpRequest, benchmark: str, version: str, kind: str) -> HttpResponse:
    """What the board shows, as a file."""
    if kind not in exports.KINDS:
        raise Http404
    found = readable(benchmark, version)
    shown, filters, part = filtered(request, found)
    placings = filters.named(places.of(found, shown, part))
    ordered = places.sort(found, shown, placings, request.GET.get("sort", ""), part)
    return exports.respond(found, boards.rows(found, ordered, part), kind)
