"""The figures of a report on a terminal, with their intervals, as a whole and split by split."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from evaluation.core.suite import Column
from evaluation.core.terminal.tables import show


def value_text(value: Any) -> str:
    """A count as it is, a rate with four digits."""
    return str(value) if isinstance(value, int) else f"{value:.4f}"


def interval_text(ends: Sequence[float] | None) -> str:
    """`0.9170 to 0.9630`, or the bound of a rate of 0 or 1: `at least 0.9560`. Empty where there is none."""
    if ends is None or ends[0] == ends[1]:
        return ""
    low, high = ends
    if high == 1 and low > 0:
        return f"at least {low:.4f}"
    return f"at most {high:.4f}" if low == 0 and high < 1 else f"{low:.4f} to {high:.4f}"


def show_by_split(word: str, columns: Sequence[Column], groups: Mapping[str, Mapping[str, Any]]) -> None:
    """Print the figures of every split with their intervals, a line a split; nothing of a single one.

    Args:
        word: What a reader calls a split: "condition".
        columns: Of the table. Those that no split reports are left out.
        groups: Of a report, split -> {"metrics": …, "intervals": …}.
    """
    reported = [
        column
        for column in columns
        if any(group["metrics"].get(column.name) is not None for group in groups.values())
    ]
    if len(groups) < 2 or not reported:
        return
    rows = [(name, *(cell_text(group, column.name) for column in reported)) for name, group in groups.items()]
    show(f"By {word}", (word, *(column.label for column in reported)), rows)


def cell_text(group: Mapping[str, Any], name: str) -> str:
    """A figure with its interval.

    Args:
        group: {"metrics": …, "intervals": …}.
        name: Of the figure.

    Returns:
        `0.9500 (0.9170 to 0.9630)`; a dash where it is not reported.
    """
    if (value := group["metrics"].get(name)) is None:
        return "–"
    between = interval_text((group.get("intervals") or {}).get(name))
    return f"{value_text(value)} ({between})" if between else value_text(value)
