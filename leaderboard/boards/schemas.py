"""What the API says of boards and systems. Every number may be null: null is "not reported", never 0."""

from __future__ import annotations

from datetime import date
from typing import Any

from ninja import Schema
from pydantic import Field

from leaderboard.benchmarks.schemas import ColumnOut
from leaderboard.submissions.schemas import SystemRef
from leaderboard.web.api.fields import example


class SystemOut(SystemRef):
    """A system: the model or pipeline under test."""

    model_config = example(
        owner="ada", slug="llama-3-8b", name="Llama 3 8B", kind="llm", parameters="8B", quantization="Q5_K_M"
    )

    kind: str
    parameters: str
    quantization: str
    developer: str = ""
    hub_id: str = Field("", description="Of the model on the Hugging Face Hub.")
    hub_revision: str = ""
    base_model: str = Field("", description="What it was tuned or merged from.")
    weights: str = Field(
        "", description="open, conditions (open, with conditions), closed; empty: not known."
    )
    context: int | None = Field(None, description="Tokens that the model reads at most.")
    released: date | None = None
    licence: str = Field("", description="Its SPDX name, or what it is called.")
    licence_url: str = ""
    price_in: float | None = Field(None, description="US dollars for a million tokens read.")
    price_out: float | None = Field(None, description="US dollars for a million tokens written.")
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
