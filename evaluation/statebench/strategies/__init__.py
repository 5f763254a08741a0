"""Strategies to compare: what a model would be shown, each a function of a timeline, a query and a budget."""

from evaluation.statebench.strategies.registry import (
    STRATEGIES,
    build_budgets,
    build_context,
    build_contexts,
    get_strategy,
)

__all__ = ["STRATEGIES", "build_budgets", "build_context", "build_contexts", "get_strategy"]
