"""One definition gives a metric's value, interval, groups, row values, and the sums for paired tests."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from evaluation.core import metric, statistics
from evaluation.core.measure import Grouping, Rows, measure
from evaluation.core.metric import Metric, Reduction, every
from evaluation.core.suite import get_suite
from evaluation.goldevidence.grading import metrics as gold_metrics
from evaluation.goldevidence.systems.registry import get_system
from evaluation.statebench.generator.tracks import TRACKS
from evaluation.statebench.grading import metrics as state_metrics
from evaluation.statebench.grading.rubrics import DEFAULT_RUBRIC

NEW = Metric(
    "wrong_rate", "Wrong", "Rows whose headline is wrong.", every, lambda columns: 1 - columns["exact"]
)
ORDERS = ("gold_first", "gold_middle", "gold_last", "shuffle")
CONDITIONS = [
    *({"k": 4, "order": order, "exact": True} for order in ORDERS),
    {"k": 4, "order": "shuffle", "spoof_rate": 0.5, "drop_prob": 0.4, "exact": True},
]


def gold_report(system="positional_last"):
    suite = get_suite("goldevidence")
    generator = {"episodes": 4, "steps": 60, "queries": 6, "keys": 6, "chapters": 2}
    generator |= {"state_mode": "kv_commentary", "distractor_profile": "instruction_suite", "revision": 2}
    settings = suite.settings.checked({"generator": generator, "conditions": CONDITIONS})
    items, answering = list(suite.version(settings).generate()), get_system(system).build()
    rows = [suite.public_row(row) for item in items for row in item.rows]
    answers = list(map(answering.predict, rows))
    abstained = [answer | {"value": None, "support_ids": []} for answer in answers[::5]]
    answers[::5] = abstained
    return suite.version(settings).grade([item.gold for item in items], answers)


def state_report(system="transcript_replay"):
    suite = get_suite("statebench")
    settings = suite.settings.checked({"count": 3, "tracks": list(TRACKS), "seed": 5})
    items, answering = list(suite.version(settings).generate()), suite.systems()[system].build()
    rows = [suite.public_row(row) for item in items for row in item.rows]
    answers = [answer for row in rows for answer in answering.predict(row)]
    return suite.version(settings).grade([item.gold for item in items], answers)


def definitions(suite):
    settings = {"conditions": CONDITIONS} if suite == "goldevidence" else {}
    return get_suite(suite).version(settings).metrics.values()


@pytest.fixture(scope="module")
def reports():
    return {
        "goldevidence": [gold_report(), gold_report("latest_step+gate")],
        "statebench": [state_report(), state_report("state_based")],
    }


@pytest.mark.parametrize("suite", ["goldevidence", "statebench"])
def test_every_rate_of_a_board_has_an_interval_and_a_paired_test(reports, suite):
    first, second = reports[suite]
    known = {each.name: each for each in definitions(suite)}
    columns = (
        *get_suite(suite).version({}).columns,
        get_suite(suite).version({}).tie_breaker,
    )
    counts = ("n", "note_rows", "own_rows", "own_gold_rank_median")  # and a place, which is no rate either
    rates = [column.name for column in columns if column.name not in counts]
    assert set(rates) <= set(known)
    for name in rates:
        reported = [report for report in (first, second) if report.metrics[name] is not None]
        for report in reported:
            units = np.count_nonzero(report.sums[name].sums[..., 1].any(axis=1))
            assert (report.intervals[name] is not None) == (units > 1), name  # one template has no interval
            low, high = report.intervals[name] or (0.0, 1.0)
            assert low - 1e-12 <= report.metrics[name] <= high + 1e-12, name
            assert report.sums[name].sums.shape[0] == len(report.unit_names), name
            assert metric.figure(known[name], report.sums[name]) == pytest.approx(report.metrics[name])
        assert reported or name == "detection_rate", name
        if len(reported) == 2:
            difference = metric.paired_difference(known[name], first.sums[name], second.sums[name])
            assert (
                difference is None or difference.low - 1e-12 <= difference.value <= difference.high + 1e-12
            ), name


@pytest.mark.parametrize("suite", ["goldevidence", "statebench"])
def test_the_mean_of_the_rows_of_an_unweighted_rate_is_its_figure_over_these_rows(reports, suite):
    report = reports[suite][0]
    for each in definitions(suite):
        values = report.row_figures[each.name]
        assert values.shape == (len(report.rows),)
        if suite == "statebench" and not each.weight and report.metrics[each.name] is not None:
            rows = values[~np.isnan(values)]
            if each.split == "all":
                assert rows.mean() == pytest.approx(report.metrics[each.name]), each.name


def test_the_sums_of_the_headline_are_the_units_of_the_report(reports):
    report = reports["goldevidence"][0]
    assert report.sums["exact_acc"].sums[:, 0].tolist() == [list(pair) for pair in report.units.values()]
    assert list(report.units) == report.unit_names


def test_a_new_rate_is_one_definition_for_the_suite(monkeypatch):
    monkeypatch.setitem(gold_metrics.METRICS, "strict@4", (*gold_metrics.METRICS["strict@4"], NEW))
    first, second = gold_report(), gold_report("prefer_set_latest")
    low, high = first.intervals["wrong_rate"]
    assert low <= first.metrics["wrong_rate"] <= high
    assert first.metrics["wrong_rate"] == pytest.approx(1 - first.metrics["exact_acc"])
    for groups in first.groups.values():
        for group in groups.values():
            assert group["metrics"]["wrong_rate"] == pytest.approx(1 - group["metrics"]["exact_acc"])
    np.testing.assert_array_equal(first.row_figures["wrong_rate"], 1 - first.row_figures["exact_acc"])
    result, opposite = (
        metric.paired_difference(each, first.sums[each.name], second.sums[each.name])
        for each in (NEW, replace(NEW, name="exact_acc"))
    )
    assert result.value == pytest.approx(-opposite.value)
    assert result.units == len(first.unit_names)


def test_a_new_rate_of_statebench_is_one_definition_too(monkeypatch):
    new = replace(NEW, value=lambda columns: ~columns["correct"])
    rates = (*state_metrics.METRICS[DEFAULT_RUBRIC], new)
    monkeypatch.setitem(state_metrics.METRICS, DEFAULT_RUBRIC, rates)
    report = state_report()
    assert report.metrics["wrong_rate"] == pytest.approx(1 - report.metrics["decision_accuracy"])
    assert report.intervals["wrong_rate"] is not None
    assert report.groups["track"]["supersession"]["metrics"]["wrong_rate"] is not None
    assert report.sums["wrong_rate"].sums[..., 1].sum() > 0
    assert set(np.unique(report.row_figures["wrong_rate"])) <= {0.0, 1.0}


def measured(metrics, **columns):
    units = columns.pop("units")
    columns = {name: np.array(values, dtype=float) for name, values in columns.items()}
    strata = np.array(columns.pop("part", [0] * len(units)), dtype=int)
    groupings = {
        "headline": Grouping(["headline"], np.zeros(2, dtype=int)),
        "part": Grouping(["left", "right"], np.arange(2)),
    }
    return measure(metrics, [Rows(np.array(units), strata, columns, metrics)], 3, groupings)


def test_rows_that_are_not_counted_and_weights_are_respected():
    rate = Metric("r", "R", "", lambda c: c["asked"] == 1, lambda c: c["hits"], weight=lambda c: c["of"])
    figures = measured([rate], units=[0, 1, 2], asked=[1, 1, 0], hits=[1, 2, 9], of=[2, 4, 9])
    assert figures.whole["metrics"]["r"] == 0.5
    assert figures.sums["r"].sums[:, 0].tolist() == [[1, 2], [2, 4], [0, 0]]


def test_a_rate_of_no_row_is_what_its_grader_calls_it():
    rate = Metric("r", "R", "", lambda c: c["x"] > 9, lambda c: c["x"])
    figures = measured([rate, replace(rate, name="zero", empty=0.0)], units=[0, 1, 2], x=[1, 0, 1])
    assert figures.whole["metrics"] == {"r": None, "zero": 0.0}
    assert figures.whole["intervals"] == {"r": None, "zero": None}
    assert figures.sums == {}


def test_a_reducer_makes_one_figure_of_the_parts_of_a_grouping():
    spread = Metric(
        "spread",
        "Spread",
        "",
        every,
        lambda c: c["x"],
        grouping="part",
        in_groups=False,
        reducer=lambda rates, labels: rates.max(axis=-1) - rates.min(axis=-1),
        reduction=Reduction.SPREAD,
    )
    figures = measured([spread], units=[0, 1, 2, 0, 1, 2], x=[1, 1, 0, 0, 0, 1], part=[0, 0, 0, 1, 1, 1])
    assert figures.whole["metrics"]["spread"] == pytest.approx(1 / 3)
    assert figures.sums["spread"].parts == ("left", "right")
    low, high = figures.whole["intervals"]["spread"]
    assert 0 <= low < high <= 1
    same = metric.paired_difference(spread, figures.sums["spread"], figures.sums["spread"])
    assert (same.value, same.low, same.high) == (0, 0, 0)


def test_a_paired_test_of_a_plain_rate_is_the_one_of_the_headline():
    rng = np.random.default_rng(3)
    first, second = (
        statistics.UnitSums(("r",), np.stack([rng.integers(0, 4, 30), np.full(30, 4)], axis=1)[:, None] * 1.0)
        for _ in range(2)
    )
    rate = Metric("r", "R", "", every, every)
    expected = statistics.paired_contrast(first.sums[:, 0], second.sums[:, 0])
    assert metric.paired_difference(rate, first, second) == expected
    with pytest.raises(ValueError, match="different units or parts"):
        metric.paired_difference(rate, first, statistics.UnitSums(("r",), second.sums[1:]))


def test_the_figure_of_a_row_is_not_a_number_where_it_is_not_counted():
    rate = Metric("r", "R", "", lambda c: c["asked"] == 1, lambda c: c["x"])
    values = metric.row_figures(rate, {"asked": np.array([1, 0]), "x": np.array([1, 1])})
    assert values[0] == 1
    assert math.isnan(values[1])


def test_the_sums_of_both_suites_say_the_strata_of_their_units(reports):
    for suite, count in (("goldevidence", 1), ("statebench", len(TRACKS))):
        report = reports[suite][0]
        headline = next(column.name for column in get_suite(suite).version({}).columns if column.headline)
        strata = report.sums[headline].strata
        assert strata.shape == (len(report.unit_names),)
        assert len(set(strata.tolist())) == count


def test_units_that_share_a_bin_are_of_one_stratum():
    rate = Metric("r", "R", "", every, lambda c: c["x"])
    strata, units = np.arange(50) % 3, np.arange(50)
    columns = {"x": (strata == 1).astype(float)}
    rows = [Rows(units, np.zeros(50, dtype=int), columns, [rate])]
    everything = {"headline": Grouping(["headline"], np.zeros(1, dtype=int))}
    binned = measure([rate], rows, 50, everything, unit_strata=strata, bins=9)
    assert binned.whole["metrics"]["r"] == 17 / 50
    assert binned.sums["r"].sums.shape == (50, 1, 2)
    low, high = binned.whole["intervals"]["r"]
    mixed_low, mixed_high = measure([rate], rows, 50, everything, bins=9).whole["intervals"]["r"]
    assert high - low < 0.8 * (mixed_high - mixed_low), "differences between strata are no noise"
