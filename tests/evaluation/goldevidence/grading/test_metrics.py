"""Figures equal sums counted by hand, intervals contain them, and conditions without rows are left out."""

from __future__ import annotations

import numpy as np
import pytest

from evaluation.core import measure, statistics
from evaluation.goldevidence import generate
from evaluation.goldevidence.data.buckets import EDGES, LABELS, bucket
from evaluation.goldevidence.systems.baselines import get_baseline
from tests.evaluation.goldevidence.cast import GOLD, OLD, graded, row, says

SETTINGS = {"episodes": 6, "steps": 60, "queries": 6, "keys": 6, "chapters": 2}


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    rows = list(generate(SETTINGS, seed=3))
    naive, ledger = get_baseline("naive"), get_baseline("ledger")
    answers = [(naive if number % 3 else ledger).predict(item) for number, item in enumerate(rows)]
    return graded(tmp_path_factory.mktemp("mixed"), rows, answers)


@pytest.mark.parametrize(
    ("name", "field"),
    [
        ("exact_acc", "correct"),
        ("value_acc", "value_ok"),
        ("cite_p", "cite_p"),
        ("cite_r", "cite_r"),
        ("cite_f1", "cite_f1"),
        ("support_bloat", "bloat"),
        ("entailment", "entailed"),
        ("authority_violation_rate", "authority_violation"),
    ],
)
def test_a_figure_is_the_mean_of_its_verdicts(report, name: str, field: str) -> None:
    values = [verdict[field] for verdict in report.rows]
    assert report.metrics[name] == pytest.approx(sum(values) / len(values), abs=1e-12)


def test_groups_partition_the_rows_and_their_figures(report) -> None:
    assert set(report.groups) == {
        "state_mode",
        "distractor_profile",
        "query_type",
        "notes",
        "condition",
        *EDGES,
    }
    for grouping in ("state_mode", "distractor_profile", "query_type", "condition"):
        figures = [group["metrics"] for group in report.groups[grouping].values()]
        assert sum(item["n"] for item in figures) == len(report.rows)
        exact = sum(item["exact_acc"] * item["n"] for item in figures)
        assert exact == pytest.approx(report.metrics["exact_acc"] * len(report.rows))


def test_intervals_hold_their_figures(report) -> None:
    groups = [group for groups in report.groups.values() for group in groups.values()]
    checked = 0
    for figures, intervals in [(report.metrics, report.intervals)] + [
        (g["metrics"], g["intervals"]) for g in groups
    ]:
        for name, interval in intervals.items():
            if interval is not None:
                assert interval[0] - 1e-12 <= figures[name] <= interval[1] + 1e-12, name
                checked += 1
    assert checked > 100


def test_an_interval_is_that_of_the_rate_over_units_and_modes(report) -> None:
    sums = list(report.units.values())
    assert len(sums) == SETTINGS["episodes"]
    (interval,) = statistics.rate_intervals(np.array([sums]), report.sums["exact_acc"].strata)
    assert report.intervals["exact_acc"] == pytest.approx((interval.low, interval.high))


def test_a_rate_of_0_or_1_has_a_bound(report) -> None:
    at_ends = [
        name for name, value in report.metrics.items() if value in (0.0, 1.0) and name in report.intervals
    ]
    assert len(at_ends) > 3
    for name in at_ends:
        low, high = report.intervals[name]
        assert high - low > 0.01, name


def test_a_single_episode_has_no_interval(tmp_path) -> None:
    report = graded(tmp_path, [row(), row("E0001-Q002")], [says("amber-0003", GOLD)])
    assert report.metrics["exact_acc"] == 0.5
    assert report.intervals["exact_acc"] is None


def test_many_units_share_bins_without_changing_any_figure(tmp_path, monkeypatch) -> None:
    rows = [row(f"E{number:04d}-Q001") for number in range(20)]
    answers = [says("amber-0003", GOLD, row_id=item["id"]) for item in rows[::2]]
    exact = graded(tmp_path, rows, answers)
    monkeypatch.setattr(measure, "MAX_BINS", 7)
    binned = graded(tmp_path, rows, answers)
    assert binned.metrics == exact.metrics
    assert binned.units == exact.units
    low, high = binned.intervals["exact_acc"]
    assert low < 0.5 < high


def test_twins_are_one_unit_and_paired_within_a_condition(tmp_path) -> None:
    rows = []
    for condition in ("k1", "k2"):
        for episode in ("E0001", "E0001T"):
            result = row(f"{episode}-Q001@{condition}", condition=condition, twin_group="E0001")
            rows.append(result | {"candidates": []})
    report = graded(tmp_path, rows, [says("amber-0003", GOLD, row_id=item["id"]) for item in rows])
    assert report.units == {"E0001": (0.0, 4)}
    assert report.metrics["twin_consistency"] == 1.0


def condition_rows():
    line = {"uid": GOLD, "step": 3, "op": "SET", "key": "tag.00", "value": "amber-0003"}
    old = {"uid": OLD, "step": 1, "op": "SET", "key": "tag.00", "value": "cobalt-0001"}
    rows = [row(), row("E0002-Q001")]
    for name in ("k2-gold_first", "k2-gold_last"):
        for episode in ("E0001", "E0002"):
            result = row(f"{episode}-Q001@{name}", condition=name)
            rows.append(result | {"candidates": [line, old] if "first" in name else [old, line]})
    return rows


def test_conditions_without_a_prediction_are_not_reported(tmp_path) -> None:
    rows = condition_rows()
    answers = [says("amber-0003", GOLD, row_id="E0001-Q001@k2-gold_last")]
    report = graded(tmp_path, rows, answers)
    assert report.metrics["exact_acc"] is None
    assert (
        report.metrics["selection_rate"] == 0.5
    )  # a row that a covered condition leaves out counts as missing
    assert report.groups["condition"]["k2-gold_first"]["metrics"] == {}
    assert report.groups["condition"]["k2-gold_last"]["metrics"]["exact_acc"] == 0.5
    assert report.metrics["n"] == 2


def test_the_headline_looks_at_closed_book_rows_only(tmp_path) -> None:
    rows = condition_rows()
    answers = [says("cobalt-0001", OLD, row_id=item["id"]) for item in rows[2:]]
    report = graded(
        tmp_path, rows, answers + [says("amber-0003", GOLD, row_id=item["id"]) for item in rows[:2]]
    )
    assert report.metrics["exact_acc"] == report.metrics["value_acc"] == 1.0
    assert report.metrics["condition_value_acc"] == report.metrics["selection_rate"] == 0.0
    without_book = graded(tmp_path, rows[2:], answers)
    assert without_book.metrics["exact_acc"] == 0.0


def test_no_prediction_at_all_is_wrong_rather_than_not_reported(tmp_path) -> None:
    report = graded(tmp_path, condition_rows(), [])
    assert report.metrics["exact_acc"] == 0.0
    assert report.metrics["answered_rate"] == 0.0


def test_buckets_begin_at_their_edges() -> None:
    assert [bucket("tokens_since_update", value) for value in (0, 199, 200, 1600)] == [
        "0-199",
        "0-199",
        "200-399",
        "1600+",
    ]
    assert [bucket("writes_to_key", value) for value in (0, 1, 2, 9)] == ["0", "1", "2-3", "8+"]
    assert bucket("writes_to_key", None) == ""
    assert all(len(LABELS[name]) == len(EDGES[name]) + 1 for name in EDGES)


INSTRUCTED = SETTINGS | {"episodes": 20, "distractor_profile": "instruction_suite", "revision": 2}


def instruction_report(folder, answer):
    """The report of a system that answers with `answer(row, right answer)`."""
    rows = list(generate(INSTRUCTED, seed=5))
    ledger = get_baseline("ledger")
    return graded(folder, rows, [answer(item, ledger.predict(item)) for item in rows])


def test_the_instruction_effect_is_the_share_of_orders_obeyed(tmp_path) -> None:
    def obey(item, right):
        number = int(item["meta"]["twin_group"][1:]) if "twin_group" in item["meta"] else 1
        return right | {"value": "obeyed"} if item["meta"]["has_instruction"] and number % 2 == 0 else right

    report = instruction_report(tmp_path, obey)
    metrics = report.metrics
    assert metrics["instr_without_acc"] == 1.0
    assert metrics["instr_effect"] == pytest.approx(1 - metrics["instr_with_acc"])
    assert 0.2 < metrics["instr_effect"] < 0.8
    low, high = report.intervals["instr_effect"]
    assert low < metrics["instr_effect"] < high
    sides = [report.sums[name].sums[..., 1].sum(axis=1) for name in ("instr_with_acc", "instr_without_acc")]
    assert (sides[0] == sides[1]).all(), "each pair is in one unit"
    assert sides[0].sum() == sum(item["id"].count("C-Q") for item in generate(INSTRUCTED, seed=5))


def test_a_system_that_cannot_read_even_tags_has_a_gap_and_no_instruction_effect(tmp_path) -> None:
    """Odd tags get no instructions: the gap compares different questions, the effect the same ones."""
    report = instruction_report(
        tmp_path,
        lambda item, right: right if item["meta"]["key"][-1] in "13579" else right | {"value": "unread"},
    )
    assert report.metrics["instr_gap"] > 0.5
    assert report.metrics["instr_effect"] == 0.0


def test_the_interval_of_the_effect_is_paired(tmp_path) -> None:
    """Half of the questions are missed with and without: rows vary, pairs do not."""

    def miss(item, right):
        unit = item["meta"].get("twin_group") or item["meta"]["instruction_group"]
        return right if (int(unit[1:]) + item["meta"]["q_index"]) % 2 else right | {"value": "missed"}

    report = instruction_report(tmp_path, miss)
    assert report.metrics["instr_effect"] == 0.0
    width = {
        name: high - low
        for name in ("instr_effect", "instr_with_acc")
        for low, high in [report.intervals[name]]
    }
    assert width["instr_effect"] < width["instr_with_acc"] / 2


def test_versions_of_the_first_revision_have_no_instruction_effect(tmp_path, report) -> None:
    assert report.metrics["instr_effect"] is None
    assert report.intervals["instr_effect"] is None
