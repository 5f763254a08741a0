"""Context assembly: identity, environment, ranked valid facts, relevant working set, never over budget.

Facts may use `fact_share` of what identity and environment leave; the working set gets the rest. Constraints stand
first, whatever is asked, within `constraint_share` of what facts may use. A dead value is nowhere in a context: chains
and history are for queries, not for prompts.
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

#: Of what a context of ours holds. 2: scopes are kept apart, and a second write of a key finds its rival whatever its
#: id; before, a scoped fact of the same key brought a superseded one back.
#: 3: facts and notes of the places that are active at the query are shown, and nothing that ended with its place.
#: 4: keys that share a word do not take each other's values; what somebody once supposed changes nothing.
#: 5: takeovers ("I moved to 456 Oak Ave") are heard, and the new value is kept as it was spoken. Of
#: two quoted authorities the higher one is shown. All constraints stand first, whether they are asked for or not.
#: Times are compared as times. A permission that names a rank opens what asks for it.
#: Values that are no text print as JSON. Successions leave no dead name, and differences give the new quantity.
REVISION = 5

DEFAULT_BUDGET = 8192
# Share of the remaining budget that facts may take. The smaller, the more room for what was said.
FACT_SHARES: dict[str, float] = {"high_stakes": 0.5, "balanced": 0.7, "comprehensive": 0.9}
#: Share of the facts' budget that constraints may take before any other fact, where not all facts fit.
CONSTRAINT_SHARE = 0.3

SECTIONS = ("identity", "environment", "facts", "working_set")
FACTS, REVIEW, WORKING = "Facts:", "Recalculate before use, its basis changed:", "Said:"
_CLOCK = "now"

T = TypeVar("T")
Section = tuple[list[str], int]  # lines, and what they cost


@dataclass(slots=True)
class Context:
    """The prompt's state part. `lines` maps identity, environment, facts, working_set to what stands in them.

    `left_out` are the keys of the constraints that did not fit.
    """

    text: str
    tokens: int
    budget: int
    facts: list[PersistentFact] = field(default_factory=list)
    lines: dict[str, list[str]] = field(default_factory=dict)
    left_out: list[str] = field(default_factory=list)

    @property
    def sections(self) -> dict[str, str]:
        """The text of every section."""
        return {name: "\n".join(lines) for name, lines in self.lines.items()}


@dataclass(frozen=True, slots=True)
class Options:
    """Switches of the assembly, for presets and ablations."""

    fact_share: float = FACT_SHARES["balanced"]
    constraint_share: float = CONSTRAINT_SHARE
    rank: bool = True
    working_set: bool = True
    filter_dead: bool = True


def options_for(preset: str) -> Options:
    """The options of a preset of `FACT_SHARES`. Raises UnknownNameError."""
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
    """The context of a state for its query.

    Args:
        state: The four layers as the query sees them.
        budget: Tokens at most.
        tokenizer: A name of `tokens.TOKENIZERS` or a function text -> number; by default whitespace tokens.
        options: What is shown, and in which shares.

    Returns:
        The context, never over its budget.
    """
    return assemble_from(gather(state, options), state.query, budget, get_tokenizer(tokenizer), options)


@dataclass
class Material:
    """What may be shown of a state where some places are active, whatever is asked.

    Facts stand oldest first, items in order of time.

    `heard` is all that was said, whether it may be shown or not.
    """

    identity: str
    environment: dict[str, str]
    facts: list[PersistentFact]
    items: list[WorkingSetItem]
    heard: list[TurnFeatures]
    zone: str = ""

    @lazily
    def words(self) -> tuple[Stems, ...]:
        """The stems of every fact."""
        return tuple([fact.read.stems for fact in self.facts])

    @lazily
    def conversation(self) -> tuple[Stems, ...]:
        """The stems of every turn."""
        return tuple([turn.stems for turn in self.heard])


def gather(state: State, options: Options = DEFAULT_OPTIONS) -> Material:
    """The material of a state. Queries that see the same state from the same places share it.

    Args:
        state: The four layers, and the places that are active.
        options: What is shown.

    Returns:
        What may be shown: identity, environment, facts and working set, none of it cut yet.
    """
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
    """The context that answers a query from gathered material.

    Args:
        material: What `gather` took from a state.
        query: What is asked.
        budget: Tokens at most.
        count: Tokens of a text.
        options: What is shown, and in which shares.

    Returns:
        The context, never over its budget.
    """
    return _Assembly(material, query, budget, count, options).build()


def _pricing(count: Tokenizer) -> Tokenizer:
    """What a line costs with the break after it, which whitespace tokens give away for free."""
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
        """Asked for only where something has to be ranked."""
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

    # Each section is its lines and what they cost.

    def _identity(self) -> Section:
        line = self.material.identity
        while line:
            price = self.price(line)
            if price <= self.budget:
                return [line], price
            line = line.rpartition(" ")[0]
        return [], 0

    def _environment(self, budget: int) -> Section:
        """The clock, then the other values by relevance."""
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
        """Constraints, other valid facts, then under a header of their own those whose basis changed."""
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
        """Facts by relevance, ties newest first."""
        facts = self.material.facts
        if not self.options.rank or len(facts) < 2:
            return [*facts]  # other queries have the same material
        zone = self.material.zone
        ranks = [
            (points, moment(fact.ts, zone), fact.order, fact)  # no two share an order
            for fact, points in zip(facts, self.relevance.scores, strict=True)
        ]
        ranks.sort(reverse=True)
        return [rank[-1] for rank in ranks]

    def _constraints_first(self, facts: list[PersistentFact], budget: int) -> list[PersistentFact]:
        """Constraints before all other facts, newest first, asked for or not.

        Where not all facts fit, constraints go before others as far as their share goes, but the newest always does:
        the rest of them has to be relevant, like any fact.
        """
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
        """What was said and noted, the most relevant first into the budget, then in order of time."""
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
        """A header and the lines that fit under it, the items that these are of, and the cost of all."""
        head = self.price(header)
        used = head + sum(map(self.price, lines))
        if lines and used <= budget:
            return [header, *lines], items, used
        taken, used = self._fit(lines, budget - head)
        if not taken:
            return [], [], 0
        return [header, *[lines[n] for n in taken]], [items[n] for n in taken], used + head

    def _fit(self, lines: list[str], budget: int) -> tuple[list[int], int]:
        """The positions of the lines that fit if each in turn is taken where it still fits, and what they cost."""
        taken, used = [], 0
        for position, price in enumerate(map(self.price, lines)):
            if used + price <= budget:
                taken.append(position)
                used += price
        return taken, used

    def _close(self, sections: list[list[str]], tokens: int) -> Context:
        """Join the sections. A tokenizer that counts a whole dearer than its parts costs lines from the end."""
        if self.count is not count_tokens:
            while (tokens := self.count(_joined(sections))) > self.budget:
                next(lines for lines in reversed(sections) if lines).pop()
            shown = set(sections[2])
            self.facts = [fact for fact in self.facts if not shown.isdisjoint(_lines_of(fact))]
        named = dict(zip(SECTIONS, sections, strict=True))
        return Context(_joined(sections), tokens, self.budget, self.facts, named, self._left_out())

    def _recency(self, fact: PersistentFact) -> tuple[float, int]:
        return moment(fact.ts, self.material.zone), fact.order

    def _left_out(self) -> list[str]:
        """The keys of the constraints that hold and are not shown, newest first."""
        material = self.material.facts
        if len(self.facts) == len(material):
            return []
        shown = {fact.id for fact in self.facts}
        lost = [fact for fact in material if fact.is_constraint and fact.id not in shown]
        return [fact.key for fact in sorted(lost, key=self._recency, reverse=True)]


def _joined(sections: list[list[str]]) -> str:
    return "\n".join([*chain.from_iterable(sections)])


def _lines_of(fact: PersistentFact) -> tuple[str, str]:
    """The two ways in which a fact may stand in a context."""
    return fact_line(fact), fact_line(fact, emphasise=False)


def identity_line(identity: IdentityRole) -> str:
    """Who is asking, in one line."""
    parts = (identity.user_name, identity.authority, identity.department, identity.organization)
    return "User: " + ", ".join(filter(None, parts))


def fact_line(fact: PersistentFact, *, emphasise: bool = True) -> str:
    """A fact for the prompt: key, the place where it is a narrow one, value verbatim, an absence in plain words.

    Args:
        fact: The fact.
        emphasise: Whether a constraint is marked as one.
    """
    read = fact.read
    line = read.line if fact.scope == GLOBAL else read.line_for(f"{fact.key} ({fact.place.label})")
    constraint = fact.constraint_type if emphasise and fact.is_constraint else None
    return f"[{constraint} constraint] {line}" if constraint else line


def shorten(text: str, budget: int, count: Tokenizer) -> str:
    """The longest run of leading words that fits; the empty text where none does.

    Args:
        text: What to shorten.
        budget: Tokens at most.
        count: Tokens of a text.
    """
    if count(text) <= budget:
        return text
    words = text.split()
    while words and count(" ".join(words)) > budget:
        words.pop()
    return " ".join(words)


def as_dict(context: Context) -> dict[str, Any]:
    """A context as JSON-able data."""
    return {
        "text": context.text,
        "tokens": context.tokens,
        "budget": context.budget,
        "facts": [fact.as_dict() for fact in context.facts],
        "left_out": context.left_out,
        "sections": context.sections,
    }
