"""Documents: the same content as Markdown with charts in files, and as a self-contained page."""

from __future__ import annotations

import json
import re
from pathlib import Path
from xml.etree import ElementTree

from hypothesis import given
from hypothesis import strategies as st

from evaluation.core.pages.charts import HEIGHT, WIDTH, Chart, Point, Series
from evaluation.core.pages.document import (
    Document,
    Heading,
    Part,
    Picture,
    Table,
    Text,
    document_as_json,
    document_from_json,
)

CHART = Chart(
    "Value by k", "k", [Series("a <b>", [Point("1", 0.5, 0.2, 0.9), Point("2", None), Point("4", 1.0)])]
)
SVG = "{http://www.w3.org/2000/svg}"
names = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=30)
shares = st.none() | st.floats(0, 1)
texts = st.text(max_size=20)
rates = st.none() | st.floats(0, 1)
points = st.builds(Point, texts, rates, rates, rates)
charts = st.builds(
    Chart,
    texts,
    texts,
    st.lists(st.builds(Series, texts, st.lists(points, min_size=1, max_size=4)), min_size=1, max_size=3),
    st.booleans(),
    st.lists(st.tuples(texts, st.floats(0, 1)), max_size=2),
)
tables = st.integers(1, 3).flatmap(
    lambda width: st.builds(
        Table,
        st.lists(texts, min_size=width, max_size=width),
        st.lists(st.lists(texts, min_size=width, max_size=width), max_size=3),
    )
)
parts: st.SearchStrategy[Part] = st.one_of(
    st.builds(Heading, texts, st.integers(2, 3)),
    st.builds(Text, texts),
    tables,
    st.builds(Picture, texts, charts, texts),
)


def document() -> Document:
    made = Document("A & B")
    made.add(Heading("Part"), Text("One < two."), Table(("name", "rate"), [["a|b", "0.500"], ["c", "–"]]))
    made.add(Picture("value-k", CHART, "Over <all> rows."))
    return made


def test_a_document_is_written_as_markdown_page_and_charts(tmp_path: Path) -> None:
    page = document().write(tmp_path)
    assert page == tmp_path / "report.html"
    text = (tmp_path / "report.md").read_text()
    assert "| a\\|b | 0.500 |" in text
    assert "| --- | ---: |" in text
    assert "![Value by k](plots/value-k.svg)" in text
    ElementTree.parse(tmp_path / "plots" / "value-k.svg")


def test_a_page_holds_everything_and_runs_nothing(tmp_path: Path) -> None:
    html = document().html()
    assert "A &amp; B" in html
    assert "One &lt; two." in html
    assert "a &lt;b&gt;, 4: 1.000" in html
    assert "<script" not in html
    assert not re.findall(r'(?:src|href)="|url\(|@import', html)
    assert html.count("<style>") == 1


@given(
    st.lists(st.tuples(names, st.lists(st.tuples(names, shares), max_size=6)), min_size=1, max_size=8),
    st.booleans(),
)
def test_every_mark_stands_within_its_chart(series, connected) -> None:
    lines = [Series(name, [Point(x, y) for x, y in dict(points).items()]) for name, points in series]
    chart = Chart("t", "x", lines, connected, [("bar", 0.9)])
    root = ElementTree.fromstring(chart.svg())
    marks = [mark for kind in ("circle", "rect") for mark in root.iter(f"{SVG}{kind}")]
    for mark in marks:
        x, y = (float(mark.get(name) or mark.get(name[1:]) or "nan") for name in ("cx", "cy"))
        assert 0 <= x <= WIDTH
        assert 0 <= y <= float(root.get("height") or 0) >= HEIGHT
    drawn = sum(mark.find(f"{SVG}title") is not None for mark in root.iter())
    assert drawn == 1 + sum(point.y is not None for line in lines for point in line.points)


def test_a_table_without_rows_has_its_headings() -> None:
    made = Document("t", [Table(("a", "b"), [])])
    assert "| a | b |" in made.markdown()
    assert '<th scope="col">a</th>' in made.html()


@given(texts, st.lists(parts, max_size=4))
def test_a_report_that_was_stored_is_the_same_page(title: str, listed: list[Part]) -> None:
    document = Document(title, listed)
    back = document_from_json(json.loads(json.dumps(document_as_json(document))))
    assert back.html() == document.html()
    assert back.markdown() == document.markdown()
