"""Condition rows: what is shown, what is hidden, and that only the seed decides."""

from __future__ import annotations

import hashlib
from typing import Any

import orjson
import pytest

from evaluation.core.errors import SettingsError
from evaluation.goldevidence.conditions.conditions import Condition
from evaluation.goldevidence.conditions.rows import condition_row, condition_rows, eligible, shown_entries
from evaluation.goldevidence.data.ledger import Entry, parse_book
from evaluation.goldevidence.generator.config import GeneratorConfig
from evaluation.goldevidence.generator.episodes import generate_units

LEDGER = [
    Entry("U000001", 1, "SET", "tag.00", "amber-0001"),
    Entry("U000002", 2, "SET", "tag.01", "jade-0002"),
    Entry("U000003", 3, "SET", "tag.00", "teal-0003"),
    Entry("U000005", 5, "CLEAR", "tag.01", None),
    Entry("U000006", 6, "SET", "tag.00", "sable-0006"),
    Entry("U000007", 7, "NOTE", "tag.00", "ochre-0007"),
]


def row(**meta: Any) -> dict[str, Any]:
    return {
        "id": "E0001-Q001",
        "episode_id": "E0001",
        "schema_version": "0.1",
        "document": "the log",
        "book": "the book",
        "question": "What is the value of tag.00?",
        "gold": {"value": "sable-0006", "support_id": "U000006", "support_ids": ["U000006"]},
        "meta": {"key": "tag.00", "query_type": "direct", "derived_op": None, "last_update_step": 6} | meta,
    }


def shown(seed: int = 0, **settings: Any) -> list[str]:
    conditioned = condition_row(row(), LEDGER, Condition.from_json(settings), seed)
    return [entry.uid for entry in shown_entries(conditioned)]


def test_a_condition_row_shows_candidates_instead_of_the_book() -> None:
    conditioned = condition_row(row(), LEDGER, Condition.from_json({"k": 2, "order": "gold_first"}), 0)
    assert conditioned["id"] == "E0001-Q001@k2-gold_first"
    assert conditioned["meta"]["condition"] == "k2-gold_first"
    assert not {"document", "book"} & conditioned.keys()
    assert conditioned["candidates"][0] == {
        "uid": "U000006",
        "step": 6,
        "op": "SET",
        "key": "tag.00",
        "value": "sable-0006",
    }


def test_whether_the_gold_line_is_shown_is_said_in_the_gold_alone() -> None:
    conditioned = condition_row(row(), LEDGER, Condition.from_json({"drop_prob": 1.0}), 0)
    assert conditioned["gold"]["present"] is False
    public = {name: value for name, value in conditioned.items() if name != "gold"}
    assert b"U000006" not in orjson.dumps(public)
    assert "last_update_step" not in public["meta"]


def test_the_gold_line_stands_where_the_order_says() -> None:
    assert shown(order="gold_first")[0] == "U000006"
    assert shown(order="gold_middle")[1] == "U000006"
    assert shown(order="gold_last")[-1] == "U000006"


def test_later_notes_may_crowd_the_gold_line_out() -> None:
    conditioned = condition_row(row(), LEDGER, Condition.from_json({"k": 1, "wrong_type": "none"}), 0)
    assert [line["op"] for line in conditioned["candidates"]] == ["NOTE"]
    assert conditioned["gold"]["present"] is False


def test_clear_lines_are_left_out_on_request() -> None:
    asked = row(key="tag.01")
    for include_clear, ops in ((True, {"SET", "CLEAR"}), (False, {"SET"})):
        condition = Condition(name="c", wrong_type="none", include_clear=include_clear)
        assert {line["op"] for line in condition_row(asked, LEDGER, condition, 0)["candidates"]} == ops


def test_a_gold_line_is_not_present_where_it_or_a_later_line_has_no_marker() -> None:
    condition = Condition(name="spoofed", spoof_rate=1.0, order="gold_first", wrong_type="none")
    rows = [condition_row(row(), LEDGER, condition, seed) for seed in range(30)]
    without_marker = [
        {line["uid"] for line in item["candidates"] if line["op"] == "?" and line["step"] >= 6}
        for item in rows
    ]
    assert {"U000006"} in without_marker
    assert any(uids and "U000006" not in uids for uids in without_marker), (
        "a later NOTE, or was it an UPDATE?"
    )
    assert [item["gold"]["present"] for item in rows] == [not uids for uids in without_marker]
    assert {kind for item in rows for kind in item["gold"]["spoofed"].values()} == {
        "marker_missing",
        "note_as_update",
        "update_as_note",
    }


def test_only_questions_with_one_gold_line_are_eligible() -> None:
    assert eligible(row())
    assert not eligible(row(derived_op="reports"))
    assert not eligible(row() | {"gold": {"value": None, "support_ids": []}})
    both = [row(), row(derived_op="reports")]
    conditions = [Condition.from_json({"k": k}) for k in (1, 2)]
    ids = [item["id"] for item in condition_rows(both, LEDGER, conditions, 0)]
    assert ids == ["E0001-Q001@k1-shuffle", "E0001-Q001@k2-shuffle"]


def test_the_same_seed_shows_the_same_lines_on_every_machine() -> None:
    conditions = [
        Condition.from_json({"k": 4, "drop_prob": 0.5, "spoof_rate": 0.5, "order": order})
        for order in ("shuffle", "gold_middle")
    ]
    rows = [row() | {"id": f"E{n:04d}-Q001"} for n in range(20)]
    made = b"\n".join(map(orjson.dumps, condition_rows(rows, LEDGER, conditions, 7)))
    assert hashlib.sha256(made).hexdigest()[:16] == "7a6d29718d6c5066"


def test_another_seed_shuffles_otherwise() -> None:
    assert len({tuple(shown(seed)) for seed in range(10)}) > 1


@pytest.mark.parametrize(
    ("settings", "name"),
    [
        ({}, "k4-shuffle"),
        ({"k": 8, "order": "gold_last", "wrong_type": "other_key"}, "k8-gold_last-other_key"),
        ({"retriever": "bm25", "drop_prob": 0.4}, "bm25-k4-shuffle-drop0.4"),
        (
            {"include_clear": False, "query_sandwich": True, "spoof_rate": 0.2},
            "k4-shuffle-spoof0.2-noclear-sandwich",
        ),
        ({"name": "mine", "k": 2}, "mine"),
    ],
)
def test_a_condition_is_named_after_what_it_is(settings: dict[str, Any], name: str) -> None:
    condition = Condition.from_json(settings)
    assert condition.name == name
    assert Condition.from_json(condition.as_json()) == condition


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("name", "a b"),
        ("name", "x@y"),
        ("name", "closed_book"),
        ("k", 0),
        ("k", True),
        ("order", "gold_lst"),
        ("wrong_type", "other"),
        ("drop_prob", 1.5),
        ("spoof_rate", "much"),
        ("include_clear", 1),
        ("retriever", "bm26"),
        ("shape", "round"),
    ],
)
def test_a_setting_that_does_not_validate_is_named(field: str, value: Any) -> None:
    with pytest.raises(SettingsError) as caught:
        Condition.from_json({field: value})
    assert list(caught.value.fields) == [field]


def _shown_by(**settings):
    """The candidates of many rows under a condition, by row."""
    config = GeneratorConfig(episodes=3, steps=80, queries=12, twins=False, derived_query_rate=0.0)
    condition = Condition.from_json({"k": 6, "order": "shuffle", "drop_prob": 0.5} | settings)
    rows = [row for unit in generate_units(config, 5) for row in unit.rows if eligible(row)]
    made = [condition_row(row, parse_book(row["book"]), condition, 5) for row in rows]
    return [[line["uid"] for line in row["candidates"]] for row in made]


def test_a_seed_of_the_order_shuffles_the_same_lines_anew():
    plain, other = _shown_by(), _shown_by(order_seed=3)
    assert plain != other
    assert [sorted(uids) for uids in plain] == [sorted(uids) for uids in other]
    assert other == _shown_by(order_seed=3) != _shown_by(order_seed=4)


def test_a_seed_of_the_drop_takes_the_gold_line_from_other_rows():
    plain, other = _shown_by(order="gold_first"), _shown_by(order="gold_first", drop_seed=3)
    assert [len(uids) for uids in plain] != [len(uids) for uids in other]
    assert other == _shown_by(order="gold_first", drop_seed=3)
    both = _shown_by(drop_seed=3, order_seed=3)
    assert [sorted(uids) for uids in both] == [sorted(uids) for uids in other]


def test_seeds_of_their_own_are_in_the_name_and_nowhere_where_they_are_not_set():
    assert Condition.from_json({"order_seed": 3, "drop_seed": 4}).name == "k4-shuffle-oseed3-dseed4"
    assert not {"order_seed", "drop_seed"} & Condition.from_json({"k": 2}).as_json().keys()
