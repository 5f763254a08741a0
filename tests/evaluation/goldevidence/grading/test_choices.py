"""The system's own retrieval: each rate on rows small enough to count by hand."""

from __future__ import annotations

from typing import Any

import pytest

from evaluation.core.errors import RowError
from evaluation.core.jsonl import write
from evaluation.core.metric import paired_difference
from evaluation.core.report import Report
from evaluation.goldevidence.data.rubrics import Options
from evaluation.goldevidence.data.shown import held_by
from evaluation.goldevidence.grading.decomposition import decomposition_line, own_rates
from evaluation.goldevidence.grading.grade import grade_files, grade_records
from evaluation.goldevidence.grading.metrics import METRICS, OWN
from evaluation.goldevidence.suite import SUITE

SETTINGS = SUITE.settings.checked(
    {
        "generator": {"episodes": 4, "steps": 60, "queries": 4, "twins": False, "derived_query_rate": 0.0},
        "conditions": [{"k": 2}],
    }
)
UNITS = list(SUITE.version(SETTINGS).generate())
ROWS = [row for item in UNITS for row in item.rows if row.get("candidates") is None]
CANDIDATES = [row for item in UNITS for row in item.rows if row.get("candidates") is not None]
OWN_NAMES = {metric.name for metric in OWN}


def gold_of(row: Any) -> str:
    (uid,) = row["gold"]["support_ids"]
    return str(uid)


def others(row: Any, count: int) -> list[str]:
    """Lines of a row that are not the gold line."""
    held = dict(held_by(SUITE.public_row(row)))[row["id"]].split()
    return [uid for uid in held if uid != gold_of(row)][:count]


def right(row: Any, **fields: Any) -> dict[str, Any]:
    return {"id": row["id"], "value": row["gold"]["value"], "support_ids": [gold_of(row)]} | fields


def graded(predictions: list[Any]) -> Report:
    return grade_records((item.gold for item in UNITS), predictions, Options())


def test_what_a_selector_picked_of_the_lines_shown_has_a_rate_of_its_own() -> None:
    first, second, third, *_ = ROWS
    lines = [
        right(row, shown_uids=[gold_of(row), *others(row, 1)], selected_uid=gold_of(row))
        for row in (first, second)
    ]
    lines[1] |= {"support_ids": others(second, 1)}
    lines.append(
        {
            "id": third["id"],
            "state": "cut_off",
            "shown_uids": [gold_of(third)],
            "selected_uid": gold_of(third),
        }
    )
    figures = graded(lines).metrics
    assert figures["own_gold_picked_rate"] == 1, "of an unanswered row, too"
    assert figures["own_selection_rate"] == 1 / 3
    assert own_rates(figures)["gold_picked_rate"] == 1


def test_the_steps_are_counted_over_the_rows_that_say_what_was_shown() -> None:
    first, second, third, fourth, *rest = ROWS
    wrong = {"value": "wrong", "support_ids": others(second, 1)}
    report = graded(
        [
            right(first, shown_uids=[*others(first, 1), gold_of(first)]),
            right(second, shown_uids=[gold_of(second), *others(second, 3)]) | wrong,
            right(third, shown_uids=others(third, 2)) | {"support_ids": others(third, 1)},
            right(fourth, shown_uids=[]) | {"value": None, "support_ids": []},
            *(right(row) for row in rest),
        ]
    )
    figures = report.metrics
    assert (figures["own_rows"], figures["n"]) == (4, len(ROWS))
    assert figures["own_gold_present_rate"] == 2 / 4
    assert figures["own_gold_mrr"] == (1 / 2 + 1) / 4
    assert figures["own_gold_rank_median"] == 1.5
    assert figures["own_selection_rate"] == 1 / 2
    assert figures["own_accuracy_when_gold_present"] == 1 / 2
    assert figures["own_answer_acc_given_gold_selected"] == 1
    assert figures["own_value_acc"] == 2 / 4, "the third is right without having seen the gold line"
    assert figures["own_selection_chance"] == (1 / 2 + 1 / 4) / 2
    assert figures["own_unshown_citation_rate"] == 0
    assert decomposition_line(own_rates(figures)) == "0.5000 -> 0.5000 -> 0.5000 -> 0.5000"
    assert SUITE.display.own_decomposition(figures) == [
        ("Evidence shown", 0.5),
        ("Evidence chosen", 0.25),
        ("Chosen and value right", 0.25),
        ("Value right", 0.5),
    ]


def test_where_no_prediction_says_it_nothing_is_reported() -> None:
    report = graded([right(row) for row in ROWS])
    counts = {"own_rows", "own_gold_rank_median"}
    assert not (OWN_NAMES | counts) & report.metrics.keys()
    assert not OWN_NAMES & (report.intervals.keys() | report.sums.keys() | report.row_figures.keys())
    assert SUITE.display.own_decomposition(report.metrics) == []


def test_all_other_figures_are_those_of_the_same_file_without_it() -> None:
    plain = [right(row) for row in [*ROWS, *CANDIDATES]]
    plain[0]["value"] = "wrong"
    told = [line | {"shown_uids": line["support_ids"]} for line in plain]
    without, having = graded(plain), graded(told)
    assert {
        name: value for name, value in having.metrics.items() if name in without.metrics
    } == without.metrics
    assert having.units == without.units
    assert having.cells == without.cells
    assert having.metrics.keys() - without.metrics.keys() == OWN_NAMES | {"own_rows", "own_gold_rank_median"}


def test_a_citation_that_was_not_shown_is_flagged_in_rows_of_every_kind() -> None:
    row, condition = ROWS[0], next(row for row in CANDIDATES if row["gold"]["present"])
    lines = [right(row, shown_uids=others(row, 2)), right(condition, shown_uids=[gold_of(condition)])]
    report = graded(lines)
    assert report.metrics["own_unshown_citation_rate"] == 1 / 2
    assert report.metrics["own_rows"] == 1, "candidate rows are decomposed by what is frozen"
    flags = {verdict["id"]: verdict.get("cites_unshown") for verdict in report.rows}
    assert (flags[row["id"]], flags[condition["id"]]) == (True, False)
    assert flags[ROWS[1]["id"]] is None


def test_a_row_that_was_not_answered_still_says_what_was_shown() -> None:
    row = ROWS[0]
    report = graded([{"id": row["id"], "state": "cut_off", "shown_uids": [gold_of(row)]}])
    assert (report.metrics["own_gold_present_rate"], report.metrics["own_selection_rate"]) == (1, 0)
    assert report.metrics["own_unshown_citation_rate"] is None


def test_the_rates_have_intervals_and_paired_tests() -> None:
    some, every = (
        graded(
            [right(row, shown_uids=others(row, 1) + [gold_of(row)] * keep(at)) for at, row in enumerate(ROWS)]
        )
        for keep in (lambda at: at % 3 != 0, lambda at: True)
    )
    low, high = some.intervals["own_gold_present_rate"] or (0, 0)
    assert 0 < low < some.metrics["own_gold_present_rate"] < high < 1
    metric = next(metric for metric in METRICS["strict"] if metric.name == "own_gold_present_rate")
    contrast = paired_difference(metric, every.sums[metric.name], some.sums[metric.name])
    assert contrast is not None
    assert contrast.value == pytest.approx(1 - some.metrics["own_gold_present_rate"])
    assert some.groups["condition"]["closed_book"]["metrics"]["own_gold_present_rate"] == pytest.approx(
        some.metrics["own_gold_present_rate"]
    )


def test_a_line_that_the_row_does_not_hold_is_refused_by_the_command_and_ignored_in_a_file_taken_in_before(
    tmp_path,
) -> None:
    row = ROWS[0]
    for unusable in (["UFFFFFF"], "U000001", [gold_of(row)] * 2):
        report = graded([right(row, shown_uids=unusable)])
        assert "own_gold_present_rate" not in report.metrics
        assert report.rows[0]["correct"] == 1
        write(tmp_path / "rows.jsonl", [row])
        write(tmp_path / "preds.jsonl", [right(row, shown_uids=unusable)])
        with pytest.raises(RowError, match="shown_uids"):
            grade_files(tmp_path / "rows.jsonl", tmp_path / "preds.jsonl")
