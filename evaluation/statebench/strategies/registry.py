"""All strategies by name, and functions that build their contexts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from evaluation.core.errors import UnknownNameError
from evaluation.statebench.context.assemble import DEFAULT_BUDGET, REVISION, Context
from evaluation.statebench.data.tokens import Tokenizer, get_tokenizer
from evaluation.statebench.records import Timeline
from evaluation.statebench.strategies import condensed, transcript
from evaluation.statebench.strategies.stateful import StateStrategy, preset, state_based_reference, without

BuildContext = Callable[[Timeline, int, int, Tokenizer], Context]


@dataclass(frozen=True, slots=True)
class Strategy:
    """A named way to build a context.

    A strategy with an `instruction` uses a language model, if there is one, to condense the conversation. Contexts
    may differ between revisions, so results of two revisions are not comparable.

    `build(timeline, query_idx, budget, count)` is called with:

    Args:
        timeline: The timeline in release format.
        query_idx: Index of the query, from 0.
        budget: Maximum tokens of the context.
        count: Counts the tokens of a text.
    """

    name: str
    title: str
    description: str
    build: BuildContext
    instruction: str = ""

    @property
    def revision(self) -> int:
        return REVISION if isinstance(self.build, StateStrategy) else 1

    @property
    def contexts(self) -> str:
        """Return the name of the contexts in results, with the strategy's revision: `state_based/5`."""
        return f"{self.name}/{self.revision}"


STRATEGIES: dict[str, Strategy] = {
    strategy.name: strategy
    for strategy in (
        Strategy(
            "no_memory",
            "No memory",
            "Shows only who the user is, and nothing of the conversation.",
            transcript.no_memory,
        ),
        Strategy(
            "transcript_replay",
            "Transcript",
            "The conversation verbatim, the latest turns that fit.",
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
            "Turns that share words with the query, the most similar first.",
            transcript.rag_transcript,
        ),
        Strategy(
            "rolling_summary",
            "Rolling summary",
            "A summary. With a model, the model rewrites it as it reads the conversation; without one, it consists "
            "of the highest-scoring sentences.",
            transcript.rolling_summary,
            condensed.SUMMARIZE,
        ),
        Strategy(
            "fact_extraction",
            "Extracted facts",
            "A list of facts. With a model, the model rewrites it as it reads the conversation; without one, it "
            "consists of the last statement with a value or a status on each subject.",
            transcript.fact_extraction,
            condensed.EXTRACT,
        ),
        Strategy(
            "state_based_reference",
            "State, as released",
            "The released strategy, faults included.",
            state_based_reference,
        ),
        Strategy(
            "state_based",
            "State",
            "A state in four layers; changes are detected from language, facts are ranked within a token budget, and "
            "the working set is filtered.",
            StateStrategy(),
        ),
        Strategy(
            "state_based_no_detection",
            "State without detection",
            "Only structured events change the state.",
            StateStrategy(detects=False),
        ),
        Strategy(
            "state_based_no_ranking",
            "State without ranking",
            "Facts in recorded order, not ranked.",
            without(rank=False),
        ),
        Strategy(
            "state_based_no_filter",
            "State without filter",
            "Turns that restate superseded values are shown.",
            without(filter_dead=False),
        ),
        Strategy(
            "state_based_facts_only",
            "State, facts only",
            "Leaves turns and notes out of the context.",
            without(working_set=False),
        ),
        Strategy(
            "state_based_high_stakes",
            "State, 50% facts",
            "Half of the budget is for facts.",
            preset("high_stakes"),
        ),
        Strategy(
            "state_based_comprehensive",
            "State, 90% facts",
            "Most of the budget is for facts.",
            preset("comprehensive"),
        ),
    )
}


def get_strategy(name: str) -> Strategy:
    if name not in STRATEGIES:
        raise UnknownNameError("strategy", name, STRATEGIES)
    return STRATEGIES[name]


def build_context(
    timeline: Timeline,
    query_idx: int = 0,
    *,
    strategy: str = "state_based",
    budget: int = DEFAULT_BUDGET,
    tokenizer: str | Tokenizer | None = None,
    conversation_facts: bool = True,
    constraint_share: float | None = None,
) -> Context:
    """Build the context that a strategy shows a model for a query: `.text`, `.tokens`, `.facts`, `.left_out`.

    `budget` is in tokens; only `state_based_reference` ignores it, like the released strategy. `tokenizer` is a name of
    `tokens.TOKENIZERS` or a function text -> number; by default whitespace tokens. For strategies that keep a state,
    `conversation_facts` lets statements become facts, and `constraint_share` of the facts' budget is reserved for
    constraints. `.left_out` are keys of constraints that did not fit. Raises UnknownNameError, or RowError if the
    timeline has no such query.
    """
    build = _builder(strategy, conversation_facts, constraint_share)
    return build(timeline, query_idx, budget, get_tokenizer(tokenizer))


def build_contexts(
    timeline: Timeline,
    *,
    strategy: str = "state_based",
    budget: int = DEFAULT_BUDGET,
    tokenizer: str | Tokenizer | None = None,
    conversation_facts: bool = True,
    constraint_share: float | None = None,
) -> list[Context]:
    """Do the same as `build_context` for every query of a timeline in order, faster than one by one."""
    return build_budgets(
        timeline,
        (budget,),
        strategy=strategy,
        tokenizer=tokenizer,
        conversation_facts=conversation_facts,
        constraint_share=constraint_share,
    )[0]


def build_budgets(
    timeline: Timeline,
    budgets: Sequence[int],
    *,
    strategy: str = "state_based",
    tokenizer: str | Tokenizer | None = None,
    conversation_facts: bool = True,
    constraint_share: float | None = None,
) -> list[list[Context]]:
    """Do the same as `build_contexts` for each of several budgets. The state is computed only once."""
    build, count = _builder(strategy, conversation_facts, constraint_share), get_tokenizer(tokenizer)
    if isinstance(build, StateStrategy):
        return build.every(timeline, budgets, count)
    queries = sum(event["type"] == "query" for event in timeline["events"])
    return [[build(timeline, index, budget, count) for index in range(queries)] for budget in budgets]


def _builder(strategy: str, conversation_facts: bool, constraint_share: float | None) -> BuildContext:
    build = get_strategy(strategy).build
    if not isinstance(build, StateStrategy):
        return build
    if not conversation_facts:
        build = replace(build, conversation_facts=False)
    if constraint_share is not None:
        build = replace(build, options=replace(build.options, constraint_share=constraint_share))
    return build
