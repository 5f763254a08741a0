"""Where the old and the new value of a slot are in a turn."""

from __future__ import annotations

import pytest

from evaluation.statebench.detection.learned.kinds import slot_kind
from evaluation.statebench.detection.learned.quantities import quantities
from evaluation.statebench.detection.learned.reading import read
from evaluation.statebench.detection.learned.turnover import turnover, turnover_names
from evaluation.statebench.detection.slot import Slot
from evaluation.statebench.facts.authority import Level


def seen(text: str, key: str, value: str) -> tuple[str, ...]:
    slot = Slot("F1", key, value, Level.EMPLOYEE, 0)
    return turnover(read(text).parts, slot, slot_kind(slot), quantities(value.lower()))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Ann's not coming. Bea is driving.", ("after", "does", "short")),
        ("Bea is driving. Ann's not coming.", ("before", "does", "short")),
        ("Bea!", ("alone", "opens", "bare")),
    ],
)
def test_the_new_name_is_seen_beside_the_old_one(text: str, expected: tuple[str, ...]) -> None:
    assert seen(text, "driver", "Ann")[1:4] == expected


def test_how_the_old_value_is_seen_off_is_seen() -> None:
    assert seen("Ann's not coming. Bea is driving.", "driver", "Ann")[-1] == "denied"


def test_a_new_amount_is_one_that_the_slot_does_not_hold() -> None:
    assert seen("Fourteen is fine.", "covers", "14") == ()
    assert seen("Make it fifteen.", "covers", "14")[1] == "alone"


def test_nothing_new_has_a_feature_of_its_own() -> None:
    assert [*turnover_names()] == ["turnover none"]
