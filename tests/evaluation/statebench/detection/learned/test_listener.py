"""Free talk: what the learned model hears where no rule speaks, and what it leaves to the rules."""

from __future__ import annotations

from dataclasses import replace

import pytest

from evaluation.statebench import detect
from evaluation.statebench.detection.detector import RuleDetector
from evaluation.statebench.detection.learned.listener import FreeTalkDetector
from evaluation.statebench.detection.learned.model import is_free_talk, model, probability
from tests.evaluation.statebench.writing import fact, say, timeline

VETO_ALL = replace(model(), thresholds=replace(model().thresholds, flags=1.1, vetoes=1.1))


def found(
    key: str, value: str, text: str, detector: FreeTalkDetector | RuleDetector | None = None
) -> list[str]:
    """The keys that a turn supersedes beside one given fact."""
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
    assert found(key, value, text) == [key]


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
    assert found(key, value, text) == []


def test_what_a_rule_is_sure_of_is_not_doubted():
    text = "The fee was raised from $20 to $25, as the treasurer told us at lunch."
    assert found("fee", "The fee is $20", text, RuleDetector()) == ["fee"]
    assert found("fee", "The fee is $20", text, FreeTalkDetector(VETO_ALL)) == ["fee"]


def test_templated_talk_is_left_to_the_rules():
    assert not is_free_talk("Just to confirm: Current inventory of Widget X is 50 units")
    assert is_free_talk("Nah, we've gone for the blue one, she's happier with it.")


def test_without_slots_nothing_is_superseded():
    assert detect(timeline(say("Mr Teal has handed in his notice, so Ines runs it now."), query="?")) == []


def test_news_of_nothing_known_is_no_change():
    assert probability([]) == 0
    assert probability([0.0]) == pytest.approx(0.5)
    assert probability([-30.0, -30.0]) == pytest.approx(0, abs=1e-9)
