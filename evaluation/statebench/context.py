"""Context assembly: identity, environment, ranked valid facts, relevant working set, never over budget.

Facts may use `fact_share` of what identity and environment leave; the working set gets the rest. A dead value
is nowhere in a context: chains and history are for queries, not for prompts.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from evaluation.errors import UnknownNameError
from evaluation.statebench import classify
from evaluation.statebench.attention import relevant
from evaluation.statebench.layers import IdentityRole, PersistentFact
from evaluation.statebench.relevance import Relevance
from evaluation.statebench.state import State
from evaluation.statebench.tokens import Tokenizer, get_tokenizer
from evaluation.statebench.words import count_tokens, stems

DEFAULT_BUDGET = 8192
# Share of the remaining budget that facts may take. The smaller, the more room for what was said.
FACT_SHARES: dict[str, float] = {"high_stakes": 0.5, "balanced": 0.7, "comprehensive": 0.9}

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
    return _Assembly(state, budget, get_tokenizer(tokenizer), options).build()


class _Assembly:
    def __init__(self, state: State, budget: int, count: Tokenizer, options: Options) -> None:
        self.state, self.budget, self.count, self.options = state, budget, count, options
        self.facts: list[PersistentFact] = []

    def build(self) -> Context:
        identity = shorten(identity_line(self.state.identity), self.budget, self.count)
        left = self.budget - self.cost(identity)
        visible = self._visible_facts()
        conversation = [stems(turn.value) for turn in self.state.turns]
        relevance = Relevance(stems(self.state.query), conversation, [fact.stems for fact in visible])
        environment = self._fill([], self._environment_lines(relevance), left)
        left -= self.cost(environment)
        facts = self._fact_section(visible, relevance, int(self.options.fact_share * left))
        left -= self.cost(facts)
        working = self._working_section(relevance, left)
        sections = {"identity": identity, "environment": environment, "facts": facts, "working_set": working}
        return self._close(sections)

    def cost(self, text: str) -> int:
        """Tokens of a section or line and the break after it, which is free by whitespace."""
        if not text:
            return 0
        return count_tokens(text) if self.count is count_tokens else self.count(text + "\n")

    def _visible_facts(self) -> list[PersistentFact]:
        identity = self.state.identity
        return [fact for fact in self.state.store.read_valid() if classify.may_see(identity, fact.text)]

    def _environment_lines(self, relevance: Relevance) -> list[str]:
        values = self.state.environment.values
        keys = sorted(
            values, key=lambda key: (key != _CLOCK, -relevance.score(stems(key) | stems(values[key])))
        )
        return [f"{key}: {values[key]}" for key in keys if classify.may_see(self.state.identity, values[key])]

    def _fact_section(self, visible: list[PersistentFact], relevance: Relevance, budget: int) -> str:
        firm = [fact for fact in visible if not fact.needs_review]
        review = [fact for fact in visible if fact.needs_review]
        lines = self._take([FACTS], self._ranked(firm, relevance), budget)
        if review and self.options.rank:
            left = budget - self.cost("\n".join(lines))
            lines += self._take([REVIEW], self._ranked(review, relevance), left, constraints=False)
        return "\n".join(lines)

    def _ranked(self, facts: list[PersistentFact], relevance: Relevance) -> list[PersistentFact]:
        """Constraints that bear on the query first, then by relevance, ties newest first."""
        if not self.options.rank:
            return facts
        scored = [(relevance.score(fact.stems), fact) for fact in facts]
        scored.sort(
            key=lambda pair: (pair[1].is_constraint and pair[0] > 0, pair[0], pair[1].ts, pair[1].order),
            reverse=True,
        )
        return [fact for _, fact in scored]

    def _take(
        self, lines: list[str], facts: Iterable[PersistentFact], budget: int, *, constraints: bool = True
    ) -> list[str]:
        """Header and fact lines within a budget; a fact that does not fit is skipped, the next is tried."""
        left = budget - self.cost(lines[0])
        taken = []
        for fact in facts:
            line = fact_line(fact, emphasise=constraints)
            if (price := self.cost(line)) <= left:
                taken.append(line)
                self.facts.append(fact)
                left -= price
        return [*lines, *taken] if taken else []

    def _working_section(self, relevance: Relevance, budget: int) -> str:
        """What was said and noted, the most relevant first into the budget, then in order of time."""
        if not self.options.working_set:
            return ""
        items = relevant(self.state, filter_dead=self.options.filter_dead)
        left = budget - self.cost(WORKING)
        taken = []
        for item in sorted(
            items, key=lambda item: (relevance.score(stems(item.value)), item.created_at), reverse=True
        ):
            if (price := self.cost(item.value)) <= left:
                taken.append(item)
                left -= price
        taken.sort(key=lambda item: (item.created_at, item.order))
        return "\n".join([WORKING, *(item.value for item in taken)]) if taken else ""

    def _fill(self, lines: list[str], candidates: Iterable[str], budget: int) -> str:
        left = budget
        for line in candidates:
            if (price := self.cost(line)) <= left:
                lines.append(line)
                left -= price
        return "\n".join(lines)

    def _close(self, sections: dict[str, str]) -> Context:
        """Join the sections.

        A tokenizer that counts a whole dearer than its parts costs lines from the end.
        """
        text = "\n".join(section for section in sections.values() if section)
        tokens = len(text.split()) if self.count is count_tokens else self.count(text)
        while tokens > self.budget:
            name = next(name for name in reversed(sections) if sections[name])
            kept, _, _ = sections[name].rpartition("\n")
            sections[name] = (
                kept
                if name != "identity"
                else shorten(sections[name], self.count(sections[name]) - 1, self.count)
            )
            text = "\n".join(section for section in sections.values() if section)
            tokens = self.count(text)
        shown = sections["facts"]
        facts = [fact for fact in self.facts if fact.text in shown]
        return Context(text, tokens, self.budget, facts, sections)


def identity_line(identity: IdentityRole) -> str:
    """Who is asking, in one line."""
    parts = (identity.user_name, identity.authority, identity.department, identity.organization)
    return "User: " + ", ".join(part for part in parts if part)


def fact_line(fact: PersistentFact, *, emphasise: bool = True) -> str:
    """A fact for the prompt: key, value verbatim, a constraint marked, an absence in plain words."""
    mark = f"[{fact.constraint_type} constraint] " if emphasise and fact.is_constraint else ""
    absence = spoken_absence(fact.key, fact.text)
    return f"{mark}{fact.key}: {fact.text}" + (f" ({absence})" if absence else "")


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
