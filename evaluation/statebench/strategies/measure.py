"""What a strategy's contexts hold, without a model: resurrection, coverage, dead and live values, tokens.

resurrection  queries whose context holds any must-not phrase / queries
coverage      must-mention phrases in the context / must-mention phrases
dead, live    superseded (valid) fact values found, as whole words (verbatim) / such values; values that a
valid fact quotes are not
              counted as dead, restricted ones that the reader may not see not as live
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from evaluation.core.report import Number
from evaluation.statebench.context.assemble import Context
from evaluation.statebench.context.replay import replay
from evaluation.statebench.data.tokens import Tokenizer
from evaluation.statebench.data.truth import Truth, read_record, record
from evaluation.statebench.facts import classify
from evaluation.statebench.grading.metrics import ratio
from evaluation.statebench.grading.phrases import Matcher, released_form, substring_matcher
from evaluation.statebench.language.words import says
from evaluation.statebench.strategies.registry import build_contexts, get_strategy

Timeline = Mapping[str, Any]
BUDGETS = (256, 512, 1024, 2048, 8192)
ALL = "all"


@dataclass(slots=True)
class Tally:
    """Counts over queries; `figures` turns them into rates."""

    queries: int = 0
    resurrected: int = 0
    mentioned: int = 0
    mentions: int = 0
    dead_shown: int = 0
    dead: int = 0
    live_shown: int = 0
    live: int = 0
    over_budget: int = 0
    tokens: list[int] = field(default_factory=list)

    def figures(self) -> dict[str, Number]:
        """Rates, None where there is nothing to divide by."""
        return {
            "queries": self.queries,
            "resurrection": ratio(self.resurrected, self.queries, empty=None),
            "coverage": ratio(self.mentioned, self.mentions, empty=None),
            "dead_values": ratio(self.dead_shown, self.dead, empty=None),
            "live_values": ratio(self.live_shown, self.live, empty=None),
            "tokens_mean": ratio(sum(self.tokens), len(self.tokens), empty=None),
            "tokens_max": max(self.tokens, default=None),
            "over_budget": self.over_budget,
        }


@dataclass(frozen=True, slots=True)
class _Probe:
    """What is looked for in the contexts of one query."""

    truth: Truth
    must: tuple[Matcher, ...]
    must_not: tuple[Matcher, ...]
    dead: tuple[str, ...]
    live: tuple[str, ...]


def measure(
    timelines: Iterable[Timeline],
    strategy: str,
    budgets: Sequence[int] = BUDGETS,
    tokenizer: str | Tokenizer | None = None,
) -> list[dict[str, Any]]:
    """Rows {"strategy", "contexts", "budget", "track", figures …}: per budget one for all queries, then one a track."""
    known = ((timeline, record(timeline)) for timeline in timelines)
    return measure_records(known, strategy, budgets, tokenizer)


def measure_records(
    known: Iterable[tuple[Timeline, Mapping[str, Any]]],
    strategy: str,
    budgets: Sequence[int] = BUDGETS,
    tokenizer: str | Tokenizer | None = None,
) -> list[dict[str, Any]]:
    """The same of public timelines, each with its grading record."""
    probed = [(timeline, list(_probes(timeline, truths))) for timeline, truths in known]
    rows, made_by = [], get_strategy(strategy).contexts
    for budget in budgets:
        tallies: dict[str, Tally] = {ALL: Tally()}
        for timeline, probes in probed:
            contexts = build_contexts(timeline, strategy=strategy, budget=budget, tokenizer=tokenizer)
            for probe, context in zip(probes, contexts, strict=True):
                for track in (ALL, probe.truth.track):
                    _add(tallies.setdefault(track, Tally()), probe, context, budget)
        for track, tally in tallies.items():
            told = {"strategy": strategy, "contexts": made_by, "budget": budget, "track": track}
            rows.append(told | tally.figures())
    return rows


def _probes(timeline: Timeline, truths: Mapping[str, Any]) -> Iterator[_Probe]:
    for truth in read_record(truths):
        state = replay(timeline, truth.index, detector=None)
        unnoticed = set(truth.detects)
        valid = [fact for fact in state.store.read_valid() if fact.alias not in unnoticed]
        dead = [fact.text for fact in state.store if not fact.is_valid or fact.alias in unnoticed]
        quoted = [fact.text for fact in valid]
        wanted = [mention.phrase for mention in truth.must]
        yield _Probe(
            truth,
            tuple(substring_matcher(phrase) for phrase in wanted),
            tuple(substring_matcher(mention.phrase) for mention in truth.must_not),
            tuple(text for text in dead if text not in wanted and not any(text in other for other in quoted)),
            tuple(fact.text for fact in valid if classify.may_see(state.identity, fact.text)),
        )


def _add(tally: Tally, probe: _Probe, context: Context, budget: int) -> None:
    text = released_form(context.text)
    tally.queries += 1
    tally.resurrected += any(matches(text) for matches in probe.must_not)
    tally.mentions += len(probe.must)
    tally.mentioned += sum(matches(text) for matches in probe.must)
    tally.dead += len(probe.dead)
    tally.dead_shown += sum(says(text, value.lower()) for value in probe.dead)
    tally.live += len(probe.live)
    tally.live_shown += sum(value in context.text for value in probe.live)
    tally.tokens.append(context.tokens)
    tally.over_budget += context.tokens > budget
