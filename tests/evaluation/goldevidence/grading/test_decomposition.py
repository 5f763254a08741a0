"""The decomposition: each rate on cases small enough to count by hand."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from evaluation.goldevidence.conditions.conditions import Condition
from evaluation.goldevidence.conditions.order_bias import order_spread, worst_order
from evaluation.goldevidence.data.ledger import Entry
from evaluation.goldevidence.grading.choices import Choice, Selected, observe
from evaluation.goldevidence.grading.decomposition import (
    METRICS,
    columns,
    decompose,
    decomposition_line,
    ratios,
)

SHOWN = [
    Entry("U000001", 1, "SET", "tag.00", "amber-0001"),
    Entry("U000002", 2, "SET", "tag.00", "jade-0002"),
    Entry("U000003", 3, "NOTE", "tag.00", "teal-0003"),
    Entry("U000004", 4, "?", "tag.00", "teal-0004"),
]
GOLD = "U000002"


def answered(cited: list[str], value: str | None = "jade-0002", **fields: Any) -> Choice:
    given = {"gold": GOLD, "present": True, "value_ok": value == "jade-0002"} | fields
    return observe({entry.uid: entry[1:] for entry in SHOWN}, cited, value, **given)


RIGHT = answered([GOLD])
STALE = answered(["U000001"], "amber-0001")
NOTED = answered(["U000003"], "teal-0003")
UNMARKED = answered(["U000004"], "teal-0004")
ABSTAINED = answered([], None)
MISSING = answered(["U000001"], "amber-0001", present=False)
RIGHT_TO_ABSTAIN = answered([], None, present=False)


def test_the_selected_line_is_the_first_citation() -> None:
    assert answered(["U000001", GOLD]).selected == Selected.UPDATE
    assert answered(["U000001", GOLD]).cites_gold
    assert not answered(["U000001", GOLD]).picks_gold
    assert [choice.selected for choice in (RIGHT, NOTED, UNMARKED, ABSTAINED, answered(["UFFFFFF"]))] == [
        Selected.GOLD,
        Selected.NOTE,
        Selected.UNMARKED,
        Selected.NOTHING,
        Selected.UNKNOWN,
    ]


def test_a_citation_agrees_with_the_selector_where_it_comes_first_and_was_shown() -> None:
    assert answered([GOLD]).agrees == -1
    assert answered([GOLD, "U000001"], selected_uid=GOLD).agrees == 1
    assert answered(["U000001", GOLD], selected_uid=GOLD).agrees == 0
    assert answered([], selected_uid=GOLD).agrees == 0
    assert answered(["UFFFFFF"], selected_uid="UFFFFFF").agrees == 0, "a line that was not shown is no choice"


def test_consistency_is_reported_where_the_answers_say_what_was_selected() -> None:
    assert decompose([RIGHT])["support_consistency_rate"] is None
    words = [answered([GOLD], selected_uid=GOLD), answered(["U000001"], selected_uid=GOLD), RIGHT]
    assert decompose(words)["support_consistency_rate"] == 0.5


def test_what_a_selector_picked_counts_whatever_is_cited() -> None:
    assert answered([GOLD]).selector_picks == -1, "the file says nothing of a selector"
    cited_other, cited_none = answered(["U000001"], selected_uid=GOLD), answered([], None, selected_uid=GOLD)
    picked_other = answered([GOLD], selected_uid="U000001")
    rates = decompose([cited_other, cited_none, picked_other, RIGHT, MISSING])
    assert rates["gold_picked_rate"] == 2 / 3
    assert rates["selection_rate"] == 2 / 4
    assert decompose([RIGHT])["gold_picked_rate"] is None


def test_a_dropped_gold_line_lowers_gold_present_and_nothing_else() -> None:
    rates = decompose([RIGHT, MISSING])
    assert rates["gold_present_rate"] == 0.5
    assert rates["selection_rate"] == rates["accuracy_when_gold_present"] == 1.0
    assert rates["value_acc"] == 0.5


def test_gold_present_is_zero_and_not_missing_when_nothing_is_present() -> None:
    rates = decompose([MISSING])
    assert rates["gold_present_rate"] == 0.0
    assert rates["selection_rate"] is None


def test_no_rows_have_no_rates() -> None:
    assert decompose([]) == dict.fromkeys(METRICS)


def test_wrong_selections_are_told_apart() -> None:
    rates = decompose([RIGHT, STALE, NOTED, NOTED])
    assert rates["selected_note_rate"] == 0.5
    assert rates["wrong_update_rate"] == 0.25
    assert rates["selected_wrong_update_rate"] == pytest.approx(1 / 3)


def test_reading_a_chosen_line_is_judged_apart_from_choosing_it() -> None:
    misread = answered([GOLD], "jade-9999")
    rates = decompose([RIGHT, misread, STALE])
    assert rates["answer_acc_given_gold_selected"] == 0.5
    assert rates["value_is_substring_of_selected_line_rate"] == 0.5


def test_authority_is_falsely_accepted_by_citing_a_line_that_has_none() -> None:
    rates = decompose([RIGHT, NOTED, UNMARKED, ABSTAINED])
    assert rates["authority_false_accept_rate"] == pytest.approx(2 / 3)
    assert rates["authority_false_reject_rate"] == 0.25


def test_spoofs_count_where_false_authority_is_shown() -> None:
    shown = {"spoofed": {"U000003": "note_as_update"}}
    rates = decompose([answered(["U000003"], "teal-0003", **shown), answered([GOLD], **shown), RIGHT])
    assert rates["spoof_accept_rate"] == 0.5
    disguised_gold = answered([GOLD], spoofed={GOLD: "update_as_note"})
    assert decompose([disguised_gold])["spoof_accept_rate"] is None


def test_abstaining_is_right_when_the_gold_line_is_missing() -> None:
    rates = decompose([ABSTAINED, RIGHT_TO_ABSTAIN, MISSING, RIGHT])
    assert rates["abstain_precision"] == rates["abstain_recall"] == rates["abstain_rate"] == 0.5


def test_every_metric_is_a_ratio_of_sums_over_rows() -> None:
    choices = [RIGHT, STALE, NOTED, MISSING]
    assert tuple(ratios(columns(choices))) == METRICS
    for name, (numerator, denominator) in ratios(columns(choices)).items():
        assert len(numerator) == len(denominator) == 4
        assert not (numerator & ~denominator).any(), name


def test_the_line_reads_from_evidence_to_answer() -> None:
    assert decomposition_line(decompose([RIGHT, STALE])) == "1.0000 -> 0.5000 -> 0.5000 -> 0.5000"
    assert decomposition_line(decompose([MISSING])) == "0.0000 -> n/a -> n/a -> 0.0000"


def conditions(*orders: str, k: int = 4) -> list[Condition]:
    return [Condition.from_json({"k": k, "order": order}) for order in orders]


def reduced(reducer: Any, known: list[Condition], rates: dict[str, float]) -> float:
    return float(reducer(known)(np.array(list(rates.values())), list(rates)))


def test_order_bias_is_the_spread_over_positions_within_a_family() -> None:
    known = conditions("gold_first", "gold_middle", "gold_last", "shuffle") + conditions("gold_first", k=8)
    rates = {
        "k4-gold_first": 0.1,
        "k4-gold_middle": 0.4,
        "k4-gold_last": 1.0,
        "k4-shuffle": 0.0,
        "k8-gold_first": 0.0,
    }
    assert reduced(order_spread, known, rates) == pytest.approx(0.9)
    assert reduced(worst_order, known, rates) == 0.1


def test_order_bias_needs_two_measured_positions() -> None:
    known, rates = conditions("gold_first", "shuffle"), {"k4-gold_first": 1.0, "k4-shuffle": 0.5}
    assert math.isnan(reduced(order_spread, known, rates))
    assert math.isnan(reduced(worst_order, known, rates))
