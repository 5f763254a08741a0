"""Replaying timelines: order, layers, rivals, and the true states of the release."""

from __future__ import annotations

import gc

import pytest

from evaluation.core.errors import RowError
from evaluation.statebench.context.replay import replay, replay_all
from evaluation.statebench.generator.tracks import generate
from evaluation.statebench.strategies import build_contexts
from tests.evaluation.statebench import reference_state
from tests.evaluation.statebench.writing import fact, say, supersede, timeline, write


def keys(state, *, valid: bool) -> set[str]:
    return {fact.key for fact in state.store if fact.is_valid is valid}


def test_events_take_effect_in_order_of_time():
    late = write("v2", "two") | {"ts": "2026-01-05T09:40"}
    early = supersede("v3", "three", of="v1") | {"ts": "2026-01-05T09:50"}
    first = write("v1", "one") | {"ts": "2026-01-05T09:10"}
    state = replay(timeline(late, early, first, query="?") | {}, detector=None)
    assert [fact.key for fact in state.store] == ["v1", "v2", "v3"]
    assert keys(state, valid=False) == {"v1"}


def test_a_query_sees_what_stands_before_it():
    story = timeline(write("a", "1"), query="first?")
    later = timeline(write("b", "2"), query="second?")["events"]
    story["events"] += [event | {"ts": f"2026-02-0{n + 1}"} for n, event in enumerate(later)]
    assert keys(replay(story, 0), valid=True) == {"a"}
    assert keys(replay(story, 1), valid=True) == {"a", "b"}
    assert [state.query for state in replay_all(story)] == ["first?", "second?"]


def test_a_query_that_is_not_there_is_refused():
    with pytest.raises(RowError, match="no query 3"):
        replay(timeline(query="?"), 3)


def test_a_second_write_of_a_key_supersedes_the_first_unless_its_authority_is_lower():
    raised = timeline(write("k", "low"), write("k", "high", authority="manager"), query="?")
    assert [fact.value for fact in replay(raised).store.read_valid()] == ["high"]
    lowered = timeline(write("k", "high", authority="policy", type="policy"), write("k", "low"), query="?")
    assert [fact.value for fact in replay(lowered).store.read_valid()] == ["high"]


def test_a_second_write_of_a_key_finds_its_rival_although_ids_collide():
    twice = timeline(write("k", "old"), write("other", "kept"), write("k", "new"), query="?")
    state = replay(twice)
    assert {fact.alias for fact in state.store} == {"W-AUTO"}
    assert [fact.value for fact in state.store.read_valid()] == ["kept", "new"]


def test_a_scope_is_read_in_any_case_and_an_odd_one_breaks_nothing():
    odd = [write("k", "odd", scope=scope) for scope in (" Draft ", "team", 7, ["x"])]
    plain = [write("k", "firm", scope="Global"), *odd, write("note", "n", layer="working_set", scope=7)]
    for event in odd:
        event["writes"][0]["scope_id"] = ["T", 1]
    state = replay(timeline(*plain, query="?"))
    assert [fact.value for fact in state.store.read_valid()] == ["firm"]
    assert [fact.scope for fact in state.store][:3] == ["global", "draft", "team"]


def test_a_turn_that_a_scoped_write_records_is_not_reported_as_a_change():
    message = timeline(
        say("Draft: the fee is $30."),
        supersede("fee", "The fee is $30", of="fee", scope="draft"),
        facts=[fact("fee", "The fee is $20")],
        query="?",
    )
    assert replay(message).detections == []


TASK = {"scope": "task", "scope_id": "T-7"}


def move(action: str, **place: str) -> dict[str, str]:
    return {"type": "scope", "action": action, **(place or TASK)}


def fees(state) -> list[tuple[str, str]]:
    return [(fact.place.label, fact.text) for fact in state.held()]


def test_a_fact_of_a_task_holds_at_a_query_while_the_task_is_active():
    story = timeline(write("fee", "$20"), move("enter"), write("fee", "$30", **TASK), query="The fee?")
    assert fees(replay(story)) == [("task T-7", "$30")]
    left = timeline(write("fee", "$20"), write("fee", "$30", **TASK), move("leave"), query="The fee in T-7?")
    assert fees(replay(left)) == [("global", "$20")]
    other = move("enter", scope="task", scope_id="T-8")
    suspended = timeline(write("fee", "$30", **TASK), move("enter"), other, query="The fee?")
    assert fees(replay(suspended)) == []


def test_a_query_is_about_the_task_that_it_names():
    story = timeline(write("fee", "$20"), write("fee", "$30", **TASK), query="The fee for task t-7?")
    assert fees(replay(story)) == [("task T-7", "$30")]
    story["events"] = [*story["events"], {"type": "query", "ts": "2026-02-01", "prompt": "The fee?"}]
    story["events"].append({"type": "query", "ts": "2026-02-02", "prompt": "The fee?", **TASK})
    assert [fees(state)[0][1] for state in replay_all(story)] == ["$30", "$20", "$30"]


def test_a_turn_said_in_a_task_changes_what_the_task_has_and_else_what_holds_globally():
    given = [write("fee", "The fee is $20"), write("venue", "The venue is Hall 3")]
    own = write("fee", "The fee is $25", authority="manager", **TASK)  # who speaks is one too
    turns = [say("The fee is now $30."), say("The venue moved to Hall 5.")]
    inside = replay(timeline(*given, own, move("enter"), *turns, query="?"))
    assert fees(inside) == [("task T-7", "The fee is now $30."), ("global", "The venue moved to Hall 5.")]
    assert inside.store.get_current_value("fee") == "The fee is $20"
    outside = replay(timeline(*given, own, *turns, query="The fee in T-7?"))
    assert outside.store.get_current_value("fee") == "The fee is now $30."
    assert outside.store.get_current_value("fee", *outside.active) == "The fee is $25"


def test_a_turn_with_a_scope_is_said_there_and_one_that_is_supposed_changes_nothing():
    given = [fact("fee", "The fee is $20")]
    own = write("fee", "The fee is $25", **TASK)
    said = replay(timeline(own, say("The fee is now $30.") | TASK, facts=given, query="?"))
    assert fees(said) == [("task T-7", "The fee is now $30.")]
    supposed = say("The fee is now $30.") | {"scope": "hypothetical"}
    state = replay(timeline(supposed, facts=given, query="?"))
    assert fees(state) == [("global", "The fee is $20")]
    assert state.detections == []


def test_a_policy_overrides_no_fact_of_a_task_by_its_value():
    cap = write("cap", "The discount is at most 15%", authority="policy", type="policy")
    state = replay(timeline(write("discount", "The discount is 25%", **TASK), cap, query="?"))
    assert [one.is_valid for one in state.store] == [True, True]


def test_conversation_does_not_change_the_environment():
    state = replay(timeline(say("The alert is over."), environment={"alert": "alert is on"}, query="?"))
    assert state.environment.values["alert"] == "alert is on"


def test_a_fresh_signal_makes_an_older_one_on_the_same_thing_stale():
    fresh = write("alert", "Ferry 12 leaves at 6 PM", layer="environment")
    state = replay(timeline(fresh, environment={"schedule": "Ferry 12 leaves at 4 PM"}, query="?"))
    assert "schedule" not in state.environment.values
    assert state.environment.dead == ["Ferry 12 leaves at 4 PM"]


def test_a_turn_becomes_a_fact_from_the_conversation():
    story = timeline(say("The fee is now $30."), facts=[fact("fee", "The fee is $20")], query="?")
    state = replay(story)
    new = state.store.resolve("fee")
    assert new.value == "The fee is now $30."
    assert new.source.type == "conversation"
    assert new.source.turn_index == 0


def test_the_session_ends_with_its_working_set_only():
    state = replay(timeline(say("hello"), write("k", "v"), notes=["a note"], query="?"))
    state.end_session()
    assert not state.turns
    assert not state.items
    assert keys(state, valid=True) == {"k"}


def test_the_true_states_of_the_release_are_reproduced():
    by_id = {row["id"]: row for row in reference_state.dev()}
    for expected in reference_state.rows("state/expected_state.dev.jsonl"):
        state = replay(by_id[expected["timeline_id"]], expected["query_idx"], detector=None)
        facts = state.store.facts
        valid = [[fact.alias, fact.key, fact.value] for fact in state.store if fact.is_valid]
        dead = [
            [fact.alias, fact.key, fact.value, facts[fact.superseded_by].key]
            for fact in state.store
            if not fact.is_valid
        ]
        assert sorted(map(str, valid)) == sorted(map(str, expected["valid"]))
        assert sorted(map(str, dead)) == sorted(map(str, expected["superseded"]))
        assert state.environment.values == expected["environment"]
        assert state.environment.dead == expected["stale_environment"]


def test_a_replay_leaves_nothing_for_the_garbage_collector() -> None:
    rows = list(generate(["supersession", "authority_hierarchy"], 3, 0))
    for row in rows:  # what is read off texts is kept
        build_contexts(row)
    gc.collect()
    for row in rows:
        build_contexts(row)
    assert gc.collect() == 0
