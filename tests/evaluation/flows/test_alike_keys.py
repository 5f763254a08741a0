"""Keys that share a word and hold equal values: a change of one leaves the other alone."""

from __future__ import annotations

import re

import pytest

from evaluation.statebench.context.assemble import assemble
from evaluation.statebench.context.replay import replay
from evaluation.statebench.detection.detector import RuleDetector
from tests.evaluation.statebench.context.alike_timelines import Story
from tests.evaluation.statebench.writing import fact, say, timeline

PLAIN = re.compile(r"The (?P<words>.+?) (?:is now|is|changed from .+? to) (?P<value>.+)\.")
SEEDS = range(600)


@pytest.mark.parametrize("start", range(0, len(SEEDS), 100))
def test_each_of_two_keys_that_share_a_word_has_its_own_value(start: int) -> None:
    for seed in SEEDS[start : start + 100]:
        story = Story(seed)
        state = replay(story.row(), detector=RuleDetector())
        assert {fact.key: fact.text for fact in state.held()} == story.holds, seed


@pytest.mark.parametrize("start", range(0, len(SEEDS), 100))
def test_no_turn_that_gives_a_key_a_value_of_before_is_shown(start: int) -> None:
    for seed in SEEDS[start : start + 100]:
        story = Story(seed)
        shown = assemble(replay(story.row(), detector=RuleDetector())).lines["working_set"]
        told = [match for line in shown if (match := PLAIN.fullmatch(line))]
        stale = [
            match[0] for match in told if story.holds[match["words"].replace(" ", "_")] != match["value"]
        ]
        assert stale == [], seed


def test_a_change_of_the_named_key_is_certain_although_another_key_holds_the_same() -> None:
    turns = ("The side dish is risotto.", "The main dish is risotto.", "The side dish is now salad.")
    state = replay(timeline(*map(say, turns), query="What holds?"))
    assert {fact.key: fact.text for fact in state.held()} == {"side_dish": "salad", "main_dish": "risotto"}
    assert [detection.key for detection in state.detections] == ["side_dish"]


def test_another_word_for_what_is_held_is_no_other_thing() -> None:
    facts = [fact("office_address", "9 Oak Lane")]
    row = timeline(say("The office location is now 4 Elm Road."), facts=facts, query="Where is the office?")
    assert [detection.key for detection in replay(row).detections] == ["office_address"]
