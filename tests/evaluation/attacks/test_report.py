"""A program that joins rows is held to what the best of the others reaches, whatever a preset declares for these."""

from __future__ import annotations

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any, cast

import pytest

from evaluation.attacks.plan import Attacker, AttackPlan, Joiner, Joining, Program, Role
from evaluation.attacks.report import HIGHEST_CEILING, JOIN_MARGIN, MARGIN, AttackReport, on_grid, report_on
from evaluation.core.sealing.limits import AttackLimit

#: (role, value, half of the interval)
Reached = tuple[Role, float, float]


def program(number: int, role: Role, *, joins: bool) -> Program:
    """A program that is never run."""
    named: tuple[Any, ...] = (f"program_{number}", f"Program {number}", "It does something.", role)
    return Joiner(*named, lambda notes, told: ()) if joins else Attacker(*named, lambda examples: list)


def report(
    single: Sequence[Reached], joined: Sequence[Reached] = (), limits: Sequence[AttackLimit] = ()
) -> AttackReport:
    """The report of programs that reach so much, those of `joined` with all rows before them."""
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


def above(told: AttackReport) -> list[str]:
    """The names of those above their ceiling."""
    return [each["name"] for each in told["attackers"] if each["scores"][0]["above"]]


def test_a_joiner_may_reach_what_the_best_of_single_rows_does_and_very_little_more() -> None:
    told = report(SINGLE, [("join", 0.30, 0.02), ("join", 0.30, 0.05), ("join", 0.26, 0.0)])
    assert told["measures"][0]["joined_ceiling"] == pytest.approx(0.25 + JOIN_MARGIN)
    assert told["measures"][0]["ceiling"] == pytest.approx(0.2 + MARGIN)
    assert above(told) == ["program_3"]
    assert told["diagnostic"] == (
        "the attacker “program 3” reaches 0.300 of exact, above the ceiling of 0.270 of programs that see one row at a "
        "time: rows can be joined"
    )
    assert told["joins"] == "They can."


def test_what_a_preset_declares_for_shortcuts_excuses_no_joiner() -> None:
    limits = [AttackLimit(metric="exact", floor=0.5, ceiling=HIGHEST_CEILING)]
    told = report(SINGLE, [("join", 0.40, 0.02)], limits)
    assert told["measures"][0]["ceiling"] == HIGHEST_CEILING
    assert above(told) == ["program_3"]


def test_a_joiner_that_parses_is_listed_and_has_no_ceiling_and_a_taught_shortcut_raises_it() -> None:
    told = report(SINGLE, [("parser", 1.0, 0.0), ("shortcut", 0.35, 0.01), ("join", 0.36, 0.0)])
    assert above(told) == []
    assert told["measures"][0]["joined_ceiling"] == pytest.approx(0.35 + JOIN_MARGIN)


def test_without_joiners_there_is_no_ceiling_of_theirs() -> None:
    told = report(SINGLE)
    assert "joined_ceiling" not in told["measures"][0]
    assert "joined_ceiling" not in on_grid(told, lambda low, high: 0.05)["measures"][0]


def test_a_version_that_keeps_its_answers_tells_that_ceiling_on_its_grid_too() -> None:
    told = on_grid(report(SINGLE, [("join", 0.30, 0.02)]), lambda low, high: 0.05)
    assert told["measures"][0]["joined_ceiling"] == pytest.approx(0.25)
    assert "above the ceiling of 0.250 of programs" in told["diagnostic"]
    assert above(told) == ["program_3"]
