"""Disguised authority, end to end: reading the markers, and abstaining without them, is right."""

from __future__ import annotations

import pytest

from evaluation.goldevidence.presets import get_preset
from evaluation.goldevidence.suite import SUITE
from evaluation.goldevidence.systems.registry import SYSTEMS

PRESET = get_preset("authority_stress")
SPOOFED = tuple(
    condition for condition in PRESET.conditions if condition.spoof_rate and not condition.drop_prob
)
SETTINGS = PRESET.having(seeds=(0,), conditions=SPOOFED).as_json()


@pytest.fixture(scope="module")
def items():
    return list(SUITE.version(SETTINGS).generate())


def graded(items, system: str):
    predict = SYSTEMS[system].build().predict
    rows = [row for item in items for row in item.rows]
    return SUITE.version(SETTINGS).grade(
        [item.gold for item in items], [predict(SUITE.public_row(row)) for row in rows]
    )


def test_the_ceiling_reads_markers_and_abstains_without_one(items) -> None:
    report = graded(items, "ledger")
    assert report.metrics["exact_acc"] == report.metrics["condition_value_acc"] == 1.0
    assert report.metrics["authority_violation_rate"] == 0.0
    assert report.metrics["abstain_recall"] == report.metrics["abstain_precision"] == 1.0
    assert 0 < report.metrics["gold_present_rate"] < 1


def test_taking_lines_without_a_marker_for_updates_fails(items) -> None:
    report = graded(items, "prefer_update_latest")
    unclear = [row for row in report.rows if row.get("gold_present") is False]
    assert unclear
    assert not any(row["correct"] for row in unclear)
    assert {row["failure"] for row in unclear} >= {"cited_unmarked"}
