"""All strategies by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from evaluation.errors import UnknownNameError
from evaluation.statebench.context import DEFAULT_BUDGET, Context
from evaluation.statebench.strategies import extractive, stateful, transcript
from evaluation.statebench.strategies.reference import state_based_reference
from evaluation.statebench.tokens import Tokenizer, get_tokenizer

BuildContext = Callable[[Mapping[str, Any], int, int, Tokenizer], Context]


@dataclass(frozen=True, slots=True)
class Strategy:
    """A named way to build a context; `build(timeline, query index, budget, tokenizer)`."""

    name: str
    title: str
    description: str
    build: BuildContext


def _strategy(name: str, title: str, build: BuildContext) -> Strategy:
    return Strategy(name, title, " ".join((build.__doc__ or "").split()), build)


STRATEGIES: dict[str, Strategy] = {
    strategy.name: strategy
    for strategy in (
        _strategy("no_memory", "No memory", transcript.no_memory),
        _strategy("transcript_replay", "Transcript", transcript.transcript_replay),
        _strategy("transcript_latest_wins", "Transcript, latest wins", transcript.transcript_latest_wins),
        _strategy("rag_transcript", "Retrieval over the transcript", transcript.rag_transcript),
        _strategy("rolling_summary", "Rolling summary, extractive", extractive.rolling_summary),
        _strategy("fact_extraction", "Extracted facts", extractive.fact_extraction),
        _strategy("state_based_reference", "State, as released", state_based_reference),
        _strategy("state_based", "State", stateful.state_based),
        _strategy("state_based_no_detection", "State without detection", stateful.without_detection),
        _strategy("state_based_no_ranking", "State without ranking", stateful.without_ranking),
        _strategy("state_based_no_filter", "State without filter", stateful.without_filter),
        _strategy("state_based_facts_only", "State without working set", stateful.facts_only),
        _strategy("state_based_high_stakes", "State, 50% facts", stateful.high_stakes),
        _strategy("state_based_comprehensive", "State, 90% facts", stateful.comprehensive),
    )
}


def get_strategy(name: str) -> Strategy:
    """The strategy of that name. Raises UnknownNameError naming the nearest match."""
    if name not in STRATEGIES:
        raise UnknownNameError("strategy", name, STRATEGIES)
    return STRATEGIES[name]


def build_context(
    timeline: Mapping[str, Any],
    query_idx: int = 0,
    *,
    strategy: str = "state_based",
    budget: int = DEFAULT_BUDGET,
    tokenizer: str | Tokenizer | None = None,
) -> Context:
    """What a strategy would show a model for a query: `.text`, `.tokens` and `.facts`, at most `budget`
    tokens.

    `tokenizer`: a name of `tokens.TOKENIZERS` or a function text -> number; by default whitespace tokens.
    Only
    `state_based_reference` ignores the budget, as the reference does.
    """
    return get_strategy(strategy).build(timeline, query_idx, budget, get_tokenizer(tokenizer))
