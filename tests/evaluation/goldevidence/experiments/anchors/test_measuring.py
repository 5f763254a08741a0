"""Figures measured without a language model: a selector's input, and how its choices are counted."""

from __future__ import annotations

import pytest

from evaluation.goldevidence.experiments.anchors.data import fingerprint_of, rows_of, selector_of
from evaluation.goldevidence.experiments.anchors.measuring import figures_of
from evaluation.goldevidence.experiments.anchors.records import Run

NOTES = rows_of("kvc_s3q16")


def test_positions_decide_for_a_rule_that_looks_at_nothing_else() -> None:
    rates = {
        order: figures_of(Run("kvc_s3q16", "none", order=order), NOTES)["selection_rate"]
        for order in ("gold_first", "gold_last")
    }
    assert rates == {"gold_first": 1, "gold_last": 0}


def test_the_filter_takes_notes_from_a_rule_that_would_follow_them() -> None:
    followed = figures_of(Run("kvc_s3q16", "latest_step"), NOTES)
    filtered = figures_of(Run("kvc_s3q16", "latest_step", gate=True), NOTES)
    assert followed["selected_note_rate"] == pytest.approx(1 - followed["value_acc"])
    assert followed["selected_note_rate"] > 0.2
    assert (filtered["selected_note_rate"], filtered["value_acc"], filtered["exact_acc"]) == (0, 1, 1)


def test_a_disguised_line_without_its_marker_is_lost_behind_the_filter() -> None:
    figures = figures_of(Run("kvc_s3q16", "latest_step", gate=True, spoof_rate=1.0), NOTES)
    assert figures["value_acc"] < 1
    assert figures["selected_note_rate"] == 0
    assert figures["spoof_accept_rate"] == pytest.approx(
        figures["gold_support_selected_rate"] + figures["spoof_accept_rate_non_gold"]
    )


def test_without_disguises_none_is_accepted() -> None:
    figures = figures_of(Run("kvc_s3q16", "prefer_update_latest"), NOTES)
    assert "spoof_accept_rate" not in figures or figures["spoof_accept_rate"] == 0
    assert figures["spoof_accept_rate_non_gold"] == 0


def test_a_selector_that_is_taught_the_gold_line_passes_over_notes() -> None:
    latest = figures_of(Run("kvc_s3q16", "linear"), NOTES)
    gold = figures_of(Run("kvc_s3q16", "linear_gold"), NOTES)
    assert latest["selected_note_rate"] > 0.2
    assert gold["selected_note_rate"] == 0
    assert gold["value_acc"] == 1


def test_the_ledger_baseline_is_right_and_reads_more_in_a_book_than_in_a_log() -> None:
    rows = rows_of("efficiency_kv")
    book, log = (
        figures_of(Run("efficiency_kv", "ledger", protocol=protocol), rows)
        for protocol in ("closed_book", "open_book")
    )
    assert book["exact_acc"] == log["exact_acc"] == 1
    assert book["tokens/query"] > log["tokens/query"] > 1000


def test_measuring_twice_gives_the_same() -> None:
    run = Run("kvc_s3q16", "linear_gold", order="shuffle", spoof_rate=0.5)
    assert figures_of(run, NOTES) == figures_of(run, NOTES)


def test_data_sets_are_told_apart_by_their_rows() -> None:
    assert fingerprint_of("kvc_s5q24_notes20") != fingerprint_of("kvc_s5q24_notes40")
    assert selector_of("linear") is selector_of("linear")
