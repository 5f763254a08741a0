"""Tables on a terminal; wide enough not to fold where the output is a file."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from rich.console import Console
from rich.table import Table

FILE_WIDTH = 160


def show(title: str, headings: Sequence[str], rows: Iterable[Iterable[str]]) -> None:
    """Print a table."""
    table = Table(*headings, title=title, title_justify="left")
    for row in rows:
        table.add_row(*row)
    console = Console()
    if not console.is_terminal:
        console = Console(width=FILE_WIDTH)
    console.print(table)


def rate_text(value: float | None) -> str:
    """A rate with four digits, `n/a` where there is none."""
    return "n/a" if value is None else f"{value:.4f}"
