"""Our state-based strategy, whole and with one part taken out at a time."""

from __future__ import annotations

from dataclasses import replace

from evaluation.statebench.context import DEFAULT_OPTIONS, FACT_SHARES, Context, Options, assemble
from evaluation.statebench.replay import RULES, replay
from evaluation.statebench.strategies.transcript import Timeline
from evaluation.statebench.tokens import Tokenizer


def state_based(timeline: Timeline, query_idx: int, budget: int, count: Tokenizer) -> Context:
    """Four layers, detection from language, ranking, token budget, filtered working set."""
    return assemble(replay(timeline, query_idx), budget, count)


def without_detection(timeline: Timeline, query_idx: int, budget: int, count: Tokenizer) -> Context:
    """Only structured events change the state; what is merely said does not."""
    return assemble(replay(timeline, query_idx, detector=None), budget, count)


def without_ranking(timeline: Timeline, query_idx: int, budget: int, count: Tokenizer) -> Context:
    """Facts in order of creation."""
    return _with(replace(DEFAULT_OPTIONS, rank=False), timeline, query_idx, budget, count)


def without_filter(timeline: Timeline, query_idx: int, budget: int, count: Tokenizer) -> Context:
    """Turns that restate dead values are shown."""
    return _with(replace(DEFAULT_OPTIONS, filter_dead=False), timeline, query_idx, budget, count)


def facts_only(timeline: Timeline, query_idx: int, budget: int, count: Tokenizer) -> Context:
    """No working set."""
    return _with(replace(DEFAULT_OPTIONS, working_set=False), timeline, query_idx, budget, count)


def high_stakes(timeline: Timeline, query_idx: int, budget: int, count: Tokenizer) -> Context:
    """Half of the budget for facts."""
    return _with(Options(fact_share=FACT_SHARES["high_stakes"]), timeline, query_idx, budget, count)


def comprehensive(timeline: Timeline, query_idx: int, budget: int, count: Tokenizer) -> Context:
    """Nine tenths of the budget for facts."""
    return _with(Options(fact_share=FACT_SHARES["comprehensive"]), timeline, query_idx, budget, count)


def _with(options: Options, timeline: Timeline, query_idx: int, budget: int, count: Tokenizer) -> Context:
    return assemble(replay(timeline, query_idx, detector=RULES), budget, count, options)
