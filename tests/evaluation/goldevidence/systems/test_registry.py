"""Deterministic systems: they answer rows of both kinds, without gold, and behave as their names say."""

from __future__ import annotations

from functools import cache
from typing import Any

import pytest

from evaluation import goldevidence
from evaluation.core.errors import UnknownNameError
from evaluation.goldevidence.conditions.conditions import Condition
from evaluation.goldevidence.conditions.rows import condition_row
from evaluation.goldevidence.data.ledger import parse_book
from evaluation.goldevidence.experiments.selection import rows_under
from evaluation.goldevidence.generator.config import GeneratorConfig
from evaluation.goldevidence.grading.choices import observe_row
from evaluation.goldevidence.grading.decomposition import Rates, decompose
from evaluation.goldevidence.presets import PRESETS
from evaluation.goldevidence.selectors import get_selector
from evaluation.goldevidence.suite import SUITE
from evaluation.goldevidence.systems.pipeline import Pipeline
from evaluation.goldevidence.systems.registry import SYSTEMS, get_system

ORDERS = [Condition.from_json({"order": order}) for order in ("gold_first", "gold_middle", "gold_last")]
CONFIG = GeneratorConfig(episodes=3, steps=120, state_mode="kv_commentary", note_rate=0.3)
RUNNABLE = [name for name in SYSTEMS if not name.startswith("dense")]


@cache
def condition_data() -> list[dict[str, Any]]:
    return list(rows_under(ORDERS, CONFIG, 1))


def rates(name: str, condition: str | None = None) -> Rates:
    system = get_system(name).build()
    rows = [row for row in condition_data() if condition in (None, row["meta"]["condition"])]
    return decompose(observe_row(row, system.predict(without_gold(row))) for row in rows)


def without_gold(row: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in row.items() if name != "gold"}


@pytest.mark.parametrize("name", RUNNABLE)
@pytest.mark.parametrize("mode", ["kv_commentary", "counter", "set", "relational"])
def test_every_system_answers_plain_rows_without_gold(name: str, mode: str) -> None:
    system = get_system(name).build()
    for row in goldevidence.generate({"episodes": 1, "steps": 60, "state_mode": mode}, seed=2):
        for protocol in ("closed_book", "open_book"):
            prediction = system.predict(without_gold(row), protocol=protocol)
            assert prediction.keys() - {"selected_uid", "shown_uids"} == {"id", "value", "support_ids"}
            assert set(prediction["support_ids"]) <= set(
                prediction.get("shown_uids", prediction["support_ids"])
            )
            assert prediction["id"] == row["id"]


@pytest.mark.parametrize("name", RUNNABLE)
def test_every_system_answers_condition_rows_from_the_lines_shown(name: str) -> None:
    system = get_system(name).build()
    for row in condition_data()[:40]:
        shown = {line["uid"] for line in row["candidates"]}
        assert set(system.predict(without_gold(row))["support_ids"]) <= shown


def test_a_system_reads_the_lines_that_it_chooses_among_and_no_more() -> None:
    (row,) = list(goldevidence.generate({"episodes": 1, "steps": 60, "queries": 1, "twins": False}, seed=2))[
        :1
    ]
    few, many = (Pipeline(get_selector("latest_step"), k=k).reads(row) for k in (1, 8))
    asked = len(row["question"].split())
    assert asked < few < many < len(row["book"].split()) / 4
    assert few - asked == len(parse_book(row["book"])[0].line().split())


def test_a_positional_system_chooses_the_gold_line_only_where_it_stands() -> None:
    assert rates("positional_last", "k4-gold_last")["selection_rate"] == 1.0
    assert rates("positional_last", "k4-gold_first")["selection_rate"] == 0.0
    assert rates("positional_first", "k4-gold_first")["selection_rate"] == 1.0


def test_prefer_update_latest_has_no_order_bias() -> None:
    assert {rates("prefer_update_latest", c.name)["selection_rate"] for c in ORDERS} == {1.0}


def test_a_note_citing_system_is_caught_by_its_citations() -> None:
    assert (rates("note_citing")["authority_false_accept_rate"] or 0) > 0.3
    assert rates("latest_step+gate")["authority_false_accept_rate"] == 0.0


@pytest.mark.parametrize("name", ["linear", "linear+gate", "ledger", "prefer_update_latest"])
def test_systems_that_know_authority_choose_every_gold_line_that_is_shown(name: str) -> None:
    assert rates(name)["selection_rate"] == 1.0
    assert rates(name)["accuracy_when_gold_present"] == 1.0


def test_behind_the_gate_unclear_authority_is_answered_by_abstaining() -> None:
    row = condition_data()[0]
    notes = [line | {"op": op} for line, op in zip(row["candidates"], ["NOTE", "?"] * 3, strict=False)]
    prediction = get_system("latest_step+gate").build().predict(row | {"candidates": notes})
    assert (prediction["value"], prediction["support_ids"]) == (None, [])


def test_a_row_that_hides_its_meta_is_answered_by_the_key_in_its_question() -> None:
    row = next(goldevidence.generate({"episodes": 1, "steps": 40, "derived_query_rate": 0}, seed=1))
    bare = {name: row[name] for name in ("id", "book", "question")}
    prediction = Pipeline(get_selector("prefer_update_latest")).predict(bare)
    assert prediction["value"] == row["gold"]["value"]


def test_selector_only_cites_and_says_nothing() -> None:
    row = condition_data()[0]
    prediction = Pipeline(get_selector("latest_step"), selector_only=True).predict(row)
    assert prediction["value"] is None
    assert len(prediction["support_ids"]) == 1


def test_retrievers_answer_from_lines_of_the_asked_key() -> None:
    rows = list(goldevidence.generate({"episodes": 2, "keys": 30, "derived_query_rate": 0}, seed=1))
    right = {}
    for name in ("bm25+latest_step", "bm25_earliest+latest_step"):
        system = get_system(name).build()
        right[name] = sum(system.predict(row)["value"] == row["gold"]["value"] for row in rows) / len(rows)
    assert right["bm25+latest_step"] == 1.0
    assert right["bm25_earliest+latest_step"] < 1.0


def test_no_candidate_at_all_is_answered_by_abstaining() -> None:
    row = next(goldevidence.generate({"episodes": 1, "steps": 40, "derived_query_rate": 0}, seed=1))
    dropped = condition_row(
        row, parse_book(row["book"]), Condition(name="c", k=1, wrong_type="none", drop_prob=1.0), 0
    )
    assert get_system("latest_step").build().predict(dropped)["support_ids"] == []


def test_an_unknown_system_is_named_with_its_nearest_match() -> None:
    with pytest.raises(UnknownNameError, match="Did you mean 'ledger'"):
        get_system("leger")


def test_systems_are_run_over_versions_that_they_say_something_of() -> None:
    over = {
        name: set(SUITE.version(PRESETS[name].as_json()).systems())
        for name in ("ladder", "order_bias", "prose")
    }
    candidates, ladders = (
        {"positional_first", "positional_last", "last_occurrence"},
        {"window_2k", "window_16k"},
    )
    assert over["order_bias"] & (candidates | ladders) == candidates
    assert over["ladder"] & (candidates | ladders) == ladders
    assert not over["prose"] & (candidates | ladders)
    assert "ledger" in set.intersection(*over.values())
