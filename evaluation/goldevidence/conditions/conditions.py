"""Conditions: ways of showing a question with a few ledger lines instead of the whole book.

A version fixes its conditions, so the shown lines are known without trusting a submission. All random choices depend
only on the seed, the row's id and the condition. With exactly k lines (`conditions.exact`), conditions that differ only
in the order of the lines show the same lines.

Only questions answered by one ledger line become condition rows (`eligible`).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Self

from pydantic import AfterValidator, Field, model_validator

from evaluation.core.checks import in_message
from evaluation.core.settings import OneOf, Rate, SettingsModel, StrictBool, StrictInt, StrictStr, refused
from evaluation.goldevidence.conditions.fields import MOST_LINES, MOST_SEED, NAME, NEWER, condition_name
from evaluation.goldevidence.conditions.perturb import GOLD_AT, ORDERS, RESTS
from evaluation.goldevidence.data.case import CLOSED_BOOK
from evaluation.goldevidence.retrieval import LATEST, RETRIEVERS, RIVALS, TIES


def _is_name(value: str) -> str:
    if not NAME.fullmatch(value):
        raise refused(f"must be letters, digits, '.', '_' or '-', at most 64, not {in_message(value)}.")
    if value == CLOSED_BOOK:
        raise refused(f"{CLOSED_BOOK!r} is reserved for rows that show the whole book; choose another.")
    return value


class Condition(SettingsModel):
    """Settings that choose and arrange the lines shown. The default `name` is built from them. Raises SettingsError."""

    newer: ClassVar[frozenset[str]] = NEWER

    name: Annotated[StrictStr, AfterValidator(_is_name)] = Field(description="Name in ids and tables.")
    k: StrictInt = Field(4, ge=1, le=MOST_LINES, description="Number of lines shown.")
    order: Annotated[str, OneOf(ORDERS)] = Field("shuffle", description="Position of the gold line.")
    wrong_type: Annotated[str, OneOf(RIVALS)] = Field("same_key", description="Kind of wrong line added.")
    drop_prob: Rate = Field(0.0, description="Probability of leaving the gold line out.")
    include_clear: StrictBool = Field(True, description="Show lines that clear a tag.")
    query_sandwich: StrictBool = Field(False, description="Ask the question before and after the candidates.")
    retriever: Annotated[str, OneOf(RETRIEVERS)] = Field("key", description="Retriever of the candidates.")
    spoof_rate: Rate = Field(0.0, description="Share of lines with disguised authority.")
    exact: StrictBool = Field(False, description="Exactly k lines, filled up with lines of other tags.")
    other_keys: StrictInt = Field(
        0,
        ge=0,
        le=MOST_LINES,
        description="Minimum number of lines of other tags than the question's. Needs `exact`.",
    )
    notes: StrictInt = Field(
        0,
        ge=0,
        le=MOST_LINES,
        description="Minimum number of notes, if the log has that many. Needs `exact`.",
    )
    rest: Annotated[str, OneOf(RESTS)] = Field("ascending", description="Order of the other lines by step.")
    ties: Annotated[str, OneOf(TIES)] = Field(
        LATEST, description="Which of two lines with equal scores is ranked first."
    )
    order_seed: StrictInt = Field(0, ge=0, le=MOST_SEED, description="Separate seed of the shuffle; 0: none.")
    drop_seed: StrictInt = Field(
        0, ge=0, le=MOST_SEED, description="Separate seed of the dropped gold lines; 0: none."
    )

    @model_validator(mode="before")
    @classmethod
    def _named(cls, data: Any) -> Any:
        named = isinstance(data, Mapping) and "name" not in data
        return {"name": condition_name(data), **data} if named else data

    @model_validator(mode="after")
    def _fits(self) -> Self:
        if (place := GOLD_AT.get(self.order, 1)) > self.k:
            raise refused(f"{self.order} needs at least {place} lines, and k is {self.k}.", field="order")
        extra = self.other_keys + self.notes
        if not self.exact and extra:
            raise refused("and notes need 'exact', whose k lines include them.", field="other_keys")
        if self.exact and self.wrong_type != "same_key":
            raise refused("has no effect if exactly k lines are shown; use other_keys.", field="wrong_type")
        if extra >= self.k:
            raise refused(
                f"and notes together must stay below k ({self.k}): a line of the tag is shown, too.",
                field="other_keys",
            )
        if extra and self.retriever != "key":
            raise refused(f"and notes need the retriever 'key', not {self.retriever!r}.", field="other_keys")
        return self
