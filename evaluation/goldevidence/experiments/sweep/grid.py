"""The grid of a sweep: the settings whose values are combined, and the resulting cells."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import TYPE_CHECKING, Any, NamedTuple

from evaluation.core.checks import Checks
from evaluation.goldevidence.data.rubrics import RUBRICS
from evaluation.goldevidence.experiments.sweep.contestants import Contestant, check
from evaluation.goldevidence.generator.fields import OF_FAMILIES, SETTINGS
from evaluation.goldevidence.generator.published import config_of
from evaluation.goldevidence.protocols import NAMES, Protocol

if TYPE_CHECKING:
    from evaluation.goldevidence.conditions.conditions import Condition
    from evaluation.goldevidence.generator.config import GeneratorConfig

#: Generator settings that a grid crosses under its own names, or that are equal in all cells.
OF_GRID = ("episodes", "steps", "state_mode", "distractor_profile")
#: Generator setting -> label in the name of a folder.
SHORT = {
    "tail_distractor_steps": "tail",
    "note_rate": "note",
    "distractor_rate": "distr",
    "clear_rate": "clear",
}


class View(NamedTuple):
    """The part of an episode that a system is shown."""

    condition: Condition | None = None  # None: the whole text
    authority_filter: bool = False  # leave out candidates without authority
    max_book_tokens: int | None = None  # only the last words of the text

    @property
    def parts(self) -> list[str]:
        """The parts of a cell's folder name that describe the view."""
        gate = ["gate"] if self.authority_filter else []
        return [self.condition.name, *gate] if self.condition else []


@dataclass(frozen=True, slots=True)
class Grid:
    """Settings that a sweep combines. Without conditions each system is given the whole text. Raises SettingsError."""

    contestants: Sequence[Contestant]
    config: GeneratorConfig = field(default_factory=lambda: config_of({}))
    seeds: int = 1
    steps: Sequence[int] = (220,)
    state_modes: Sequence[str] = ("kv",)
    distractor_profiles: Sequence[str] = ("standard",)
    varied: Mapping[str, Sequence[Any]] = field(default_factory=dict)  # further settings of the generator
    max_book_tokens: Sequence[int | None] = (None,)
    conditions: Sequence[Condition] = ()
    authority_filter: Sequence[bool] = (False,)
    protocol: str = "closed"
    # For benches, so that those of earlier releases continue and stay comparable. `sweep run` sets its own.
    rubric: str = "strict"

    def __post_init__(self) -> None:
        """Check everything before the first cell runs. Raises SettingsError and UnknownNameError."""
        checks = Checks(self)
        checks.integer("seeds", 1, 100_000)
        checks.one_of("rubric", RUBRICS)
        checks.one_of("protocol", NAMES)
        for name in ("steps", "state_modes", "distractor_profiles", "max_book_tokens", "authority_filter"):
            values = list(getattr(self, name))
            if not values or len(set(values)) < len(values):
                checks.refuse(name, "must not be empty or repeat a value.")
        names = [each.folder for each in self.contestants]
        if not names or len(set(names)) < len(names):
            checks.refuse("systems", "must not be empty or repeat a value.")
        self._check_views(checks)
        self._check_varied(checks)
        checks.done()
        check(self.contestants)
        for _ in self.configs():
            pass

    def _check_views(self, checks: Checks) -> None:
        names = [condition.name for condition in self.conditions]
        if len(set(names)) < len(names):
            checks.refuse("conditions", "must not repeat a name.")
        if any(self.authority_filter) and not self.conditions:
            checks.refuse("authority_filter", "applies only to candidates: show some with --k-list.")
        if self.conditions and len(self.max_book_tokens) > 1:
            checks.refuse(
                "max_book_tokens", "must be a single value for rows with candidates, which it does not cut."
            )
        if self.conditions and self.protocol != "closed":
            checks.refuse("protocol", "must be closed for rows with candidates: they show no whole text.")
        if any(limit is not None and limit < 1 for limit in self.max_book_tokens):
            checks.refuse("max_book_tokens", "must be at least 1.")
        if self.protocol == Protocol.BUILD and any(self.max_book_tokens):
            checks.refuse("max_book_tokens", "has no effect under build: an artifact has its own limit.")

    def _check_varied(self, checks: Checks) -> None:
        for name, values in self.varied.items():
            if name not in SETTINGS or name in OF_GRID or name in OF_FAMILIES:
                known = ", ".join(each for each in SETTINGS if each not in OF_FAMILIES.union(OF_GRID))
                checks.refuse("varied", f"{name!r} is not one of {known}.")
            if not values or len(set(values)) < len(values):
                checks.refuse("varied", f"{name} must not be empty or repeat a value.")

    def __len__(self) -> int:
        return sum(1 for _ in self.cells())

    def configs(self) -> Iterator[tuple[int, GeneratorConfig]]:
        """Yield (seed, generator settings) per data set, by seed, steps, state mode, profile, then other settings."""
        shared = self.config.as_json()
        axes = product(
            range(self.seeds),
            self.steps,
            self.state_modes,
            self.distractor_profiles,
            *self.varied.values(),
        )
        made: dict[tuple[Any, ...], GeneratorConfig] = {}
        for seed, *values in axes:
            if (key := tuple(values)) not in made:
                names = ("steps", "state_mode", "distractor_profile", *self.varied)
                made[key] = config_of(shared | dict(zip(names, values, strict=True)))
            yield seed, made[key]

    def views(self) -> Iterator[View]:
        for condition, gate, limit in product(
            self.conditions or (None,), self.authority_filter, self.max_book_tokens
        ):
            yield View(condition, gate, limit)

    def cells(self) -> Iterator[Cell]:
        """Yield the cells, one data set after the other; within a data set, by view and then by system."""
        for seed, config in self.configs():
            for view, contestant in product(self.views(), self.contestants):
                yield self.cell(seed, config, view, contestant)

    def cell(self, seed: int, config: GeneratorConfig, view: View, contestant: Contestant) -> Cell:
        return Cell(seed, config, view, contestant, self.protocol, self.rubric, tuple(self.varied))


class Cell(NamedTuple):
    seed: int
    config: GeneratorConfig
    view: View
    contestant: Contestant
    protocol: str = "closed"
    rubric: str = "strict"
    varied: tuple[str, ...] = ()

    @property
    def folder(self) -> str:
        """Name of the folder, such as `seed0-steps220-book400-modekv-profstandard-latest_step-k4-shuffle`."""
        config, limit = self.config, self.view.max_book_tokens
        parts = [
            f"seed{self.seed}",
            f"steps{config.steps}",
            f"book{limit}" if limit else "",
            f"mode{config.state_mode}",
            f"prof{config.distractor_profile}",
            *(f"{SHORT.get(name, name)}{getattr(config, name)}" for name in self.varied),
            self.contestant.folder,
            *self.view.parts,
            self.protocol if self.protocol != "closed" else "",
        ]
        return "-".join(part for part in parts if part)

    def identity(self) -> dict[str, Any]:
        """Settings that must be equal to reuse a finished cell or to continue an interrupted one."""
        condition = self.view.condition
        return {
            "seed": self.seed,
            "config": self.config.as_json(),
            "condition": condition.as_json() if condition else None,
            "authority_filter": self.view.authority_filter,
            "max_book_tokens": self.view.max_book_tokens,
            "protocol": self.protocol,
            "rubric": self.rubric,
            "system": self.contestant.as_json(),
        }
