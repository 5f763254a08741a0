"""The generator's settings: what an episode of GoldEvidenceBench looks like."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any

from evaluation.core.checks import Checks
from evaluation.goldevidence.generator.distractors import PROFILES
from evaluation.goldevidence.generator.modes import MODES


@dataclass(frozen=True, slots=True)
class GeneratorConfig:
    """Settings of one generator run. Raises SettingsError naming every field that does not validate."""

    episodes: int = 20
    steps: int = 220
    keys: int = 14
    queries: int = 12
    derived_query_rate: float = 0.35
    chapters: int = 8
    twins: bool = True
    distractor_rate: float = 0.50
    clear_rate: float = 0.08
    note_rate: float = 0.12  # kv_commentary only
    tail_distractor_steps: int = 0
    require_citations: bool = True
    max_support_k: int = 3
    state_mode: str = "kv"
    distractor_profile: str = "instruction"

    def __post_init__(self) -> None:
        checks = Checks(self)
        for name, (low, high) in RANGES.items():
            checks.integer(name, low, high)
        for name in RATES:
            checks.rate(name)
        for name in ("twins", "require_citations"):
            checks.boolean(name)
        checks.one_of("state_mode", MODES)
        checks.one_of("distractor_profile", PROFILES)
        if checks.good("steps", "tail_distractor_steps") and self.tail_distractor_steps >= self.steps:
            checks.refuse(
                "tail_distractor_steps", f"must be below steps ({self.steps}): an episode needs an update."
            )
        if checks.good("steps", "chapters") and self.chapters > self.steps:
            checks.refuse("chapters", f"must not exceed steps ({self.steps}): no chapter may be empty.")
        checks.done()

    @classmethod
    def from_mapping(cls, data: Mapping[str, Any]) -> GeneratorConfig:
        """Settings from JSON data, defaults filled in. Unknown names are refused with the nearest match."""
        Checks.names("setting", data, NAMES)
        return cls(**data)

    def as_dict(self) -> dict[str, Any]:
        """The settings as JSON-able data."""
        return asdict(self)


RANGES: dict[str, tuple[int, int]] = {
    "episodes": (1, 100_000),
    "steps": (1, 100_000),
    "keys": (1, 10_000),
    "queries": (1, 999),
    "chapters": (1, 1_000),
    "tail_distractor_steps": (0, 100_000),
    "max_support_k": (1, 100),
}
RATES = ("derived_query_rate", "distractor_rate", "clear_rate", "note_rate")
NAMES = tuple(field.name for field in fields(GeneratorConfig))
