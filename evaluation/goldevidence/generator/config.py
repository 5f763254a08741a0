"""Settings of the generator of GoldEvidenceBench's episodes."""

from __future__ import annotations

import re
from typing import Annotated, Any, ClassVar, Self

from pydantic import AfterValidator, Field, model_validator

from evaluation.core.checks import in_message
from evaluation.core.settings import (
    OneOf,
    Rate,
    SettingsModel,
    StrictBool,
    StrictInt,
    StrictStr,
    each_once,
    refused,
)
from evaluation.goldevidence.data.families import FAMILIES, MOST_LINES
from evaluation.goldevidence.generator.difficulty.packs import BUILT_IN, PACK_NAME
from evaluation.goldevidence.generator.distractors import PROFILES
from evaluation.goldevidence.generator.fields import LATEST_REVISION, NEWER, PROSE, SETTINGS, WORDINGS
from evaluation.goldevidence.generator.modes import MODES


def _is_pack(value: str) -> str:
    if not PACK_NAME.fullmatch(value):
        raise refused(
            f"must be lower-case letters, digits, '_' or '-', at most 40, not {in_message(value)}: it names a file."
        )
    return value


def _is_sha256(value: str) -> str:
    if value and not re.fullmatch(r"[0-9a-f]{64}", value):
        raise refused("must be the 64 hexadecimal digits of a SHA-256, or left out.")
    return value


def _described(name: str) -> Any:
    setting = SETTINGS[name]
    bounds: dict[str, Any] = {} if setting.low is None else {"ge": setting.low, "le": setting.high}
    return Field(setting.default, description=setting.description, **bounds)


class GeneratorConfig(SettingsModel):
    """Settings of one generator run. Raises SettingsError with every invalid field."""

    newer: ClassVar[frozenset[str]] = NEWER

    episodes: StrictInt = _described("episodes")
    steps: StrictInt = _described("steps")
    keys: StrictInt = _described("keys")
    queries: StrictInt = _described("queries")
    derived_query_rate: Rate = _described("derived_query_rate")
    chapters: StrictInt = _described("chapters")
    twins: StrictBool = _described("twins")
    distractor_rate: Rate = _described("distractor_rate")
    clear_rate: Rate = _described("clear_rate")
    note_rate: Rate = _described("note_rate")
    tail_distractor_steps: StrictInt = _described("tail_distractor_steps")
    require_citations: StrictBool = _described("require_citations")
    max_support_k: StrictInt = _described("max_support_k")
    state_mode: Annotated[str, OneOf(MODES)] = _described("state_mode")
    distractor_profile: Annotated[str, OneOf(PROFILES)] = _described("distractor_profile")
    revision: StrictInt = _described("revision")
    aliases: Rate = _described("aliases")
    indirect_rate: Rate = _described("indirect_rate")
    near_values: Rate = _described("near_values")
    unsorted_ledger: StrictBool = _described("unsorted_ledger")
    book_ledger: StrictBool = _described("book_ledger")
    wording: Annotated[str, OneOf(WORDINGS)] = _described("wording")
    pack: Annotated[StrictStr, AfterValidator(_is_pack)] = _described("pack")
    pack_sha256: Annotated[StrictStr, AfterValidator(_is_sha256)] = _described("pack_sha256")
    families: Annotated[tuple[Annotated[str, OneOf(FAMILIES)], ...], each_once("family")] = _described(
        "families"
    )
    chain_hops: StrictInt = _described("chain_hops")
    aggregate_span: StrictInt = _described("aggregate_span")
    nth_most: StrictInt = _described("nth_most")
    grants: StrictInt = _described("grants")

    @model_validator(mode="after")
    def _fits(self) -> Self:
        if self.tail_distractor_steps >= self.steps:
            raise refused(
                f"must be below steps ({self.steps}): an episode needs an update.",
                field="tail_distractor_steps",
            )
        if self.chapters > self.steps:
            raise refused(f"must not exceed steps ({self.steps}): no chapter may be empty.", field="chapters")
        return self

    @model_validator(mode="after")
    def _difficulties_fit(self) -> Self:
        if self.is_difficult and self.revision == 1:
            raise refused("must be 2 or more if a difficulty is on.", field="revision")
        if self.wording == PROSE and self.book_ledger:
            raise refused(
                "must be false under prose: a ledger in the published form would reveal what the sentences hide.",
                field="book_ledger",
            )
        if self.unsorted_ledger and not self.book_ledger:
            raise refused("has no effect if books have no ledger.", field="unsorted_ledger")
        if self.wording != PROSE and (self.pack != BUILT_IN or self.pack_sha256):
            raise refused(f"has an effect only with the wording {PROSE!r}.", field="pack")
        if self.pack != BUILT_IN and not self.pack_sha256:
            raise refused(
                "is required for a pack that is not built in: the sentences of a version must not change.",
                field="pack_sha256",
            )
        return self

    @model_validator(mode="after")
    def _families_fit(self) -> Self:
        if not self.families:
            return self
        if self.revision < LATEST_REVISION:
            raise refused(f"must be {LATEST_REVISION} under families.", field="revision")
        if self.max_support_k < MOST_LINES:
            raise refused(
                f"must be at least {MOST_LINES} under families: some answers need that many lines.",
                field="max_support_k",
            )
        if self.twins:
            raise refused("must be false under families: they have no counterfactual twins.", field="twins")
        if "chain" in self.families and self.keys <= self.chain_hops:
            raise refused(
                f"must be above chain_hops ({self.chain_hops}): a chain never repeats a tag.", field="keys"
            )
        if "meaning" in self.families and self.queries > self.keys:
            raise refused(
                f"must not exceed keys ({self.keys}) under meaning, which asks about each thing once.",
                field="queries",
            )
        if self.aliases or self.indirect_rate or self.near_values or self.unsorted_ledger:
            raise refused(
                "cannot be combined with other names, descriptions, near values or unsorted ledgers.",
                field="families",
            )
        return self

    @property
    def is_difficult(self) -> bool:
        return self.is_reworded or bool(self.near_values) or self.unsorted_ledger

    @property
    def is_reworded(self) -> bool:
        """True if a setting changes the wording of lines or questions."""
        return self.has_hidden_ledger or bool(self.indirect_rate)

    @property
    def has_hidden_ledger(self) -> bool:
        """True if the texts do not use the published line grammar. The oracle then needs a ledger of its own."""
        return bool(self.aliases) or not self.book_ledger or self.wording == PROSE
