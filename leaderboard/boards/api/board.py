"""The leaderboard of a version: what its page shows, under the same filters and in the same order."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated, Any, Literal

from django.http import HttpRequest
from ninja import Field, Query, Router

from leaderboard.benchmarks.api.versions import version_id
from leaderboard.benchmarks.models import Version
from leaderboard.boards import exports, headline_summary
from leaderboard.boards import rows as boards
from leaderboard.boards.filters import filtered
from leaderboard.boards.placements import placements
from leaderboard.boards.placements.ranking import Placement
from leaderboard.boards.schemas import BoardOut
from leaderboard.boards.slices import BoardSlice
from leaderboard.submissions.services import headline_of
from leaderboard.web.api.fields import Slug, Words
from leaderboard.web.api.paging import Paging, by_position
from leaderboard.web.api.problems import invalid

router = Router(tags=["Leaderboard"])


class BoardFilters(Paging):
    kind: Literal["", "llm", "pipeline", "selector", "retriever", "strategy", "baseline"] = ""
    verified: Annotated[bool, Field(description="Only systems that this site ran itself.")] = False
    q: Annotated[Words, Field(max_length=80, description="Part of the system's name.")] = ""
    condition: Annotated[Words, Field(description="Rank by one condition; see `facets` of the answer.")] = ""
    notes: Annotated[Words, Field(description="Rank by rows `with` or `without` a NOTE about their key.")] = (
        ""
    )
    track: Annotated[Words, Field(description="Rank by one track.")] = ""
    sort: Annotated[
        Words, Field(max_length=60, description="A column, system, tokens, when; - turns it.")
    ] = ""


@router.get(
    "/{benchmark}/{version}",
    operation_id="leaderboard_api_board_get_board",
    response=BoardOut,
    summary="The leaderboard of a version",
)
def get_board(request: HttpRequest, benchmark: Slug, version: Slug, filters: Query[BoardFilters]) -> Any:
    """Ranks are computed among the systems that `kind` and `verified` leave, by the rows of the part chosen; `q` only
    finds some of them. `tokens_per_query` is of the whole version.

    A rank is null where a system fails a gate, reports no headline, or is of a kind that decides nothing: `not_ranked`
    says why. Systems of one `tie_group` share a rank: the figures do not show which is better. `rank_low` and
    `rank_high` are the middle 95% of its ranks among resamples, which is no 95% interval of its rank.
    """
    found = Version.objects.get_readable(benchmark, version)
    shown, chosen, part = filtered(request.GET, found)
    _refuse_unknown_parts(filters, part)
    everybody = placements.board_placements(found, shown, part)
    groups = _tie_groups(everybody)
    placings = chosen.named(everybody)
    ordered = placements.sort(found, shown, placings, filters.sort, part)

    def read(start: int, limit: int) -> tuple[list[dict[str, Any]], int | None]:
        rows = boards.rows(found, ordered[start : start + limit], part)
        items = [
            record | {"tie_group": groups.get(record["submission"]), "attempts": row.attempts}
            for row, record in zip(rows, exports.records(rows), strict=True)
        ]
        return items, start + limit if start + limit < len(ordered) else None

    engine = found.suite
    return by_position(request, filters, read) | {
        "version": version_id(found),
        "headline": asdict(headline_of(engine)),
        "columns": [asdict(column) for column in engine.columns],
        "facets": {facet.name: [name for name, _ in facet.choices] for facet in part.facets},
        "part": {facet.name: name for facet, name in part.parts},
        "summary": headline_summary.of_board(found, everybody, narrowed=chosen.among),
        "total": len(placings),
    }


def _refuse_unknown_parts(filters: BoardFilters, part: BoardSlice) -> None:
    """A part that the version does not have is an error: silently ranking by something else would mislead."""
    chosen = {facet.name for facet, _ in part.parts}
    choices = {facet.name: ", ".join(name for name, _ in facet.choices) for facet in part.facets}
    problems = [  # the parameters above are those that any suite divides its rows by
        ("query", name, _choose(choices.get(name, "")))
        for name in ("condition", "notes", "track")
        if getattr(filters, name) and name not in chosen
    ]
    if problems:
        raise invalid(problems)


def _choose(choices: str) -> str:
    return f"Choose one of {choices}." if choices else "This version does not divide its rows this way."


def _tie_groups(placings: list[Placement]) -> dict[str, int]:
    """Submission -> number of its tie group, for places in board order."""
    groups: dict[str, int] = {}
    number = 1
    for placing in placings:
        if placing.rank is not None:
            groups[str(placing.key)] = number
            number += not placing.tie
    return groups
