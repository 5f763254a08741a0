"""Figures as text and as small graphics."""

from __future__ import annotations

from datetime import timedelta
from xml.etree import ElementTree

import pytest
from django.utils import timezone

from evaluation.core.suite import Gate
from evaluation.goldevidence.display import DOTS
from leaderboard.templatetags import marks


@pytest.mark.parametrize(
    ("value", "kind", "text"),
    [
        (0.9421, "ratio", "94.2%"),
        (1.0, "ratio", "100.0%"),
        (0, "ratio", "0.0%"),
        (-0.021, "ratio", "−2.1%"),
        (-0.021, "points", "−2.1"),
        (3574, "count", "3,574"),
        (12.34, "count", "12.3"),
        (212.4, "count", "212"),
        (0.0291, "seconds", "29 ms"),
        (0.0007, "seconds", "0.7 ms"),
        (3.4, "seconds", "3.40 s"),
        (640.2, "seconds", "640 s"),
    ],
)
def test_a_figure_is_written_in_the_format_of_its_column(value: float, kind: str, text: str) -> None:
    assert marks.number(value, kind) == text


@pytest.mark.parametrize(("value", "text"), [(0.99964, "99.96%"), (0.00004, "0.004%"), (-0.0004, "−0.04%")])
def test_a_figure_that_is_not_quite_round_does_not_claim_to_be(value: float, text: str) -> None:
    assert marks.number(value) == text


@pytest.mark.parametrize("value", [None, "", float("nan"), float("inf")])
def test_what_is_missing_is_not_reported_and_never_zero(value: object) -> None:
    assert marks.number(value) == "not reported"
    assert "not reported" in marks.figure(value)
    assert "0" not in marks.figure(value)


def test_an_interval_needs_both_ends() -> None:
    assert marks.interval(0.917, 0.963) == "91.7–96.3"
    assert marks.interval(-0.01, 0.05) == "−1.0 to 5.0"
    assert marks.interval(0.956, 1.0) == "at least 95.6%"
    assert marks.interval(0.0, 0.044) == "at most 4.4%"
    assert marks.interval(0, 1) == "0.0–100.0"
    assert marks.interval(120, 150, "count") == "120–150"
    assert marks.interval(None, 0.5) == marks.interval("", "") == ""


def test_the_scale_says_its_figures_in_words() -> None:
    element = ElementTree.fromstring(marks.scale_mark(0.942, 0.917, 0.963))
    assert element.get("role") == "img"
    assert element.findtext("title") == "94.2%, 95% interval 91.7% to 96.3%"
    assert (element.find("rect").get("x"), element.find("rect").get("width")) == ("91.70%", "4.60%")
    assert element.find("line[@class='tick']").get("x1") == "94.20%"


def test_a_self_reported_score_has_a_dashed_outline() -> None:
    element = ElementTree.fromstring(marks.scale_mark(0.5, 0.4, 0.6, claimed=True))
    assert element.find("rect").get("class") == "bar claimed"


@pytest.mark.parametrize(
    ("value", "text"),
    [(92.4, "$92.40"), (1234.5, "$1,234.50"), (0.014, "$0.01"), (0.00123, "$0.0012"), (0.0, "$0.00")],
)
def test_a_price_below_a_cent_is_told_from_nothing(value: float, text: str) -> None:
    assert marks.dollars(value) == text
    assert "not reported" in marks.dollars(None)


def test_a_scale_of_which_less_is_better_marks_its_goal_and_says_so() -> None:
    element = ElementTree.fromstring(marks.scale_mark(0.0, 0.0, 0.1, "lower"))
    assert element.get("class") == "mark scale lower"
    assert "lower is better" in element.findtext("title")
    assert element.find("circle").get("cx") == "0"


@pytest.mark.parametrize("value", [None, "", -0.02, 3574])
def test_a_figure_off_the_scale_has_no_bar(value: object) -> None:
    assert marks.scale_mark(value) == ""


def test_an_interval_is_clipped_to_the_scale() -> None:
    element = ElementTree.fromstring(marks.scale_mark(0.99, 0.95, 1.04))
    assert (element.find("rect").get("x"), element.find("rect").get("width")) == ("95.00%", "5.00%")


def test_the_steps_end_in_the_overall_figure() -> None:
    element = ElementTree.fromstring(
        marks.steps_mark([("present", 1.0), ("selected", 0.5), ("overall", 0.5)])
    )
    outlines = {path.get("class"): path.get("d") for path in element.iter("path")}
    assert outlines["bar"] == "M0 0h14v30h-14zM18 15h14v15h-14z"
    assert outlines["bar overall"] == "M36 15h14v15h-14z"
    assert element.findtext("title") == "present 100.0%, selected 50.0%, overall 50.0%"


def test_a_missing_step_is_an_empty_outline() -> None:
    element = ElementTree.fromstring(marks.steps_mark([("present", 1.0), ("selected", None)]))
    assert [path.get("class") for path in element.iter("path")] == ["ghost", "ghost none", "bar"]
    assert "selected not reported" in element.findtext("title")


def test_the_orders_are_joined_except_the_shuffled_one() -> None:
    order = [("gold_first", 0.0), ("gold_middle", 0.5), ("gold_last", 1.0), ("shuffle", 0.5)]
    element = ElementTree.fromstring(marks.order_mark(order, DOTS))
    assert element.find("polyline").get("points") == "6,26 28,15 50,4"
    outlines = {path.get("class"): path.get("d") for path in element.iter("path")}
    assert outlines["dot"] == "M6 26h0M28 15h0M50 4h0"
    assert outlines["dot hollow"].startswith("M69 15a3 3")
    words = "Selection rate: gold first 0.0%, gold middle 50.0%, gold last 100.0%, shuffle 50.0%"
    assert element.findtext("title") == words
    assert "chance" not in outlines


def test_what_chance_gets_is_a_dashed_line_across_the_orders() -> None:
    order = [("gold_first", 0.0), ("gold_last", 1.0)]
    element = ElementTree.fromstring(marks.order_mark(order, DOTS, {"selection_chance": 0.25}))
    outlines = {path.get("class"): path.get("d") for path in element.iter("path")}
    assert outlines["chance"] == "M0 20.5h34"
    assert element.findtext("title") == "Selection rate: gold first 0.0%, gold last 100.0%; by chance 25.0%"


@pytest.mark.parametrize("pairs", [None, [], [("first", None), ("last", None)]])
def test_a_mark_without_any_figure_is_not_reported(pairs: object) -> None:
    assert "not reported" in marks.steps_mark(pairs)
    assert "not reported" in marks.order_mark(pairs)


def test_labels_are_escaped() -> None:
    mark = marks.steps_mark([('<b>"x"', 0.5)])
    assert "<b>" not in mark
    ElementTree.fromstring(mark)


@pytest.mark.parametrize(
    ("state", "word"),
    [("pass", "met"), ("fail", "not met"), ("undecided", "undecided"), ("none", "not judged")],
)
def test_a_gate_says_its_state_in_words(state: str, word: str) -> None:
    mark = marks.gate_mark(Gate("A", "Author<ity", state, "adopts <1% of the notes"))
    assert f"Requirement “Author&lt;ity”: {word}" in mark


def test_only_a_verified_submission_carries_the_seal() -> None:
    assert "verified" in marks.verified_mark(True)
    assert marks.verified_mark(False) == ""


def test_a_hash_keeps_its_ends() -> None:
    assert marks.short_hash("9f2c81" + "0" * 54 + "41ab") == "9f2c81…41ab"


@pytest.mark.parametrize(
    ("past", "text"),
    [
        (timedelta(seconds=5), "just now"),
        (timedelta(minutes=9), "9 min ago"),
        (timedelta(hours=5), "5 h ago"),
        (timedelta(hours=30), "yesterday"),
        (timedelta(days=12), "12 days ago"),
    ],
)
def test_times_are_told_in_the_largest_unit_that_fits(past: timedelta, text: str) -> None:
    assert marks.ago(timezone.now() - past) == text


def test_a_time_keeps_the_exact_moment() -> None:
    moment = timezone.now() - timedelta(days=40)
    assert moment.isoformat() in marks.when(moment)
    assert "not reported" in marks.when(None)
