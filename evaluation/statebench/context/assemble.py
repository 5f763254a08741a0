"""Assembles a context from identity, environment, ranked valid facts, and relevant turns and notes, within a budget.

Facts may use `fact_share` of the budget left by identity and environment. The working set gets the rest. Constraints
come first, relevant or not, within `constraint_share` of the facts' part. No superseded ("dead") value is included.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import chain
from typing import Any, TypeVar

from evaluation.core.errors import UnknownNameError
from evaluation.statebench.context.attention import relevant
from evaluation.statebench.context.relevance import Relevance, Stems, relevance
from evaluation.statebench.context.state import State
from evaluation.statebench.data.times import moment
from evaluation.statebench.data.tokens import Tokenizer, get_tokenizer
from evaluation.statebench.detection.turn_features import TurnFeatures
from evaluation.statebench.facts.classify import is_admitted, may_see
from evaluation.statebench.facts.layers import IdentityRole, PersistentFact, WorkingSetItem
from evaluation.statebench.facts.scopes import GLOBAL
from evaluation.statebench.language.memo import lazily, memo
from evaluation.statebench.language.words import count_tokens, stems

#: Version of the content of our contexts. 2: scopes are kept apart, and a second write of a key finds its rival
#: whatever its id; before, a scoped fact of the same key restored a superseded one.
#: 3: facts and notes of the places active at the query are shown, and nothing that ended with its place.
#: 4: keys that share a word do not take each other's values; suppositions change nothing.
#: 5: takeovers ("I moved to 456 Oak Ave") are detected, and the new value keeps its spoken form. Of two quoted
#: authorities the higher one is shown. All constraints come first, relevant to the query or not. Times are compared
#: as times. A permission that names a rank grants what requires it. Values other than text print as JSON.
#: Successions leave no dead name, and differences give the new quantity. A rule that defers to another overrules
#: nothing of it, and a turn that names one thing changes nothing of another.
REVISION = 5

DEFAULT_BUDGET = 8192
# Share of the remaining budget that facts may take; a smaller share leaves more room for turns.
FACT_SHARES: dict[str, float] = {"high_stakes": 0.5, "balanced": 0.7, "comprehensive": 0.9}
#: Share of the facts' budget reserved for constraints if not all facts fit.
CONSTRAINT_SHARE = 0.3

SECTIONS = ("identity", "environment", "facts", "working_set")
FACTS, REVIEW, WORKING = "Facts:", "Recalculate before use, its basis changed:", "Said:"
_CLOCK = "now"

T = TypeVar("T")
Section = tuple[list[str], int]  # lines and their cost in tokens


@dataclass(slots=True)
class Context:
    """A query's context. `lines` has the lines of each section, `left_out` the keys of constraints that do not fit."""

    text: str
    tokens: int
    budget: int
    facts: list[PersistentFact] = field(default_factory=list)
    lines: dict[str, list[str]] = field(default_factory=dict)
    left_out: list[str] = field(default_factory=list)

    @property
    def sections(self) -> dict[str, str]:
        return {name: "\n".join(lines) for name, lines in self.lines.items()}


@dataclass(frozen=True, slots=True)
class Options:
    """Options of the assembly, for presets and ablations."""

    fact_share: float = FACT_SHARES["balanced"]
    constraint_share: float = CONSTRAINT_SHARE
    rank: bool = True
    working_set: bool = True
    filter_dead: bool = True


def options_for(preset: str) -> Options:
    """Options of a preset of `FACT_SHARES`. Raises UnknownNameError."""
    if preset not in FACT_SHARES:
        raise UnknownNameError("fact-share preset", preset, FACT_SHARES)
    return Options(fact_share=FACT_SHARES[preset])


DEFAULT_OPTIONS = Options()


def assemble(
    state: State,
    budget: int = DEFAULT_BUDGET,
    tokenizer: str | Tokenizer | None = None,
    options: Options = DEFAULT_OPTIONS,
) -> Context:
    """Build the context of a state for its query, never over `budget` tokens (by default whitespace tokens)."""
    return assemble_from(gather(state, options), state.query, budget, get_tokenizer(tokenizer), options)


@dataclass
class Material:
    """The parts of a state that the reader may see: facts, oldest first, and `items` (notes and turns) by time."""

    identity: str
    environment: dict[str, str]
    facts: list[PersistentFact]
    items: list[WorkingSetItem]
    heard: list[TurnFeatures]  # of all turns
    zone: str = ""

    @lazily
    def words(self) -> tuple[Stems, ...]:
        return tuple([fact.read.stems for fact in self.facts])

    @lazily
    def conversation(self) -> tuple[Stems, ...]:
        return tuple([turn.stems for turn in self.heard])


def gather(state: State, options: Options = DEFAULT_OPTIONS) -> Material:
    """Collect all that contexts of a state may show. Queries with the same state and places can share the result."""
    reader = state.identity
    values = state.environment.values
    held = state.held()
    items = relevant(state, held, filter_dead=options.filter_dead) if options.working_set else []
    if state.items:
        items.sort(key=lambda item: (moment(item.created_at, state.zone), item.order))
    return Material(
        identity=_shown(reader),
        environment={key: value for key, value in values.items() if may_see(reader, value)},
        facts=[
            fact for fact in held if (limit := fact.read.restriction) is None or is_admitted(reader, limit)
        ],
        items=items,
        heard=state.heard,
        zone=state.zone,
    )


@memo
def _shown(reader: IdentityRole) -> str:
    return " ".join(identity_line(reader).split())


def assemble_from(
    material: Material, query: str, budget: int, count: Tokenizer, options: Options = DEFAULT_OPTIONS
) -> Context:
    """Build the context that answers a query from gathered material, never over `budget` tokens."""
    return _Assembly(material, query, budget, count, options).build()


def _pricing(count: Tokenizer) -> Tokenizer:
    """Return a function that counts the tokens of a line with its line break, which is no whitespace token."""
    return count if count is count_tokens else lambda line: count(line + "\n")


class _Assembly:
    def __init__(
        self, material: Material, query: str, budget: int, count: Tokenizer, options: Options
    ) -> None:
        self.material, self.budget, self.count, self.options = material, budget, count, options
        self.query, self.price = query, _pricing(count)
        self.facts: list[PersistentFact] = []

    @lazily
    def relevance(self) -> Relevance:
        material = self.material
        return relevance(stems(self.query), material.conversation, material.words)

    def build(self) -> Context:
        identity, used = self._identity()
        left = self.budget - used
        environment, used = self._environment(left)
        left -= used
        facts, used = self._facts(int(self.options.fact_share * left))
        left -= used
        working, used = self._working_set(left)
        return self._close([identity, environment, facts, working], self.budget - left + used)

    def _identity(self) -> Section:
        line = self.material.identity
        while line:
            price = self.price(line)
            if price <= self.budget:
                return [line], price
            line = line.rpartition(" ")[0]
        return [], 0

    def _environment(self, budget: int) -> Section:
        """Lines of the environment that fit: the clock first, then the other values by relevance."""
        values = self.material.environment
        if not values:
            return [], 0
        lines = [f"{key}: {value}" for key, value in values.items()]
        if len(lines) > 1:
            score = self.relevance.score
            ranks = [(key != _CLOCK, -score(stems(key) | stems(value))) for key, value in values.items()]
            lines = [lines[n] for n in sorted(range(len(lines)), key=ranks.__getitem__)]
        used = sum(map(self.price, lines))
        if used <= budget:
            return lines, used
        taken, used = self._fit(lines, budget)
        return [lines[n] for n in taken], used

    def _facts(self, budget: int) -> Section:
        """Lines of facts that fit the budget, and their tokens. Facts that need review come last under a header."""
        firm, review = self._ranked(), []
        if any(fact.needs_review for fact in firm):
            review = [fact for fact in firm if fact.needs_review]
            firm = [fact for fact in firm if not fact.needs_review]
        firm = self._constraints_first(firm, budget)
        section, self.facts, used = self._listed(FACTS, firm, [fact_line(fact) for fact in firm], budget)
        if review:
            lines = [fact_line(fact, emphasise=False) for fact in review]
            more, shown, cost = self._listed(REVIEW, review, lines, budget - used)
            section, self.facts, used = section + more, self.facts + shown, used + cost
        return section, used

    def _ranked(self) -> list[PersistentFact]:
        facts = self.material.facts
        if not self.options.rank or len(facts) < 2:
            return [*facts]  # a copy: other queries share the material
        zone = self.material.zone
        ranks = [
            (points, moment(fact.ts, zone), fact.order, fact)  # no two share an order
            for fact, points in zip(facts, self.relevance.scores, strict=True)
        ]
        ranks.sort(reverse=True)
        return [rank[-1] for rank in ranks]

    def _constraints_first(self, facts: list[PersistentFact], budget: int) -> list[PersistentFact]:
        """Move constraints to the front, newest first, up to their share of the budget. Other facts keep their rank."""
        limits = [fact for fact in facts if fact.is_constraint]
        if not limits or not self.options.rank or len(facts) == 1:
            return facts
        limits.sort(key=self._recency, reverse=True)
        costs = [self.price(fact_line(fact)) for fact in limits]
        room = budget - self.price(FACTS)
        others = [fact for fact in facts if not fact.is_constraint]
        if sum(costs) + sum([self.price(fact_line(fact)) for fact in others]) <= room:
            return limits + others
        first, left = [], max(self.options.constraint_share * room, costs[0])
        for fact, cost in zip(limits, costs, strict=True):
            if cost <= min(left, room):
                first.append(fact)
                left -= cost
        taken = {fact.id for fact in first}
        return first + [fact for fact in facts if fact.id not in taken]

    def _working_set(self, budget: int) -> Section:
        """Lines of the most relevant turns and notes that fit, in order of time."""
        items = self.material.items
        lines = [item.value for item in items]
        section, shown, used = self._listed(WORKING, items, lines, budget)
        if len(shown) < len(items):
            score = self.relevance.score
            zone = self.material.zone
            ranks = [(score(stems(item.value)), moment(item.created_at, zone)) for item in items]
            order = sorted(range(len(items)), key=ranks.__getitem__, reverse=True)
            _, taken, used = self._listed(WORKING, order, [lines[n] for n in order], budget)
            section = [WORKING, *[lines[n] for n in sorted(taken)]] if taken else []
        return section, used

    def _listed(
        self, header: str, items: list[T], lines: list[str], budget: int
    ) -> tuple[list[str], list[T], int]:
        """The header with the lines that fit, the items of these lines, and the total cost."""
        head = self.price(header)
        used = head + sum(map(self.price, lines))
        if lines and used <= budget:
            return [header, *lines], items, used
        taken, used = self._fit(lines, budget - head)
        if not taken:
            return [], [], 0
        return [header, *[lines[n] for n in taken]], [items[n] for n in taken], used + head

    def _fit(self, lines: list[str], budget: int) -> tuple[list[int], int]:
        taken, used = [], 0
        for position, price in enumerate(map(self.price, lines)):
            if used + price <= budget:
                taken.append(position)
                used += price
        return taken, used

    def _close(self, sections: list[list[str]], tokens: int) -> Context:
        if self.count is not count_tokens:
            # A subword tokenizer may count the whole higher than the sum of its lines; drop lines from the end.
            while (tokens := self.count(_joined(sections))) > self.budget:
                next(lines for lines in reversed(sections) if lines).pop()
            shown = set(sections[2])
            self.facts = [
                fact
                for fact in self.facts
                if not shown.isdisjoint((fact_line(fact), fact_line(fact, emphasise=False)))
            ]
        named = dict(zip(SECTIONS, sections, strict=True))
        return Context(_joined(sections), tokens, self.budget, self.facts, named, self._left_out())

    def _recency(self, fact: PersistentFact) -> tuple[float, int]:
        return moment(fact.ts, self.material.zone), fact.order

    def _left_out(self) -> list[str]:
        material = self.material.facts
        if len(self.facts) == len(material):
            return []
        shown = {fact.id for fact in self.facts}
        lost = [fact for fact in material if fact.is_constraint and fact.id not in shown]
        return [fact.key for fact in sorted(lost, key=self._recency, reverse=True)]


def _joined(sections: list[list[str]]) -> str:
    return "\n".join([*chain.from_iterable(sections)])


def identity_line(identity: IdentityRole) -> str:
    parts = (identity.user_name, identity.authority, identity.department, identity.organization)
    return "User: " + ", ".join(filter(None, parts))


def fact_line(fact: PersistentFact, *, emphasise: bool = True) -> str:
    """Format a fact as a line of a prompt: its key, its place unless global, and its value verbatim.

    An absent value is also put into words. With `emphasise`, a constraint is marked as such.
    """
    read = fact.read
    line = read.line if fact.scope == GLOBAL else read.line_for(f"{fact.key} ({fact.place.label})")
    constraint = fact.constraint_type if emphasise and fact.is_constraint else None
    return f"[{constraint} constraint] {line}" if constraint else line


def shorten(text: str, budget: int, count: Tokenizer) -> str:
    """The longest start of a text, in words, within the budget. Empty if no word fits."""
    if count(text) <= budget:
        return text
    words = text.split()
    while words and count(" ".join(words)) > budget:
        words.pop()
    return " ".join(words)


def as_dict(context: Context) -> dict[str, Any]:
    return {
        "text": context.text,
        "tokens": context.tokens,
        "budget": context.budget,
        "facts": [fact.as_dict() for fact in context.facts],
        "left_out": context.left_out,
        "sections": context.sections,
    }
