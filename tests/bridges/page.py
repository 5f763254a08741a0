"""Update one library's rows in a table of a page. Nothing of the engine is imported: environments differ."""

from __future__ import annotations

from collections.abc import Sequence

BEGIN, END = "<!-- begin: make bridges -->\n", "<!-- end: make bridges -->"


def recorded(page: str, name: str, rows: Sequence[str], names: Sequence[str]) -> str:
    """The page with a library's rows replaced in its table; `names` gives the order of the libraries."""
    before, _, rest = page.partition(BEGIN)
    table, _, after = rest.partition(END)
    lines = table.splitlines(keepends=True)
    kept = [row for row in lines[2:] if not row.startswith(f"| {name} ")] + list(rows)
    kept.sort(key=lambda row: names.index(row.split()[1]))
    return before + BEGIN + "".join(lines[:2] + kept) + END + after
