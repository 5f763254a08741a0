"""Tables in colour on a terminal, as plain aligned columns in a file or pipe."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping, Sequence
from itertools import zip_longest
from typing import TYPE_CHECKING

from evaluation.core.records import Figures

if TYPE_CHECKING:
    from evaluation.core.suite import Column  # takes longer than a sweep of deterministic systems


def show(title: str, headings: Sequence[str], rows: Iterable[Iterable[str]]) -> None:
    """Print a table, in colour on a terminal. Every row has one cell for each heading."""
    lines = [tuple(row) for row in rows]
    if sys.stdout.isatty():
        _show_in_colour(title, headings, lines)
        return
    widths = [max(map(len, column)) for column in zip_longest(headings, *lines, fillvalue="")]
    print(f"\n{title}")
    for cells in (headings, ["-" * width for width in widths], *lines):
        print("  ".join(cell.ljust(width) for cell, width in zip(cells, widths, strict=False)).rstrip())


def _show_in_colour(title: str, headings: Sequence[str], lines: Iterable[tuple[str, ...]]) -> None:
    from rich.console import Console  # slow to import, and useless for a file
    from rich.table import Column, Table
    from rich.text import Text

    # As texts, since a plain string would be read as markup: a system may be called "[/b]".
    columns = [Column(header=Text(heading)) for heading in headings]
    table = Table(*columns, title=Text(title), title_justify="left")
    for line in lines:
        table.add_row(*map(Text, line))
    Console().print(table)


def rate_text(value: float | None) -> str:
    """Format a rate with four decimals. None becomes `n/a`."""
    return "n/a" if value is None else f"{value:.4f}"


def show_costs(costs: Mapping[str, float], curve: Sequence[Mapping[str, float | None]]) -> None:
    """Print the costs of a run (`efficiency.figures`), and its `efficiency.curve` if it has several points."""
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


def value_text(value: float) -> str:
    """Format an integer without decimals, any other number with four decimals."""
    return str(value) if isinstance(value, int) else f"{value:.4f}"


def interval_text(ends: Sequence[float] | None) -> str:
    """Format an interval: `0.9170 to 0.9630`, or one-sided as `at least 0.9560`. None becomes an empty text."""
    if ends is None or ends[0] == ends[1]:
        return ""
    low, high = ends
    if high == 1 and low > 0:
        return f"at least {low:.4f}"
    return f"at most {high:.4f}" if low == 0 and high < 1 else f"{low:.4f} to {high:.4f}"


def show_by_split(word: str, columns: Sequence[Column], groups: Mapping[str, Figures]) -> None:
    """Print a table with one row per split, if there are several. `word` is the noun for a split: "condition"."""
    reported = [
        column
        for column in columns
        if any(group["metrics"].get(column.name) is not None for group in groups.values())
    ]
    # a single split repeats the table of all rows
    if len(groups) < 2 or not reported:
        return
    rows = [(name, *(cell_text(group, column.name) for column in reported)) for name, group in groups.items()]
    show(f"By {word}", (word, *(column.label for column in reported)), rows)


def cell_text(group: Figures, name: str) -> str:
    """Format a metric as `0.9500 (0.9170 to 0.9630)`, or as a dash if the metric is not reported."""
    if (value := group["metrics"].get(name)) is None:
        return "–"
    between = interval_text((group.get("intervals") or {}).get(name))
    return f"{value_text(value)} ({between})" if between else value_text(value)
