"""Prompt sets: what a model is sent, as data. One file per set and version; a published file never changes.

A set has wordings (`a`, `b`, `c`), which ask the same in other words, and worked examples. Which set, wording and how
many examples a run used stands in its settings and, with the SHA-256 of all that is sent, in its provenance.
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
BETWEEN = "\x1f"  # parts of what is hashed: no prompt holds it


class PromptSet(BaseModel):
    """One version of a set. `shots` is how many of its examples are shown where nobody chooses.

    A `legacy` set is as it was before there were sets: for repeating what was run then. One that is `based_on` another
    says only what is different. `label_beside_id`: whether a line that has a label for its name keeps its id, too.
    `typed`: whether it asks StateBench for a typed answer.
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
        """`standard@1`."""
        return f"{self.name}@{self.version}"

    def texts(self, wording: str) -> Texts:
        """Every text of a wording by its name, those that all wordings share among them."""
        return self.shared | self.wordings[wording]


class PromptSets(Mapping[str, PromptSet]):
    """The sets of a suite by their label, read from `<name>-<version>.toml` when first asked for."""

    def __init__(self, folder: Path, needed: Collection[str]) -> None:
        """
        Args:
            folder: Where the files are.
            needed: The names of the texts that each wording has to have, of a set that is no legacy.
        """
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
            raise BenchmarkError(f"{path.name} is no prompt set: {error}") from error
        if found.label != _label(path):
            raise BenchmarkError(f"{path.name} calls itself {found.label}")
        for wording in found.wordings:
            if not found.legacy and (missing := sorted(self._needed - found.texts(wording).keys())):
                raise BenchmarkError(f"{path.name}: wording {wording} has no {', '.join(missing)}")
        return found

    def _whole(self, path: Path) -> dict[str, Any]:
        """What a file says, on top of what the one says that it is based on."""
        told = tomllib.loads(path.read_text(encoding="utf-8"))
        if (base := told.get("based_on")) is None:
            return told
        if base not in self._files or self._files[base] == path:
            raise BenchmarkError(f"{path.name} is based on {base!r}, which is no other prompt set")
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
    """A set in one wording, with so many worked examples."""

    prompt_set: PromptSet
    wording: str = "a"
    shots: int = 0

    @property
    def texts(self) -> Texts:
        """The texts of the wording by their names."""
        return self.prompt_set.texts(self.wording)

    @property
    def examples(self) -> tuple[dict[str, Any], ...]:
        """The worked examples that are shown."""
        return self.prompt_set.examples[: self.shots]


class PromptIdentity(TypedDict):
    """What a run's provenance says of its prompt. `sha256` is over all that is sent but text and question of a row."""

    set: str
    wording: str
    shots: int
    sha256: str


#: The settings of what was sent before there were prompt sets.
LEGACY = {"prompt": "legacy@1", "truncation": "by_key"}


class SetPrompts(ABC):
    """The prompts of one set, wording and number of examples. A suite says how the texts of a row stand in them."""

    def __init__(self, choice: PromptChoice) -> None:
        self.choice, self._texts = choice, choice.texts

    @property
    def system(self) -> str:
        """The system prompt, the same for all rows."""
        return self._texts["system"]

    @abstractmethod
    def sent(self) -> Collection[str]:
        """All that is sent in any mode, with placeholders for what a row brings."""

    def identity(self) -> PromptIdentity:
        """The set, the wording, and the SHA-256 of all that is sent."""
        return {
            "set": self.choice.prompt_set.label,
            "wording": self.choice.wording,
            "shots": self.choice.shots,
            "sha256": hashlib.sha256(BETWEEN.join(self.sent()).encode()).hexdigest(),
        }

    def provenance(self) -> dict[str, object]:
        """The same for a run's provenance; the hash also where earlier releases had that of their one prompt."""
        told = self.identity()
        return {"prompt": told, "prompt_template_sha256": told["sha256"]}


def part_of_identity(provenance: Mapping[str, Any]) -> dict[str, object]:
    """Prompt and model file as parts of a run's identity: a file is not continued with others.

    Args:
        provenance: What the adapter says of itself before the first row.

    Returns:
        `prompt`, except of a system that sends none, or what was sent before there were sets: files begun then say
        nothing of it. `model_sha256` of a system with a model file.
    """
    model, prompt = provenance.get("model"), provenance.get("prompt")
    file = {"model_sha256": model["sha256"]} if isinstance(model, Mapping) and "sha256" in model else {}
    if prompt is None or prompt["set"] == LEGACY["prompt"]:
        return file
    return {"prompt": prompt, **file}


class PromptSettings(AdapterSettings):
    """Which prompt a model is sent. A suite says which sets there are: its `prompt` is one of them."""

    prompt_sets: ClassVar[PromptSets]

    prompt: str = Field("", description="The prompt set and its version.")
    wording: Literal["a", "b", "c"] = Field("a", description="Which of the set's wordings.")
    shots: int | None = Field(
        None, ge=0, description="Worked examples that are shown; empty: as many as the set says."
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
        """The set, its wording and how many examples."""
        chosen = self.prompt_sets[self.prompt]
        return PromptChoice(chosen, self.wording, chosen.shots if self.shots is None else self.shots)
