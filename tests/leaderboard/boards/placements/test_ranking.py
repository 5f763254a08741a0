"""Rank ranges hold at once; systems not above guessing, and unranked kinds, have none."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evaluation.core import statistics
from evaluation.core.statistics.power import DIAGNOSTIC_BELOW
from leaderboard.boards.placements.ranking import (
    COMPUTING,
    NOT_ABOVE,
    REGRADE,
    SELF_REPORTED,
    Contestant,
    LastTest,
    Placement,
    are_tied,
    figures,
    place,
    range_words,
    why_no_ranks,
)

DIAGNOSTIC = "3 units are too few (ranks need at least 40)"


def packed(*sums: float, rows: int = 10) -> bytes:
    return np.array([(value, rows) for value in sums], dtype=np.float32).tobytes()


def contestant(name: str, *sums: float, gated: bool = False, robust: tuple[float, ...] = ()) -> Contestant:
    value = sum(sums) / (10 * len(sums)) if sums else None
    return Contestant(name, name, value, gated, packed(*sums), packed(*robust) if robust else b"")


def over_enough(name: str, *sums: float, gated: bool = False, robust: tuple[float, ...] = ()) -> Contestant:
    """A contestant whose sums repeat over enough units for ranks."""
    times = -(-DIAGNOSTIC_BELOW // max(1, len(sums)))
    return contestant(name, *sums * times, gated=gated, robust=robust)


def around(name: str, rate: float, seed: int, units: int = DIAGNOSTIC_BELOW) -> Contestant:
    """A contestant whose units scatter about a rate."""
    drawn = np.random.default_rng(seed).binomial(10, rate, units)
    return contestant(name, *drawn.tolist())


def test_a_system_that_fails_a_requirement_keeps_its_place_and_its_range():
    places = place([over_enough("cheat", 10, 10, 10, gated=True), over_enough("honest", 5, 5, 5)])
    assert [(p.key, p.rank, p.gated) for p in places] == [("cheat", 1, True), ("honest", 2, False)]
    fair = place([over_enough("cheat", 10, 10, 10), over_enough("honest", 5, 5, 5)])
    assert [(p.low, p.high) for p in places] == [(p.low, p.high) for p in fair]


def test_what_is_not_above_guessing_stands_at_the_end_without_a_number():
    drawn = [
        over_enough(name, *sums)._replace(ends=ends)
        for name, sums, ends in (
            ("clear", (9, 9, 8), (0.8, 0.9)),
            ("wide", (9, 9, 9), (0.3, 1.0)),
            ("poor", (2, 1, 2), (0.1, 0.3)),
            ("fair", (6, 6, 7), (0.5, 0.7)),
        )
    ]
    places = place(drawn, guessing=0.3)
    assert [(p.key, p.above) for p in places] == [
        ("clear", True),
        ("fair", True),
        ("wide", False),
        ("poor", False),
    ]
    assert [(p.rank, p.low, p.high) for p in places] == [(1,) * 3, (2,) * 3, (None,) * 3, (None,) * 3]
    assert [p.reason for p in places] == ["", "", NOT_ABOVE, NOT_ABOVE]
    assert not any(p.best for p in places[2:])


def test_where_lower_is_better_guessing_is_beaten_from_below():
    drawn = [over_enough("good", 1, 1, 1)._replace(ends=(0.05, 0.2)), over_enough("bad", 5, 5, 5)]
    assert [p.above for p in place(drawn, better="lower", guessing=0.4)] == [True, False]


def test_systems_below_guessing_take_part_in_the_test_and_lend_no_ranks():
    drawn = [around(f"{n}", 0.4 + 0.1 * n, n)._replace(ends=(0.3 + 0.1 * n, 0.5 + 0.1 * n)) for n in range(5)]
    tables = [np.frombuffer(c.units, np.float32).reshape(-1, 2) for c in drawn]
    apart = statistics.board(tables).apart
    above = [at for at, c in enumerate(drawn) if c.ends[0] > 0.45]
    ranges = {p.key: (p.low, p.high) for p in place(drawn, guessing=0.45) if p.above}
    assert ranges == {
        drawn[at].key: (1 + sum(apart[i, at] for i in above), len(above) - sum(apart[at, i] for i in above))
        for at in above
    }


def test_self_reported_results_of_a_public_version_stand_apart_in_the_order_of_the_headline():
    reported = [over_enough(n, s)._replace(unranked=SELF_REPORTED) for n, s in (("low", 2), ("high", 9))]
    places = place([*reported, over_enough("model", 5, 5, 5)])
    assert [(p.key, p.rank, p.apart) for p in places] == [
        ("model", 1, False),
        ("high", None, True),
        ("low", None, True),
    ]
    assert [p.reason for p in places] == ["", SELF_REPORTED, SELF_REPORTED]


def test_systems_that_no_test_separates_have_ranges_that_overlap():
    places = place([over_enough("a", 9, 5, 7, 8), over_enough("b", 8, 6, 7, 8), over_enough("c", 1, 1, 0, 1)])
    assert [(p.key, p.rank, p.low, p.high, p.tie) for p in places] == [
        ("a", 1, 1, 2, True),
        ("b", 1, 1, 2, False),
        ("c", 3, 3, 3, False),
    ]
    assert [p.sharing for p in places] == [2, 2, 1]
    assert [p.group for p in places] == [1, 1, 2]
    assert [p.best for p in places] == [True, True, False]


def test_ranges_are_those_of_the_one_test_over_all_pairs():
    drawn = [around(f"system {n}", 0.5 + 0.03 * n, n) for n in range(12)]
    tables = [np.frombuffer(c.units, np.float32).reshape(-1, 2) for c in drawn]
    board = statistics.board(tables)
    result = {p.key: (p.low, p.high) for p in place(drawn)}
    assert result == {c.key: (low, high) for c, low, high in zip(drawn, board.low, board.high, strict=True)}
    assert [p.key for p in place(drawn)] == [
        c.key for c in sorted(drawn, key=lambda c: (-(c.value or 0), c.name))
    ]


def test_the_interval_of_a_lead_leaves_0_out_exactly_where_the_two_are_apart():
    for gap in range(1, 9):
        drawn = [around("a", 0.5 + 0.03 * gap, 1), around("b", 0.5, 2), around("c", 0.3, 3)]
        first, second, _ = place(drawn)
        low, high = first.lead_ends
        assert low < first.lead < high
        assert (low > 0) == (first.high < second.low)
        assert place(drawn, better="lower")[0].lead_ends[1] > 0


def test_strata_reach_the_test():
    drawn = [around("a", 0.6, 1), around("b", 0.7, 2)]
    strata = np.arange(DIAGNOSTIC_BELOW) % 2
    tables = [np.frombuffer(c.units, np.float32).reshape(-1, 2) for c in drawn]
    board = statistics.board(tables, strata)
    assert {p.key: p.high for p in place(drawn, strata=strata)} == {"a": board.high[0], "b": board.high[1]}
    with pytest.raises(ValueError, match="mismatch"):
        place(drawn, strata=strata[:-1])


def test_robustness_is_a_column_and_decides_nothing():
    steady = over_enough("steady", 10, 9, 8, robust=(10, 10, 10))
    positional = over_enough("positional", 10, 9, 8, robust=(0, 1, 0))
    first, second = place([positional, steady])
    assert (first.key, first.robust, second.robust) == ("positional", pytest.approx(1 / 30), 1.0)
    assert (first.low, first.high, second.low, second.high) == (1, 2, 1, 2)


def test_a_file_without_the_headlines_rows_has_no_rank():
    whole, other = place([over_enough("whole", 1, 1, 1), contestant("positional", robust=(10, 10, 10))])
    assert (whole.key, other.rank, other.reason) == ("whole", None, "its headline is not reported")


@pytest.mark.parametrize("units", [1, 3, DIAGNOSTIC_BELOW - 1])
def test_over_few_units_there_are_no_ranks_and_figures_are_in_order(units):
    places = place(
        [contestant("poor", *[1] * units), contestant("good", *[9] * units)], better="higher", unit="episode"
    )
    assert [(p.key, p.rank, p.tie, p.best, p.lead) for p in places] == [
        ("good", None, False, False, None),
        ("poor", None, False, False, None),
    ]
    words = "1 episode is" if units == 1 else f"{units} episodes are"
    assert {p.reason for p in places} == {f"{words} too few (ranks need at least 40)"}
    assert why_no_ranks(places) == places[0].reason


def test_the_fortieth_unit_ranks():
    assert [p.rank for p in place([around("a", 0.9, 1), around("b", 0.1, 2)])] == [1, 2]


def test_over_few_units_that_is_the_reason_whatever_else_is_true():
    drawn = [contestant("cheat", 9, 9, 9, gated=True), contestant("low", 1, 1, 1)]
    assert [p.reason for p in place(drawn, guessing=0.5)] == [DIAGNOSTIC, DIAGNOSTIC]
    assert [p.above for p in place(drawn, guessing=0.5)] == [True, False]


def test_without_ranks_the_order_is_that_of_the_headline():
    drawn = [around("a", 0.2, 1), around("b", 0.9, 2), contestant("nothing")]
    places = place(drawn, unranked=COMPUTING)
    assert [(p.key, p.rank, p.reason) for p in places] == [
        ("b", None, COMPUTING),
        ("a", None, COMPUTING),
        ("nothing", None, "its headline is not reported"),
    ]


def test_where_lower_is_better_the_lowest_is_first():
    places = place([around("high", 0.9, 1), around("low", 0.1, 2)], better="lower")
    assert [(p.key, p.low, p.high) for p in places] == [("low", 1, 1), ("high", 2, 2)]
    assert places[0].lead == pytest.approx(0.8, abs=0.1)


def test_a_grading_over_other_units_is_compared_with_no_other():
    places = place([around("a", 0.5, 1), around("b", 0.5, 2), around("older", 0.9, 3, units=39)])
    assert (places[0].key, places[0].reason) == ("older", REGRADE)
    assert [p.low for p in places[1:]] == [1, 1]


def test_one_alone_can_be_best_only_where_it_is_ranked_apart():
    for seed in range(30):
        drawn = [around(f"{n}", 0.6 + 0.05 * n, 100 * seed + n) for n in range(4)]
        places = place(drawn)
        assert (places[0].high == 1) == (sum(p.best for p in places) == 1)
        assert all(p.low == 1 for p in places if p.best)


def test_a_figure_that_all_units_have_alike_has_a_bound():
    result = figures([contestant("alike", 10, 10, 10), contestant("mixed", 10, 5, 0)])
    low, high = result["alike"].interval
    assert (0.6 < low < 0.9, high) == (True, 1.0)
    low, high = result["mixed"].interval
    assert 0 < low < 0.5 < high < 1


def test_missing_is_last_and_never_zero():
    places = place([contestant("nothing"), over_enough("zero", 0, 0, 0)])
    assert [(p.key, p.rank) for p in places] == [("zero", 1), ("nothing", None)]


def test_a_kind_that_is_not_ranked_stands_behind_all_by_name_outside_ranks_and_ties():
    strategies = [over_enough(n, 10, 10, 10)._replace(unranked="no model decides") for n in ("zeta", "alpha")]
    places = place([*strategies, over_enough("model", 5, 5, 5), over_enough("cheat", 9, 9, 9, gated=True)])
    assert [(p.key, p.rank, p.tie, p.apart) for p in places] == [
        ("cheat", 1, False, False),
        ("model", 2, False, False),
        ("alpha", None, False, True),
        ("zeta", None, False, True),
    ]
    assert [p.reason for p in places] == ["", "", "no model decides", "no model decides"]
    assert (places[0].low, places[0].high, places[0].lead) == (1, 1, pytest.approx(0.4))


def test_an_unranked_system_changes_no_rank():
    drawn = [around(f"{n}", 0.3 + 0.1 * n, n) for n in range(5)]
    oracle = around("oracle", 0.99, 9)._replace(unranked="a reference")
    without = {p.key: (p.low, p.high) for p in place(drawn)}
    assert {p.key: (p.low, p.high) for p in place([*drawn, oracle]) if not p.apart} == without


def test_a_place_says_why_it_has_no_rank_and_over_how_many_units_it_is():
    places = place([contestant("nothing"), over_enough("zero", 0, 0)])
    assert [(p.reason, p.units) for p in places] == [("", 40), ("its headline is not reported", 0)]


def test_an_empty_board_has_no_places():
    assert place([]) == []
    assert why_no_ranks([]) == ""


@pytest.mark.parametrize(
    "reason",
    [
        "diagnostic with 3 units, ranks begin at 40",
        "a public twin, whose answers are in its rows, has no ranks",
    ],
)
def test_a_reason_that_an_earlier_release_stored_is_still_that_of_its_board(reason: str) -> None:
    assert why_no_ranks([Placement("a", reason="self-reported"), Placement("b", reason=reason)]) == reason


def test_ranges_in_words():
    assert [range_words(*pair) for pair in ((1, 1), (2, 1005), (None, None))] == ["1", "2–1,005", ""]
    assert range_words(2, 4, gated=True) == "(2–4)"


@given(st.lists(st.integers(0, 10), min_size=2, max_size=7), st.integers(0, 99))
@settings(max_examples=40, deadline=None)
def test_ties_sharing_and_groups_say_the_same(rates, seed):
    places = place([around(f"{n}", rate / 10, seed + n) for n, rate in enumerate(rates)])
    for one in places:
        assert one.sharing == sum(are_tied(one, other) for other in places)
        assert one.low <= places.index(one) + 1 <= one.high
        for other in places:
            assert one.group == other.group or not are_tied(one, other)
    assert [p.tie for p in places[:-1]] == [are_tied(p, following) for p, following in pairwise(places)]
    assert not places[-1].tie


def test_a_system_without_a_rank_is_tied_with_no_other():
    assert not are_tied(Placement("a", 1, 1, 1), Placement("b"))


def test_systems_that_an_earlier_grader_counted_by_other_units_have_figures_of_their_own():
    by_template = [contestant("new", 1.0, 0.5, 0.0), contestant("newer", 1.0, 1.0, 0.5)]
    by_timeline = [contestant("old", *[1.0, 0.5, 0.0, 1.0, 0.5, 0.0])]
    together = figures([*by_template, *by_timeline], np.array([0, 0, 1]))
    assert set(together) == {"new", "newer", "old"}
    assert together["old"] == figures(by_timeline)["old"]
    assert together["new"] == figures(by_template, np.array([0, 0, 1]))["new"]


SYSTEMS = st.builds(
    lambda number, rate, source: around(f"system {number}", rate, number)._replace(unranked=source),
    st.integers(0, 30),
    st.sampled_from([0.3, 0.6, 0.62, 0.9]),
    st.sampled_from(["", "", SELF_REPORTED]),
)


@settings(max_examples=25)
@given(st.lists(st.tuples(SYSTEMS, st.booleans()), min_size=1, max_size=8), st.none() | st.just(0.5))
def test_places_after_any_new_results_and_withdrawals_are_those_from_scratch(steps, guessing):
    on_board, last = {}, LastTest()
    for system, lands in steps:
        on_board.pop(system.key, None)
        if lands:
            on_board[system.key] = system
        contestants = list(on_board.values())
        assert place(contestants, guessing=guessing, last=last) == place(contestants, guessing=guessing)
        last = LastTest(last.name, {key: each.as_tested() for key, each in last.placements.items()})


def test_what_takes_no_part_in_the_test_does_not_repeat_it(monkeypatch):
    board = [around("first", 0.9, 1), around("second", 0.5, 2)]
    last = LastTest()
    place(board, last=last)
    last = LastTest(last.name, {key: each.as_tested() for key, each in last.placements.items()})
    monkeypatch.setattr(statistics, "board", None)  # another test would fail
    reported = around("reported", 0.7, 3)._replace(unranked=SELF_REPORTED)
    without = Contestant("without", "without", None, False, b"", b"")
    places = place([*board, reported, without], last=last)
    assert [(each.key, each.rank) for each in places] == [
        ("first", 1), ("second", 2), ("without", None), ("reported", None)
    ]  # fmt: skip
    with pytest.raises(TypeError):
        place([*board, around("third", 0.7, 3)], last=last)


def test_a_lowest_rate_that_is_known_is_not_computed_again(monkeypatch):
    def of_orders(name: str, *rates: float) -> Contestant:
        parts = tuple(around(name, rate, at).units for at, rate in enumerate(rates))
        return contestant(name, 1)._replace(units=parts[0], parts=parts)

    first, second, third = (of_orders(f"system {rate}", rate, 0.7) for rate in (0.5, 0.6, 0.9))
    known = {}
    figures([first, second], known=known)
    assert len(known) == 2
    computed, compute = [], statistics.worst_with_interval
    monkeypatch.setattr(statistics, "worst_with_interval", lambda *a: computed.append(1) or compute(*a))
    by_steps = figures([second, third], known=known)
    assert (len(computed), len(known)) == (1, 2), "the second is known, and the first is gone"
    assert by_steps == figures([second, third])
