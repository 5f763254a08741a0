"""The addresses of pages and of the API, and their query parameters."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
#: `<uuid:pk>` or `(?P<key>…)`: what stands there, not what our code calls it.
PLACE = re.compile(r"<[^>]+>|\(\?P<\w+>(?:[^()]|\([^()]*\))*\)")
QUERY = re.compile(r"(?:GET|query)\.get(?:list)?\(\s*\"(\w+)\"")


def words() -> set[str]:
    """A line for each address, and for each query parameter that a page reads."""
    from django.urls import get_resolver

    pages = {f"/{PLACE.sub('<>', address)}" for address in _walk(get_resolver())}
    return pages | {f"?{name}" for name in _queries()}


def _walk(resolver: Any, before: str = "") -> Iterator[str]:
    """Every address but the admin's catch-all, which answers 404."""
    for one in resolver.url_patterns:
        address = before + str(one.pattern).removeprefix("^").removesuffix("$")
        if hasattr(one, "url_patterns"):
            yield from _walk(one, address)
        elif not address.endswith("(?P<url>.*)"):
            yield address


def _queries() -> Iterator[str]:
    from evaluation.core.suite import usable
    from leaderboard.boards.filters import BoardFilter, HistoryFilter

    for path in (ROOT / "leaderboard").rglob("*.py"):
        yield from QUERY.findall(path.read_text())
    for filters in (BoardFilter, HistoryFilter):
        yield from filters.base_filters
    yield from (suite.display.page.grouping for suite in usable().values() if suite.display.page)
