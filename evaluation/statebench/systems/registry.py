"""Strategies as deterministic systems, which answer a query with the context itself."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from evaluation.statebench.context.assemble import DEFAULT_BUDGET
from evaluation.statebench.records import Response, Timeline
from evaluation.statebench.strategies.registry import STRATEGIES, build_contexts, get_strategy


class EchoSystem:
    """System that answers every query of a timeline with a strategy's context."""

    def __init__(self, strategy: str, budget: int = DEFAULT_BUDGET) -> None:
        self._strategy, self._budget = strategy, budget

    def provenance(self) -> dict[str, object]:
        return {"contexts": get_strategy(self._strategy).contexts}

    def predict(self, row: Timeline) -> list[Response]:
        contexts = build_contexts(row, strategy=self._strategy, budget=self._budget)
        return [
            {
                "timeline_id": row["id"],
                "query_idx": index,
                "response": context.text,
                "tokens_used": context.tokens,
            }
            for index, context in enumerate(contexts)
        ]


@dataclass(frozen=True, slots=True)
class StrategySpec:
    """A strategy as a named system. `build()` makes an object with `predict(row) -> list of responses`."""

    name: str
    kind: str
    description: str
    build: Callable[[], EchoSystem]
    contexts: int  # revision of the strategy
    reference: str = ""  # never set: strategies decide nothing and have their own table


def _spec(name: str) -> StrategySpec:
    strategy = STRATEGIES[name]
    return StrategySpec(name, "strategy", strategy.description, lambda: EchoSystem(name), strategy.revision)


SYSTEMS: dict[str, StrategySpec] = {name: _spec(name) for name in STRATEGIES}
