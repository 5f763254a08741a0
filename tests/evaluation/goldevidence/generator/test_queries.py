"""Questions and their gold."""

from __future__ import annotations

from collections import Counter

import pytest

from evaluation.goldevidence import GeneratorConfig, generate
from evaluation.goldevidence.data.ledger import Entry
from evaluation.goldevidence.generator.modes import MODES
from evaluation.goldevidence.generator.queries import Query, answer, gold, read, text


def entry(uid, key, value, op="SET"):
    return Entry(uid, int(uid[1:], 16), op, key, value)


STATE = {
    "tag.00": entry("U000001", "tag.00", "nova-001"),
    "tag.01": entry("U000002", "tag.01", None, "CLEAR"),
    "tag.02": entry("U000003", "tag.02", "nova-001"),
}


def test_a_cleared_key_has_no_answer_and_its_clear_line_as_support():
    for op in (None, "color", "parity", "count"):
        result = gold(Query("tag.01", op), STATE)
        assert result == {"value": None, "support_id": "U000002", "support_ids": ["U000002"]}


def test_a_key_never_written_has_neither_answer_nor_support():
    assert gold(Query("tag.09"), STATE) == {"value": None, "support_id": None, "support_ids": []}


def test_reports_are_every_key_of_the_manager_each_with_its_line():
    result = gold(Query("tag.00", "reports", "nova-001"), STATE)
    assert result == {"value": "tag.00,tag.02", "support_id": None, "support_ids": ["U000001", "U000003"]}


def test_parity_of_a_word_is_no_answer():
    assert answer(Query("tag.00", "parity"), "teal-0001") is None


def test_a_question_names_its_key_or_manager_and_gives_nothing_away():
    for row in generate({"state_mode": "relational", "episodes": 2, "queries": 14}):
        asked = row["meta"]["derived_manager"] or row["meta"]["key"]
        assert asked in row["question"]
        assert not any(uid in row["question"] for uid in row["gold"]["support_ids"])
        if not row["meta"]["derived_op"]:
            assert str(row["gold"]["value"]) not in row["question"]


def test_a_question_says_what_to_cite_only_where_citations_are_required():
    assert "at most 2" in text(Query("tag.00"), GeneratorConfig(max_support_k=2))
    assert "support" not in text(Query("tag.00"), GeneratorConfig(require_citations=False))


def test_no_key_is_asked_again_before_each_has_been_asked():
    rows = generate({"episodes": 3, "keys": 5, "queries": 12, "twins": False})
    asked = Counter((row["episode_id"], row["meta"]["key"]) for row in rows)
    assert set(asked.values()) == {2, 3}


def test_derived_questions_come_at_their_rate():
    rows = list(generate({"episodes": 50, "twins": False, "derived_query_rate": 0.35}))
    assert 0.30 < sum(row["meta"]["query_type"] == "derived" for row in rows) / len(rows) < 0.40


def test_no_manager_is_asked_about_twice_and_none_has_too_many_reports():
    rows = list(
        generate({"state_mode": "relational", "episodes": 10, "twins": False, "derived_query_rate": 1.0})
    )
    managers = [
        (row["episode_id"], row["meta"]["derived_manager"]) for row in rows if row["meta"]["derived_manager"]
    ]
    assert managers
    assert len(set(managers)) == len(managers)
    assert max(len(row["gold"]["support_ids"]) for row in rows) == 3


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("cite", [True, False])
def test_what_is_asked_can_be_read_from_the_question_alone(mode: str, cite: bool) -> None:
    config = GeneratorConfig(state_mode=mode, require_citations=cite, max_support_k=7)
    derived = MODES[mode].derived_op
    manager = "rigel-137" if derived == "reports" else None
    for query in (Query("tag.07"), Query("tag.123", derived, manager)):
        asked = read(text(query, config))
        assert asked is not None
        assert asked.key == (None if query.manager else query.key)
        assert asked[1:5] == (query.derived_op, query.manager, 7 if cite else None, None)


def test_a_question_in_another_form_is_not_read() -> None:
    for question in (
        "",
        "What is it?",
        "What is the current value of tag.0?",
        "x\nWhat is the current value of tag.01?",
    ):
        assert read(question) is None
