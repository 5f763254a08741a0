"""Systems without a model: ledger, log_to_book, streaming (parse), book_builder (heuristic), retrieval."""

from __future__ import annotations

from typing import Any

import pytest

from evaluation.adapters import load_adapter
from evaluation.adapters.runner import RowResult, run
from evaluation.core import jsonl
from evaluation.core.errors import AdapterError, SettingsError
from evaluation.goldevidence import generate
from evaluation.goldevidence.adapters import rules
from evaluation.goldevidence.adapters.episode_rows import KIND
from evaluation.goldevidence.adapters.shown import shown
from evaluation.goldevidence.generator.families.asking import ask
from tests.evaluation.conftest import ENTRIES, condition_row, make_row
from tests.reference import reference_path

EXACT = ["ledger", "log_to_book", "streaming", "book_builder"]
DATA = ["kv_commentary-standard", "counter-adversarial", "set-standard", "relational-instruction"]


@pytest.mark.parametrize("protocol", ["closed_book", "open_book"])
@pytest.mark.parametrize("name", EXACT)
@pytest.mark.parametrize("data", DATA)
def test_the_rule_systems_answer_the_reference_rows(name: str, protocol: str, data: str) -> None:
    rows = list(jsonl.read(reference_path(f"gold/data/{data}.jsonl.gz")))
    golds = {row["id"]: row.pop("gold") for row in rows}
    predictions: list[dict[str, Any]] = []
    run(
        rows,
        load_adapter(name),
        protocol=protocol,
        kind=KIND,
        on_row=lambda result: predictions.append(result.prediction),
    )
    assert [p for p in predictions if p["value"] != golds[p["id"]]["value"]] == []


def test_a_log_is_streamed_once_wherever_the_rows_of_its_episode_stand(monkeypatch: Any) -> None:
    read: list[str] = []
    adapter: Any = load_adapter("streaming")
    parse = adapter._read
    monkeypatch.setattr(adapter, "_read", lambda piece, name: read.append(name) or parse(piece, name))
    rows = [make_row(1), make_row(1, episode="E0002"), make_row(2), make_row(2, episode="E0002")]
    for row in rows:  # the texts of two episodes
        row["document"] = row["document"].replace("E0001", row["episode_id"])
    run(rows, adapter, protocol="open_book", kind=KIND)
    assert read == ["E0001/piece0", "E0002/piece0"]


def answer_and_support(adapter: Any, row: dict[str, Any]) -> tuple[Any, Any]:
    output = adapter.predict(row, protocol="closed_book")
    return output["value"], output["support_ids"]


@pytest.mark.parametrize("name", [*EXACT, "retrieval"])
def test_a_note_never_answers(name: str) -> None:
    assert answer_and_support(load_adapter(name), make_row()) == ("ochre-0004", ["U000004"])


@pytest.mark.parametrize("name", [*EXACT, "retrieval"])
def test_a_cleared_key_is_null_and_cites_the_clear_line(name: str) -> None:
    assert answer_and_support(load_adapter(name), make_row(key="tag.01")) == (None, ["U000005"])


@pytest.mark.parametrize("name", [*EXACT, "retrieval"])
def test_a_condition_row_is_answered_from_its_candidates_alone(name: str) -> None:
    row = condition_row(candidates=ENTRIES[:1])
    assert answer_and_support(load_adapter(name), row) == ("amber-0001", ["U000001"])


def test_a_row_with_nothing_to_show_is_a_clear_error() -> None:
    row = make_row() | {"book": None}
    with pytest.raises(AdapterError, match="row E0001-Q001 has neither a book"):
        load_adapter("ledger").predict(row, protocol="closed_book")


def test_an_unknown_protocol_is_a_clear_error() -> None:
    with pytest.raises(AdapterError, match="unknown protocol 'half_open'"):
        load_adapter("ledger").predict(make_row(), protocol="half_open")


@pytest.mark.parametrize(
    ("settings", "support"),
    [
        ({"selector": "latest_step"}, ["U000006"]),
        ({"selector": "latest_step", "authority_filter": "yes"}, ["U000004"]),
        ({"selector": "last_occurrence", "order": "reverse"}, ["U000001"]),
        ({"selector": "none", "k": 1}, ["U000006"]),
        ({"selector": "prefer_set_latest", "drop_prob": 1}, []),
    ],
)
def test_every_setting_of_retrieval_has_an_effect(settings: dict[str, Any], support: list[str]) -> None:
    output = load_adapter("retrieval", settings).predict(make_row(), protocol="closed_book")
    assert output["support_ids"] == support


def test_selector_only_cites_without_answering() -> None:
    adapter = load_adapter("retrieval", {"selector_only": "on"})
    assert answer_and_support(adapter, make_row()) == (None, ["U000004"])


def test_retrieval_says_which_line_its_selector_chose() -> None:
    output = load_adapter("retrieval", {"selector": "latest_step"}).predict(
        make_row(), protocol="closed_book"
    )
    assert output["selected_uid"] == "U000006"


def test_retrieval_settings_that_do_not_exist_are_named() -> None:
    with pytest.raises(SettingsError) as error:
        load_adapter("retrieval", {"retriever": "psychic", "k": 0, "selector": "best"})
    assert sorted(error.value.fields) == ["k", "retriever", "selector"]


@pytest.mark.parametrize("most", [3, 6])
def test_as_many_lines_are_cited_as_the_row_allows(most: int) -> None:
    settings = {
        "episodes": 4,
        "steps": 60,
        "queries": 8,
        "chapters": 2,
        "state_mode": "relational",
        "max_support_k": 6,
    }
    rows = [row for row in generate(settings, seed=2) if len(row["gold"]["support_ids"]) > 3]
    assert rows
    for row in rows:
        row["meta"]["max_support_k"] = most
    cited: list[list[str]] = []

    def keep(result: RowResult) -> None:
        cited.append(result.prediction["support_ids"])

    run(rows, load_adapter("ledger"), protocol="closed_book", kind=KIND, on_row=keep)
    assert cited == [row["gold"]["support_ids"][:most] for row in rows]


def test_where_the_latest_line_has_no_marker_nothing_is_cited() -> None:
    unmarked = ENTRIES[0]._replace(uid="U0000FF", op="?", step=99)
    assert answer_and_support(load_adapter("ledger"), condition_row(candidates=[unmarked, ENTRIES[0]])) == (
        None,
        [],
    )


def test_a_question_of_a_family_may_cite_as_many_lines_as_its_row_says_and_names_no_key() -> None:
    lines = (
        "- [U00000A] UPDATE step=1 BY clerk SET tag.03 = teal-0001",
        "- [U00000B] RETRACT step=2 of U0000FF",
    )
    row: Any = {
        "id": "r1",
        "question": f"{ask('count_holding', ('teal', None))}\nReply",
        "document": "\n".join(["# T", "", "## Episode Log", *lines, ""]),
        "meta": {"derived_op": "count_holding", "max_support_k": 8, "requires_citation": True},
    }
    assert rules.cited_at_most(row) == 8
    assert rules.asked(row).key == ""
    assert rules.answer(row, {}) == {"value": "1", "support_ids": ["U00000A"]}
    assert shown(row, "open_book").ids == ["U00000A", "U00000B"]  # any line with an id may be cited
