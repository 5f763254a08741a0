"""Measures of the contexts of a strategy or a memory system, without a model.

resurrection  queries whose context has any forbidden phrase / queries
coverage      required phrases in the context / required phrases
dead_values   invalid values or evidence in the context / all invalid values or evidence (see `strategies.probes`)
live_values   valid values or evidence in the context / all that the reader may see
constraints   valid constraints in the context / all that the reader may see
tokens_mean   mean tokens of a context; `tokens_max`: maximum tokens of a context
over_budget   number of contexts longer than the budget (a memory's are then cut)
ingest_s      mean seconds in which a memory receives a timeline, once for all budgets (memories only)
context_s     mean seconds in which a memory answers a query with a context (memories only)

Each measure has its 95% interval over templates within tracks, `<name>_low` and `<name>_high`, and each rate its
denominator, `<name>_of`. A single template has no interval.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from evaluation.core.records import JsonObject, Number
from evaluation.core.statistics import FloatArray, mean_limits, rate_limits
from evaluation.statebench.context.assemble import Context
from evaluation.statebench.data.contexts import read_contexts
from evaluation.statebench.data.tokens import Tokenizer
from evaluation.statebench.data.truth import Truth, record
from evaluation.statebench.grading.measured import ICC_OF_COPIES
from evaluation.statebench.grading.metrics import ratio
from evaluation.statebench.language.words import count_tokens
from evaluation.statebench.memory.asking import Recalled, recall, recalled
from evaluation.statebench.memory.protocol import MakeMemory
from evaluation.statebench.records import Timeline, TimelineRecord
from evaluation.statebench.strategies.probes import QueryProbes, Shown, probes_of
from evaluation.statebench.strategies.registry import build_budgets, get_strategy

BUDGETS = (256, 512, 1024, 2048, 8192)
ALL = "all"
#: Rate -> (numerator, denominator), fields of `Tally`.
RATES = {
    "resurrection": ("resurrected", "queries"),
    "coverage": ("mentioned", "mentions"),
    "dead_values": ("dead_shown", "dead"),
    "live_values": ("live_shown", "live"),
    "constraints": ("constraints_shown", "constraints"),
}
Units = dict[str, dict[str, "Tally"]]  # track -> template -> counts


@dataclass(slots=True)
class Tally:
    queries: int = 0
    resurrected: int = 0
    mentioned: int = 0
    mentions: int = 0
    dead_shown: int = 0
    dead: int = 0
    live_shown: int = 0
    live: int = 0
    constraints_shown: int = 0
    constraints: int = 0
    over_budget: int = 0
    timelines: int = 0
    ingest_s: float = 0.0
    context_s: float = 0.0
    tokens: list[int] = field(default_factory=list)

    def add(self, other: Tally) -> None:
        for name in self.__slots__:
            setattr(self, name, getattr(self, name) + getattr(other, name))

    def figures(self) -> dict[str, Number]:
        """Return rates and token counts by name. A rate without denominator is None."""
        rates = {
            name: ratio(getattr(self, some), getattr(self, whole), empty=None)
            for name, (some, whole) in RATES.items()
        }
        return {
            "queries": self.queries,
            **rates,
            "tokens_mean": ratio(sum(self.tokens), len(self.tokens), empty=None),
            "tokens_max": max(self.tokens, default=None),
            "over_budget": self.over_budget,
        }


def measure(
    timelines: Iterable[Timeline],
    strategy: str,
    budgets: Sequence[int] = BUDGETS,
    tokenizer: str | Tokenizer | None = None,
) -> list[dict[str, object]]:
    """Measure a strategy's contexts at each of the budgets (maximum tokens). Raises UnknownNameError.

    Rows are {"strategy", "contexts", "budget", "track", measures, intervals, denominators …}: per budget one row for
    all queries, then one per track, then one per length (`length`, with an empty `track`) if timelines have any.
    `tokenizer` is a name of `tokens.TOKENIZERS` or a function text -> number; by default whitespace tokens.
    """
    known = ((timeline, record(timeline)) for timeline in timelines)
    return measure_records(known, strategy, budgets, tokenizer)


def measure_records(
    known: Iterable[tuple[Timeline, TimelineRecord]],
    strategy: str,
    budgets: Sequence[int] = BUDGETS,
    tokenizer: str | Tokenizer | None = None,
) -> list[dict[str, object]]:
    labels = {"strategy": strategy, "contexts": get_strategy(strategy).contexts}

    def build(timeline: Timeline) -> list[list[Context]]:
        return build_budgets(timeline, budgets, strategy=strategy, tokenizer=tokenizer)

    return _table(_counted(known, budgets, build), budgets, labels)


def measure_memory(
    timelines: Iterable[Timeline], name: str, make: MakeMemory, budgets: Sequence[int] = BUDGETS
) -> list[dict[str, object]]:
    """Measure a memory with the rows of `measure`, plus `memory`, `ingest_s` and `context_s`. Raises AdapterError."""
    known = ((timeline, record(timeline)) for timeline in timelines)
    counted = _counted(known, budgets, lambda timeline: recall(timeline, make, budgets, count_tokens))
    return _table(counted, budgets, {"memory": name}, timed=True)


def measure_contexts(
    known: Iterable[tuple[Timeline, TimelineRecord]], lines: Iterable[JsonObject], name: str
) -> list[dict[str, object]]:
    """Measure stored contexts like `measure_memory`, without times. Missing contexts are empty. Raises RowError."""
    made = read_contexts(lines)
    budgets = sorted({budget for texts in made.values() for budget in texts})
    if not budgets:
        return []
    counted = _counted(known, budgets, lambda timeline: recalled(timeline, made, budgets))
    return _table(counted, budgets, {"memory": name})


@dataclass(frozen=True, slots=True)
class _Counts:
    whole: Units = field(default_factory=dict)
    by_length: dict[str, Units] = field(default_factory=dict)

    def tallies(self, truth: Truth, length: str) -> Iterator[Tally]:
        for units in (self.whole, *([self.by_length.setdefault(length, {})] if length else ())):
            yield units.setdefault(truth.track, {}).setdefault(truth.unit, Tally())

    def parts(self) -> Iterator[tuple[dict[str, str], Units]]:
        yield {"track": ALL}, self.whole
        yield from (({"track": name}, {name: units}) for name, units in self.whole.items())
        yield from (({"track": "", "length": name}, units) for name, units in self.by_length.items())


def _counted(
    known: Iterable[tuple[Timeline, TimelineRecord]],
    budgets: Sequence[int],
    build: Callable[[Timeline], Sequence[Sequence[Context | Recalled]]],
) -> list[_Counts]:
    counted = [_Counts() for _ in budgets]
    for timeline, truths in known:
        probes = list(probes_of(timeline, truths))
        length = str((timeline.get("metadata") or {}).get("length") or "")
        for counts, budget, contexts in zip(counted, budgets, build(timeline), strict=True):
            for each, context in zip(probes, contexts, strict=True):
                for tally in counts.tallies(each.truth, length):
                    tally.timelines += each is probes[0]
                    _add(tally, each, context, budget)
    return counted


def _table(
    counted: Sequence[_Counts], budgets: Sequence[int], labels: Mapping[str, object], *, timed: bool = False
) -> list[dict[str, object]]:
    return [
        {**labels, "budget": budget, **group, **_figures(units, is_timed=timed)}
        for counts, budget in zip(counted, budgets, strict=True)
        for group, units in counts.parts()
    ]


def _figures(by_track: Units, *, is_timed: bool) -> dict[str, Number]:
    tallies = [tally for templates in by_track.values() for tally in templates.values()]
    strata = np.repeat(np.arange(len(by_track)), [len(templates) for templates in by_track.values()])
    whole = Tally()
    for tally in tallies:
        whole.add(tally)
    figures = whole.figures()
    for name, counts in RATES.items():
        table = np.array([[getattr(tally, count) for count in counts] for tally in tallies], float)
        limits = rate_limits(table.reshape(1, len(tallies), 2), strata, icc=ICC_OF_COPIES)
        figures |= _ends(name, *limits)
        figures[f"{name}_of"] = getattr(whole, counts[1])
    if is_timed:
        figures["ingest_s"] = ratio(whole.ingest_s, whole.timelines, empty=None)
        figures["context_s"] = ratio(whole.context_s, whole.queries, empty=None)
    lengths = np.array([[sum(tally.tokens), len(tally.tokens)] for tally in tallies], float)
    return figures | _ends("tokens_mean", *mean_limits(lengths.reshape(1, len(tallies), 2), strata))


def _ends(name: str, low: FloatArray, high: FloatArray) -> dict[str, Number]:
    has_none = bool(np.isnan(low[0]))
    return {
        f"{name}_low": None if has_none else float(low[0]),
        f"{name}_high": None if has_none else float(high[0]),
    }


def _add(tally: Tally, probes: QueryProbes, context: Context | Recalled, budget: int) -> None:
    shown = Shown(context.text)
    tally.queries += 1
    tally.resurrected += any(matches(shown.phrases) for matches in probes.must_not)
    tally.mentions += len(probes.must)
    tally.mentioned += sum(matches(shown.phrases) for matches in probes.must)
    tally.dead += len(probes.dead)
    tally.dead_shown += sum(each.is_in(shown) for each in probes.dead)
    tally.live += len(probes.live)
    tally.live_shown += sum(each.is_in(shown) for each in probes.live)
    tally.constraints += len(probes.constraints)
    tally.constraints_shown += sum(each.is_in(shown) for each in probes.constraints)
    tally.tokens.append(context.tokens)
    if isinstance(context, Recalled):
        tally.ingest_s += context.ingest_s
        tally.context_s += context.context_s
    tally.over_budget += (context.told if isinstance(context, Recalled) else context.tokens) > budget
