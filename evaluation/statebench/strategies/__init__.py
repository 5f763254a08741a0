"""Strategies for building the context that a model reads. Each is a function of timeline, query and budget."""

from evaluation.statebench.strategies.registry import (
    STRATEGIES,
    build_budgets,
    build_context,
    build_contexts,
    get_strategy,
)

__all__ = ["STRATEGIES", "build_budgets", "build_context", "build_contexts", "get_strategy"]
