"""Presets: the settings that define a GoldEvidenceBench version. Validated, frozen; JSON in, JSON out.

    settings = Settings.from_json({"generator": {"steps": 120}, "seeds": [0, 1], "conditions": [{"k": 4}]})
    for unit in settings.units():
        ...

A version crosses seeds × state modes × distractor profiles; each cell holds `generator.episodes` episodes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any

from evaluation.core.checks import Checks, in_message
from evaluation.core.errors import SettingsError, UnknownNameError
from evaluation.core.terminal.wording import number_of
from evaluation.goldevidence.conditions.conditions import Condition
from evaluation.goldevidence.generator.config import GeneratorConfig
from evaluation.goldevidence.generator.distractors import PROFILES
from evaluation.goldevidence.generator.episodes import Unit, generate_units
from evaluation.goldevidence.generator.modes import MODES

SUITE = "goldevidence"
PROTOCOLS = ("closed_book", "open_book", "both")
RUBRICS = ("strict", "reference")
CITATIONS = ("auto", "on", "off")
SUPPORT_METRICS = ("f1", "exact")
MAX_SEED = 2**63 - 1


@dataclass(frozen=True, slots=True)
class Settings:
    """Everything that defines a version. Raises SettingsError naming every field that does not validate.

    `state_modes` and `distractor_profiles` default to the generator's one. `public_gold` says whether the
    downloadable rows keep their gold. `protocol` is what a system is shown: the book, the log, or both.
    """

    suite: str = SUITE
    generator: GeneratorConfig = field(default_factory=GeneratorConfig)
    state_modes: tuple[str, ...] = ()
    distractor_profiles: tuple[str, ...] = ()
    seeds: tuple[int, ...] = (0,)
    conditions: tuple[Condition, ...] = ()
    protocol: str = "closed_book"
    rubric: str = "strict"
    citations: str = "auto"
    support_metric: str = "f1"
    entailment: bool = True
    public_gold: bool = False
    key: str = ""  # of the ids (`keyed_ids`); empty: the one in the source

    def __post_init__(self) -> None:
        if not self.state_modes:
            object.__setattr__(self, "state_modes", (self.generator.state_mode,))
        if not self.distractor_profiles:
            object.__setattr__(self, "distractor_profiles", (self.generator.distractor_profile,))
        checks = Checks(self)
        checks.one_of("suite", (SUITE,))
        checks.several("state_modes", MODES)
        checks.several("distractor_profiles", PROFILES)
        checks.one_of("protocol", PROTOCOLS)
        checks.one_of("rubric", RUBRICS)
        checks.one_of("citations", CITATIONS)
        checks.one_of("support_metric", SUPPORT_METRICS)
        checks.boolean("entailment")
        checks.boolean("public_gold")
        checks.key("key")
        _check_seeds(checks, self.seeds)
        names = [condition.name for condition in self.conditions]
        for name in sorted({name for name in names if names.count(name) > 1}):
            checks.refuse("conditions", f"two conditions are named {name!r}; give one another name.")
        checks.done()

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Settings:
        """Settings from JSON data, defaults filled in. Errors in nested fields read `generator.steps`."""
        if not isinstance(data, Mapping):
            raise SettingsError({"settings": [f"must be an object, not {in_message(data)}."]})
        Checks.names("setting", data, NAMES)
        values = dict(data)
        problems: dict[str, list[str]] = {}
        for name, read in _NESTED.items():
            if name in values:
                try:
                    values[name] = read(values[name])
                except SettingsError as error:
                    problems |= {f"{name}{_path(key)}": text for key, text in error.fields.items()}
        if problems:
            raise SettingsError(problems)
        return cls(**values)

    def as_json(self) -> dict[str, Any]:
        """The settings as JSON-able data; `from_json` reads them back."""
        data = {name: getattr(self, name) for name in NAMES}
        data["generator"] = self.generator.as_dict()
        data["conditions"] = [condition.as_dict() for condition in self.conditions]
        if not self.key:
            del data["key"]
        return {name: list(value) if isinstance(value, tuple) else value for name, value in data.items()}

    def count_units(self) -> int:
        """How many units `units` yields."""
        cells = len(self.seeds) * len(self.state_modes) * len(self.distractor_profiles)
        return cells * self.generator.episodes

    def units(self) -> Iterator[Unit]:
        """The episodes of the version, numbered through: seed by seed, mode by mode, profile by profile."""
        first = 1
        for seed in self.seeds:
            for mode in self.state_modes:
                for profile in self.distractor_profiles:
                    config = replace(self.generator, state_mode=mode, distractor_profile=profile)
                    yield from generate_units(config, seed, first=first)
                    first += config.episodes

    def describe(self) -> list[tuple[str, str]]:
        """The settings as (label, text) pairs for a reader."""
        generator = self.generator
        rows = self.count_units() * generator.queries * (1 + generator.twins)
        return [
            ("State modes", ", ".join(self.state_modes)),
            ("Distractor profiles", ", ".join(self.distractor_profiles)),
            ("Seeds", ", ".join(map(str, self.seeds))),
            (
                "Episodes",
                f"{self.count_units()}{', each with a counterfactual twin' if generator.twins else ''}",
            ),
            ("Questions", f"{generator.queries} per episode, {rows} in all"),
            (
                "Episode",
                f"{number_of(generator.steps, 'step')} over {number_of(generator.keys, 'tag')} "
                f"in {number_of(generator.chapters, 'chapter')}",
            ),
            ("Tail", f"{number_of(generator.tail_distractor_steps, 'step')} without an update"),
            ("Rates", _rates(generator)),
            ("Conditions", ", ".join(condition.name for condition in self.conditions) or "whole book only"),
            ("Protocol", self.protocol.replace("_", " ")),
            ("Citations", _citations(self)),
            ("Rubric", self.rubric),
            *([("Key", self.key)] if self.key else []),
        ]


def _check_seeds(checks: Checks, seeds: Sequence[Any]) -> None:
    if not seeds:
        checks.refuse("seeds", "must name at least one seed.")
    elif any(isinstance(seed, bool) or not isinstance(seed, int) for seed in seeds):
        checks.refuse("seeds", "must be whole numbers.")
    elif not all(0 <= seed <= MAX_SEED for seed in seeds):
        checks.refuse("seeds", f"must be between 0 and {MAX_SEED}.")
    elif len(set(seeds)) < len(seeds):
        checks.refuse("seeds", "must not repeat a seed.")


def get_preset(name: str) -> Settings:
    """A named preset. Raises UnknownNameError naming the nearest match."""
    if name not in PRESETS:
        raise UnknownNameError("preset", name, PRESETS)
    return PRESETS[name]


NAMES = tuple(item.name for item in fields(Settings))


def _conditions(data: Any) -> tuple[Condition, ...]:
    problems: dict[str, list[str]] = {}
    read = []
    for number, item in enumerate(_list(data)):
        try:
            read.append(Condition.from_mapping(_mapping(item)))
        except SettingsError as error:
            problems |= {f"[{number}]{_path(key)}": text for key, text in error.fields.items()}
    if problems:
        raise SettingsError(problems)
    return tuple(read)


def _list(data: Any) -> Sequence[Any]:
    if not isinstance(data, list | tuple):
        raise SettingsError({"": [f"must be a list, not {in_message(data)}."]})
    return data


def _mapping(data: Any) -> Mapping[str, Any]:
    if not isinstance(data, Mapping):
        raise SettingsError({"": [f"must be an object of settings, not {in_message(data)}."]})
    return data


_NESTED = {
    "generator": lambda data: GeneratorConfig.from_mapping(_mapping(data)),
    "state_modes": lambda data: tuple(_list(data)),
    "distractor_profiles": lambda data: tuple(_list(data)),
    "seeds": lambda data: tuple(_list(data)),
    "conditions": _conditions,
}


def _path(key: str) -> str:
    return key if not key or key.startswith("[") else f".{key}"


def _rates(generator: GeneratorConfig) -> str:
    rates = {
        "distractor": generator.distractor_rate,
        "clear": generator.clear_rate,
        "note": generator.note_rate,
        "derived question": generator.derived_query_rate,
    }
    return ", ".join(f"{name} {rate:g}" for name, rate in rates.items())


def _citations(settings: Settings) -> str:
    if not settings.generator.require_citations and settings.citations != "on":
        return "not required"
    entailed = ", must entail the answer" if settings.entailment else ""
    return f"at most {settings.generator.max_support_k}, by {settings.support_metric}{entailed}"


ORDERS = ("gold_first", "gold_middle", "gold_last", "shuffle")
# In the manner of the published order-bias and commentary figures: 5 seeds, 24 queries, 200 and 240 steps. Those have
# 10 keys, 6 chapters, direct questions and no twins (`published.DATASETS`); these have more of everything.
_ORDER_BIAS = GeneratorConfig(
    episodes=1,
    steps=200,
    keys=24,
    queries=24,
    state_mode="kv",
    distractor_profile="standard",
    distractor_rate=0.7,
    clear_rate=0.01,
    tail_distractor_steps=80,
)
_COMMENTARY = replace(
    _ORDER_BIAS,
    steps=240,
    state_mode="kv_commentary",
    note_rate=0.30,
    clear_rate=0.08,
    tail_distractor_steps=0,
)
_SEEDS = (0, 1, 2, 3, 4)

#: What a version of each preset measures, for readers.
ABOUT: dict[str, str] = {
    "smoke": "Seconds: does a pipeline work at all? Its answers are public.",
    "triage": "One short episode in each state mode: which mode breaks a system?",
    "quick": "Two state modes under every kind of distractor, small enough for a local model over lunch.",
    "standard": "Every state mode, with instructions and quotes among the distractors, the whole book and four orders "
    "of the same candidates.",
    "real": "Long episodes with a long tail in which nothing is updated.",
    "reference_v1": "The reference generator's defaults, graded by the reference's rubric. Its answers are public.",
    "order_bias": "The same evidence in four orders: does the position of a line decide whether it is chosen?",
    "k_curve": "One to sixteen candidates: how much does each further rival cost?",
    "authority_stress": "Commentary in the ledger, gold that is sometimes missing, authority markers in disguise.",
    "retriever_sanity": "Is the evidence among what a retriever finds, and how many lines does that take?",
}
PRESETS: dict[str, Settings] = {
    "smoke": Settings(
        generator=GeneratorConfig(episodes=1, steps=40, keys=6, queries=4, chapters=3),
        conditions=(Condition.from_mapping({"k": 4, "order": "shuffle"}),),
        public_gold=True,
    ),
    "triage": Settings(
        generator=GeneratorConfig(episodes=1, steps=80, keys=10, queries=6, chapters=4),
        state_modes=tuple(MODES),
    ),
    "quick": Settings(
        generator=GeneratorConfig(episodes=1, steps=120, queries=8),
        state_modes=("kv", "kv_commentary"),
        distractor_profiles=("standard", "adversarial", "instruction"),
    ),
    "standard": Settings(
        generator=GeneratorConfig(episodes=4),
        state_modes=tuple(MODES),
        distractor_profiles=("instruction_suite",),
        conditions=tuple(Condition.from_mapping({"k": 4, "order": order}) for order in ORDERS),
    ),
    "real": Settings(
        generator=GeneratorConfig(episodes=4, steps=600, keys=30, queries=24, tail_distractor_steps=120),
        state_modes=tuple(MODES),
        distractor_profiles=("adversarial", "instruction_suite"),
    ),
    # The reference generator's defaults, graded by the reference's rubric.
    "reference_v1": Settings(rubric="reference", public_gold=True),
    "order_bias": Settings(
        generator=_ORDER_BIAS,
        seeds=_SEEDS,
        conditions=tuple(Condition.from_mapping({"k": 4, "order": order}) for order in ORDERS),
    ),
    "k_curve": Settings(
        generator=_ORDER_BIAS,
        seeds=_SEEDS,
        conditions=tuple(Condition.from_mapping({"k": k, "order": "shuffle"}) for k in (1, 2, 4, 8, 16)),
    ),
    "authority_stress": Settings(
        generator=_COMMENTARY,
        seeds=_SEEDS,
        conditions=tuple(
            Condition.from_mapping({"k": 4, "drop_prob": drop, "spoof_rate": spoof})
            for drop, spoof in ((0.0, 0.0), (0.3, 0.0), (0.0, 0.25), (0.0, 0.5), (0.3, 0.25))
        ),
    ),
    "retriever_sanity": Settings(
        generator=_ORDER_BIAS,
        seeds=_SEEDS,
        conditions=tuple(
            Condition.from_mapping({"retriever": retriever, "k": k, "order": "shuffle", "wrong_type": "none"})
            for retriever in ("key", "bm25", "tfidf")
            for k in (2, 4, 8)
        ),
    ),
}
