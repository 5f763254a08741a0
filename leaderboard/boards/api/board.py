"""API of the leaderboard of a version: the rows of its page, with the same filters and order."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any, Literal

from django.http import HttpRequest
from ninja import Field, Query, Router
from pydantic import create_model

from evaluation.core.suite import usable
from leaderboard.benchmarks.api.versions import version_id
from leaderboard.benchmarks.models import Version
from leaderboard.boards import exports, headline_summary, measured, slices
from leaderboard.boards import rows as boards
from leaderboard.boards.filters import filtered
from leaderboard.boards.lengths import computing as length_computing
from leaderboard.boards.lengths import figures as length_figures
from leaderboard.boards.placements import placements
from leaderboard.boards.scaled import SCALED, bounds_of
from leaderboard.boards.schemas import BoardOut, MeasuresOut
from leaderboard.boards.slices import WHOLE, BoardSlice
from leaderboard.submissions.models import Submission
from leaderboard.web.api.fields import Slug, Words, text_fields
from leaderboard.web.api.paging import Paging, by_position
from leaderboard.web.api.problems import invalid

router = Router(tags=["Leaderboard"])


class _Filters(Paging):
    kind: Annotated[
        Literal["", "llm", "pipeline", "selector", "retriever", "strategy", "baseline"],
        Field(description="Only systems of this kind; empty: all."),
    ] = ""
    systems: Annotated[
        Literal["", "models", "whole", "retrieval", "memory", "agent", "other"],
        Field(
            description="Rank only a subset of the systems. `models`: one system per model and account (the declared "
            "main system, else the first). Any other value: only systems that read the text in the named way. Ignored "
            "if the board does not offer the subset."
        ),
    ] = ""
    weights: Annotated[
        Literal["", "open", "conditions", "closed"],
        Field(
            description="Only systems whose model has weights of this kind: open, open with conditions, or closed. "
            "Empty: all."
        ),
    ] = ""
    seen: Annotated[
        Literal["", "no", "maybe", "yes"],
        Field(
            description="Only models that have (`yes`), may have (`maybe`) or have not (`no`) seen the benchmark in "
            "training, as their owners report."
        ),
    ] = ""
    verified: Annotated[bool, Field(description="Only systems that this site ran itself.")] = False
    meets: Annotated[
        bool,
        Field(
            description="Only systems that fail no requirement; undecided requirements do not count as failed."
        ),
    ] = False
    references: Annotated[
        bool, Field(description="Sort reference systems among the others by value, instead of after them.")
    ] = False
    q: Annotated[Words, Field(max_length=80, description="Part of the system's name.")] = ""


#: Parameters of all suites that divide rows into parts, with their descriptions.
PARTS = {
    name: description
    for suite in usable().values()
    for name, description in suite.display.parameters.items()
    if name not in {*_Filters.model_fields, "sort"}
}
if TYPE_CHECKING:
    _Parts = _Filters
else:
    _Parts = create_model("Parts", __base__=_Filters, **text_fields(PARTS))


class BoardFilters(_Parts):
    sort: Annotated[
        Words,
        Field(
            max_length=60,
            description="Order of the systems: a column, `system`, `tokens` or `when` (time of submission). A leading "
            "`-` reverses the order.",
        ),
    ] = ""


@router.get("/{benchmark}/{version}", response=BoardOut, summary="The leaderboard of a version")
def get_board(request: HttpRequest, benchmark: Slug, version: Slug, filters: Query[BoardFilters]) -> Any:
    """Return the board: systems, ranks and figures. A worker computes the ranks, over all systems and the rows of the
    chosen part. Filters hide systems and change no rank. If two facets are combined, there are figures but no ranks.
    `tokens_per_query` covers the whole version.

    A system may have any rank from `rank_low` to `rank_high`, and `rank` is `rank_low`. The confidence is 95% for all
    rank ranges of a board together. Two systems are tied if their rank ranges overlap. A `tie_group` is a chain of
    ties: systems of different groups are not tied. A system that fails a requirement keeps its rank:
    `meets_requirements` is false, and `requirements_not_met` lists the failed requirements.

    If a rank is null, `not_ranked` gives the reason in words. For example, the system is a reference (`reference`), its
    interval includes the score of guessing (`above_guessing`), the result is self-reported (`origin`) on a version with
    public answers, the version has too few units (*diagnostic*), or the ranks are still being computed.
    """
    frozen = Version.objects.get_readable(benchmark, version)
    shown, chosen, part = filtered(request.GET, frozen)
    _refuse_unknown_parts(filters, part)
    everybody = placements.board_placements(frozen, shown, part)
    groups = {str(placement.key): placement.group for placement in everybody}
    matching = chosen.kept(everybody)
    lengths = length_computing.board_lengths(frozen)
    beside = length_computing.sort_values(lengths)
    in_place = chosen.in_place
    ordered = placements.sort(frozen, shown, matching, filters.sort, part, in_place=in_place, beside=beside)

    between = bounds_of(frozen, part)

    def read(start: int, limit: int) -> tuple[list[dict[str, object]], int | None]:
        rows = boards.rows(frozen, ordered[start : start + limit], part, scale=between.scale, lengths=lengths)
        records = exports.records(frozen, rows, request.build_absolute_uri)
        items = [
            record
            | {"tie_group": groups.get(str(row.submission.pk)), "attempts": row.attempts, "entry": row.entry}
            | {"row_states": row.submission.row_states}
            for row, record in zip(rows, records, strict=True)
        ]
        return items, start + limit if start + limit < len(ordered) else None

    return by_position(request, filters, read) | {
        "version": version_id(frozen),
        "headline": asdict(slices.headline(frozen, part)),
        "columns": [
            asdict(column) for column in (*frozen.columns, SCALED, *length_figures.columns_of_files(frozen))
        ],
        "facets": {facet.name: [name for name, _ in facet.choices] for facet in part.facets},
        "part": {facet.name: name for facet, name in part.parts},
        "guessing": between.guessing._asdict() if between.guessing else None,
        "why_unscaled": between.why_none,
        "summary": headline_summary.board_summary(frozen, everybody, part),
        "total": len(matching),
    }


@router.get(
    "/{benchmark}/{version}/measures", response=MeasuresOut, summary="Measures of memories without a model"
)
def get_measures(request: HttpRequest, benchmark: Slug, version: Slug) -> Any:
    """Return measures of the contexts (texts for a model to read) that systems without a model select, for each token
    budget, with 95% intervals and the denominator of each rate. Sorted by the first measure at the largest budget,
    highest first.
    """
    frozen = Version.objects.get_readable(benchmark, version)
    everybody = placements.board_placements(frozen, Submission.objects.on_board(frozen), WHOLE)
    return {
        "version": version_id(frozen),
        "measures": [asdict(column) for column in measured.columns(frozen)],
        "items": measured.records(frozen, everybody),
    }


def _refuse_unknown_parts(filters: BoardFilters, part: BoardSlice) -> None:
    """Raise a 422 if the URL names a part that the version lacks: to ignore it would rank systems over other rows."""
    chosen = {facet.name for facet, _ in part.parts}
    choices = {facet.name: ", ".join(name for name, _ in facet.choices) for facet in part.facets}
    problems = [
        ("query", name, _choose(choices.get(name, "")))
        for name in PARTS
        if getattr(filters, name) and name not in chosen
    ]
    if problems:
        raise invalid(problems)


def _choose(choices: str) -> str:
    return (
        f"Choose one of {choices}."
        if choices
        else "The rows of this version have no such parts. Leave the parameter out."
    )
