"""Facts that were only said: the specification's examples without structured facts, and turns that state nothing."""

from __future__ import annotations

import pytest

from evaluation.statebench.context.replay import replay
from evaluation.statebench.context.state import State
from evaluation.statebench.records import Timeline
from evaluation.statebench.strategies import build_context
from tests.evaluation.statebench.writing import fact, leave, say, supersede, timeline, write


def spoken(*texts: str, query: str = "What holds?", **fields: object) -> Timeline:
    """A timeline in which these texts are said and nothing is written."""
    return timeline(*map(say, texts), query=query, **fields)


def current_values(state: State) -> dict[str, str]:
    """The present values, by key."""
    return {fact.key: fact.text for fact in state.held()}


@pytest.mark.parametrize(
    ("turns", "live", "dead"),
    [
        (("The address is 12 Elm Street.", "We moved to 9 Oak Lane."), "Oak Lane", "Elm"),
        (
            ("The meeting is on Tuesday at 2pm.", "Let's do the meeting Thursday at 3pm."),
            "Thursday",
            "Tuesday",
        ),
        (("The discount is 10%.", "Correction: the discount is 12%."), "12%", "10%"),
        (("The stock price is $45.", "The stock price is $47."), "$47", "$45"),
        (("The shipment is approved.", "The shipment has been cancelled."), "cancelled", "approved"),
        (("The order status is pending.", "The order status is now shipped."), "shipped", "pending"),
        (("The fee changed from $20 to $25.", "The fee changed from $25 to $30."), "$30", "$25"),
    ],
)
def test_of_what_was_only_said_the_live_value_alone_is_shown(turns, live, dead):
    text = build_context(spoken(*turns)).text
    assert live in text
    assert dead not in text


def test_a_value_approved_three_times_stays_cancelled():
    story = spoken(
        "The shipment is approved!",
        "Again: the shipment is approved.",
        "To be clear, the shipment is approved.",
        "The shipment is now cancelled.",
        "As I said, the shipment is approved.",
    )
    text = build_context(story).text
    assert "cancelled" in text
    assert "approved" not in text


def test_an_intern_does_not_replace_what_the_cfo_said():
    story = spoken(
        "[CFO] The maximum discount is 15%.", "[Intern] The maximum discount is now 25%.", reader="employee"
    )
    text = build_context(story).text
    assert "15%" in text
    assert "25%" not in text
    assert current_values(replay(story)) == {"maximum_discount": "15%"}


@pytest.mark.parametrize(
    "text",
    [
        "What is the office address?",
        "Suppose the office address is 9 Oak Lane.",
        "I wish the office address were 9 Oak Lane.",
        "Somebody told me the office address is 9 Oak Lane.",
        "Maybe the office address should be 9 Oak Lane.",
        "Had the lease been longer, the office address would be 9 Oak Lane.",
        "Somebody noted that the office address is now 9 Oak Lane.",
        "Someone in the kitchen was saying the office address changed from 12 Elm Street to 9 Oak Lane.",
        "Somebody at work pointed out this morning: the office address is now 9 Oak Lane.",
        "Somebody told me we are growing and the office address is now 9 Oak Lane.",
        "It was noted that the office address is now 9 Oak Lane.",
        "We're told the office address is now 9 Oak Lane.",
        "I had told everyone the office address is now 9 Oak Lane.",
        "She'd announced that the office address is now 9 Oak Lane.",
        "I had it that the office address is 9 Oak Lane.",
        "We had it down that the office address is 9 Oak Lane.",
        "I'd got it in my head that the office address is 9 Oak Lane.",
        "I took it that the office address is 9 Oak Lane.",
        "I always assumed the office address is 9 Oak Lane.",
        "I was under the impression that the office address is 9 Oak Lane.",
        "My understanding was that the office address is 9 Oak Lane.",
    ],
)
def test_what_states_nothing_makes_no_fact_and_changes_none(text):
    assert len(replay(spoken(text)).store) == 0
    given = [fact("office_address", "12 Elm Street")]
    assert current_values(replay(spoken(text, facts=given))) == {"office_address": "12 Elm Street"}


@pytest.mark.parametrize(
    "text",
    [
        "I had it that the meeting was on Monday.",
        "I had it down as Monday.",
        "I had the meeting down for Monday.",
    ],
)
def test_what_was_once_supposed_supersedes_nothing(text):
    assert replay(spoken(text, facts=[fact("meeting_day", "Tuesday")])).detections == []


def test_what_was_once_supposed_names_what_the_rest_of_the_turn_changes():
    text = "I had it that the meeting was at 2pm, but it's now at 4pm."
    state = replay(spoken(text, facts=[fact("meeting", "3pm")]))
    assert "4pm" in current_values(state)["meeting"]


def test_what_had_been_told_names_what_the_rest_of_the_turn_changes():
    for text in (
        "I had told everyone the meeting is at 2pm, but it's now at 4pm.",
        "I'd told you 2pm, but the meeting is at 4pm.",
    ):
        state = replay(spoken(text, facts=[fact("meeting", "2pm"), fact("cap", "15%")]))
        assert "4pm" in current_values(state)["meeting"]


@pytest.mark.parametrize(
    ("text", "authority"),
    [
        ("The CFO says the office address is now 9 Oak Lane.", "The CFO"),
        ("Ann told me that the office address is now 9 Oak Lane.", "employee"),
        ("Somebody called, and the office address is now 9 Oak Lane.", "employee"),
    ],
)
def test_the_speaker_is_no_part_of_the_subject(text, authority):
    for given in ([], [fact("office_address", "12 Elm Street")]):
        (live,) = replay(spoken(text, facts=given, reader="employee")).held()
        assert (live.key, live.text, live.source.authority) == ("office_address", "9 Oak Lane", authority)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("The lead singer changed from Ana to Bo.", "Bo"),
        ("The board meeting moved to Friday.", "Friday"),
        ("The policy changed to silence.", "silence"),
        ("The guest room is now blue.", "blue"),
        ("The cost per head is $20.", "$20"),
    ],
)
def test_a_title_in_the_subject_gives_a_statement_no_authority(text, value):
    (made,) = replay(spoken(text, reader="intern")).store
    assert (made.text, made.source.authority) == (value, "intern")


def test_a_statement_has_its_key_value_source_and_authority():
    (made,) = replay(spoken("Hello.", "The office address is 12 Elm Street.")).store
    assert (made.key, made.value) == ("office_address", "12 Elm Street")
    assert (made.source.type, made.source.turn_index, made.source.event_index) == ("conversation", 1, 1)
    assert made.source.authority == "Manager"


def test_a_plain_statement_without_evidence_of_change_leaves_another_value_alone():
    assert current_values(replay(spoken("The office colour is teal.", "The office colour is plum."))) == {
        "office_colour": "teal"
    }
    assert current_values(replay(spoken("The stock is low.", "The stock is high."))) == {"stock": "high"}


def test_the_words_of_a_structured_key_name_it():
    state = replay(
        spoken("The office address is now 9 Oak Lane.", facts=[fact("office_address", "12 Elm Street")])
    )
    assert current_values(state) == {"office_address": "9 Oak Lane"}


def test_what_is_merely_drafted_is_no_slot():
    state = replay(
        spoken(
            "The office address is 9 Oak Lane.",
            facts=[fact("office_address", "12 Elm Street", scope="draft")],
        )
    )
    assert current_values(state) == {"office_address": "9 Oak Lane"}


def test_a_record_takes_the_place_of_what_was_said_of_the_same():
    story = timeline(
        say("The order is approved."), write("order_v2", "The order is cancelled"), query="?", reader="peer"
    )
    assert current_values(replay(story)) == {"order_v2": "The order is cancelled"}


def test_a_remark_becomes_a_fact_only_when_something_supersedes_it():
    assert len(replay(spoken("We meet on Thursdays at nine.")).store) == 0
    changed = replay(spoken("We meet on Thursdays at nine.", "Actually we meet on Fridays."))
    assert [made.is_valid for made in changed.store] == [False, True]
    assert (
        "Thursday"
        not in build_context(spoken("We meet on Thursdays at nine.", "Actually we meet on Fridays.")).text
    )


def test_a_fragment_exchanges_one_value_of_a_remark_and_keeps_the_rest():
    state = replay(spoken("Two seats on the 7:40 ferry, please.", "Three, actually."))
    assert [made.text for made in state.held()] == ["Three seats on the 7:40 ferry, please."]


def test_two_changes_in_a_turn_are_both_made():
    given = [fact("coach", "Ann"), fact("training_day", "Tuesday")]
    state = replay(spoken("The coach is now Bea, and the training day is now Friday.", facts=given))
    assert current_values(state) == {"coach": "Bea", "training_day": "Friday"}
    assert {detection.key for detection in state.detections} == {"coach", "training_day"}


def test_the_old_value_in_a_change_is_no_mention_of_a_dead_value():
    state = replay(
        spoken(
            "The office colour changed from teal to plum.",
            "The team colour changed from plum to teal.",
            "The team colour is now gold.",
            "The wall colour changed from teal to lime.",
        )
    )
    assert current_values(state) == {"office_colour": "plum", "team_colour": "gold", "wall_colour": "lime"}


def test_the_dead_value_of_another_thing_may_be_said():
    story = spoken("The front door is oak.", "The front door is now elm.", "The front wheel is oak.")
    assert current_values(replay(story)) == {"front_door": "elm", "front_wheel": "oak"}
    wished = say("I wish the boat name were Oak.")  # so that the turn speaks of the value of another slot
    written = timeline(
        wished, write("paper", "elm"), say("The boat name is oak."), facts=[fact("paper", "oak")], query="?"
    )
    assert current_values(replay(written)) == {"paper": "elm", "boat_name": "oak"}
    again = spoken("The meeting is at 2pm.", "The meeting is now at 3pm.", "The meeting time is 2pm.")
    assert current_values(replay(again)) == {"meeting": "at 3pm"}


def test_what_ended_with_its_place_is_no_former_value_of_what_is_said_there_again():
    project = {"scope": "project", "scope_id": "P-1"}
    state = replay(
        timeline(
            write("wheel", "oak", id="W-1", **project),
            supersede("tool", "oak", of="W-1", **project),
            leave("project", "P-1"),
            say("The wheel changed from oak to elm.") | project,
            query="?",
        )
    )
    assert current_values(state) == {"wheel": "elm"}


def test_a_place_that_was_left_begins_anew():
    task = {"scope": "task", "scope_id": "T-1"}
    oak, elm = say("The plan is oak.") | task, say("The plan is now elm.") | task
    assert current_values(replay(timeline(oak, elm, leave("task", "T-1"), oak, query="?"))) == {"plan": "oak"}
    remark, change = say("We meet on Thursdays at nine.") | task, say("Actually we meet on Fridays.") | task
    assert len(replay(timeline(remark, change, query="?")).store) == 2
    assert len(replay(timeline(remark, leave("task", "T-1"), change, query="?")).store) == 0


def test_what_is_said_in_a_digression_makes_no_fact():
    assert len(replay(spoken("Hold on, something came up.", "The printer code is 4410.")).store) == 0


def test_without_conversation_facts_statements_stay_turns():
    story = spoken("The office address is 12 Elm Street.", "The office address is now 9 Oak Lane.")
    assert len(replay(story, conversation_facts=False).store) == 0
    assert "Elm" in build_context(story, conversation_facts=False).text


def test_what_is_said_in_a_long_conversation_is_still_found():
    chat = [f"The code of box {n} is K{n}." for n in range(200)]
    state = replay(
        spoken("The office address is 12 Elm Street.", *chat, "The office address is now 9 Oak Lane.")
    )
    assert current_values(state)["office_address"] == "9 Oak Lane"
