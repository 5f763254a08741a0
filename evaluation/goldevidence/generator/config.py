"""The generator's settings: what an episode of GoldEvidenceBench looks like."""

from __future__ import annotations

import re
from typing import Annotated, ClassVar, Self

from pydantic import AfterValidator, Field, model_validator

from evaluation.core.checks import in_message
from evaluation.core.settings import OneOf, Rate, SettingsModel, StrictBool, StrictInt, StrictStr, refused
from evaluation.goldevidence.generator.difficulty.packs import BUILT_IN, PACK_NAME
from evaluation.goldevidence.generator.distractors import PROFILES
from evaluation.goldevidence.generator.modes import MODES

PROSE = "prose"
WORDINGS = ("published", PROSE)
#: No version asks for more: further ones would only copy the ledger.
MOST_CITATIONS = 100
#: Revision 1 writes the rows of earlier releases byte by byte; 2 has the same logs, and other twins and pairs.
LATEST_REVISION = 2


def _is_pack(value: str) -> str:
    if not PACK_NAME.fullmatch(value):
        raise refused(
            f"must be small letters, digits, '_' or '-', at most 40, not {in_message(value)}: it names a file."
        )
    return value


def _is_sha256(value: str) -> str:
    if value and not re.fullmatch(r"[0-9a-f]{64}", value):
        raise refused("must be the 64 hexadecimal digits of a SHA-256, or left out.")
    return value


class GeneratorConfig(SettingsModel):
    """Settings of one generator run. Raises SettingsError naming every field that does not validate."""

    newer: ClassVar[frozenset[str]] = frozenset(
        {
            "aliases",
            "book_ledger",
            "indirect_rate",
            "near_values",
            "pack",
            "pack_sha256",
            "revision",
            "unsorted_ledger",
            "wording",
        }
    )

    episodes: StrictInt = Field(20, ge=1, le=100_000, description="Episodes of each mode, profile and seed.")
    steps: StrictInt = Field(220, ge=1, le=100_000, description="Lines of an episode's log.")
    keys: StrictInt = Field(14, ge=1, le=10_000, description="Tags whose values change.")
    queries: StrictInt = Field(12, ge=1, le=999, description="Questions about an episode.")
    derived_query_rate: Rate = Field(0.35, description="Share of questions that need more than one line.")
    chapters: StrictInt = Field(8, ge=1, le=1_000, description="Chapters of the book.")
    twins: StrictBool = Field(True, description="Whether each episode has a counterfactual twin.")
    distractor_rate: Rate = Field(0.50, description="Share of steps that are distractors.")
    clear_rate: Rate = Field(0.08, description="Share of updates that empty their tag.")
    note_rate: Rate = Field(0.12, description="Share of steps that are notes (kv_commentary only).")
    tail_distractor_steps: StrictInt = Field(
        0, ge=0, le=100_000, description="Steps at the end in which nothing is updated."
    )
    require_citations: StrictBool = Field(True, description="Whether an answer must cite its line.")
    max_support_k: StrictInt = Field(
        3, ge=1, le=MOST_CITATIONS, description="Most lines that an answer may cite."
    )
    state_mode: Annotated[str, OneOf(MODES)] = Field("kv", description="How values change.")
    distractor_profile: Annotated[str, OneOf(PROFILES)] = Field(
        "instruction", description="What distractors look like."
    )
    revision: StrictInt = Field(
        1,
        ge=1,
        le=LATEST_REVISION,
        description="1: a twin differs in one answer. 2: in at least half, and rows with instructions have a pair "
        "without.",
    )
    aliases: Rate = Field(0.0, description="Share of tags with another name that the text tells.")
    indirect_rate: Rate = Field(
        0.0, description="How often a question describes its tag, where something fits that tag alone."
    )
    near_values: Rate = Field(
        0.0, description="Share of values that differ from the one before in a single character."
    )
    unsorted_ledger: StrictBool = Field(False, description="Whether the book's ledger is out of order.")
    book_ledger: StrictBool = Field(
        True, description="Whether the book ends with a ledger; without one its chapters are the record."
    )
    wording: Annotated[str, OneOf(WORDINGS)] = Field(
        WORDINGS[0],
        description="published: the benchmark's line grammar. prose: sentences of a pack, without a ledger.",
    )
    pack: Annotated[StrictStr, AfterValidator(_is_pack)] = Field(
        BUILT_IN, description="The sentences of prose: the pack in the source, or one of the operator's."
    )
    pack_sha256: Annotated[StrictStr, AfterValidator(_is_sha256)] = Field(
        "", description="What the operator's pack hashes to."
    )

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
            raise refused("must be 2 where texts are made difficult.", field="revision")
        if self.wording == PROSE and self.book_ledger:
            raise refused(
                "must be false under prose: a ledger in the published form says what the sentences hide.",
                field="book_ledger",
            )
        if self.unsorted_ledger and not self.book_ledger:
            raise refused("has no meaning where books have no ledger.", field="unsorted_ledger")
        if self.wording != PROSE and (self.pack != BUILT_IN or self.pack_sha256):
            raise refused(f"has a meaning under the wording {PROSE!r} alone.", field="pack")
        if self.pack != BUILT_IN and not self.pack_sha256:
            raise refused(
                "is required with a pack that is not in the source: its sentences must not change under a version.",
                field="pack_sha256",
            )
        return self

    @property
    def is_difficult(self) -> bool:
        """Whether any difficulty is on."""
        return self.is_reworded or bool(self.near_values) or self.unsorted_ledger

    @property
    def is_reworded(self) -> bool:
        """Whether lines or questions are written in another way than the published one."""
        return self.has_hidden_ledger or bool(self.indirect_rate)

    @property
    def has_hidden_ledger(self) -> bool:
        """Whether the texts are not in the published grammar, so that the oracle needs a ledger of its own."""
        return bool(self.aliases) or not self.book_ledger or self.wording == PROSE
