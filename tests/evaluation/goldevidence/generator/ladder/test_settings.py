"""Settings of a ladder, and refused ones."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.core.errors import SettingsError
from evaluation.goldevidence.generator.ladder.rungs import rung_name, rung_tokens
from evaluation.goldevidence.presets import PRESETS, Settings
from tests.evaluation.goldevidence.generator.ladder.cast import settings


@pytest.mark.parametrize(
    ("tokens", "name"),
    [(2048, "2k"), (8192, "8k"), (131_072, "128k"), (524_288, "512k"), (1_048_576, "1m"), (1000, "1000")],
)
def test_a_rung_is_named_by_its_tokens(tokens: int, name: str) -> None:
    assert rung_name(tokens) == name
    assert rung_tokens(name) == tokens


@given(st.integers(1, 10_000_000))
def test_the_name_of_a_rung_says_how_long_it_is(tokens: int) -> None:
    assert rung_tokens(rung_name(tokens)) == tokens


@pytest.mark.parametrize(
    "name", ["", "open_book", "closed_book", "k4-shuffle", "0", "1024k", "8K", "1024", "08k"]
)
def test_other_names_are_no_rungs(name: str) -> None:
    assert rung_tokens(name) is None


def test_settings_from_before_ladders_stay_as_they_are() -> None:
    assert "ladder" not in PRESETS["standard"].as_json()
    assert "ladder" not in Settings().as_json()


REFUSED = [
    ({"ladder": {"lengths": [4096, 1024]}}, "ladder.lengths", "ascend"),
    ({"ladder": {"lengths": [1024, 1024]}}, "ladder.lengths", "ascend"),
    ({"ladder": {"lengths": []}}, "ladder.lengths", "at least one"),
    ({"ladder": {"lengths": [100]}}, "ladder.lengths", "between 512 and"),
    ({"ladder": {"depths": [0.99]}}, "ladder.depths", "between 0.05 and 0.95"),
    ({"ladder": {"depths": [0.5, 0.5]}}, "ladder.depths", "repeat"),
    ({"ladder": {"writes": [0]}}, "ladder.writes", "between 1 and 50"),
    ({"ladder": {"shares": [1.5]}}, "ladder.shares", "between 0 and 1"),
    ({"protocol": "closed"}, "protocol", "must be open"),
    ({"conditions": [{"k": 4}]}, "conditions", "must be empty"),
    ({"generator": {"revision": 1}}, "generator.revision", "must be 2"),
    ({"generator": {"queries": 6}}, "generator.queries", "must not exceed keys (5)"),
    ({"generator": {"tail_distractor_steps": 9}}, "generator.tail_distractor_steps", "must be 0"),
    ({"state_modes": ["relational"]}, "generator.derived_query_rate", "must be 0"),
    ({"generator": {"keys": 30}}, "ladder.lengths", "1k tokens hold 16 updates of the mode kv, and an"),
]  # fmt: skip


@pytest.mark.parametrize(("change", "field", "message"), REFUSED)
def test_settings_that_no_ladder_can_have_are_refused_by_field(
    change: dict[str, Any], field: str, message: str
) -> None:
    data = settings().as_json()
    for name, value in change.items():
        data[name] = data[name] | value if isinstance(value, dict) else value
    with pytest.raises(SettingsError) as refusal:
        Settings.from_json(data)
    assert message in " ".join(refusal.value.fields[field])
