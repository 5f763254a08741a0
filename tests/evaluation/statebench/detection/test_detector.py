"""Detection from language: each kind, turns that change nothing, and figures on labelled turns."""

from __future__ import annotations

import copy

import pytest

from evaluation.statebench import detect
from evaluation.statebench.detection.detector import ModelDetector
from tests.evaluation.statebench import reference_state
from tests.evaluation.statebench.writing import fact, say, timeline, write


def detections(value: str, text: str, *, key: str = "slot", reader: str = "Manager", **source: str):
    """The facts that a turn supersedes, with one given fact."""
    return detect(timeline(say(text), facts=[fact(key, value, **source)], reader=reader, query="?"))


@pytest.mark.parametrize(
    ("key", "value", "text"),
    [
        ("fee", "The fee is $20", "The fee was raised from $20 to $25."),
        ("fee", "The fee is $20", "Correction: the fee is $25."),
        ("start", "The tour starts at 9 am", "The tour starts at 10 am."),
        ("start", "The tour starts at 9 am", "Sorry, make that 10 am."),
        ("guide", "Olga guides the tour", "Olga is ill; Pavel is taking over the tour from Olga."),
        ("hotel", "Hotel Astra", "Let's book Pension Iris instead."),
        ("status", "The bridge is closed", "The bridge has reopened and is open."),
        ("depot", "The depot is at 4 Dock Road", "The depot moved to 9 Mill Lane."),
    ],
)
def test_a_change_is_found(key, value, text):
    (detection,) = detections(value, text, key=key)
    assert detection.key == key
    assert detection.turn_index == 0
    assert detection.evidence in text
    assert 0.5 < detection.confidence <= 1


@pytest.mark.parametrize(
    "text",
    [
        "What if the fee were $25?",
        "Is the fee $25?",
        "Somebody suggested a fee of $25.",
        "The fee used to be $15.",
        "The fee is still $20.",
        "To be clear, the fee is $20.",
        "My cousin pays a fee of $25 elsewhere.",
        "Draft: the fee is $25.",
        "If the hall falls through, we'd have a fee of $25.",
        "Mustn't forget the fee.",
        "I have a new bicycle now.",
        "Actually, that was a lovely dinner.",
    ],
)
def test_talk_that_changes_nothing_is_left_alone(text):
    assert detections("The fee is $20", text, key="fee") == []


def test_the_kind_says_why():
    assert detections("The fee is $20", "The fee is $25.", key="fee")[0].kind == "implicit"
    assert (
        detections("The price of oats is $20", "The price of oats is $25.", key="oats_price")[0].kind
        == "temporal"
    )
    assert detections("The fee is $20", "Correction: the fee is $25.", key="fee")[0].kind == "explicit"
    assert detections("The fee is $20", "Per the CEO, the fee is $25.", key="fee")[0].kind == "authority"


def test_an_intern_does_not_overrule_a_policy():
    rule = {"type": "policy", "authority": "CFO"}
    assert (
        detections("The discount is 15%", "The discount is now 25%.", reader="intern", key="discount", **rule)
        == []
    )


def test_another_entity_is_no_conflict():
    story = timeline(
        write("ferry", "Ferry Ada leaves at 4 PM"), say("Bus Line 7 leaves the mall at 6 PM."), query="?"
    )
    assert detect(story) == []


def test_labels_are_never_read():
    rows = reference_state.rows("detection/heldout_timelines.jsonl")[:20]
    stripped = copy.deepcopy(rows)
    for row in stripped:
        row.pop("metadata")
        for event in row["events"]:
            event.pop("implicit_supersession", None)
            event.pop("ground_truth", None)
    assert [detect(row) for row in rows] == [detect(row) for row in stripped]


def test_a_model_may_take_the_rules_place():
    answer = '{"fact": "fee", "evidence": "twenty-five", "confidence": 0.8}'
    story = timeline(say("Twenty-five it shall be."), facts=[fact("fee", "The fee is $20")], query="?")
    (detection,) = detect(story, detector=ModelDetector(lambda prompt: answer))
    assert (detection.key, detection.confidence) == ("fee", 0.8)


@pytest.mark.parametrize("answer", ["", "no", "{}", '{"fact": "other"}', "[1]"])
def test_a_model_that_answers_badly_detects_nothing(answer):
    story = timeline(say("Twenty-five."), facts=[fact("fee", "The fee is $20")], query="?")
    assert detect(story, detector=ModelDetector(lambda prompt: answer)) == []


def f1(flagged: set[tuple[str, int]], expected: set[tuple[str, int]]) -> float:
    return 2 * len(flagged & expected) / (len(flagged) + len(expected))


@pytest.mark.parametrize("events_kept", [True, False], ids=["with events", "language only"])
def test_labelled_turns_of_the_release_are_found_with_f1_of_090(events_kept):
    by_id = {row["id"]: row for row in reference_state.dev()}
    flagged, collected = set(), set()
    for label in reference_state.rows("detection/labels.dev.jsonl"):
        row = by_id[label["timeline_id"]]
        events = list(enumerate(row["events"]))
        if not events_kept and row["track"] != "supersession_detection":
            events = [(n, event) for n, event in events if event["type"] != "supersession"]
        found_at = {
            events[d.event_index][0] for d in detect(row | {"events": [event for _, event in events]})
        }
        turns = [turn for turn in label["turns"] if turn["speaker"] == "user" and turn["label"] != "neutral"]
        flagged |= {(row["id"], t["event_index"]) for t in turns if t["event_index"] in found_at}
        collected |= {(row["id"], t["event_index"]) for t in turns if t["label"] == "supersedes"}
    assert f1(flagged, collected) >= 0.90


def test_heldout_timelines_are_judged_with_f1_of_070():
    flagged, collected = set(), set()
    for row in reference_state.rows("detection/heldout_timelines.jsonl"):
        turns = [
            n
            for n, e in enumerate(row["events"])
            if e["type"] == "conversation_turn" and e["speaker"] == "user"
        ]
        if row["events"][-1]["ground_truth"]["supersession_detection"]["must_detect"]:
            collected.add((row["id"], turns[-1]))
        flagged |= {(row["id"], detection.event_index) for detection in detect(row)}
    assert f1(flagged, collected) >= 0.70
