"""Context assembly: identity, environment, ranked valid facts, relevant working set, never over budget.

Facts may use `fact_share` of what identity and environment leave; the working set gets the rest. A dead value
is nowhere in a context: chains and history are for queries, not for prompts.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from evaluation.errors import UnknownNameError
from evaluation.statebench import classify
from evaluation.statebench.attention import relevant
from evaluation.statebench.layers import IdentityRole, PersistentFact, WorkingSetItem
from evaluation.statebench.relevance import Relevance
from evaluation.statebench.state import State
from evaluation.statebench.tokens import Tokenizer, get_tokenizer
from evaluation.statebench.words import count_tokens, stems

DEFAULT_BUDGET = 8192
# Share of the remaining budget that facts may take. The smaller, the more room for what was said.
FACT_SHARES: dict[str, float] = {"high_stakes": 0.5, "balanced": 0.7, "comprehensive": 0.9}

SECTIONS = ("identity", "environment", "facts", "working_set")
FACTS, REVIEW, WORKING = "Facts:", "Recalculate before use, its basis changed:", "Said:"
_CLOCK = "now"
_KEY_SUFFIX = re.compile(r"(?:_v\d+|_\d+)$")
_NOTHING = re.compile(r"^(?:none|nothing|n/a|null)\b(?P<rest>[\w ]*)$", re.IGNORECASE)
_SCOPE_WORDS = frozenset(("global", "current", "shared", "fact"))


@dataclass(slots=True)
class Context:
    """The prompt's state part. `sections` maps identity, environment, facts, working_set to their text."""

    text: str
    tokens: int
    budget: int
    facts: list[PersistentFact] = field(default_factory=list)
    sections: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Options:
    """Switches of the assembly, for presets and ablations."""

    fact_share: float = FACT_SHARES["balanced"]
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
    """The context of a state for its query, at most `budget` tokens by the tokenizer given."""
    return assemble_from(gather(state, options), state.query, budget, get_tokenizer(tokenizer), options)


@dataclass(frozen=True, slots=True)
class Material:
    """What may be shown of a state, whatever is asked.

    `words` maps the ids of the facts to their stems, `conversation` are the stems of all that was said.
    """

    identity: str
    environment: dict[str, str]
    facts: list[PersistentFact]
    words: dict[str, frozenset[str]]
    items: list[WorkingSetItem]
    conversation: frozenset[str]


def gather(state: State, options: Options = DEFAULT_OPTIONS) -> Material:
    """The material of a state. Queries that see the same state share it."""
    reader = state.identity
    facts = [fact for fact in state.store.read_valid() if classify.may_see(reader, fact.text)]
    return Material(
        identity=" ".join(identity_line(reader).split()),
        environment={
            key: value for key, value in state.environment.values.items() if classify.may_see(reader, value)
        },
        facts=facts,
        words={fact.id: fact.stems for fact in facts},
        items=relevant(state, filter_dead=options.filter_dead) if options.working_set else [],
        conversation=frozenset().union(*[stems(turn.value) for turn in state.turns]),
    )


def assemble_from(
    material: Material, query: str, budget: int, count: Tokenizer, options: Options = DEFAULT_OPTIONS
) -> Context:
    """The context that answers a query from gathered material."""
    return _Assembly(material, query, budget, count, options).build()


def _pricing(count: Tokenizer) -> Tokenizer:
    """What a line costs with the break after it, which whitespace tokens give away for free."""
    return count if count is count_tokens else lambda line: count(line + "\n")


class _Section:
    """Lines that were taken while they fitted, and what they cost."""

    __slots__ = ("_price", "lines", "used")

    def __init__(self, price: Tokenizer) -> None:
        self.lines: list[str] = []
        self.used = 0
        self._price = price

    def fits(self, line: str, budget: int) -> bool:
        """Take a line if the section stays within its budget."""
        price = self._price(line)
        if self.used + price > budget:
            return False
        self.lines.append(line)
        self.used += price
        return True

    def drop_bare_head(self, header: str) -> None:
        """Remove a header that no line followed."""
        if self.lines and self.lines[-1] is header:
            self.lines.pop()
            self.used -= self._price(header)

    @property
    def text(self) -> str:
        """The lines as they are shown."""
        return "\n".join(self.lines)


class _Assembly:
    def __init__(
        self, material: Material, query: str, budget: int, count: Tokenizer, options: Options
    ) -> None:
        self.material, self.budget, self.count, self.options = material, budget, count, options
        self.price = _pricing(count)
        self.relevance = Relevance(stems(query), material.conversation, list(material.words.values()))
        self.facts: list[PersistentFact] = []

    def build(self) -> Context:
        identity = self._identity()
        left = self.budget - identity.used
        environment = self._environment(left)
        left -= environment.used
        facts = self._facts(int(self.options.fact_share * left))
        working = self._working_set(left - facts.used)
        return self._close(identity, environment, facts, working)

    def _identity(self) -> _Section:
        section = _Section(self.price)
        line = self.material.identity
        while line and not section.fits(line, self.budget):
            line = line.rpartition(" ")[0]
        return section

    def _environment(self, budget: int) -> _Section:
        """The clock, then the other values by relevance."""
        values, section = self.material.environment, _Section(self.price)
        score = self.relevance.score
        ranks = {key: (key != _CLOCK, -score(stems(key) | stems(value))) for key, value in values.items()}
        for key in sorted(values, key=ranks.__getitem__):
            section.fits(f"{key}: {values[key]}", budget)
        return section

    def _facts(self, budget: int) -> _Section:
        """Valid facts, then under a header of their own those whose basis changed, never as constraints."""
        section = _Section(self.price)
        for header, review in ((FACTS, False), (REVIEW, True)):
            chosen = [fact for fact in self.material.facts if fact.needs_review is review]
            if chosen and section.fits(header, budget):
                for fact in self._ranked(chosen):
                    if section.fits(fact_line(fact, emphasise=not review), budget):
                        self.facts.append(fact)
                section.drop_bare_head(header)
        return section

    def _ranked(self, facts: list[PersistentFact]) -> list[PersistentFact]:
        """Constraints that bear on the query first, then by relevance, ties newest first."""
        if not self.options.rank:
            return facts
        score, words = self.relevance.score, self.material.words
        ranks = {}
        for fact in facts:
            points = score(words[fact.id])
            ranks[fact] = (fact.is_constraint and points > 0, points, fact.ts, fact.order)
        return sorted(facts, key=ranks.__getitem__, reverse=True)

    def _working_set(self, budget: int) -> _Section:
        """What was said and noted, the most relevant first into the budget, then in order of time."""
        section = _Section(self.price)
        if not self.material.items or not section.fits(WORKING, budget):
            return section
        score = self.relevance.score
        items = sorted(
            self.material.items, key=lambda item: (score(stems(item.value)), item.created_at), reverse=True
        )
        taken = [item for item in items if section.fits(item.value, budget)]
        taken.sort(key=lambda item: (item.created_at, item.order))
        section.lines[1:] = [item.value for item in taken]
        section.drop_bare_head(WORKING)
        return section

    def _close(self, *sections: _Section) -> Context:
        """Join the sections. A tokenizer that counts a whole dearer than its parts costs lines from the end."""
        text = "\n".join(section.text for section in sections if section.lines)
        if self.count is count_tokens:
            tokens = sum(section.used for section in sections)
        else:
            while (tokens := self.count(text)) > self.budget:
                next(section for section in reversed(sections) if section.lines).lines.pop()
                text = "\n".join(section.text for section in sections if section.lines)
            shown = set(sections[2].lines)
            self.facts = [fact for fact in self.facts if not shown.isdisjoint(_lines_of(fact))]
        return Context(
            text, tokens, self.budget, self.facts, dict(zip(SECTIONS, map(_text, sections), strict=True))
        )


def _text(section: _Section) -> str:
    return section.text


def _lines_of(fact: PersistentFact) -> tuple[str, str]:
    """The two ways in which a fact may stand in a context."""
    return fact_line(fact), fact_line(fact, emphasise=False)


def identity_line(identity: IdentityRole) -> str:
    """Who is asking, in one line."""
    parts = (identity.user_name, identity.authority, identity.department, identity.organization)
    return "User: " + ", ".join(part for part in parts if part)


def fact_line(fact: PersistentFact, *, emphasise: bool = True) -> str:
    """A fact for the prompt: key, value verbatim, a constraint marked, an absence in plain words."""
    return _fact_line(fact.key, fact.text, fact.constraint_type if emphasise and fact.is_constraint else None)


@lru_cache(maxsize=65536)
def _fact_line(key: str, text: str, constraint: str | None) -> str:
    mark = f"[{constraint} constraint] " if constraint else ""
    absence = spoken_absence(key, text)
    return f"{mark}{key}: {text}" + (f" ({absence})" if absence else "")


def spoken_absence(key: str, text: str) -> str | None:
    """ "None open" under `bob_tickets` reads "no open tickets"; None for a value that is there."""
    found = _NOTHING.match(text)
    if not found:
        return None
    words = [word for word in _KEY_SUFFIX.sub("", key).split("_") if word not in _SCOPE_WORDS]
    rest = found["rest"].strip()
    return " ".join(["no", rest, words[-1]] if rest else ["no", *words])


def shorten(text: str, budget: int, count: Tokenizer) -> str:
    """The longest run of leading words that fits; the empty text where none does."""
    if count(text) <= budget:
        return text
    words = text.split()
    while words and count(" ".join(words)) > budget:
        words.pop()
    return " ".join(words)


def as_dict(context: Context) -> dict[str, Any]:
    """A context as JSON-able data."""
    sections: Mapping[str, str] = context.sections
    return {
        "text": context.text,
        "tokens": context.tokens,
        "budget": context.budget,
        "facts": [fact.as_dict() for fact in context.facts],
        "sections": dict(sections),
    }
