"""Values in a context: text as it is, everything else as JSON."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.statebench.data.printing import as_text
from evaluation.statebench.strategies import build_context
from tests.evaluation.statebench.writing import timeline, write

JSON = st.recursive(
    st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=6,
)


@given(JSON)
def test_what_is_no_text_reads_back_as_json(value: object) -> None:
    assert as_text(value) == value if isinstance(value, str) else json.loads(as_text(value)) == value


@pytest.mark.parametrize(
    ("value", "printed"),
    [
        (None, "none"),
        (True, "true"),
        (4, "4"),
        (["north", False], '["north", false]'),
        ({"café": None}, '{"café": null}'),
    ],
)
@pytest.mark.parametrize("layer", ["persistent_facts", "environment", "working_set"])
def test_every_layer_prints_values_alike(value: object, printed: str, layer: str) -> None:
    context = build_context(timeline(write("sail", value, layer=layer), query="What of the sail?"))
    assert printed in context.text
