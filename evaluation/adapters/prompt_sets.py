"""Prompt sets: the texts of prompts, in one file for each set and version. A published file never changes.

A set has wordings (`a`, `b`, `c`), which ask the same in other words, and worked examples. A run's settings record the
set, wording and number of examples; its provenance also records the SHA-256 of all texts sent.
"""

from __future__ import annotations

import hashlib
import tomllib
from abc import ABC, abstractmethod
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Literal, Self, TypedDict

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from evaluation.adapters.settings import AdapterSettings
from evaluation.core.errors import BenchmarkError, UnknownNameError
from evaluation.core.settings import refused

Texts = Mapping[str, str]
BETWEEN = "\x1f"  # separator for hashing: occurs in no prompt


class PromptSet(BaseModel):
    """One version of a prompt set. `shots` is the default number of worked examples.

    A `legacy` set reproduces runs from before prompt sets existed. A set that is `based_on` another one contains only
    texts that differ. `label_beside_id`: lines offered as labelled options (A, B, …) also show their ids. `typed`:
    StateBench asks for typed answers.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    version: int
    about: str
    shots: int = 0
    legacy: bool = False
    based_on: str | None = None
    label_beside_id: bool = True
    typed: bool = False
    shared: dict[str, str] = Field(default_factory=dict)
    wordings: dict[str, dict[str, str]]
    examples: tuple[dict[str, Any], ...] = ()

    @property
    def label(self) -> str:
        """Name and version of the set, such as `standard@1`."""
        return f"{self.name}@{self.version}"

    def texts(self, wording: str) -> Texts:
        return self.shared | self.wordings[wording]


class PromptSets(Mapping[str, PromptSet]):
    """The prompt sets of a suite by label, each read from `<name>-<version>.toml` on first use."""

    def __init__(self, folder: Path, needed: Collection[str]) -> None:
        """`needed`: names of the texts that every wording must define, except in legacy sets."""
        self._needed = frozenset(needed)
        self._files = {_label(path): path for path in sorted(folder.glob("*.toml"))}
        self._read: dict[str, PromptSet] = {}

    def __getitem__(self, label: str) -> PromptSet:
        if label not in self._files:
            raise UnknownNameError("prompt set", label, self._files)
        if label not in self._read:
            self._read[label] = self._checked(self._files[label])
        return self._read[label]

    def __contains__(self, label: object) -> bool:
        return label in self._files

    def __iter__(self) -> Iterator[str]:
        return iter(self._files)

    def __len__(self) -> int:
        return len(self._files)

    def _checked(self, path: Path) -> PromptSet:
        try:
            found = PromptSet.model_validate(self._whole(path))
        except (tomllib.TOMLDecodeError, ValidationError) as error:
            raise BenchmarkError(f"{path.name} is not a prompt set: {error}") from error
        if found.label != _label(path):
            raise BenchmarkError(f"{path.name}: the file name must match the contents, {found.label}")
        for wording in found.wordings:
            if not found.legacy and (missing := sorted(self._needed - found.texts(wording).keys())):
                raise BenchmarkError(f"{path.name}: wording {wording} has no {', '.join(missing)}")
        return found

    def _whole(self, path: Path) -> dict[str, Any]:
        told = tomllib.loads(path.read_text(encoding="utf-8"))
        if (base := told.get("based_on")) is None:
            return told
        if base not in self._files or self._files[base] == path:
            raise BenchmarkError(
                f"{path.name}: based_on names {base!r}, which is unknown or the set itself; name another prompt set"
            )
        below = self._whole(self._files[base])
        wordings = {
            name: texts | told.get("wordings", {}).get(name, {}) for name, texts in below["wordings"].items()
        }
        return below | told | {"shared": below["shared"] | told.get("shared", {}), "wordings": wordings}


def _label(path: Path) -> str:
    name, _, version = path.stem.rpartition("-")
    return f"{name}@{version}"


@dataclass(frozen=True)
class PromptChoice:
    prompt_set: PromptSet
    wording: str = "a"
    shots: int = 0

    @property
    def texts(self) -> Texts:
        return self.prompt_set.texts(self.wording)

    @property
    def examples(self) -> tuple[dict[str, Any], ...]:
        return self.prompt_set.examples[: self.shots]


class PromptIdentity(TypedDict):
    """The prompt in a run's provenance. `sha256` covers all texts sent, except the text and question of a row."""

    set: str
    wording: str
    shots: int
    sha256: str


#: Settings that reproduce the prompts from before there were prompt sets.
LEGACY = {"prompt": "legacy@1", "truncation": "by_key"}


class SetPrompts(ABC):
    """The prompts of one set, wording and number of examples. Subclasses, one per suite, insert the texts of a row."""

    def __init__(self, choice: PromptChoice) -> None:
        self.choice, self._texts = choice, choice.texts

    @property
    def system(self) -> str:
        return self._texts["system"]

    @abstractmethod
    def sent(self) -> Collection[str]:
        """All texts that may be sent to a model, with placeholders for the contents of a row."""

    def identity(self) -> PromptIdentity:
        return {
            "set": self.choice.prompt_set.label,
            "wording": self.choice.wording,
            "shots": self.choice.shots,
            "sha256": hashlib.sha256(BETWEEN.join(self.sent()).encode()).hexdigest(),
        }

    def provenance(self) -> dict[str, object]:
        """The `PromptIdentity` as a dict. Its hash is repeated under the key that earlier releases used."""
        told = self.identity()
        return {"prompt": told, "prompt_template_sha256": told["sha256"]}


def part_of_identity(provenance: Mapping[str, Any]) -> dict[str, object]:
    """Prompt identity and model hash, from the provenance of a run. To resume a run, both must be the same."""
    model, prompt = provenance.get("model"), provenance.get("prompt")
    file = {"model_sha256": model["sha256"]} if isinstance(model, Mapping) and "sha256" in model else {}
    # older files do not record the legacy set
    if prompt is None or prompt["set"] == LEGACY["prompt"]:
        return file
    return {"prompt": prompt, **file}


class PromptSettings(AdapterSettings):
    """Settings that choose a prompt. Subclasses, one per suite, define `prompt_sets` and the default of `prompt`."""

    prompt_sets: ClassVar[PromptSets]

    prompt: str = Field("", description="The prompt set and its version.")
    wording: Literal["a", "b", "c"] = Field("a", description="Wording of the set.")
    shots: int | None = Field(
        None, ge=0, description="Number of worked examples in the prompt; empty: the set's default."
    )

    @model_validator(mode="after")
    def _are_in_the_set(self) -> Self:
        chosen = self.prompt_sets[self.prompt]
        if self.wording not in chosen.wordings:
            known = ", ".join(chosen.wordings)
            raise refused(f"must be one of {known} with prompt={chosen.label}", field="wording")
        if (self.shots or 0) > len(chosen.examples):
            most = len(chosen.examples)
            raise refused(f"must be at most {most} with prompt={chosen.label}", field="shots")
        return self

    @property
    def prompt_choice(self) -> PromptChoice:
        chosen = self.prompt_sets[self.prompt]
        return PromptChoice(chosen, self.wording, chosen.shots if self.shots is None else self.shots)
