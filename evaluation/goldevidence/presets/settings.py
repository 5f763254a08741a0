"""Settings that define a GoldEvidenceBench version. They are validated, frozen, and read and written as JSON.

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

from evaluation.core.records import Row
from evaluation.core.sealing import keyed_ids
from evaluation.core.sealing.limits import ATTACK_LIMITS, AttackLimits
from evaluation.core.settings import Key, OneOf, Seed, StrictBool, each_once, refused
from evaluation.core.suite import Rung
from evaluation.core.suite.settings import VersionSettings
from evaluation.core.terminal.wording import number_of
from evaluation.goldevidence import protocols
from evaluation.goldevidence.conditions.conditions import Condition
from evaluation.goldevidence.conditions.order_bias import order_members
from evaluation.goldevidence.generator.config import GeneratorConfig
from evaluation.goldevidence.generator.difficulty import episode as difficulty
from evaluation.goldevidence.generator.distractors import PROFILES
from evaluation.goldevidence.generator.episodes import Unit, generate_units
from evaluation.goldevidence.generator.families import room as families
from evaluation.goldevidence.generator.families.units import family_units
from evaluation.goldevidence.generator.ladder.room import problem_of
from evaluation.goldevidence.generator.ladder.rungs import rung_name
from evaluation.goldevidence.generator.ladder.settings import Ladder
from evaluation.goldevidence.generator.ladder.units import ladder_units
from evaluation.goldevidence.generator.modes import MODES
from evaluation.goldevidence.protocols import Protocol

SUITE = "goldevidence"
#: `BEFORE` are the protocols of old versions, whose rows hold both texts: such settings still generate the same rows.
PROTOCOLS = (*protocols.NAMES, protocols.BOTH, *protocols.BEFORE)
RUBRICS = ("strict@4", "strict", "reference")
CITATIONS = ("auto", "on", "off")
SUPPORT_METRICS = ("f1", "exact")
WORST_ORDER = "worst_order"
#: The first is the headline of versions frozen before the setting existed.
HEADLINES = ("exact_acc", WORST_ORDER)


def _distinct(conditions: tuple[Condition, ...]) -> tuple[Condition, ...]:
    names = Counter(condition.name for condition in conditions)
    if twice := sorted(name for name, count in names.items() if count > 1):
        raise refused(f"two conditions have the name {twice[0]!r}; rename one of them.")
    return conditions


class Settings(VersionSettings):
    """Everything that defines a version. Raises SettingsError with every invalid field."""

    newer: ClassVar[frozenset[str]] = frozenset({"headline", "ladder"})

    suite: Annotated[str, OneOf((SUITE,))] = SUITE
    generator: GeneratorConfig = Field(default_factory=GeneratorConfig, description="Settings of an episode.")
    state_modes: Annotated[tuple[Annotated[str, OneOf(MODES)], ...], each_once()] = Field(
        (), description="State modes, crossed with profiles and seeds; empty: the generator's."
    )
    distractor_profiles: Annotated[tuple[Annotated[str, OneOf(PROFILES)], ...], each_once()] = Field(
        (), description="Distractor profiles, crossed with modes and seeds; empty: the generator's."
    )
    seeds: Annotated[tuple[Seed, ...], each_once("seed", at_least_one=True)] = Field(
        (0,), description="Seeds, crossed with modes and profiles; drawn at freeze if sealed."
    )
    conditions: Annotated[tuple[Condition, ...], AfterValidator(_distinct)] = Field(
        (), description="Conditions of candidate rows, besides the whole book."
    )
    protocol: Annotated[str, OneOf(PROTOCOLS)] = Field(
        "closed_book",
        description="Text that rows show. closed: the book; open: the log; build: the log first, then the artifact; "
        "both: a closed and an open version. closed_book and open_book are older: their rows contain both texts.",
    )
    rubric: Annotated[str, OneOf(RUBRICS)] = Field(
        RUBRICS[0], description="Rules of grading; strict is the rubric before revision 4."
    )
    citations: Annotated[str, OneOf(CITATIONS)] = Field(
        "auto", description="Require citations; auto: if the row asks for them."
    )
    support_metric: Annotated[str, OneOf(SUPPORT_METRICS)] = Field(
        "f1", description="f1: every gold line is cited; exact: the gold lines and no others."
    )
    entailment: StrictBool = Field(True, description="Require that cited lines entail the answer.")
    public_gold: StrictBool = Field(False, description="Keep the answers in downloaded rows.")
    headline: Annotated[str, OneOf(HEADLINES)] = Field(
        HEADLINES[0],
        description="Metric that orders the board: exact answers, or the selection rate in the worst order.",
    )
    ladder: Ladder | None = Field(
        None,
        description="The same episodes in texts of several lengths; null: one text, as long as `steps` says.",
    )
    key: Key = Field("", description="Secret key of the ids; drawn at freeze.")
    attack_limits: AttackLimits = ATTACK_LIMITS

    @model_validator(mode="after")
    def _complete(self) -> Self:
        """Take missing modes and profiles from the generator, and check the settings against each other."""
        self.__dict__["state_modes"] = self.state_modes or (self.generator.state_mode,)
        self.__dict__["distractor_profiles"] = self.distractor_profiles or (
            self.generator.distractor_profile,
        )
        if self.ladder is not None:
            self._check_ladder(self.ladder)
        elif self.generator.families:
            raise refused("is required under families: it sets the lengths of texts.", field="ladder")
        if self.headline == WORST_ORDER and not order_members(self.conditions, self.split_names):
            raise refused(
                "the worst order needs conditions that differ only in the position of the gold line."
            )
        if self.protocol == Protocol.BUILD and self.conditions:
            raise refused("must be empty under build: answers come from the artifact.", field="conditions")
        if self.conditions and self.generator.is_reworded:
            raise refused(
                "must be empty if texts have other names, descriptions, prose or no ledger: candidates are lines of "
                "the published form.",
                field="conditions",
            )
        if self.protocol == Protocol.BUILD and (self.generator.aliases or self.generator.indirect_rate):
            raise refused(
                "cannot use other names or descriptions of tags under build: questions are asked without the log.",
                field="generator",
            )
        if self.protocol in protocols.NAMES and any(
            protocols.is_whole(each.name) for each in self.conditions
        ):
            raise refused("a condition has the name of the whole-text rows; rename it.", field="conditions")
        return self

    def _check_ladder(self, ladder: Ladder) -> None:
        if self.generator.families:
            self._check_families(ladder)
            return
        if self.protocol != Protocol.OPEN:
            raise refused(
                "must be open under a ladder: the texts are logs of several lengths.", field="protocol"
            )
        if self.conditions:
            raise refused("must be empty under a ladder: rows are split by length.", field="conditions")
        if paced := [name for name in self.distractor_profiles if PROFILES[name].pace]:
            raise refused(
                f"cannot have {paced[0]!r} under a ladder, which itself decides when each tag is written.",
                field="distractor_profiles",
            )
        for mode in self.state_modes:
            if problem := problem_of(ladder, self.generator, mode):
                raise refused(problem.message, field=problem.field)

    def _check_families(self, ladder: Ladder) -> None:
        if (shows := self.shows) not in (Protocol.OPEN, Protocol.CLOSED):
            raise refused("must be open or closed under families.", field="protocol")
        if self.conditions:
            raise refused("must be empty under a ladder: rows are split by length.", field="conditions")
        if len(self.state_modes) > 1:
            raise refused(
                "must be a single mode under families, which decide the form of values.", field="state_modes"
            )
        if paced := [name for name in self.distractor_profiles if PROFILES[name].pace]:
            raise refused(f"cannot have {paced[0]!r} under families.", field="distractor_profiles")
        if problem := families.problem_of(self.generator, ladder, shows):
            raise refused(problem.message, field=problem.field)

    def fits(self, ladder: Ladder) -> bool:
        """True if these settings can generate episodes at the lengths of another ladder."""
        if self.generator.families:
            return self.shows is not None and not families.problem_of(self.generator, ladder, self.shows)
        return not any(problem_of(ladder, self.generator, mode) for mode in self.state_modes)

    @property
    def rungs(self) -> list[Rung]:
        """The lengths of the ladder, ascending. Empty if the settings have no ladder."""
        lengths = self.ladder.lengths if self.ladder else ()
        return [Rung(rung_name(tokens), tokens) for tokens in lengths]

    @property
    def split_names(self) -> list[str]:
        return [condition.name for condition in self.conditions]

    @property
    def headline_splits(self) -> list[str]:
        """If the headline is the lowest rate over conditions, the names of these conditions. Otherwise empty."""
        return order_members(self.conditions, self.split_names) if self.headline == WORST_ORDER else []

    @property
    def shows(self) -> Protocol | None:
        """The protocol of the rows. Returns None for the older protocols, whose rows contain a book and a log."""
        return protocols.protocol_named(self.protocol)

    def as_json(self) -> dict[str, Any]:
        """The settings as JSON that `from_json` reads, without an empty key or empty limits."""
        return self.model_dump(mode="json", exclude=self.left_empty("key", "attack_limits"))

    @property
    def all_seeds(self) -> Sequence[int]:
        return self.seeds

    def _reseeded(self, seeds: Sequence[int]) -> dict[str, object]:
        return {"seeds": list(seeds)}

    def withheld(self) -> list[str]:
        return [self.key, *map(str, self.seeds), *self.split_names]

    def shown_by_ids(self, row: Row) -> str:
        """A warning if the row's id ends in the name of its condition, as ids of old versions do. Otherwise empty."""
        if keyed_ids.is_keyed(row.get("id")) or not self.conditions:
            return ""
        return "This version's row ids name the condition of each row, which reveals the position of the gold line."

    def versions(self) -> list[tuple[str, dict[str, object]]]:
        """Pairs of protocol and settings, one per version. The protocol is "" if there is only one version."""
        checked = self.as_json()
        if self.protocol != protocols.BOTH:
            return [("", checked)]
        return [(name.value, checked | {"protocol": name.value}) for name in (Protocol.CLOSED, Protocol.OPEN)]

    def count_units(self) -> int:
        cells = len(self.seeds) * len(self.state_modes) * len(self.distractor_profiles)
        return cells * self.generator.episodes

    def units(self) -> Iterator[Unit]:
        """The units, numbered consecutively: by seed, then by mode, then by profile."""
        first = 1
        for seed in self.seeds:
            for mode in self.state_modes:
                for profile in self.distractor_profiles:
                    config = self.generator.having(state_mode=mode, distractor_profile=profile)
                    if self.ladder is None:
                        yield from generate_units(config, seed, first=first, protocol=self.protocol)
                    elif config.families and self.shows is not None:
                        yield from family_units(
                            config, self.ladder, self.shows, seed, first=first, public=self.public_gold
                        )
                    else:
                        yield from ladder_units(config, self.ladder, seed, first=first)
                    first += config.episodes

    def facts(self) -> list[tuple[str, str]]:
        """Pairs of a label and a text that describe the settings on pages."""
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
            *([("Families", _families(generator))] if generator.families else []),
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
            f"{', '.join(names)} tokens: the same facts and questions; only the padding between the updates grows",
        ),
        *_design_facts(generator, ladder),
        ("Distractors in the padding", ", ".join(f"{share:.0%}" for share in ladder.shares)),
    ]


def _design_facts(generator: GeneratorConfig, ladder: Ladder) -> list[tuple[str, str]]:
    episode = f"{number_of(generator.keys, 'tag')} in {number_of(generator.chapters, 'chapter')}"
    if generator.families:
        return [("Episode", f"at most {episode}")]
    return [
        ("Episode", f"{episode}, updated {', '.join(map(str, ladder.writes))} times"),
        ("Depth of the last update", ", ".join(f"{depth:g}" for depth in ladder.depths)),
    ]


def _families(generator: GeneratorConfig) -> str:
    dials = {
        "aggregate": f"over at most {generator.aggregate_span} updates",
        "chain": f"of at most {generator.chain_hops} hops",
        "nth": f"up to n = {generator.nth_most}",
        "authority": f"with {generator.grants} lines about rights",
        "meaning": "in sentences",
    }
    return ", ".join(f"{name} ({dials[name]})" for name in generator.families)


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
    return ", ".join(f"{name} {rate:.1%}" for name, rate in rates.items())


def _rows(settings: Settings, rows: int) -> str:
    if (
        settings.generator.revision == 1
        or settings.ladder
        or not any(PROFILES[name].orders for name in settings.distractor_profiles)
    ):
        return f"{rows} in all"
    return f"{rows} in all; questions about a tag with an instruction are also asked without instructions"


def _candidates(conditions: Sequence[Condition]) -> str:
    exact = [condition for condition in conditions if condition.exact]
    if not exact:
        return ""
    *smaller, most = sorted({condition.k for condition in exact})
    sizes = f"{', '.join(map(str, smaller))} or {most}" if smaller else f"{most}"
    chosen = []
    if any(condition.retriever == "key" for condition in exact):
        other = ", some lines of other tags" if any(condition.other_keys for condition in exact) else ""
        note = ", a NOTE if the ledger has any" if any(condition.notes for condition in exact) else ""
        chosen.append(f"the latest lines of the tag (if it has too few, lines of other tags){other}{note}")
    if retrievers := sorted({condition.retriever for condition in exact} - {"key"}):
        chosen.append(f"the lines that {' or '.join(retrievers)} ranks highest")
    return f"a row shows exactly {sizes} lines: {', or '.join(chosen)}"


def _citations(settings: Settings) -> str:
    if not settings.generator.require_citations and settings.citations != "on":
        return "not required"
    needed = "no others" if settings.support_metric == "exact" else "others are allowed"
    entailed = "; the lines cited must entail the answer" if settings.entailment else ""
    most = number_of(settings.generator.max_support_k, "line")
    return f"at most {most}; all gold lines must be cited, {needed} ({settings.support_metric}){entailed}"
