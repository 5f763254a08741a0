"""Reports as JSON: what comes back says and draws the same."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from evaluation.core.pages.charts import Chart, Point, Series
from evaluation.core.pages.document import Document, Heading, Part, Picture, Table, Text
from evaluation.core.pages.stored import document_as_json, document_from_json

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


@given(texts, st.lists(parts, max_size=4))
def test_a_report_that_was_stored_is_the_same_page(title: str, listed: list[Part]) -> None:
    document = Document(title, listed)
    back = document_from_json(json.loads(json.dumps(document_as_json(document))))
    assert back.html() == document.html()
    assert back.markdown() == document.markdown()
