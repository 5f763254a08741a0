"""A joining program may reach no more than the best of the others, whatever a preset declares for those."""

from __future__ import annotations

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any, cast

import pytest

from evaluation.attacks.plan import MARGIN, Attacker, AttackPlan, Joiner, Joining, Program, Role
from evaluation.attacks.report import (
    HIGHEST_CEILING,
    JOIN_MARGIN,
    LEAST_ROWS,
    AttackReport,
    on_grid,
    report_on,
    simultaneous,
)
from evaluation.core.sealing.limits import AttackLimit

#: (role, value, half of the interval)
Reached = tuple[Role, float, float]


def program(number: int, role: Role, *, joins: bool) -> Program:
    """A program for a report; it is never run."""
    named: tuple[Any, ...] = (f"program_{number}", f"Program {number}", "It does something.", role)
    return Joiner(*named, lambda notes, told: ()) if joins else Attacker(*named, lambda examples: list)


def report(
    single: Sequence[Reached], joined: Sequence[Reached] = (), limits: Sequence[AttackLimit] = ()
) -> AttackReport:
    """The report of programs with these results; programs of `joined` see all rows at once."""
    attackers = [program(number, role, joins=False) for number, (role, *_) in enumerate(single)]
    joiners = [program(number, role, joins=True) for number, (role, *_) in enumerate(joined, len(single))]
    joining = Joining(lambda examples: cast(Any, None), cast(Any, joiners)) if joined else None
    plan = AttackPlan(
        cast(Any, attackers), (("exact", "Exact"),), {}, limits, joining=joining, joinable="They can."
    )
    reports: list[Any] = [
        SimpleNamespace(metrics={"exact": value}, intervals={"exact": (value - half, value + half)})
        for _, value, half in (*single, *joined)
    ]
    return report_on(plan, reports)


SINGLE: list[Reached] = [("floor", 0.2, 0.01), ("shortcut", 0.25, 0.01), ("parser", 1.0, 0.0)]


def above_ceiling(told: AttackReport) -> list[str]:
    """The names of programs above their ceiling."""
    return [each["name"] for each in told["attackers"] if each["scores"][0]["above"]]


def test_a_joiner_may_reach_what_the_best_of_single_rows_does_and_very_little_more() -> None:
    told = report(SINGLE, [("join", 0.30, 0.02), ("join", 0.30, 0.05), ("join", 0.26, 0.0)])
    assert told["measures"][0]["joined_ceiling"] == pytest.approx(0.25 + JOIN_MARGIN)
    assert told["measures"][0]["ceiling"] == pytest.approx(0.2 + MARGIN)
    assert above_ceiling(told) == ["program_3"]
    assert told["diagnostic"] == (
        "the attacker program “program 3”, which joins rows, scores 30.0% in “Exact”, above the ceiling of 27.0% "
        "(2 points above the best program that sees one row at a time)"
    )
    assert told["joins"] == "They can."


def test_what_a_preset_declares_for_shortcuts_excuses_no_joiner() -> None:
    limits = [AttackLimit(metric="exact", floor=0.5, ceiling=HIGHEST_CEILING)]
    told = report(SINGLE, [("join", 0.40, 0.02)], limits)
    assert told["measures"][0]["ceiling"] == HIGHEST_CEILING
    assert above_ceiling(told) == ["program_3"]


def test_sentences_of_versions_frozen_before_are_put_on_the_grid_too() -> None:
    before = report(SINGLE) | {
        "diagnostic": "the attacker “x” reaches 0.906 of exact, above the ceiling of 0.207"
    }
    told = on_grid(before, lambda low, high: 0.05)["diagnostic"]
    assert told == "the attacker “x” reaches 90.0% of exact, above the ceiling of 20.0%"


def test_a_joiner_that_parses_is_listed_and_has_no_ceiling_and_a_taught_shortcut_raises_it() -> None:
    told = report(SINGLE, [("parser", 1.0, 0.0), ("shortcut", 0.35, 0.01), ("join", 0.36, 0.0)])
    assert above_ceiling(told) == []
    assert told["measures"][0]["joined_ceiling"] == pytest.approx(0.35 + JOIN_MARGIN)


def test_without_joiners_there_is_no_ceiling_of_theirs() -> None:
    told = report(SINGLE)
    assert "joined_ceiling" not in told["measures"][0]
    assert "joined_ceiling" not in on_grid(told, lambda low, high: 0.05)["measures"][0]


def test_a_version_that_keeps_its_answers_tells_that_ceiling_on_its_grid_too() -> None:
    told = on_grid(report(SINGLE, [("join", 0.30, 0.02)]), lambda low, high: 0.05)
    assert told["measures"][0]["joined_ceiling"] == pytest.approx(0.25)
    assert "above the ceiling of 25.0% (2 points above" in told["diagnostic"]
    assert above_ceiling(told) == ["program_3"]


def tracks(reached: Sequence[tuple[Role, float, float]], rows: int, margin: float = 0.02) -> AttackReport:
    """The report of programs with these results on two tracks of `rows` rows."""
    attackers = [program(number, role, joins=False) for number, (role, *_) in enumerate(reached)]
    plan = AttackPlan(
        cast(Any, attackers), (("exact", "Exact"),), {}, margin=margin, grouping="track", joinable=""
    )
    reports: list[Any] = []
    for _, one, other in reached:
        groups = {"one": {"metrics": {"exact": one}}, "other": {"metrics": {"exact": other}}}
        mean = (one + other) / 2
        reports.append(
            SimpleNamespace(
                metrics={"exact": mean},
                intervals={"exact": (mean - 0.4, mean + 0.4)},
                groups={"track": groups},
                group_rows={"track": {name: {"exact": rows} for name in groups}},
            )
        )
    return report_on(plan, reports)


def test_each_track_has_a_floor_and_a_ceiling_and_the_one_that_comes_furthest() -> None:
    told = tracks([("floor", 0.2, 0.4), ("shortcut", 0.25, 0.9), ("parser", 1.0, 1.0)], 100)
    one, other = told["splits"]
    assert (one["guess"], one["attacker"]) == ("Program 0", "Program 1")
    assert (one["measure"]["floor"], one["measure"]["ceiling"]) == (0.2, 0.22)
    assert not one["score"]["above"]
    assert other["score"]["above"]
    assert told["diagnostic"] == (
        "1 of 2 tracks can be answered without understanding the text (in “other” the attacker program “program 1” "
        "scores 90.0%, above the ceiling of 42.0% there)"
    )


def test_a_track_that_a_constant_answer_solves_is_above_every_ceiling() -> None:
    assert [each["score"]["above"] for each in tracks([("floor", 1.0, 0.5)], 100)["splits"]] == [True, False]
    assert "splits" not in tracks([("floor", 1.0, 0.5)], LEAST_ROWS - 1)


def test_the_numbers_of_tracks_are_shown_on_the_grid() -> None:
    told = on_grid(tracks([("floor", 0.213, 0.4)], 100), lambda low, high: 0.05)
    assert told["splits"][0]["score"]["value"] == pytest.approx(0.2)
    assert told["splits"][0]["measure"]["floor"] == pytest.approx(0.2)


def test_an_interval_for_many_tests_is_wider_and_for_one_is_wilson_s() -> None:
    low, high = simultaneous(0.5, 100, 1)
    assert (low, high) == pytest.approx((0.4038, 0.5962), abs=1e-4)
    wider = simultaneous(0.5, 100, 400)
    assert wider[0] < low < high < wider[1]
    assert simultaneous(1.0, 10, 1)[1] == 1.0
