"""Settings shared by the versions of every suite: seeds, a key of the ids, and their description for readers."""

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
    """Base of a suite's settings; all have defaults. A suite with other seeds than one `seed` overrides `all_seeds`."""

    #: Labels of `facts` from which the gold can be computed.
    SECRETS: ClassVar[frozenset[str]] = frozenset({"Seed", "Seeds", "Key"})

    @classmethod
    def checked(cls, data: Mapping[str, object]) -> dict[str, object]:
        """Complete JSON settings with defaults. Raises SettingsError with each invalid field."""
        return cls.from_json(data).as_json()

    @property
    def all_seeds(self) -> Sequence[int]:
        return (int(self.as_json()["seed"]),)

    def _reseeded(self, seeds: Sequence[int]) -> dict[str, object]:
        return {"seed": seeds[0]}

    def facts(self) -> list[tuple[str, str]]:
        """The settings for a reader, as (label, text) pairs."""
        return [(name.replace("_", " ").capitalize(), f"{value}") for name, value in self.as_json().items()]

    def describe(self, *, seeds: bool = True) -> list[tuple[str, str]]:
        """`facts`; without `seeds` the secret ones read "withheld"."""
        return [
            (label, text if seeds or label not in self.SECRETS else "withheld")
            for label, text in self.facts()
        ]

    def with_secret_seeds(self) -> dict[str, object]:
        """As JSON with the same number of random seeds, and a random key of the ids."""
        drawn: set[int] = set()
        while len(drawn) < len(self.all_seeds):
            drawn.add(LARGEST_THOUGHT_OF + secrets.randbelow(MAX_SEED - LARGEST_THOUGHT_OF))
        return self.as_json() | self._reseeded(sorted(drawn)) | {"key": keyed_ids.new_key()}

    @property
    def has_secret_seeds(self) -> bool:
        """True if the seeds are random: small ones could be tried."""
        return any(seed >= LARGEST_THOUGHT_OF for seed in self.all_seeds)

    def withheld(self) -> list[str]:
        """Seeds, key, and names of splits: texts that no text of a sealed version may contain."""
        return [str(self.as_json().get("key", "")), *map(str, self.all_seeds)]

    def shown_by_ids(self, row: Row) -> str:
        """Warning about information in the ids of versions from before keyed ids; empty if none."""
        return ""

    def asked_with(self) -> dict[str, str]:
        """Default adapter settings that the rows need, such as a prompt."""
        return {}

    def versions(self) -> list[tuple[str, dict[str, object]]]:
        """The versions that a preset of these settings makes: (suffix of the name, settings)."""
        return [("", self.as_json())]


class SeededSettings(VersionSettings):
    """Settings of a version with one seed."""

    seed: Seed = Field(0, description="Of the generator; drawn at freeze where sealed.")
    public_gold: StrictBool = Field(False, description="Whether downloaded rows keep their answers.")
    key: Key = Field("", description="Of the ids; drawn at freeze.")

    def as_json(self) -> dict[str, Any]:
        """JSON data, without an empty key."""
        return self.model_dump(mode="json", exclude=None if self.key else {"key"})

    def row_name(self, unit: str, question: str, split: str) -> str:
        """Id of a row, opaque without the key of the version."""
        return keyed_ids.row_id(self.key or keyed_ids.OPEN_KEY, unit=unit, question=question, split=split)

    def unit_name(self, unit: str) -> str:
        """Id of a unit, opaque without the key of the version."""
        return keyed_ids.unit_id(self.key or keyed_ids.OPEN_KEY, unit=unit)
