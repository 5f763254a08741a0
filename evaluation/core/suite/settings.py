"""Settings of a version, as every suite has them: seeds, a key of the ids, and what readers are told of them."""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from pydantic import Field

from evaluation.core.records import Row
from evaluation.core.sealing import keyed_ids
from evaluation.core.settings import MAX_SEED, Key, Seed, SettingsModel, StrictBool
from evaluation.core.suite.parts import LARGEST_THOUGHT_OF


class VersionSettings(SettingsModel):
    """Base of the settings of a suite; each has a default. A suite with other seeds than one `seed` says which."""

    #: Labels of `facts` with which anybody can make the gold.
    SECRETS: ClassVar[frozenset[str]] = frozenset({"Seed", "Seeds", "Key"})

    @classmethod
    def checked(cls, data: Mapping[str, object]) -> dict[str, object]:
        """Settings as JSON, completed with defaults. Raises SettingsError naming each bad field."""
        return cls.from_json(data).as_json()

    @property
    def all_seeds(self) -> Sequence[int]:
        """The seeds of the generator."""
        return (int(self.as_json()["seed"]),)

    def _reseeded(self, seeds: Sequence[int]) -> dict[str, object]:
        return {"seed": seeds[0]}

    def facts(self) -> list[tuple[str, str]]:
        """The settings for a reader, as (label, text) pairs: each by its name."""
        return [(name.replace("_", " ").capitalize(), f"{value}") for name, value in self.as_json().items()]

    def describe(self, *, seeds: bool = True) -> list[tuple[str, str]]:
        """The settings for a reader, as (label, text) pairs; `seeds` tells whether seeds and key are shown."""
        return [
            (label, text if seeds or label not in self.SECRETS else "withheld")
            for label, text in self.facts()
        ]

    def with_secret_seeds(self) -> dict[str, object]:
        """As JSON with as many new seeds, and a key of the ids, that nobody can guess."""
        drawn: set[int] = set()
        while len(drawn) < len(self.all_seeds):
            drawn.add(LARGEST_THOUGHT_OF + secrets.randbelow(MAX_SEED - LARGEST_THOUGHT_OF))
        return self.as_json() | self._reseeded(sorted(drawn)) | {"key": keyed_ids.new_key()}

    @property
    def has_secret_seeds(self) -> bool:
        """Whether the seeds were drawn: those in the source, and all that people think of, can be tried."""
        return any(seed >= LARGEST_THOUGHT_OF for seed in self.all_seeds)

    def withheld(self) -> list[str]:
        """Seeds, key, and the names of splits: texts that must stand beside no text of a sealed version."""
        return [str(self.as_json().get("key", "")), *map(str, self.all_seeds)]

    def shown_by_ids(self, row: Row) -> str:
        """Warning of what the ids of a version frozen before they were keyed give away; empty for nothing."""
        return ""

    def asked_with(self) -> dict[str, str]:
        """Settings of adapters that the rows need, such as a prompt, where a run chooses no others."""
        return {}

    def versions(self) -> list[tuple[str, dict[str, object]]]:
        """The versions that a preset of these settings makes: what is added to its name, and settings, of each."""
        return [("", self.as_json())]


class SeededSettings(VersionSettings):
    """The settings that a version of one seed has."""

    seed: Seed = Field(0, description="Of the generator; drawn at freeze where sealed.")
    public_gold: StrictBool = Field(False, description="Whether downloaded rows keep their answers.")
    key: Key = Field("", description="Of the ids; drawn at freeze.")

    def as_json(self) -> dict[str, Any]:
        """The settings as JSON data, without a key where there is none."""
        return self.model_dump(mode="json", exclude=None if self.key else {"key"})

    def row_name(self, unit: str, question: str, split: str) -> str:
        """The id of a row, which says nothing without the key of the version.

        Args:
            unit: What the row is drawn with.
            question: Which of the unit's questions it asks.
            split: Which part of the version it belongs to.
        """
        return keyed_ids.row_id(self.key or keyed_ids.OPEN_KEY, unit=unit, question=question, split=split)

    def unit_name(self, unit: str) -> str:
        """The same of a unit."""
        return keyed_ids.unit_id(self.key or keyed_ids.OPEN_KEY, unit=unit)
