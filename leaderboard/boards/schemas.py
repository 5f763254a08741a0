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
    """Fields of a model card for `pydantic.create_model`. `typed` returns the type and the default of a column."""
    return {name: typed(System._meta.get_field(name)) for name in CARD_FIELDS}


def _shown_type(column: Any) -> tuple[Any, Any]:
    described = Field(description=column.help_text)
    if type(column) in _TYPES:
        return Annotated[_TYPES[type(column)][0] | None, described], None
    return Annotated[str, described], ""


def changed_type(column: Any) -> tuple[Any, Any]:
    """Type and default of a model card's column, in a request that may omit the column or set it to null."""
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
    model: str = Field("", description="Usual name of the model.")
    reading: str = Field(
        "",
        description="How the system reads the text: whole, retrieval, memory, agent, other; empty: not stated.",
    )
    harness: str = Field("", description="How the system reads the text, in the owner's words.")
    seen: str = Field(
        "", description="Whether the model has seen the benchmark: no, maybe, yes; empty: not stated."
    )
    parameters: str = Field(description="Size of the model, such as 8B; empty: not stated.")
    quantization: str = Field(description="Quantization of the weights, such as Q5_K_M; empty: not stated.")
    weights: str = Field(
        "",
        description="Availability of the weights: open, conditions (open, with conditions), closed; empty: not known.",
    )
    from_file: list[str] = Field(
        default_factory=list, description="Fields that were read from the model's file and not edited since."
    )
    description: str = Field(description="Description by its owner; empty: none.")
    link: str = Field(description="URL of the system's paper or code; empty: none.")
    url: str = Field(description="URL of the system's page.")


class Attempts(Schema):
    """How often a system was graded on a version. The board shows a declared submission, else the first public one."""

    version: str = Field(description="Id of the version: `benchmark/version`.")
    graded: int = Field(description="Number of graded submissions, withdrawn submissions included.")
    withdrawn: int = Field(description="Number of graded submissions that were withdrawn.")


class SystemDetail(SystemOut):
    """A system with the numbers of its graded submissions."""

    attempts: list[Attempts] = Field(description="Number of graded submissions by version.")


class GuessingOut(Schema):
    """The guessing line: the best score over exactly the rows of a board without reading the text."""

    value: float = Field(description="The score, in the unit of the board's headline.")
    name: str = Field(description="Name of the attacker or floor reference with this score.")


class BoardOut(Schema):
    """The board as its page shows it, with the same filters and order."""

    version: str = Field(description="Id of the version: `benchmark/version`.")
    headline: ColumnOut = Field(description="The metric that the board is ordered by.")
    columns: list[ColumnOut] = Field(description="The metrics in the columns of the board's table.")
    facets: dict[str, list[str]] = Field(
        description="Facet of the rows → its parts. A board can be ranked over the rows of one part."
    )
    part: dict[str, str] = Field(description="Facet → the part of the rows that are ranked; empty: all rows.")
    guessing: GuessingOut | None = Field(
        None,
        description="The guessing line over exactly these rows. Systems that are not above it may be guessing. Null: "
        "not known.",
    )
    why_unscaled: str = Field(
        "", description="Sentence on why `scaled` is not reported on this board; empty if it is reported."
    )
    summary: str = Field(
        description="Summary sentence of the board's page: who leads, or why there are no ranks; may be empty."
    )
    total: int = Field(description="Number of systems that pass the filters.")
    items: list[dict[str, Any]] = Field(
        description="One object per system: rank and rank range (or the reason for no rank), tie group, headline, "
        "requirements, other metrics, rates by order, tokens."
    )
    next: str | None = Field(None, description="URL of the next page; null on the last page.")


class MeasuresOut(Schema):
    """Measures of the contexts that systems without a model select for a model to read, at every token budget."""

    version: str = Field(description="Id of the version: `benchmark/version`.")
    measures: list[ColumnOut] = Field(description="The measures, in the order of the page's columns.")
    items: list[dict[str, Any]] = Field(
        description="One object per system and budget, with each measure. Suffixes: `_low` and `_high` are the ends of "
        "the 95% interval, `_of` is the denominator of a rate."
    )
