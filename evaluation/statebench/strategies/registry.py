"""All strategies by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from evaluation.core.errors import UnknownNameError
from evaluation.statebench.context.assemble import DEFAULT_BUDGET, REVISION, Context
from evaluation.statebench.data.tokens import Tokenizer, get_tokenizer
from evaluation.statebench.strategies import condensed, extractive, transcript
from evaluation.statebench.strategies.reference import state_based_reference
from evaluation.statebench.strategies.stateful import StateStrategy, preset, without

BuildContext = Callable[[Mapping[str, Any], int, int, Tokenizer], Context]


@dataclass(frozen=True, slots=True)
class Strategy:
    """A named way to build a context; `build(timeline, query index, budget, tokenizer)`.

    Where there is an `instruction` and a model, the model condenses the conversation instead. Figures of one
    `revision` are not to be compared with those of another: the same timeline may give another context.
    """

    name: str
    title: str
    description: str
    build: BuildContext
    instruction: str = ""

    @property
    def revision(self) -> int:
        """Which revision of its contexts this is. Strategies without a state of ours have the first."""
        return REVISION if isinstance(self.build, StateStrategy) else 1

    @property
    def contexts(self) -> str:
        """The name that results carry: `state_based/2`."""
        return f"{self.name}/{self.revision}"


STRATEGIES: dict[str, Strategy] = {
    strategy.name: strategy
    for strategy in (
        Strategy("no_memory", "No memory", "Who asks, and nothing else.", transcript.no_memory),
        Strategy(
            "transcript_replay",
            "Transcript",
            "The conversation word by word, the latest turns that fit.",
            transcript.transcript_replay,
        ),
        Strategy(
            "transcript_latest_wins",
            "Transcript, latest wins",
            "The conversation without turns that a later one on the same topic replaces.",
            transcript.transcript_latest_wins,
        ),
        Strategy(
            "rag_transcript",
            "Retrieval",
            "The turns that share words with the query, the most similar first.",
            transcript.rag_transcript,
        ),
        Strategy(
            "rolling_summary",
            "Rolling summary",
            "A summary kept turn by turn, by the model where there is one, else the weightiest sentences.",
            extractive.rolling_summary,
            condensed.SUMMARIZE,
        ),
        Strategy(
            "fact_extraction",
            "Extracted facts",
            "A list of facts, kept by the model where there is one, else assertions with a value.",
            extractive.fact_extraction,
            condensed.EXTRACT,
        ),
        Strategy(
            "state_based_reference",
            "State, as released",
            "What the released strategy does, its faults included.",
            state_based_reference,
        ),
        Strategy(
            "state_based",
            "State",
            "Four layers, detection from language, ranking, a token budget, a filtered working set.",
            StateStrategy(),
        ),
        Strategy(
            "state_based_no_detection",
            "State without detection",
            "Only structured events change the state.",
            StateStrategy(detects=False),
        ),
        Strategy("state_based_no_ranking", "State without ranking", "Facts in order.", without(rank=False)),
        Strategy(
            "state_based_no_filter",
            "State without filter",
            "Turns that restate dead values are shown.",
            without(filter_dead=False),
        ),
        Strategy(
            "state_based_facts_only", "State, facts only", "No working set.", without(working_set=False)
        ),
        Strategy("state_based_high_stakes", "State, 50% facts", "Half for facts.", preset("high_stakes")),
        Strategy("state_based_comprehensive", "State, 90% facts", "Most for facts.", preset("comprehensive")),
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


def build_contexts(
    timeline: Mapping[str, Any],
    *,
    strategy: str = "state_based",
    budget: int = DEFAULT_BUDGET,
    tokenizer: str | Tokenizer | None = None,
) -> list[Context]:
    """The contexts of all queries of a timeline, as `build_context` makes them, in less time."""
    build, count = get_strategy(strategy).build, get_tokenizer(tokenizer)
    if isinstance(build, StateStrategy):
        return build.every(timeline, budget, count)
    queries = sum(event["type"] == "query" for event in timeline["events"])
    return [build(timeline, index, budget, count) for index in range(queries)]
