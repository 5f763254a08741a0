"""Gates, then the headline, then robustness; whom nothing separates shares a rank; some kinds have none."""

from __future__ import annotations

import numpy as np
import pytest

from leaderboard.boards.placements.ranking import Contestant, figures, place


def packed(*sums: float, rows: int = 10) -> bytes:
    return np.array([(value, rows) for value in sums], dtype=np.float32).tobytes()


def contestant(name: str, *sums: float, gated: bool = False, robust: tuple[float, ...] = ()) -> Contestant:
    value = sum(sums) / (10 * len(sums)) if sums else None
    return Contestant(name, name, value, gated, packed(*sums), packed(*robust) if robust else b"")


def ranks(*contestants: Contestant) -> dict[str, int | None]:
    return {placing.key: placing.rank for placing in place(contestants)}


def test_a_gated_system_is_shown_last_and_not_ranked():
    found = place([contestant("cheat", 10, 10, 10, gated=True), contestant("honest", 5, 5, 5)])
    assert [(p.key, p.rank) for p in found] == [("honest", 1), ("cheat", None)]


def test_systems_that_no_test_separates_share_a_rank():
    found = place([contestant("a", 9, 5, 7, 8), contestant("b", 8, 6, 7, 8), contestant("c", 1, 1, 0, 1)])
    assert [(p.key, p.rank, p.tie) for p in found] == [("a", 1, True), ("b", 1, False), ("c", 3, False)]
    assert [p.sharing for p in found] == [2, 2, 1]


def test_a_figure_that_all_units_have_alike_has_no_interval():
    found = figures([contestant("alike", 10, 10, 10), contestant("mixed", 10, 5, 0)])
    assert found["alike"].interval is None
    assert found["mixed"].interval is not None


def test_robustness_decides_between_equals():
    steady = contestant("steady", 10, 10, 10, robust=(10, 10, 10))
    positional = contestant("positional", 10, 10, 10, robust=(0, 1, 0))
    assert ranks(positional, steady) == {"steady": 1, "positional": 2}
    first, second = place([positional, steady])
    assert (first.robust, second.robust) == (1.0, pytest.approx(1 / 30))
    assert (first.low, first.high, second.high) == (1, 1, 2)


def test_robustness_never_lifts_a_system_over_a_better_headline():
    better = contestant("better", 10, 10, 10, robust=(1, 1, 1))
    assert ranks(better, contestant("worse", 1, 1, 1, robust=(9, 9, 9)))["better"] == 1


def test_a_system_without_the_conditions_follows_those_of_its_group_that_have_them():
    assert ranks(contestant("silent", 10, 10), contestant("steady", 10, 10, robust=(5, 5))) == {
        "steady": 1,
        "silent": 2,
    }


def test_a_file_without_the_headlines_rows_is_ranked_behind_all_others_by_its_conditions():
    found = ranks(
        contestant("whole", 1, 1, 1, robust=(1, 1, 1)),
        contestant("steady", robust=(10, 10, 10)),
        contestant("positional", robust=(0, 0, 0)),
    )
    assert found == {"whole": 1, "steady": 2, "positional": 3}


def test_missing_is_last_and_never_zero():
    found = place([contestant("nothing"), contestant("zero", 0, 0, 0)])
    assert [(p.key, p.rank) for p in found] == [("zero", 1), ("nothing", None)]


def test_a_kind_that_is_not_ranked_stands_behind_all_by_name_outside_ranks_and_ties():
    strategies = [contestant(n, 10, 10, 10)._replace(unranked="no model decides") for n in ("zeta", "alpha")]
    found = place([*strategies, contestant("model", 5, 5, 5), contestant("cheat", 9, 9, 9, gated=True)])
    assert [(p.key, p.rank, p.tie, p.apart) for p in found] == [
        ("model", 1, False, False),
        ("cheat", None, False, False),
        ("alpha", None, False, True),
        ("zeta", None, False, True),
    ]
    assert [p.reason for p in found] == ["", "a gate failed", "no model decides", "no model decides"]
    assert (found[0].low, found[0].high, found[0].lead) == (1, 1, None)


def test_a_place_says_why_it_has_no_rank_and_over_how_many_units_it_is():
    found = place([contestant("nothing"), contestant("zero", 0, 0, 0)])
    assert [(p.reason, p.units) for p in found] == [("", 3), ("its headline is not reported", 0)]


def test_an_empty_board_has_no_places():
    assert place([]) == []
