"""What was found once is found again, and only beside slots that read the same."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from evaluation.statebench.detection.detector import Turn
from evaluation.statebench.detection.learned.listener import FreeTalkDetector
from evaluation.statebench.detection.rules import Match
from evaluation.statebench.detection.slot import Slot
from evaluation.statebench.facts.authority import Level

TEXT = "The meeting moved to Friday."


def slots(day: str = "The meeting is on Monday") -> list[Slot]:
    return [Slot("F1", "meeting", day, Level.EMPLOYEE, 0), Slot("F2", "budget", "$400", Level.EMPLOYEE, 1)]


def turn(text: str = TEXT, index: int = 3) -> Turn:
    return Turn(index, "user", text, "2026-01-01T00:00:00", Level.EMPLOYEE)


class Counting(FreeTalkDetector):
    """Counts how often it has to look."""

    looks = 0

    def _detect(self, turn: Turn, slots: Sequence[Slot]) -> Sequence[Match]:
        self.looks += 1
        return super()._detect(turn, slots)


def test_the_same_turn_beside_the_same_slots_is_looked_at_once() -> None:
    detector, again = Counting(), slots()
    first = detector.detect(turn(), slots())
    second = detector.detect(turn(), again)
    assert detector.looks == 1
    assert first[0].slot.key == "meeting"
    assert second[0].slot is again[0]
    assert [(m.kind, m.confidence, m.evidence, m.value, m.filler) for m in first] == [
        (m.kind, m.confidence, m.evidence, m.value, m.filler) for m in second
    ]


def glossed(them: list[Slot]) -> list[Slot]:
    them[0].gloss("We all meet weekly")
    return them


def refilled(them: list[Slot]) -> list[Slot]:
    them[0].take_over(None, "The meeting is on Friday")
    return them


@pytest.mark.parametrize(
    "others",
    [slots("The meeting is on Tuesday"), slots()[::-1], slots()[:1], glossed(slots()), refilled(slots())],
    ids=["another value", "another order", "fewer", "more words for one", "a former value"],
)
def test_slots_that_read_otherwise_are_looked_at_anew(others: list[Slot]) -> None:
    detector = Counting()
    detector.detect(turn(), slots())
    detector.detect(turn(), others)
    assert detector.looks == 2


def test_a_signal_is_no_turn() -> None:
    detector = Counting()
    detector.detect(turn(), slots())
    detector.detect(turn(index=-1), slots())
    assert detector.looks == 2


def test_beside_very_many_slots_nothing_is_kept() -> None:
    detector = Counting()
    many = [Slot(f"F{n}", f"gauge_{n}", f"{n} bar", Level.EMPLOYEE, n) for n in range(200)]
    assert [detector.detect(turn(), many), detector.detect(turn(), many)] == [(), ()]
    assert detector.looks == 2


def test_a_slot_that_learns_a_name_reads_otherwise() -> None:
    one, other = slots()[0], slots()[0]
    assert one.mark == other.mark
    one.call(frozenset(("standup",)))
    assert one.mark != other.mark
