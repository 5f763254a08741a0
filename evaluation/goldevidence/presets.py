"""Presets: the settings that define a GoldEvidenceBench version. Validated, frozen; JSON in, JSON out.

    settings = Settings.from_json({"generator": {"steps": 120}, "seeds": [0, 1], "conditions": [{"k": 4}]})
    for unit in settings.units():
        ...

A version crosses seeds × state modes × distractor profiles; each cell holds `generator.episodes` episodes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Annotated, Any, ClassVar, Self

from pydantic import AfterValidator, Field, model_validator

from evaluation.core.errors import UnknownNameError
from evaluation.core.sealing import keyed_ids
from evaluation.core.sealing.limits import ATTACK_LIMITS, AttackLimit, AttackLimits
from evaluation.core.settings import (
    Key,
    OneOf,
    Seed,
    SettingsModel,
    StrictBool,
    each_once,
    refused,
)
from evaluation.core.suite import Rung
from evaluation.core.terminal.wording import number_of
from evaluation.goldevidence import protocols
from evaluation.goldevidence.conditions.conditions import Condition, condition_name
from evaluation.goldevidence.conditions.order_bias import order_members
from evaluation.goldevidence.conditions.perturb import RESTS
from evaluation.goldevidence.generator.config import GeneratorConfig
from evaluation.goldevidence.generator.difficulty import episode as difficulty
from evaluation.goldevidence.generator.distractors import PROFILES
from evaluation.goldevidence.generator.episodes import Unit, generate_units
from evaluation.goldevidence.generator.fields import LATEST_REVISION, PROSE
from evaluation.goldevidence.generator.ladder.checks import problem_of
from evaluation.goldevidence.generator.ladder.rungs import KILO, MEGA, rung_name
from evaluation.goldevidence.generator.ladder.settings import Ladder
from evaluation.goldevidence.generator.ladder.units import ladder_units
from evaluation.goldevidence.generator.modes import MODES
from evaluation.goldevidence.protocols import Protocol

SUITE = "goldevidence"
#: Those before are names of versions that hold both texts: such settings stay as they are, and make the same rows.
PROTOCOLS = (*protocols.NAMES, protocols.BOTH, *protocols.BEFORE)
RUBRICS = ("strict", "reference")
CITATIONS = ("auto", "on", "off")
SUPPORT_METRICS = ("f1", "exact")
WORST_ORDER = "worst_order"
HEADLINES = ("exact_acc", WORST_ORDER)  # the first is that of every version frozen before there was a choice


def _distinct(conditions: tuple[Condition, ...]) -> tuple[Condition, ...]:
    names = Counter(condition.name for condition in conditions)
    if twice := sorted(name for name, count in names.items() if count > 1):
        raise refused(f"two conditions are named {twice[0]!r}; give one another name.")
    return conditions


class Settings(SettingsModel):
    """Everything that defines a version. Raises SettingsError naming every field that does not validate."""

    newer: ClassVar[frozenset[str]] = frozenset({"headline", "ladder"})

    suite: Annotated[str, OneOf((SUITE,))] = SUITE
    generator: GeneratorConfig = Field(
        default_factory=GeneratorConfig, description="What an episode looks like."
    )
    state_modes: Annotated[tuple[Annotated[str, OneOf(MODES)], ...], each_once()] = Field(
        (), description="Modes that are crossed; empty: the generator's."
    )
    distractor_profiles: Annotated[tuple[Annotated[str, OneOf(PROFILES)], ...], each_once()] = Field(
        (), description="Profiles that are crossed; empty: the generator's."
    )
    seeds: Annotated[tuple[Seed, ...], each_once("seed", at_least_one=True)] = Field(
        (0,), description="Seeds that are crossed; drawn at freeze where sealed."
    )
    conditions: Annotated[tuple[Condition, ...], AfterValidator(_distinct)] = Field(
        (), description="Candidate rows beside the whole book."
    )
    protocol: Annotated[str, OneOf(PROTOCOLS)] = Field(
        "closed_book",
        description="What a row shows: closed, the book; open, the log; build, the log first and then the artifact; "
        "both, a closed and an open version. closed_book and open_book are older names: such rows hold both texts.",
    )
    rubric: Annotated[str, OneOf(RUBRICS)] = Field("strict", description="How answers are graded.")
    citations: Annotated[str, OneOf(CITATIONS)] = Field("auto", description="Whether citations count.")
    support_metric: Annotated[str, OneOf(SUPPORT_METRICS)] = Field("f1", description="How they are compared.")
    entailment: StrictBool = Field(True, description="Whether cited lines must entail the answer.")
    public_gold: StrictBool = Field(False, description="Whether downloaded rows keep their answers.")
    headline: Annotated[str, OneOf(HEADLINES)] = Field(
        HEADLINES[0],
        description="What the board is ordered by: exact answers, or the selection rate in the worst order.",
    )
    ladder: Ladder | None = Field(
        None,
        description="The same episodes in texts of several lengths; nothing: as long as their steps make them.",
    )
    key: Key = Field("", description="Of the ids; drawn at freeze.")
    attack_limits: AttackLimits = ATTACK_LIMITS

    @model_validator(mode="after")
    def _complete(self) -> Self:
        """Modes and profiles are the generator's where none are named; under `build` there are no candidates."""
        self.__dict__["state_modes"] = self.state_modes or (self.generator.state_mode,)
        self.__dict__["distractor_profiles"] = self.distractor_profiles or (
            self.generator.distractor_profile,
        )
        if self.ladder is not None:
            self._check_ladder(self.ladder)
        if self.headline == WORST_ORDER and not order_members(self.conditions, self.split_names):
            raise refused(
                "the worst order is that of conditions which differ in the place of the gold line only."
            )
        if self.protocol == Protocol.BUILD and self.conditions:
            raise refused(
                "must be empty under build: its answers come from the artifact.", field="conditions"
            )
        if self.conditions and self.generator.is_reworded:
            raise refused(
                "must be empty where texts have other names, descriptions, prose or no ledger: candidates are lines of "
                "the published form.",
                field="conditions",
            )
        if self.protocol == Protocol.BUILD and (self.generator.aliases or self.generator.indirect_rate):
            raise refused(
                "cannot call tags by other names or describe them under build: questions come when the log is gone.",
                field="generator",
            )
        if self.protocol in protocols.NAMES and any(
            protocols.is_whole(each.name) for each in self.conditions
        ):
            raise refused(
                "one is named like the rows with the whole text; give it another name.", field="conditions"
            )
        return self

    def _check_ladder(self, ladder: Ladder) -> None:
        """What episodes of several lengths cannot have, and whether the shortest text holds their updates."""
        if self.protocol != Protocol.OPEN:
            raise refused(
                "must be open under a ladder: its texts are logs of several lengths.", field="protocol"
            )
        if self.conditions:
            raise refused("must be empty under a ladder: its splits are the lengths.", field="conditions")
        if paced := [name for name in self.distractor_profiles if PROFILES[name].pace]:
            raise refused(
                f"cannot have {paced[0]!r} under a ladder, which says itself when each tag is written.",
                field="distractor_profiles",
            )
        for mode in self.state_modes:
            if problem := problem_of(ladder, self.generator, mode):
                raise refused(problem.message, field=problem.field)

    def fits(self, ladder: Ladder) -> bool:
        """Whether episodes of these settings can be told at other lengths.

        Args:
            ladder: The lengths, and what is crossed at each.
        """
        return not any(problem_of(ladder, self.generator, mode) for mode in self.state_modes)

    @property
    def rungs(self) -> list[Rung]:
        """The lengths of a ladder, ascending; none without one."""
        lengths = self.ladder.lengths if self.ladder else ()
        return [Rung(rung_name(tokens), tokens) for tokens in lengths]

    @property
    def split_names(self) -> list[str]:
        """The names of the conditions."""
        return [condition.name for condition in self.conditions]

    @property
    def headline_splits(self) -> list[str]:
        """The conditions of which the headline takes the lowest rate; empty where it is one rate."""
        return order_members(self.conditions, self.split_names) if self.headline == WORST_ORDER else []

    @property
    def shows(self) -> Protocol | None:
        """What rows show; None for both texts, as before there were protocols."""
        return protocols.protocol_named(self.protocol)

    def as_json(self) -> dict[str, Any]:
        """The settings as JSON data, without a key or limits where there are none; `from_json` reads them back."""
        return self.model_dump(mode="json", exclude=self.left_empty("key", "attack_limits"))

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
                    config = self.generator.having(state_mode=mode, distractor_profile=profile)
                    if self.ladder is None:
                        yield from generate_units(config, seed, first=first)
                    else:
                        yield from ladder_units(config, self.ladder, seed, first=first)
                    first += config.episodes

    def describe(self) -> list[tuple[str, str]]:
        """The settings as (label, text) pairs for a reader."""
        generator = self.generator
        texts = (1 + generator.twins) * max(1, len(self.rungs))
        rows = self.count_units() * generator.queries * texts
        return [
            ("State modes", ", ".join(self.state_modes)),
            ("Distractor profiles", ", ".join(self.distractor_profiles)),
            ("Seeds", ", ".join(map(str, self.seeds))),
            (
                "Episodes",
                f"{self.count_units()}{', each with a counterfactual twin' if generator.twins else ''}",
            ),
            ("Questions", f"{generator.queries} per episode, {_rows(self, rows)}"),
            *(_ladder_facts(generator, self.ladder) if self.ladder else _step_facts(generator)),
            ("Rates", _rates(generator)),
            *difficulty.describe(generator),
            ("Conditions", _conditions(self)),
            *([("Candidates", text)] if (text := _candidates(self.conditions)) else []),
            ("Protocol", shown.about if (shown := self.shows) else self.protocol.replace("_", " ")),
            ("Citations", _citations(self)),
            ("Rubric", self.rubric),
            *([("Headline", "worst order")] if self.headline == WORST_ORDER else []),
            *([("Key", keyed_ids.describe_key(self.key))] if self.key else []),
        ]


def get_preset(name: str) -> Settings:
    """A named preset. Raises UnknownNameError naming the nearest match."""
    if name not in PRESETS:
        raise UnknownNameError("preset", name, PRESETS)
    return PRESETS[name]


def _step_facts(generator: GeneratorConfig) -> list[tuple[str, str]]:
    return [
        (
            "Episode",
            f"{number_of(generator.steps, 'step')} over {number_of(generator.keys, 'tag')} "
            f"in {number_of(generator.chapters, 'chapter')}",
        ),
        ("Tail", f"{number_of(generator.tail_distractor_steps, 'step')} without an update"),
    ]


def _ladder_facts(generator: GeneratorConfig, ladder: Ladder) -> list[tuple[str, str]]:
    names = [rung_name(tokens) for tokens in ladder.lengths]
    return [
        (
            "Lengths",
            f"{', '.join(names)} tokens: the same facts and questions, padding grows between the updates",
        ),
        (
            "Episode",
            f"{number_of(generator.keys, 'tag')} in {number_of(generator.chapters, 'chapter')}, "
            f"updated {', '.join(map(str, ladder.writes))} times",
        ),
        ("Depth of the last update", ", ".join(f"{depth:g}" for depth in ladder.depths)),
        ("Distractors in the padding", ", ".join(f"{share:.0%}" for share in ladder.shares)),
    ]


def _conditions(settings: Settings) -> str:
    whole = "whole log at each length" if settings.ladder else "whole book only"
    return ", ".join(condition.name for condition in settings.conditions) or whole


def _rates(generator: GeneratorConfig) -> str:
    rates = {
        "distractor": generator.distractor_rate,
        "clear": generator.clear_rate,
        "note": generator.note_rate,
        "derived question": generator.derived_query_rate,
    }
    return ", ".join(f"{name} {rate:g}" for name, rate in rates.items())


def _rows(settings: Settings, rows: int) -> str:
    """How many rows show the whole book."""
    if (
        settings.generator.revision == 1
        or settings.ladder
        or not any(PROFILES[name].orders for name in settings.distractor_profiles)
    ):
        return f"{rows} in all"
    return f"{rows} in all, and those about a tag with an instruction once more without instructions"


def _candidates(conditions: Sequence[Condition]) -> str:
    """How many lines the conditions show, and what fills them up; empty where none says."""
    exact = [condition for condition in conditions if condition.exact]
    if not exact:
        return ""
    sizes = ", ".join(str(k) for k in sorted({condition.k for condition in exact}))
    parts = ["filled up with lines of other tags where the tag has fewer"]
    if any(condition.notes for condition in exact):
        parts.insert(0, "a NOTE where the ledger holds some")
    if any(condition.other_keys for condition in exact):
        parts.insert(0, "some of other tags")
    return f"exactly {sizes} lines: those of the tag, {', '.join(parts)}"


def _citations(settings: Settings) -> str:
    if not settings.generator.require_citations and settings.citations != "on":
        return "not required"
    entailed = ", must entail the answer" if settings.entailment else ""
    return f"at most {settings.generator.max_support_k}, by {settings.support_metric}{entailed}"


#: Two modes of eight tags: the ledger of one holds NOTEs. Fifty episodes of each take every depth with every number of
#: writes equally often, under little and under much distraction: 10 rounds of 15 cells in 100 episodes of 3 questions.
#: No twins and no pairs without instructions: each further text costs a reader 170,000 tokens.
_LADDER = GeneratorConfig(
    episodes=50,
    keys=8,
    queries=3,
    chapters=4,
    twins=False,
    distractor_profile="instruction_suite",
    revision=LATEST_REVISION,
)
#: Whoever looks for a dozen words such as "confirmed" finds the line in up to a quarter of the rows (.231 measured):
#: sentences that say the opposite hold these words too.
_PROSE_LIMITS = (
    AttackLimit(metric="exact_acc", floor=0.05, ceiling=0.4),
    AttackLimit(metric="value_acc", floor=0.1, ceiling=0.5),
)
ORDERS = ("gold_first", "gold_middle", "gold_last", "shuffle")
POSITIONS = ORDERS[:3]
# In the manner of the published order-bias and commentary figures: 5 seeds, 24 questions a seed, 200 and 240 steps.
# Those have one episode a seed, 10 keys, 6 chapters, direct questions and no twins (`published.DATASETS`); these have
# as many questions over eight episodes a seed, 40 in all: a rank takes units, not rows (`statistics.power`). Half of
# them are kv_commentary, whose ledgers hold the NOTEs that stand among the candidates.
_ORDER_BIAS = GeneratorConfig(
    episodes=4,
    steps=200,
    keys=24,
    queries=3,
    state_mode="kv",
    distractor_profile="standard",
    distractor_rate=0.7,
    clear_rate=0.01,
    note_rate=0.30,
    tail_distractor_steps=80,
    revision=LATEST_REVISION,
)
_MODES = ("kv", "kv_commentary")
# Notes of a watch in sentences, each difficulty at a rate that leaves plain questions to compare with. Nothing is
# updated in the last third of an episode, so that the last sentence about a tag is seldom the one that holds.
_PROSE = GeneratorConfig(
    episodes=10,
    steps=120,
    keys=12,
    queries=4,
    chapters=6,
    distractor_rate=0.7,
    note_rate=0.2,
    tail_distractor_steps=40,
    distractor_profile="instruction_suite",
    revision=LATEST_REVISION,
    aliases=0.3,
    indirect_rate=0.25,
    near_values=0.5,
    book_ledger=False,
    wording=PROSE,
)
_COMMENTARY = _ORDER_BIAS.having(
    episodes=20,
    steps=240,
    state_mode="kv_commentary",
    clear_rate=0.08,
    tail_distractor_steps=0,
)
_SEEDS = (0, 1, 2, 3, 4)


def _exactly(
    k: int, order: str = "shuffle", *, other_keys: int = 0, notes: int = 0, **more: Any
) -> Condition:
    """A condition of exactly k lines, with the short name of one that is not: a preset has no other."""
    settings = {"k": k, "order": order, **more}
    return Condition.from_json(
        settings | {"name": condition_name(settings), "exact": True, "other_keys": other_keys, "notes": notes}
    )


#: Two lines of the tag, one of another, and a NOTE where there are some.
_FOUR: dict[str, Any] = {"other_keys": 1, "notes": 1}

#: A hundred episodes, twenty in each mode.
_STANDARD = GeneratorConfig(episodes=20, queries=3, revision=LATEST_REVISION)
_STANDARD_ORDERS = (
    *(_exactly(4, order, rest="shuffled", **_FOUR) for order in POSITIONS),
    _exactly(4, **_FOUR),
)
_TEN_ORDERS = (
    *(_exactly(4, order, rest=rest, **_FOUR) for order in POSITIONS for rest in RESTS),
    _exactly(4, **_FOUR),
)
_DROPPED_AND_SPOOFED = tuple(
    _exactly(4, drop_prob=drop, spoof_rate=spoof, **_FOUR)
    for drop, spoof in ((0.0, 0.0), (0.3, 0.0), (0.0, 0.25), (0.0, 0.5), (0.3, 0.25))
)
_RETRIEVED = tuple(
    _exactly(k, retriever=retriever) for retriever in ("key", "bm25", "tfidf") for k in (2, 4, 8)
)
#: The lines that a retriever finds are mostly those of other tags: whoever finds one of the tag that is asked has the
#: answer in three of four rows (.765 measured), and finding it is what such a preset is about.
_FOUND_IS_RIGHT = (
    AttackLimit(metric="selection_rate", floor=0.8, ceiling=0.9),
    AttackLimit(metric="condition_value_acc", floor=0.8, ceiling=0.9),
)

#: What a version of each preset measures, for readers.
ABOUT: dict[str, str] = {
    "smoke": "Seconds: does a pipeline work at all? Its answers are public.",
    "triage": "One short episode in each state mode: which mode breaks a system?",
    "quick": "Two state modes under every kind of distractor, small enough for a local model over lunch.",
    "standard": "Every state mode, with instructions and quotes among the distractors, the whole book and four orders "
    "of the same four candidates.",
    "real": "Long episodes with a long tail in which nothing is updated.",
    "reference_v1": "The reference generator's defaults, graded by the reference's rubric. Its answers are public.",
    "order_bias": "The same four lines in ten orders: does the place of a line decide whether it is chosen, or whether "
    "the others are sorted?",
    "k_curve": "Exactly one to sixteen candidates: how much does each further rival cost?",
    "authority_stress": "Commentary in the ledger, gold that is sometimes missing, authority markers in disguise.",
    "open_log": "The same episodes as in `standard`, answered from the log alone.",
    "build": "Two phases: a book is built from the log, kept and looked at, and answers come from it alone.",
    "prose": "Notes that a harbour's watch wrote: sentences say what changed, among rumours and plans that look alike. "
    "Tags have other names, and values differ in a character.",
    "prose_short": "Notes that a harbour's watch wrote, a page an episode: sentences say what changed, among rumours "
    "and plans that look alike.",
    "retriever_sanity": "Is the evidence among what a retriever finds, and how many lines does that take?",
    "ladder": "How far does accuracy hold? The same facts and questions in logs of 2k, 8k, 32k and 128k tokens, with "
    "the last update early or late, few or many writes, and little or much about the tags in between.",
    "ladder_long": "Do facts survive in the longest contexts? The same facts and questions in logs of 512k and 1M "
    "tokens.",
    "ladder_short": "How far does accuracy hold? The same facts and questions in logs of 1k, 2k, 4k and 8k tokens, "
    "minutes for a small local model.",
    "retrieval": "What retrievers find in ledgers with and without commentary, and whether the right line is chosen of "
    "it.",
    "standard_short": "Every state mode in short episodes, with instructions and quotes among the distractors: the "
    "whole book and four orders of the same four candidates.",
    "order_bias_short": "The same four lines in ten orders: does the place of a line decide whether it is chosen, or "
    "whether the others are sorted?",
    "authority_short": "Commentary in the ledger of short episodes, gold that is sometimes missing, authority markers "
    "in disguise.",
    "retrieval_short": "What two retrievers find in short ledgers with and without commentary, and whether the right "
    "line is chosen of it.",
}
PRESETS: dict[str, Settings] = {
    "smoke": Settings(
        protocol="closed",
        generator=GeneratorConfig(
            episodes=1, steps=40, keys=6, queries=4, chapters=3, revision=LATEST_REVISION
        ),
        conditions=(Condition.from_json({"k": 4, "order": "shuffle"}),),
        public_gold=True,
    ),
    "triage": Settings(
        protocol="closed",
        generator=GeneratorConfig(
            episodes=1, steps=80, keys=10, queries=6, chapters=4, revision=LATEST_REVISION
        ),
        state_modes=tuple(MODES),
    ),
    "quick": Settings(
        protocol="closed",
        generator=GeneratorConfig(episodes=7, steps=120, queries=1, revision=LATEST_REVISION),
        state_modes=("kv", "kv_commentary"),
        distractor_profiles=("standard", "adversarial", "instruction"),
    ),
    "standard": Settings(
        protocol="closed",
        generator=_STANDARD,
        state_modes=tuple(MODES),
        distractor_profiles=("instruction_suite",),
        conditions=_STANDARD_ORDERS,
    ),
    "real": Settings(
        protocol="closed",
        generator=GeneratorConfig(
            episodes=4,
            steps=600,
            keys=30,
            queries=24,
            tail_distractor_steps=120,
            revision=LATEST_REVISION,
        ),
        state_modes=tuple(MODES),
        distractor_profiles=("adversarial", "instruction_suite"),
    ),
    # The reference generator's defaults, graded by the reference's rubric.
    "reference_v1": Settings(rubric="reference", public_gold=True),
    "order_bias": Settings(
        protocol="closed",
        generator=_ORDER_BIAS.having(episodes=10),
        state_modes=_MODES,
        seeds=_SEEDS,
        conditions=_TEN_ORDERS,
        headline=WORST_ORDER,
    ),
    "k_curve": Settings(
        protocol="closed",
        # Eight tags: some fifteen lines each, so that rivals of the same tag seldom run out.
        generator=_ORDER_BIAS.having(episodes=10, keys=8),
        state_modes=_MODES,
        seeds=_SEEDS,
        conditions=tuple(_exactly(k, other_keys=k // 4) for k in (1, 2, 4, 8, 16)),
    ),
    "authority_stress": Settings(
        protocol="closed",
        generator=_COMMENTARY,
        seeds=_SEEDS,
        conditions=_DROPPED_AND_SPOOFED,
    ),
    "retriever_sanity": Settings(
        protocol="closed",
        generator=_ORDER_BIAS.having(episodes=20),
        attack_limits=_FOUND_IS_RIGHT,
        seeds=_SEEDS,
        conditions=_RETRIEVED,
    ),
    "open_log": Settings(
        protocol="open",
        generator=_STANDARD,
        state_modes=tuple(MODES),
        distractor_profiles=("instruction_suite",),
    ),
    "build": Settings(
        protocol="build",
        generator=GeneratorConfig(episodes=8, queries=6, revision=LATEST_REVISION),
        state_modes=tuple(MODES),
        distractor_profiles=("instruction_suite",),
    ),
    "ladder": Settings(
        protocol="open",
        generator=_LADDER,
        state_modes=("kv", "kv_commentary"),
        ladder=Ladder(lengths=(2 * KILO, 8 * KILO, 32 * KILO, 128 * KILO)),
    ),
    "ladder_long": Settings(
        protocol="open",
        generator=_LADDER,
        state_modes=("kv", "kv_commentary"),
        ladder=Ladder(lengths=(512 * KILO, MEGA)),
    ),
    "ladder_short": Settings(
        protocol="open",
        generator=_LADDER.having(episodes=20, keys=5),
        state_modes=("kv", "kv_commentary"),
        ladder=Ladder(lengths=(KILO, 2 * KILO, 4 * KILO, 8 * KILO), writes=(2, 3)),
    ),
    "prose": Settings(
        protocol="closed", generator=_PROSE, state_modes=_MODES, seeds=_SEEDS, attack_limits=_PROSE_LIMITS
    ),
    "prose_short": Settings(
        protocol="closed",
        generator=_PROSE.having(
            episodes=4, steps=36, keys=6, queries=3, chapters=2, tail_distractor_steps=12
        ),
        state_modes=_MODES,
        seeds=_SEEDS,
        attack_limits=_PROSE_LIMITS,
    ),
    "retrieval": Settings(
        protocol="closed",
        generator=_ORDER_BIAS.having(episodes=10),
        state_modes=_MODES,
        attack_limits=_FOUND_IS_RIGHT,
        seeds=_SEEDS,
        conditions=_RETRIEVED,
    ),
    # What the demo freezes: forty episodes of each kind, in seconds.
    "standard_short": Settings(
        protocol="closed",
        generator=_STANDARD.having(episodes=8, steps=120),
        state_modes=tuple(MODES),
        distractor_profiles=("instruction_suite",),
        conditions=_STANDARD_ORDERS,
    ),
    "order_bias_short": Settings(
        protocol="closed",
        generator=_ORDER_BIAS,
        state_modes=_MODES,
        seeds=_SEEDS,
        conditions=_TEN_ORDERS,
        headline=WORST_ORDER,
    ),
    "authority_short": Settings(
        protocol="closed",
        generator=_COMMENTARY.having(episodes=8, steps=120),
        seeds=_SEEDS,
        conditions=_DROPPED_AND_SPOOFED,
    ),
    "retrieval_short": Settings(
        protocol="closed",
        generator=_ORDER_BIAS.having(steps=140, tail_distractor_steps=20),
        state_modes=_MODES,
        attack_limits=_FOUND_IS_RIGHT,
        seeds=_SEEDS,
        conditions=tuple(_exactly(k, retriever=name) for name in ("key", "bm25") for k in (2, 8)),
    ),
}
