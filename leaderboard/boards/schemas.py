"""API schemas of boards and systems. Every number may be null: "not reported", never 0."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from typing import TYPE_CHECKING, Annotated, Any, Literal

from django.db import models
from ninja import Schema
from pydantic import Field, create_model

from leaderboard.benchmarks.schemas import ColumnOut
from leaderboard.submissions.models import System
from leaderboard.submissions.models.card import CARD_FIELDS
from leaderboard.submissions.schemas import SystemRef
from leaderboard.web.api.fields import Link, Words, example

#: Columns of a card that are not text: type, and bounds on requests.
_TYPES: dict[type, tuple[type, Any]] = {
    models.DateField: (date, Field()),
    models.PositiveIntegerField: (int, Field(ge=1, le=2**31 - 1, description="null clears it.")),
    models.FloatField: (float, Field(ge=0, allow_inf_nan=False, description="null clears it.")),
}


def card_fields(typed: Callable[[Any], tuple[Any, Any]]) -> dict[str, tuple[Any, Any]]:
    """The fields of a model card for `pydantic.create_model`; `typed` gives the type and default of a column."""
    return {name: typed(System._meta.get_field(name)) for name in CARD_FIELDS}


def _shown_type(column: Any) -> tuple[Any, Any]:
    described = Field(description=column.help_text)
    if type(column) in _TYPES:
        return Annotated[_TYPES[type(column)][0] | None, described], None
    return Annotated[str, described], ""


def changed_type(column: Any) -> tuple[Any, Any]:
    """The type of a column of a card in a request that may omit it, or set it to null."""
    if type(column) in _TYPES:
        typed: Any = Annotated[_TYPES[type(column)]]
    elif column.choices:
        typed = Literal[tuple(value for value, _ in column.flatchoices)]
    elif isinstance(column, models.URLField):
        typed = Link
    else:
        typed = Annotated[Words, Field(max_length=column.max_length)]
    return Annotated[typed | None, Field(description=column.help_text)], None


if TYPE_CHECKING:
    _Card = SystemRef
else:
    _Card = create_model("Card", __base__=SystemRef, **card_fields(_shown_type))


class SystemOut(_Card):
    """A system: the model or pipeline under test."""

    model_config = example(
        owner="ada", slug="llama-3-8b", name="Llama 3 8B", kind="llm", parameters="8B", quantization="Q5_K_M"
    )

    kind: str = Field(
        description="`llm`, `pipeline`, `selector`, `retriever`, `strategy`, `memory` or `baseline`."
    )
    model: str = Field("", description="Name of the model, as people call it.")
    reading: str = Field("", description="whole, retrieval, memory, agent, other; empty: not stated.")
    harness: str = Field("", description="How the system reads, in words.")
    seen: str = Field(
        "", description="Whether the model has seen the benchmark: no, maybe, yes; empty: not stated."
    )
    parameters: str = Field(description="Size of the model, such as 8B; empty: not stated.")
    quantization: str = Field(description="Quantization of the weights, such as Q5_K_M; empty: not stated.")
    weights: str = Field(
        "", description="open, conditions (open, with conditions), closed; empty: not known."
    )
    from_file: list[str] = Field(
        default_factory=list, description="Fields that the model's file filled in, unchanged since."
    )
    description: str = Field(description="Description by its owner; empty: none.")
    link: str = Field(description="Address of its paper or code; empty: none.")
    url: str = Field(description="Address of its page for people.")


class Attempts(Schema):
    """How often a system was graded on a version. The board shows a declared submission, else the first public one."""

    version: str = Field(description="The version, `benchmark/version`.")
    graded: int = Field(description="Number of graded submissions.")
    withdrawn: int = Field(description="Number of withdrawn ones among these.")


class SystemDetail(SystemOut):
    """A system with its attempts, withdrawn ones included."""

    attempts: list[Attempts] = Field(description="Number of graded submissions by version.")


class GuessingOut(Schema):
    """The best score over exactly the rows of a board without reading the text."""

    value: float = Field(description="In the unit of the board's headline.")
    name: str = Field(description="Name of the attacker or floor reference that reaches it.")


class BoardOut(Schema):
    """The board as its page shows it, with the same filters and order."""

    version: str = Field(description="The version, `benchmark/version`.")
    headline: ColumnOut = Field(description="The figure that the board is ordered by.")
    columns: list[ColumnOut] = Field(description="The columns of its table.")
    facets: dict[str, list[str]] = Field(
        description="Facets of the rows, each with its parts; a board can be ranked by one part of each."
    )
    part: dict[str, str] = Field(description="The part of the rows that this board is ranked by; empty: all.")
    guessing: GuessingOut | None = Field(
        None,
        description="The best floor reference or attacker over exactly these rows: systems not above it may be "
        "guessing. Null: not known.",
    )
    why_unscaled: str = Field(
        "", description="Why `scaled` is not reported on this board, in a sentence; empty if it is."
    )
    summary: str = Field(
        description="Who can still be the best, or why there are no ranks, as on the page; may be empty."
    )
    total: int = Field(description="Number of systems that pass the filters.")
    items: list[dict[str, Any]] = Field(
        description="Per system: rank and its range, or why there is none, tie group, headline, gates, figures, order, "
        "tokens."
    )
    next: str | None = Field(None, description="Address of the next page; null at the end.")


class MeasuresOut(Schema):
    """Context measures of memories without a model, at every token budget."""

    version: str = Field(description="The version, `benchmark/version`.")
    measures: list[ColumnOut] = Field(description="The measures, in the order of the page.")
    items: list[dict[str, Any]] = Field(
        description="Per system and budget: each measure with `_low` and `_high`, its 95% interval, and `_of`, the "
        "denominator of a rate."
    )
