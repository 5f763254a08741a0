"""Conditions read without pydantic: equal to `Condition`, or left to it."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from evaluation.core.errors import SettingsError
from evaluation.goldevidence.conditions.conditions import Condition
from evaluation.goldevidence.conditions.fields import plain
from evaluation.goldevidence.conditions.rows import condition_row, eligible
from evaluation.goldevidence.data.ledger import parse_book
from evaluation.goldevidence.generator.episodes import generate_unit
from evaluation.goldevidence.generator.published import config_of

SETTINGS = [name for name in Condition.model_fields if name != "name"]
VALUES = (
    st.integers(-1, 1001)
    | st.sampled_from([0.0, 0.3, 1.0, 1.5, -0.1, float("nan"), 2**31 - 1, 2**31])
    | st.booleans()
    | st.sampled_from(["gold_first", "shuffle", "same_key", "none", "bm25", "key", "earliest", "latest"])
    | st.sampled_from(["", "descending", "nowhere", None])
)


@given(st.dictionaries(st.sampled_from([*SETTINGS, "unheard_of", "name"]), VALUES, max_size=4))
def test_what_is_taken_without_pydantic_is_what_a_condition_holds(settings: dict[str, Any]) -> None:
    taken = plain(settings)
    try:
        condition = Condition.from_json(settings)
    except SettingsError:
        assert taken is None
        return
    if taken is None:  # exactly k lines, a name of its own, or a share that is a whole number
        assert {"exact", "other_keys", "notes", "name"} & set(settings) or any(
            value in (0, 1) for value in settings.values()
        )
        return
    assert taken.as_json() == condition.as_json()
    assert list(taken.as_json()) == list(condition.as_json())
    for name in Condition.model_fields:
        assert getattr(taken, name) == getattr(condition, name)
        assert type(getattr(taken, name)) is type(getattr(condition, name))


def test_settings_that_a_name_cannot_hold_are_left_to_the_condition() -> None:
    long = {"retriever": "tfidf", "order": "gold_middle", "wrong_type": "other_key", "drop_prob": 0.123456789}
    assert plain(long) is not None
    assert plain(long | {"include_clear": False, "ties": "earliest", "order_seed": 123456}) is None


def test_they_make_the_same_rows() -> None:
    settings = {
        "k": 3,
        "order": "shuffle",
        "drop_prob": 0.4,
        "spoof_rate": 0.3,
        "order_seed": 2,
        "drop_seed": 5,
    }
    taken, condition = plain(settings), Condition.from_json(settings)
    assert taken is not None
    rows = generate_unit(config_of({"steps": 60, "state_mode": "kv_commentary"}), 1, 0).rows
    for row in filter(eligible, rows):
        entries = parse_book(row["book"])
        assert condition_row(row, entries, taken, 1) == condition_row(row, entries, condition, 1)
