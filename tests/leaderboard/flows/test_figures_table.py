"""The table of all figures: each is under its own heading, on every board, in every section and order."""

# ruff: noqa: F811 (fixtures of the boards with lengths)
from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from html.parser import HTMLParser
from typing import Any
from urllib.parse import parse_qs, urlencode

import pytest

from leaderboard.benchmarks.models import Version
from leaderboard.boards import slices
from leaderboard.boards.placements import computing
from leaderboard.boards.views import board as view
from leaderboard.submissions.models import Submission, System
from leaderboard.web.formatting import number
from tests.leaderboard.boards.lengths.conftest import ladder, named, send  # noqa: F401 (fixtures)
from tests.leaderboard.boards.test_references import run_by_site
from tests.leaderboard.runs.gguf import SMALL_ORDER_BIAS


class Table(HTMLParser):
    """The headings and cells of the table of all figures, in their order."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.rows: list[list[tuple[dict[str, str | None], str]]] = []
        self._text: list[str] | None = None
        self._hidden = 0
        found = re.search(r'<table class="table figures-table".*?</table>', page, re.DOTALL)
        assert found, "there is no table of all figures"
        self.feed(found[0])

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        if tag == "tr":
            self.rows.append([])
        elif tag in ("td", "th"):
            self._text = []
            self.rows[-1].append((dict(attrs), ""))
        elif tag == "a" and self._text is not None:
            self.rows[-1][-1][0].update(attrs)
        elif tag in ("small", "button", "span"):
            self._hidden += 1

    def handle_endtag(self, tag: str) -> None:
        if tag in ("td", "th") and self._text is not None:
            of, _ = self.rows[-1][-1]
            self.rows[-1][-1] = (of, " ".join("".join(self._text).split()))
            self._text = None
        elif tag in ("small", "button", "span"):
            self._hidden -= 1

    def handle_data(self, data: str) -> None:
        if self._text is not None and not self._hidden:
            self._text.append(data)


def shown(value: Any, form: str) -> str:
    """A figure as a cell shows it; empty if the cell has a dash with an explanation."""
    return "" if value is None else number(value, form)


def check(client: Any, version: Version, query: dict[str, str]) -> int:
    """Assert that each figure of a page is the API's under the name of its heading; the number of figures."""
    page = client.get(f"{version.get_board_url()}?{urlencode(query | {'view': 'figures'})}").content.decode()
    if '<table class="table figures-table"' not in page:
        assert "No system matches" in page or "No rank yet" in page
        return 0
    above, headings, *body = Table(page).rows
    assert sum(int(of.get("colspan") or 1) for of, _ in above) == len(headings)
    asked = {name: text for name, text in query.items() if name != "section"}
    address = f"/api/v1/leaderboard/{version.benchmark.slug}/{version.slug}"
    answer = client.get(address, asked).json()
    columns = {column["name"]: column for column in answer["columns"]}
    records = {item["system"]: item for item in answer["items"]}
    for row in body:
        record = records[row[1][1]]
        assert len(row) == len(headings)
        for (heading, label), (cell, text) in zip(headings[3:], row[3:], strict=True):
            [sort] = parse_qs(str(heading["href"]).removeprefix("?"))["sort"]
            name = sort.removeprefix("-")
            assert cell["data-column"] == label == columns[name]["label"]
            assert text == shown(record[name], columns[name]["format"]), (query, label)
    return len(body) * len(headings)


def queries(version: Version) -> Iterator[dict[str, str]]:
    """Every part of the rows, every section of the figures, some orders, references beside and in place."""
    facets = slices.facets_of(version)
    parts = [{facet.name: part} for facet in facets for part, _ in facet.choices]
    sections = [{"section": name} for name in {column.section: 0 for column in view._columns(version, None)}]
    yield from ({}, *parts, *sections, *(part | sections[0] for part in parts[-1:]))
    for name in (version.columns[-1].name, "scaled", "effective_length", "rank"):
        yield {"sort": f"-{name}"}
    yield from ({"q": "a"}, {"kind": "llm"}, {"references": "on"}, {"references": "on", "sort": "-value"})


def with_systems(version: Version, user: Any, submit: Callable[..., Submission]) -> Version:
    """Two systems that differ, an oracle and a floor."""
    for name, executor in (("Ada's", "ledger"), ("Ben's", "prefer_set_latest")):
        submit(version, System.objects.create(owner=user, name=name), executor=executor)
    for name in ("ledger", "random_mention"):
        run_by_site(version, name)
    return version


def test_each_figure_of_a_board_with_lengths_stands_under_its_heading(
    client: Any,
    ladder: Version,
    named: Any,
    send: Any,
) -> None:
    send(ladder, named("Far"))
    send(ladder, named("Near"), holds=1024)
    send(ladder, named("Short"), answers=1024)
    send(ladder, named("Floor", reference="floor", kind="baseline"), holds=0)
    send(ladder, named("Oracle", reference="oracle", kind="baseline"))
    assert sum(check(client, ladder, query) for query in queries(ladder)) > 200


@pytest.mark.parametrize("preset", [{}, SMALL_ORDER_BIAS, SMALL_ORDER_BIAS | {"headline": "worst_order"}])
def test_each_figure_of_other_boards_stands_under_its_heading(
    client: Any, make_version: Any, user: Any, submit: Any, preset: Any
) -> None:
    version = with_systems(make_version(**preset), user, submit)
    computing.store(version)
    assert sum(check(client, version, query) for query in queries(version)) > 200


def test_each_figure_of_a_board_of_statebench_stands_under_its_heading(
    client: Any, make_version: Any, user: Any, submit: Any
) -> None:
    version = make_version("statebench", count=2)
    for name, executor in (("Ada's", "state_based"), ("Ben's", "transcript_replay")):
        submit(version, System.objects.create(owner=user, name=name), executor=executor)
    assert sum(check(client, version, query) for query in queries(version)) > 200
