"""Free talk: what the learned model finds where no rule applies, and what it leaves to the rules."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from evaluation.statebench import detect
from evaluation.statebench.detection.detector import RuleDetector, Turn
from evaluation.statebench.detection.learned.listener import FreeTalkDetector
from evaluation.statebench.detection.learned.model import is_free_talk, model, probability
from evaluation.statebench.detection.rules import Match
from evaluation.statebench.detection.slot import Slot
from evaluation.statebench.facts.authority import Level
from tests.evaluation.statebench.writing import fact, say, timeline

VETO_ALL = replace(model(), thresholds=replace(model().thresholds, flags=1.1, vetoes=1.1))
TEXT = "The meeting moved to Friday."


def superseded_keys(
    key: str, value: str, text: str, detector: FreeTalkDetector | RuleDetector | None = None
) -> list[str]:
    """The keys that a turn supersedes, with one given fact."""
    story = timeline(say(text), facts=[fact(key, value)], query="?")
    return [detection.key for detection in detect(story, detector=detector)]


@pytest.mark.parametrize(
    ("key", "value", "text"),
    [
        ("curtain_up", "19:30", "The producer has decided we go up at quarter to eight."),
        ("head_gardener", "Mr Teal", "Mr Teal has handed in his notice, so Ines runs the garden now."),
        ("ferry_berth", "3", "The harbour office rang, she ties up at seven from tonight."),
    ],
)
def test_changes_in_free_words_are_heard_that_no_rule_hears(key: str, value: str, text: str):
    assert superseded_keys(key, value, text) == [key]


@pytest.mark.parametrize(
    ("key", "value", "text"),
    [
        ("curtain_up", "19:30", "Would they ever let us go up at quarter to eight?"),
        ("head_gardener", "Mr Teal", "If Mr Teal ever left, Ines might run the garden."),
        ("tent_colour", "orange", "My cousin's tent is a green one."),
        ("tent_colour", "orange", "When we were children we had a green one."),
        ("curtain_up", "19:30", "Half past seven, as ever."),
    ],
)
def test_talk_about_the_same_that_changes_nothing_is_left_alone(key: str, value: str, text: str):
    assert superseded_keys(key, value, text) == []


def test_what_a_rule_is_sure_of_is_not_doubted():
    text = "The fee was raised from $20 to $25, as the treasurer told us at lunch."
    assert superseded_keys("fee", "The fee is $20", text, RuleDetector()) == ["fee"]
    assert superseded_keys("fee", "The fee is $20", text, FreeTalkDetector(VETO_ALL)) == ["fee"]


def test_templated_talk_is_left_to_the_rules():
    assert not is_free_talk("Just to confirm: Current inventory of Widget X is 50 units")
    assert is_free_talk("Nah, we've gone for the blue one, she's happier with it.")


def test_without_slots_nothing_is_superseded():
    assert detect(timeline(say("Mr Teal has handed in his notice, so Ines runs it now."), query="?")) == []


def test_news_of_nothing_known_is_no_change():
    assert probability([]) == 0
    assert probability([0.0]) == pytest.approx(0.5)
    assert probability([-30.0, -30.0]) == pytest.approx(0, abs=1e-9)


def slots(day: str = "The meeting is on Monday") -> list[Slot]:
    return [Slot("F1", "meeting", day, Level.EMPLOYEE, 0), Slot("F2", "budget", "$400", Level.EMPLOYEE, 1)]


def turn(text: str = TEXT, index: int = 3) -> Turn:
    return Turn(index, "user", text, "2026-01-01T00:00:00", Level.EMPLOYEE)


class Counting(FreeTalkDetector):
    """Counts how often it looks for changes."""

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
