"""The leaderboard of a version: what its page shows, under the same filters and in the same order."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated, Any, Literal

from django.http import HttpRequest
from ninja import Field, Query, Router

from leaderboard import boards, exports
from leaderboard.api.fields import Slug, Words
from leaderboard.api.paging import Paging, by_position
from leaderboard.api.schemas import BoardOut
from leaderboard.api.versions import version_id
from leaderboard.ranking import Placing
from leaderboard.submissions import headline_of
from leaderboard.views.board import filtered
from leaderboard.views.versions import readable

router = Router(tags=["Leaderboard"])


class BoardFilters(Paging):
    kind: Literal["", "llm", "pipeline", "selector", "retriever", "strategy", "baseline"] = ""
    verified: Annotated[bool, Field(description="Only systems that this site ran itself.")] = False
    q: Annotated[Words, Field(max_length=80, description="Part of the system's name.")] = ""
    sort: Annotated[
        Words, Field(max_length=60, description="A column, system, tokens, when; - turns it.")
    ] = ""


@router.get("/{benchmark}/{version}", response=BoardOut, summary="The leaderboard of a version")
def get_board(request: HttpRequest, benchmark: Slug, version: Slug, filters: Query[BoardFilters]) -> Any:
    """Ranks are computed among the systems that the filters leave, as on the page.

    A rank is null where a system fails a gate or reports no headline. Systems of one `tie_group` cannot be
    told apart.
    """
    found = readable(benchmark, version)
    shown, _ = filtered(request, found)
    placings = boards.places(found, shown)
    groups = _tie_groups(placings)
    ordered = boards.sort(found, shown, placings, filters.sort)

    def read(start: int, limit: int) -> tuple[list[dict[str, Any]], int | None]:
        part = boards.rows(found, ordered[start : start + limit])
        items = [
            record | {"tie_group": groups.get(record["submission"]), "attempts": row.attempts}
            for row, record in zip(part, exports.records(part), strict=True)
        ]
        return items, start + limit if start + limit < len(ordered) else None

    engine = found.benchmark.engine
    return by_position(request, filters, read) | {
        "version": version_id(found),
        "headline": asdict(headline_of(engine)),
        "columns": [asdict(column) for column in engine.columns],
        "total": len(placings),
    }


def _tie_groups(placings: list[Placing]) -> dict[str, int]:
    """Submission -> number of its tie group, for places in board order."""
    groups: dict[str, int] = {}
    number = 1
    for placing in placings:
        if placing.rank is not None:
            groups[str(placing.key)] = number
            number += not placing.tie
    return groups
