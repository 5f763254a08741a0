"""What a run cost, on a terminal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from evaluation.core.terminal.tables import rate_text, show


def show_costs(costs: Mapping[str, Any], curve: Sequence[Mapping[str, Any]]) -> None:
    """Print tokens, passes and time, and accuracy against tokens.

    Args:
        costs: `efficiency.figures` of a run.
        curve: `efficiency.curve` of it; one point alone is said by the figures above it.
    """
    print(
        f"\nEfficiency: {costs['tokens_per_q']:,.1f} tokens per query ({costs['tokens']:,} in all), "
        f"{costs['passes']:,} {'pass' if costs['passes'] == 1 else 'passes'}, {costs['wall_s']:.2f} s "
        f"({costs['wall_s_per_q']:.4f} s per query)"
    )
    if len(curve) < 2:
        return
    names = [name for name in curve[0] if name not in ("tokens_per_query", "n")]
    rows = [
        (f"{point['tokens_per_query']:,.0f}", f"{point['n']:,}", *(rate_text(point[name]) for name in names))
        for point in curve
    ]
    show("Efficiency curve: accuracy against tokens", ("tokens per query", "rows", *names), rows)
