"""Settings shared by the versions of every suite: seeds, key of the ids, and the description of settings."""

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
    """Base class of a suite's settings; all have defaults. With several seeds, override `all_seeds` and `_reseeded`."""

    #: Labels of `facts` from which the gold can be computed.
    SECRETS: ClassVar[frozenset[str]] = frozenset({"Seed", "Seeds", "Key"})

    @classmethod
    def checked(cls, data: Mapping[str, object]) -> dict[str, object]:
        """Check JSON settings, and add defaults for missing fields. Raises SettingsError with each invalid field."""
        return cls.from_json(data).as_json()

    @property
    def all_seeds(self) -> Sequence[int]:
        return (int(self.as_json()["seed"]),)

    def _reseeded(self, seeds: Sequence[int]) -> dict[str, object]:
        return {"seed": seeds[0]}

    def facts(self) -> list[tuple[str, str]]:
        """The settings for display, as (label, text) pairs."""
        return [(name.replace("_", " ").capitalize(), f"{value}") for name, value in self.as_json().items()]

    def describe(self, *, seeds: bool = True) -> list[tuple[str, str]]:
        """The settings for display, as (label, text). Without `seeds`, secret settings have the text "withheld"."""
        return [
            (label, text if seeds or label not in self.SECRETS else "withheld")
            for label, text in self.facts()
        ]

    def with_secret_seeds(self) -> dict[str, object]:
        """The settings as JSON, with new random values for all seeds and the key of the ids."""
        drawn: set[int] = set()
        while len(drawn) < len(self.all_seeds):
            drawn.add(LARGEST_THOUGHT_OF + secrets.randbelow(MAX_SEED - LARGEST_THOUGHT_OF))
        return self.as_json() | self._reseeded(sorted(drawn)) | {"key": keyed_ids.new_key()}

    @property
    def has_secret_seeds(self) -> bool:
        """True if some seed is so large that it must have been drawn at random, not chosen by a person."""
        return any(seed >= LARGEST_THOUGHT_OF for seed in self.all_seeds)

    def withheld(self) -> list[str]:
        """Strings that no text of a sealed version may contain: key and seeds. Suites add names of splits."""
        return [str(self.as_json().get("key", "")), *map(str, self.all_seeds)]

    def shown_by_ids(self, row: Row) -> str:
        """A warning if the id of a row reveals information, as ids without a key do. Empty if it reveals nothing."""
        return ""

    def asked_with(self) -> dict[str, str]:
        """Default settings for adapters that answer a version with these settings, such as a prompt."""
        return {}

    def versions(self) -> list[tuple[str, dict[str, object]]]:
        """The versions to make from a preset with these settings: (suffix for the version's name, its settings)."""
        return [("", self.as_json())]


class SeededSettings(VersionSettings):
    """Settings of a version with one seed."""

    seed: Seed = Field(0, description="Seed of the generator; for a sealed version drawn when it is frozen.")
    public_gold: StrictBool = Field(False, description="Downloaded rows include their answers.")
    key: Key = Field("", description="Key of the row ids; drawn when the version is frozen.")

    def as_json(self) -> dict[str, Any]:
        """The settings as JSON, without `key` if it is empty."""
        return self.model_dump(mode="json", exclude=None if self.key else {"key"})

    def row_name(self, unit: str, question: str, split: str) -> str:
        """Id of a row, opaque without the key of the version."""
        return keyed_ids.row_id(self.key or keyed_ids.OPEN_KEY, unit=unit, question=question, split=split)

    def unit_name(self, unit: str) -> str:
        """Id of a unit, opaque without the key of the version."""
        return keyed_ids.unit_id(self.key or keyed_ids.OPEN_KEY, unit=unit)
