"""Tables on a terminal; plain aligned columns where the output is a file or a pipe."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from itertools import zip_longest


def show(title: str, headings: Sequence[str], rows: Iterable[Iterable[str]]) -> None:
    """Print a table, in colour on a terminal.

    Args:
        title: The line above it.
        headings: One for each column.
        rows: The cells, as many a row as there are headings.
    """
    lines = [tuple(row) for row in rows]
    if sys.stdout.isatty():
        _show_in_colour(title, headings, lines)
        return
    widths = [max(map(len, column)) for column in zip_longest(headings, *lines, fillvalue="")]
    print(f"\n{title}")
    for cells in (headings, ["-" * width for width in widths], *lines):
        print("  ".join(cell.ljust(width) for cell, width in zip(cells, widths, strict=False)).rstrip())


def _show_in_colour(title: str, headings: Sequence[str], lines: Iterable[tuple[str, ...]]) -> None:
    from rich.console import Console  # slow to import, and of no use to a file
    from rich.table import Column, Table
    from rich.text import Text

    # As texts, since a plain string would be read as markup: a system may be called "[/b]".
    columns = [Column(header=Text(heading)) for heading in headings]
    table = Table(*columns, title=Text(title), title_justify="left")
    for line in lines:
        table.add_row(*map(Text, line))
    Console().print(table)


def rate_text(value: float | None) -> str:
    """A rate with four digits, `n/a` where there is none."""
    return "n/a" if value is None else f"{value:.4f}"
