"""The board: one row per system, ranked; and what is shown as CSV, JSON and Parquet."""

from __future__ import annotations

from typing import Any

from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from leaderboard import exports, ranking
from leaderboard.filters import BoardFilter
from leaderboard.models import Submission, Version
from leaderboard.submissions import headline_of
from leaderboard.views.versions import readable

PAGE_SIZE = 100


@require_safe
def board(request: HttpRequest, benchmark: str = "", version: str = "") -> HttpResponse:
    found = readable(benchmark, version) if version else default_version()
    if found is None:
        return render(request, "leaderboard/board.html", {"version": None, "rows": [], "versions": []})
    rows, filters = rows_of(request, found)
    page = Paginator(sort(rows, request.GET.get("sort", "")), PAGE_SIZE).get_page(request.GET.get("page"))
    context = {
        "version": found,
        "versions": Version.objects.readable().order_by("benchmark__position", "-featured", "-frozen_at"),
        "headline": headline_of(found.benchmark.engine),
        "columns": [column for column in found.benchmark.engine.columns if not column.headline],
        "facts": facts(found),
        "filter": filters,
        "page": page,
        "rows": page.object_list,
        "total": len(rows),
        "sort": request.GET.get("sort", ""),
        "exports": exports.links(found, request.GET.urlencode()),
        "shows": {"fall": any(row.fall for row in rows), "order": any(_known(row.order) > 1 for row in rows)},
    }
    return render(request, "leaderboard/board.html", context)


def _known(steps: ranking.Steps) -> int:
    return sum(value is not None for _, value in steps)


def default_version() -> Version | None:
    """The featured board, else the newest one."""
    return Version.objects.readable().order_by("-featured", "benchmark__position", "-frozen_at").first()


def rows_of(request: HttpRequest, version: Version) -> tuple[list[ranking.BoardRow], BoardFilter]:
    """The board's rows under the filters of the address."""
    filters = BoardFilter(request.GET, queryset=Submission.objects.for_board(version))
    return ranking.board(version, list(filters.qs)), filters


def sort(rows: list[ranking.BoardRow], by: str) -> list[ranking.BoardRow]:
    """Order by a column of the suite, `system`, `tokens` or `when`; a leading minus turns it round. Missing goes last."""
    name, falling = by.removeprefix("-"), by.startswith("-")
    if not name or name == "rank":
        return rows[::-1] if falling else rows
    keys = {id(row): _key(row, name) for row in rows}
    known = [row for row in rows if keys[id(row)] is not None]
    known.sort(key=lambda row: keys[id(row)], reverse=falling)
    return known + [row for row in rows if keys[id(row)] is None]


def _key(row: ranking.BoardRow, name: str) -> Any:
    match name:
        case "system":
            return row.system.name.lower()
        case "tokens":
            return row.tokens
        case "when":
            return row.when
        case "value":
            return row.value
    return row.submission.score.metrics.get(name) if row.submission.score else None


def facts(version: Version) -> list[tuple[str, str]]:
    """What a reader has to know about the figures."""
    frozen = f"{version.frozen_at:%-d %b %Y}" if version.frozen_at else ""
    return [
        ("frozen", frozen),
        ("sha256", version.sha256),
        ("grader", version.grader),
        ("headline", headline_of(version.benchmark.engine).label),
        ("rows", f"{version.row_count:,}"),
        ("intervals", "95%, bootstrap over units"),
    ]


@require_safe
def export(request: HttpRequest, benchmark: str, version: str, kind: str) -> HttpResponse:
    """What the board shows, as a file."""
    if kind not in exports.KINDS:
        raise Http404
    found = readable(benchmark, version)
    rows, _ = rows_of(request, found)
    return exports.respond(found, sort(rows, request.GET.get("sort", "")), kind)
