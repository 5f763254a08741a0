"""GoldEvidenceBench as the site uses it, through the suite protocol."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from evaluation.core import jsonl
from evaluation.core.errors import RowError
from evaluation.core.suite import get_suite
from evaluation.goldevidence import grade_files
from evaluation.goldevidence.conditions.rows import eligible
from evaluation.goldevidence.data.case import CLOSED_BOOK
from evaluation.goldevidence.public import META
from evaluation.goldevidence.suite import SUITE
from evaluation.goldevidence.systems.registry import get_system

ORDERS = ("gold_first", "gold_middle", "gold_last", "shuffle")


@pytest.fixture(scope="module")
def settings():
    generator = {
        "episodes": 3,
        "steps": 60,
        "queries": 6,
        "keys": 6,
        "chapters": 2,
        "state_mode": "kv_commentary",
    }
    return SUITE.settings.checked(
        {"generator": generator, "conditions": [{"k": 4, "order": order} for order in ORDERS]}
    )


@pytest.fixture(scope="module")
def items(settings):
    return list(SUITE.version(settings).generate())


@pytest.fixture(scope="module")
def records(items):
    """The grading records as the site reads them."""
    return [json.loads(jsonl.dumps(item.gold)) for item in items]


@pytest.fixture(scope="module")
def public_rows(items):
    return [SUITE.public_row(row) for item in items for row in item.rows]


def predictions(name: str, rows):
    system = get_system(name).build()
    return [system.predict(row) for row in rows]


def test_the_registry_gives_this_suite() -> None:
    assert get_suite("goldevidence") is SUITE


def test_every_preset_is_valid_and_counts_its_units() -> None:
    for name, (settings, about) in SUITE.presets().items():
        version = SUITE.version(settings)
        assert version.settings.as_json() == settings, name
        assert version.count() > 0
        assert version.settings.describe()
        assert about


def test_a_version_holds_every_question_in_every_condition(settings, items, records, public_rows) -> None:
    assert len(items) == SUITE.version(settings).count()
    expected = SUITE.expected(records)
    assert set(expected.splits.values()) == {CLOSED_BOOK, *(f"k4-{order}" for order in ORDERS)}
    assert len(expected.splits) == len(public_rows)


def test_public_rows_name_what_they_show_and_not_their_condition(records, public_rows) -> None:
    known, message = SUITE.expected(records).splits, SUITE.expected(public_rows).splits
    assert message == {row_id: SUITE.form_of(condition) for row_id, condition in known.items()}
    assert set(message.values()) == {CLOSED_BOOK, "candidates"}


def test_rows_of_a_published_data_set_keep_the_condition_that_they_name(items) -> None:
    public = [SUITE.public_row(row, labels=True) for item in items for row in item.rows]
    known = SUITE.expected([item.gold for item in items])
    assert SUITE.expected(public) == replace(
        known, citations=3
    )  # rows say it, records leave it to the settings


def test_a_question_about_a_manager_does_not_name_a_tag_of_the_answer() -> None:
    settings = SUITE.settings.checked({"generator": {"state_mode": "relational", "derived_query_rate": 1.0}})
    rows = [row for item in SUITE.version(settings).generate() for row in item.rows]
    reports = [row for row in rows if row["meta"]["derived_op"] == "reports"]
    assert reports
    assert all(
        row["meta"]["key"] in row["gold"]["value"] for row in reports if row["meta"]["twin_variant"] == "base"
    )
    assert not any("key" in SUITE.public_row(row)["meta"] for row in reports)
    for name in ("ledger", "naive", "bm25+latest_step"):
        system = get_system(name).build()
        assert [system.predict(SUITE.public_row(row))["id"] for row in reports] == [
            row["id"] for row in reports
        ]


def test_public_rows_hold_nothing_that_helps_to_find_the_answer(items, public_rows) -> None:
    for row in public_rows:
        assert "gold" not in row
        assert set(row["meta"]) <= set(META)
    hidden = {name for item in items for row in item.rows for name in row["meta"]} - set(META)
    assert {"instruction_value", "twin_flip_uid", "last_update_step", "tokens_since_update", "seed"} <= hidden


@pytest.mark.parametrize("rubric", ["strict", "reference"])
@pytest.mark.parametrize("name", ["ledger", "naive", "note_citing"])
def test_frozen_records_grade_as_the_flat_file_does(name, rubric, settings, items, tmp_path) -> None:
    chosen = settings | {"rubric": rubric}
    rows = [row for item in items for row in item.rows]
    records = [item.gold for item in SUITE.version(chosen).items_from_rows(rows)]
    answers = predictions(name, rows)
    jsonl.write(tmp_path / "data.jsonl", rows)
    jsonl.write(tmp_path / "pred.jsonl", answers)
    flat = grade_files(tmp_path / "data.jsonl", tmp_path / "pred.jsonl", rubric=rubric)
    frozen = SUITE.version(chosen).grade(json.loads(jsonl.dumps(records)), answers)
    assert frozen.rows == list(flat.rows)
    assert {name: frozen.metrics[name] for name in flat.metrics} == flat.metrics
    assert {name: frozen.intervals[name] for name in flat.intervals} == flat.intervals
    assert (frozen.groups, frozen.units) == (flat.groups, flat.units)


def test_the_ledger_baseline_is_exact_everywhere_and_fails_no_gate(settings, records, public_rows) -> None:
    report = SUITE.version(settings).grade(records, predictions("ledger", public_rows))
    assert report.metrics["exact_acc"] == report.metrics["selection_rate"] == 1.0
    gates = SUITE.version({}).gates(report.metrics, report.intervals)
    assert [gate.state for gate in gates] == ["undecided", "undecided"], "three episodes are too few to pass"
    assert [rate for _, rate in SUITE.display.decomposition(report.metrics)] == [1.0, 1.0, 1.0, 1.0]


def test_a_positional_system_shows_its_order_bias(settings, records, public_rows) -> None:
    candidates = [row for row in public_rows if "candidates" in row]
    report = SUITE.version(settings).grade(records, predictions("positional_last", candidates))
    spread = dict(SUITE.display.order_bias(report.groups, settings))
    assert spread["gold_last"] == 1.0
    assert spread["gold_first"] == 0.0
    assert report.metrics["order_spread"] == 1.0
    assert report.metrics["exact_acc"] is None  # closed_book is not covered


def test_a_system_that_cites_notes_fails_the_authority_gate(settings, records, public_rows) -> None:
    report = SUITE.version(settings).grade(records, predictions("note_citing", public_rows))
    authority, _ = SUITE.version({}).gates(report.metrics, report.intervals)
    assert (authority.name, authority.state) == ("Authority", "fail")


def test_authority_is_not_tested_by_a_version_without_notes(settings) -> None:
    plain = SUITE.settings.checked(settings | {"state_modes": ["kv"]})
    items = list(SUITE.version(plain).generate())
    rows = [SUITE.public_row(row) for item in items for row in item.rows]
    report = SUITE.version(plain).grade([item.gold for item in items], predictions("note_citing", rows))
    authority, _ = SUITE.version({}).gates(report.metrics, report.intervals)
    assert report.metrics["note_rows"] == 0
    assert authority.state == "none"
    assert "Not tested" in authority.help


def test_the_decomposition_only_falls_until_the_figure_it_explains(settings, records, public_rows) -> None:
    for name in ("ledger", "naive", "positional_last", "note_citing"):
        report = SUITE.version(settings).grade(records, predictions(name, public_rows))
        shown, chosen, read, overall = (rate for _, rate in SUITE.display.decomposition(report.metrics))
        assert 1 >= shown >= chosen >= read
        assert overall >= read
        rows = [row for row in report.rows if row["condition"] != CLOSED_BOOK]
        both = [row["picks_gold"] and row["value_ok"] for row in rows if row["gold_present"]]
        assert read == pytest.approx(sum(both) / len(rows))


def test_columns_of_a_section_follow_each_other() -> None:
    for suite in (SUITE, get_suite("statebench")):
        sections = [column.section for column in suite.version({}).columns]
        starts = [name for name, before in zip(sections, ["", *sections], strict=False) if name != before]
        assert all(starts)
        assert len(starts) == len(set(starts)), suite.name


def test_every_column_names_a_metric_and_one_is_the_headline(settings, records, public_rows) -> None:
    report = SUITE.version(settings).grade(records, predictions("latest_step", public_rows))
    columns = (*SUITE.version({}).columns, SUITE.version({}).tie_breaker)
    beside = {name for column in columns for name in (column.part_of, column.chance) if name}
    assert {column.name for column in columns} | beside == set(report.metrics)
    assert [column.name for column in SUITE.version({}).columns if column.headline] == ["exact_acc"]
    assert {column.better for column in SUITE.version({}).columns} == {"higher", "lower"}


def test_verdicts_say_what_every_suite_has_to_say(settings, records, public_rows) -> None:
    report = SUITE.version(settings).grade(records, predictions("naive", public_rows))
    assert [row["id"] for row in report.rows] == [row["id"] for row in public_rows]
    for row in report.rows:
        assert {"id", "unit", "correct", "failure", "reason"} <= set(row)
        assert (row["correct"] == 1) == (row["failure"] is None) == (row["reason"] is None)


def test_imported_rows_are_frozen_and_rows_torn_apart_are_refused(settings, items) -> None:
    rows = [row for item in items for row in item.rows if "candidates" not in row]
    imported = list(SUITE.version(settings).items_from_rows(rows))
    for item, original in zip(imported, items, strict=True):
        assert item.key == original.key
        book = [row for row in original.gold["rows"] if row[2] == CLOSED_BOOK]
        assert json.loads(jsonl.dumps(item.gold["rows"][: len(book)])) == json.loads(jsonl.dumps(book))
        asked = [row["id"] for row in item.rows[: len(book)] if eligible(row)]
        assert {row["id"] for row in item.rows[len(book) :]} == {
            f"{row_id}@k4-{order}" for order in ORDERS for row_id in asked
        }
    with pytest.raises(RowError, match="are not adjacent"):
        list(SUITE.version(settings).items_from_rows([*rows, rows[0] | {"id": "E0001-Q099"}]))


def test_a_reading_shows_the_question_and_what_is_shown(public_rows) -> None:
    (book,), (candidates,) = SUITE.row_previews(public_rows[0]), SUITE.row_previews(public_rows[-1])
    assert book.parts[0][0] == "Book"
    assert candidates.parts[0][0] == "Candidates"
    assert public_rows[-1]["candidates"][0]["uid"] in candidates.parts[0][1]
    assert json.loads(book.answer_form)["id"] == public_rows[0]["id"]


def test_orders_are_those_of_the_conditions_and_not_of_their_names(settings, public_rows) -> None:
    orders = {"gold_last-like": "gold_first", "b": "gold_last", "c": "gold_first", "d": "gold_last"}
    conditions = [
        {"name": name, "order": order, "k": k}
        for (name, order), k in zip(orders.items(), (4, 4, 2, 2), strict=True)
    ]
    chosen = SUITE.settings.checked(settings | {"conditions": conditions})
    items = list(SUITE.version(chosen).generate())
    rows = [SUITE.public_row(row) for item in items for row in item.rows if "candidates" in row]
    report = SUITE.version(chosen).grade([item.gold for item in items], predictions("positional_last", rows))
    spread = dict(SUITE.display.order_bias(report.groups, chosen))
    assert spread == {"gold_first": 0.0, "gold_last": 1.0}


def test_the_worst_order_is_the_worst_of_all_families(settings) -> None:
    families = [(4, "gold_first"), (4, "gold_last"), (8, "gold_first"), (8, "gold_last")]
    chosen = SUITE.settings.checked(
        settings | {"conditions": [{"k": k, "order": order} for k, order in families]}
    )
    items = list(SUITE.version(chosen).generate())
    rows = [row for item in items for row in item.rows if "candidates" in row]
    right = {"k4-gold_first": lambda number: number % 2, "k4-gold_last": lambda number: True}
    answers = [
        {
            "id": row["id"],
            "value": None,
            "support_ids": row["gold"]["support_ids"] if chosen_right else ["U000000"],
        }
        for number, row in enumerate(rows)
        for chosen_right in [right.get(row["meta"]["condition"], lambda number: False)(number)]
    ]
    metrics = SUITE.version(chosen).grade([item.gold for item in items], answers).metrics
    assert metrics["order_spread"] == pytest.approx(0.5, abs=0.1)
    assert metrics["worst_order_selection_rate"] == 0.0
