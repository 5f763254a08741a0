"""The baselines, against the reference's prediction files and on rows of our own."""

from __future__ import annotations

import pytest

from evaluation import goldevidence
from evaluation.core import jsonl
from evaluation.core.errors import AdapterError, UnknownNameError
from evaluation.goldevidence.systems.baselines import BASELINES, TEXTS, Efficiency, get_baseline, run
from tests.reference import reference_path


def predict(row, name: str, protocol: str = "closed_book"):
    return get_baseline(name).predict(row, protocol=protocol)


def answers(name: str, protocol: str):
    """(row, our prediction, the reference's) over every dataset."""
    for data in sorted(reference_path("gold/data").glob("*.jsonl.gz")):
        rows = list(jsonl.read(data))
        folder = data.name.removesuffix(".jsonl.gz")
        theirs = jsonl.read(reference_path(f"gold/preds/{folder}/baseline_{name}_{protocol}.jsonl.gz"))
        ours = run(rows, name, protocol, Efficiency())
        yield from zip(rows, ours, theirs, strict=True)


@pytest.mark.parametrize("protocol", TEXTS)
@pytest.mark.parametrize("name", BASELINES)
def test_predictions_equal_the_references_but_that_cleared_parity_keeps_its_support(name, protocol):
    repaired = []
    for row, ours, theirs in answers(name, protocol):
        assert (ours["id"], ours["value"]) == (theirs["id"], theirs["value"])
        if ours["support_ids"] != theirs["support_ids"]:
            assert ours["support_ids"] == row["gold"]["support_ids"]
            repaired.append((row["meta"]["derived_op"], row["gold"]["value"]))
    assert repaired == ([("parity", None)] * 5 if name == "ledger" else [])


@pytest.mark.parametrize("protocol", TEXTS)
@pytest.mark.parametrize("mode", ["kv", "kv_commentary", "counter", "set", "relational"])
def test_the_ledger_baseline_is_right_without_gold(mode, protocol):
    for row in goldevidence.generate({"state_mode": mode, "episodes": 2, "steps": 60, "chapters": 4}, seed=3):
        gold = row.pop("gold")
        assert predict(row, "ledger", protocol) == {
            "id": row["id"],
            "value": gold["value"],
            "support_ids": gold["support_ids"],
        }


def candidate(uid, step, op, key, value):
    return {"uid": uid, "step": step, "op": op, "key": key, "value": value}


@pytest.fixture
def shown():
    return {
        "id": "E0001-Q001@k3",
        "meta": {"key": "tag.01", "derived_op": None},
        "candidates": [
            candidate("U000002", 2, "SET", "tag.01", "jade-0002"),
            candidate("U000001", 1, "SET", "tag.01", "jade-0001"),
            candidate("U000003", 3, "NOTE", "tag.01", "jade-0003"),
        ],
    }


def test_the_ledger_baseline_takes_the_latest_authoritative_candidate(shown):
    assert predict(shown, "ledger") == {"id": shown["id"], "value": "jade-0002", "support_ids": ["U000002"]}


def test_the_ledger_baseline_abstains_where_the_latest_line_has_no_marker(shown):
    shown["candidates"][2]["op"] = "?"
    assert predict(shown, "ledger") == {"id": shown["id"], "value": None, "support_ids": []}


def test_the_naive_baseline_takes_the_last_candidate_shown(shown):
    assert predict(shown, "naive") == {"id": shown["id"], "value": "jade-0003", "support_ids": ["U000003"]}


def test_without_a_candidate_of_the_key_there_is_no_answer(shown):
    shown["meta"]["key"] = "tag.09"
    assert predict(shown, "ledger") == {"id": shown["id"], "value": None, "support_ids": []}


def test_efficiency_counts_a_text_for_every_row_that_reads_it():
    rows = list(
        goldevidence.generate({"episodes": 1, "steps": 30, "chapters": 3, "queries": 4, "twins": False})
    )
    efficiency = Efficiency()
    assert len(list(run(rows, "ledger", "closed_book", efficiency))) == 4
    words = len(rows[0]["book"].split())
    assert (efficiency.tokens, efficiency.tokens_per_query, efficiency.passes) == (4 * words, words, 1)


def test_a_row_without_the_text_of_the_protocol_is_refused():
    with pytest.raises(AdapterError, match=r"row 'E1' has no document: open_book cannot be run on it\."):
        predict({"id": "E1", "meta": {"key": "tag.00"}, "book": ""}, "ledger", "open_book")


def test_a_row_without_a_key_is_refused():
    with pytest.raises(AdapterError, match=r"has no meta\.key"):
        predict({"id": "E1", "book": ""}, "naive")


def test_an_unknown_baseline_names_the_nearest():
    with pytest.raises(UnknownNameError, match="Did you mean 'ledger'"):
        get_baseline("leger")


@pytest.mark.parametrize("name", BASELINES)
def test_rows_that_cannot_be_answered_are_named(name, shown):
    whole = next(goldevidence.generate({"episodes": 1, "steps": 20, "chapters": 2}))
    assert predict(whole | {"candidates": None}, name) == predict(whole, name)
    with pytest.raises(AdapterError, match="no usable 'id'"):
        predict({"meta": {"key": "tag.00"}, "book": ""}, name)
    with pytest.raises(AdapterError, match="a candidate without"):
        predict(shown | {"candidates": [{"uid": "U000001"}]}, name)
