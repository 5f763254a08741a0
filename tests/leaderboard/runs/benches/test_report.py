"""A report on the site: sections, the look of cells, and charts with harmless texts."""

from __future__ import annotations

from evaluation.core.pages.charts import Chart, Point, Series
from evaluation.core.pages.document import Document, Heading, Picture, Table, Text
from leaderboard.runs.benches import report


def test_what_stands_before_the_first_heading_has_no_title() -> None:
    document = Document("x", [Text("Not finished."), Heading("Order bias"), Text("The same lines.")])
    first, second = report.sections(document)
    assert (first.title, first.parts[0].text) == ("", "Not finished.")
    assert (second.title, second.anchor) == ("Order bias", "report-order-bias")


def test_numbers_verdicts_and_prose_look_like_what_they_are() -> None:
    table = Table(("bar", "measured", "result", "what it says"), [["k", "0.5", "fail", "a" * 40]])
    (section,) = report.sections(Document("x", [Heading("Bars"), table]))
    assert [cell.look for cell in section.parts[0].rows[0]] == ["", "n", "fail", "prose"]
    assert [cell.look for cell in section.parts[0].headings] == ["", "n", "", ""]


def test_a_chart_is_drawn_without_style_and_its_texts_are_no_markup() -> None:
    name = "<script>alert(1)</script>\" onload='x"
    chart = Chart(name, name, [Series(name, [Point(name, 0.5, 0.4, 0.6)])], bars=[(name, 0.9)])
    (section,) = report.sections(Document("x", [Heading("K"), Picture("k", chart, name)]))
    svg = section.parts[0].svg
    assert svg is not None
    assert "<script" not in svg
    assert "<style" not in svg
    assert 'style="' not in svg
    assert "onload='x\"" not in svg
    assert section.parts[0].caption == name  # the template escapes it
