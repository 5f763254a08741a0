"""What the API says of boards and systems. Every number may be null: null is "not reported", never 0."""

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

#: Of the columns of a card that are no texts: type, and the bounds that a request has to keep.
_TYPES: dict[type, tuple[type, Any]] = {
    models.DateField: (date, Field()),
    models.PositiveIntegerField: (int, Field(ge=1, le=2**31 - 1, description="null empties it.")),
    models.FloatField: (float, Field(ge=0, allow_inf_nan=False, description="null empties it.")),
}


def card_fields(typed: Callable[[Any], tuple[Any, Any]]) -> dict[str, tuple[Any, Any]]:
    """The fields of a model card for `pydantic.create_model`, each with the type and default that `typed` gives it."""
    return {name: typed(System._meta.get_field(name)) for name in CARD_FIELDS}


def _shown_type(column: Any) -> tuple[Any, Any]:
    described = Field(description=column.help_text)
    if type(column) in _TYPES:
        return Annotated[_TYPES[type(column)][0] | None, described], None
    return Annotated[str, described], ""


def changed_type(column: Any) -> tuple[Any, Any]:
    """The type of a column of a card in a request that may leave it out, or say null."""
    if type(column) in _TYPES:
        typed: Any = Annotated[_TYPES[type(column)]]
    elif column.choices:
        typed = Literal[tuple(value for value, _ in column.flatchoices)]
    elif isinstance(column, models.URLField):
        typed = Link
    else:
        typed = Annotated[Words, Field(max_length=column.max_length)]
    return typed | None, None


if TYPE_CHECKING:
    _Card = SystemRef
else:
    _Card = create_model("Card", __base__=SystemRef, **card_fields(_shown_type))


class SystemOut(_Card):
    """A system: the model or pipeline under test."""

    model_config = example(
        owner="ada", slug="llama-3-8b", name="Llama 3 8B", kind="llm", parameters="8B", quantization="Q5_K_M"
    )

    kind: str
    model: str = Field("", description="The model as people call it.")
    reading: str = Field("", description="whole, retrieval, memory, agent, other; empty: not stated.")
    harness: str = Field("", description="How it reads, in words.")
    seen: str = Field(
        "", description="Whether the model has seen the benchmark: no, maybe, yes; empty: not stated."
    )
    parameters: str
    quantization: str
    weights: str = Field(
        "", description="open, conditions (open, with conditions), closed; empty: not known."
    )
    from_file: list[str] = Field(
        default_factory=list, description="Fields that the model's file filled in, and nobody changed."
    )
    description: str
    link: str
    url: str


class Attempts(Schema):
    """How often a system was graded on a version. The board shows a declared one, else the first public one."""

    version: str
    graded: int
    withdrawn: int


class SystemDetail(SystemOut):
    """A system with its attempts, withdrawn ones included."""

    attempts: list[Attempts]


class GuessingOut(Schema):
    """The best that is reached over exactly the rows of a board without reading the text."""

    value: float = Field(description="As the headline of the board.")
    name: str = Field(description="Of the attacker or the floor reference that reaches it.")


class BoardOut(Schema):
    """What the board shows, under the same filters and in the same order."""

    version: str
    headline: ColumnOut
    columns: list[ColumnOut]
    facets: dict[str, list[str]] = Field(
        description="How the rows divide; name one part of each to rank by it."
    )
    part: dict[str, str] = Field(description="The part of the rows that this board is ranked by; empty: all.")
    guessing: GuessingOut | None = Field(
        None,
        description="The best floor reference or attacker over exactly these rows: what is not above it reads nothing. "
        "Null: not known.",
    )
    why_unscaled: str = Field(
        "", description="Why `scaled` is not reported on this board, in a sentence; empty where it is."
    )
    summary: str = Field(
        description="Who can still be the best, or why nobody is ranked, as on the page; may be empty."
    )
    total: int
    items: list[dict[str, Any]] = Field(
        description="Per system: rank and its range, or why there is none, tie group, headline, gates, figures, order, "
        "tokens."
    )
    next: str | None = None


class MeasuresOut(Schema):
    """What systems that decide nothing show a model, at every budget."""

    version: str
    measures: list[ColumnOut]
    items: list[dict[str, Any]] = Field(
        description="Per system and budget: each measure with `_low` and `_high`, its 95% interval, and `_of`, what a "
        "rate is over."
    )
