"""Context assembly: order, shares, budgets, and forbidden content."""

from __future__ import annotations

import hashlib
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evaluation.core.errors import UnknownNameError
from evaluation.statebench import build_context
from evaluation.statebench.context.assemble import FACT_SHARES, assemble, options_for
from evaluation.statebench.context.replay import replay
from evaluation.statebench.data.tokens import TOKENIZERS
from evaluation.statebench.strategies import build_contexts
from evaluation.statebench.strategies.measure import ALL, measure
from tests.evaluation.statebench import reference_state
from tests.evaluation.statebench.writing import say, supersede, timeline, write


def many(count: int):
    """A timeline with many facts, one of them asked for."""
    noise = [write(f"gauge_{n}", f"Gauge {n} in the north hall reads {n} bar") for n in range(count)]
    return timeline(
        say("We all like the new vault."),
        *noise,
        write("vault", "The vault opens with heron"),
        query="What opens the vault?",
    )


def test_sections_stand_in_order_and_every_part_is_there():
    story = timeline(
        say("We saw ducks near the pond."),
        write("pond", "The pond is at gate 3"),
        environment={"sky": "clear"},
        query="Where is the pond?",
    )
    context = build_context(story)
    assert list(context.sections) == ["identity", "environment", "facts", "working_set"]
    places = [context.text.index(part) for part in ("Robin", "sky: clear", "pond: The pond", "We saw ducks")]
    assert places == sorted(places)
    assert [fact.key for fact in context.facts] == ["pond"]


TASK = {"scope": "task", "scope_id": "T-7"}


def test_a_fact_of_an_active_task_is_marked_with_it_and_shadows_the_global_one():
    story = timeline(
        write("status", "rejected"),
        write("status", "approved", **TASK),
        write("mood", "calm", scope="session"),
        say("Somebody mumbled rejected to me."),
        query="What is the status in T-7?",
    )
    facts = build_context(story).sections["facts"].splitlines()
    assert sorted(facts[1:]) == ["mood (session): calm", "status (task T-7): approved"]
    assert "rejected" not in build_context(story).text


def test_what_is_noted_or_said_in_a_task_is_shown_while_it_is_active():
    note = write("note", "buy heron stamps", layer="working_set", **TASK)
    turn = say("I came across a ferry and then a gull.") | TASK
    leave = {"type": "scope", "action": "leave", **TASK}
    story = timeline(note, turn, query="?")
    assert (
        build_context(story).sections["working_set"]
        == "Said:\nbuy heron stamps\nI came across a ferry and then a gull."
    )
    for last in (leave, leave | {"action": "enter", "scope_id": "T-8"}):
        assert build_context(timeline(note, turn, last, query="?")).sections["working_set"] == ""
    again = timeline(note, turn, leave, leave | {"action": "enter"}, query="?")
    assert build_context(again).sections["working_set"] == ""


def test_queries_that_name_other_places_have_their_own_contexts_though_they_see_the_same_events():
    story = timeline(write("fee", "$20"), write("fee", "$30", **TASK), query="The fee?")
    story["events"] += [{"type": "query", "ts": f"2026-02-0{n}", "prompt": "In T-7?"} for n in (1, 2)]
    story["events"].append({"type": "query", "ts": "2026-02-03", "prompt": "The fee?"})
    contexts = build_contexts(story)
    assert [context.facts[0].text for context in contexts] == ["$20", "$30", "$30", "$20"]
    assert [context.text for context in contexts] == [build_context(story, n).text for n in range(4)]


@pytest.mark.parametrize(
    ("name", "digest"),
    [("data/dev.jsonl", "3eb11ee1a0500c83"), ("v2_tracks/timelines.jsonl", "76a92d3d5d21207d")],
)
def test_the_contexts_of_the_release_are_as_they_were_before_places(name: str, digest: str):
    """Digests of the lines of revision 2, in any order: revision 5 puts constraints first. All facts are global."""
    texts = hashlib.sha256()
    for row in reference_state.rows(name):
        for context in build_contexts(row, strategy="state_based_no_detection"):
            texts.update("\n".join(sorted(context.text.splitlines())).encode() + b"\0")
    assert texts.hexdigest().startswith(digest)


def test_a_constraint_stands_first_and_is_marked():
    story = timeline(
        write("menu", "The picnic has soup"),
        write("limit", "The picnic may cost at most $40"),
        query="What about the picnic?",
    )
    lines = build_context(story).sections["facts"].splitlines()
    assert lines[1] == "[budget constraint] limit: The picnic may cost at most $40"


GAUGES = [write(f"gauge_{n}", f"Gauge {n} of the hall reads {n} bar") for n in range(20)]
LIMITS = [write(f"limit_{n}", f"Trip {n} must not exceed ${n + 3}00") for n in range(12)]
ASKED = "What does gauge 15 of the hall read?"


def test_a_constraint_stands_first_though_it_shares_no_word_with_the_query():
    story = timeline(write("spend", "Travel must not exceed $700"), *GAUGES, query=ASKED)
    lines = build_context(story, budget=40).sections["facts"].splitlines()
    assert lines[1:3] == [
        "[budget constraint] spend: Travel must not exceed $700",
        "gauge_15: Gauge 15 of the hall reads 15 bar",
    ]


@pytest.mark.parametrize(("share", "most"), [(None, 2), (0.9, 7), (0.0, 1)])
def test_constraints_take_no_more_than_their_share_newest_first_and_the_rest_is_named(share, most):
    story = timeline(*LIMITS, *GAUGES, query=ASKED)
    context = build_context(story, budget=120, constraint_share=share)
    limits = [fact.key for fact in context.facts if fact.is_constraint]
    assert limits == [f"limit_{n}" for n in range(11, 11 - most, -1)]
    assert context.left_out == [f"limit_{n}" for n in range(11 - most, -1, -1)]
    assert "gauge_15" in [fact.key for fact in context.facts]


def test_where_all_facts_fit_all_constraints_come_first_and_none_is_left_out():
    context = build_context(timeline(*LIMITS, *GAUGES, query=ASKED))
    assert [fact.is_constraint for fact in context.facts] == [True] * 12 + [False] * 20
    assert context.left_out == []


@given(
    st.lists(st.booleans(), max_size=14),
    st.integers(0, 160),
    st.floats(0, 1),
    st.sampled_from([ASKED, "Why?"]),
)
def test_no_share_of_constraints_breaks_the_budget_or_hides_the_order(kinds, budget, share, query):
    facts = [(LIMITS[n % 12] if kind else GAUGES[n]) for n, kind in enumerate(kinds)]
    context = build_context(timeline(*facts, query=query), budget=budget, constraint_share=share)
    assert len(context.text.split()) <= budget
    shown = {fact.key for fact in context.facts}
    held = {fact["writes"][0]["key"] for fact in facts if "limit" in fact["writes"][0]["key"]}
    assert {*context.left_out} == held - shown


def test_a_fact_under_review_stands_marked_after_the_others_and_is_no_constraint():
    story = timeline(
        write("a", "The crew is 4 people", id="A"),
        write("b", "The boat needs at most 4 vests", id="B", depends_on=["A"]),
        write("c", "The boat is red"),
        supersede("a2", "The crew is 6 people", of="A"),
        query="What does the boat need?",
    )
    facts = build_context(story).sections["facts"]
    assert facts.index("c: The boat is red") < facts.index("Recalculate") < facts.index("b: The boat needs")
    assert "constraint] b" not in facts


@pytest.mark.parametrize("budget", [0, 1, 5, 16, 64, 128, 512])
@pytest.mark.parametrize("tokenizer", [*TOKENIZERS, len])
def test_no_budget_is_ever_exceeded(budget, tokenizer):
    count = TOKENIZERS.get(tokenizer, tokenizer)
    context = build_context(many(40), budget=budget, tokenizer=tokenizer)
    assert count(context.text) == context.tokens <= budget


def test_the_fact_asked_for_survives_a_small_budget():
    assert "heron" in build_context(many(200), budget=40).text


@pytest.mark.parametrize("share", FACT_SHARES.values())
def test_facts_keep_to_their_share(share):
    context = assemble(
        replay(many(200)), 200, options=options_for({v: k for k, v in FACT_SHARES.items()}[share])
    )
    used = {name: len(text.split()) for name, text in context.sections.items()}
    assert used["facts"] <= share * (200 - used["identity"] - used["environment"])


def test_a_larger_share_shows_more_facts():
    shown = [len(assemble(replay(many(200)), 200, options=options_for(name)).facts) for name in FACT_SHARES]
    assert shown == sorted(shown)
    assert shown[0] < shown[-1]


def test_an_unknown_preset_or_tokenizer_fails_helpfully():
    with pytest.raises(UnknownNameError, match="balanced"):
        options_for("balancd")
    with pytest.raises(UnknownNameError, match="whitespace"):
        build_context(many(1), tokenizer="whitespaces")


def test_repetition_does_not_bring_a_dead_value_back():
    story = timeline(
        say("The order is approved!"),
        write("v1", "order approved"),
        say("Again, order approved."),
        say("Order approved, to be clear."),
        supersede("v2", "order cancelled", of="v1"),
        say("I told them the order approved itself."),
        query="What of the order?",
    )
    assert "approved" not in build_context(story).text
    assert "cancelled" in build_context(story).text


def test_a_digression_and_a_supposition_stay_out():
    story = timeline(
        say("The ferry takes 40 cars."),
        say("Hold on - the cook is calling."),
        say("Soup is out."),
        say("Back to the ferry."),
        say("Suppose it took 90 cars."),
        query="How many cars does the ferry take?",
    )
    text = build_context(story).text
    assert "40 cars" in text
    assert "Soup" not in text
    assert "90" not in text


def test_scratch_notes_of_a_closed_scope_are_not_shown():
    story = timeline(notes=["[SCOPE: game] price 9", "call the bank"], query="What is left to do?")
    text = build_context(story).text
    assert "price 9" not in text
    assert "call the bank" in text


@settings(max_examples=40, deadline=None)
@given(
    st.lists(
        st.tuples(st.sampled_from(["north", "south", "west"]), st.integers(10, 99)), min_size=1, max_size=12
    ),
    st.integers(0, 120),
)
def test_a_superseded_value_is_in_no_context(writes, budget):
    events, held = [], {}
    for n, (key, number) in enumerate(writes):
        events.append(say(f"Dial {key} points to {number}00{n} now."))
        events.append(write(f"dial_{key}", f"dial {key} points to {number}00{n}"))
        held[key] = f"{number}00{n}"
    context = build_context(timeline(*events, query="Where do the dials point?"), budget=budget)
    dead = {f"{number}00{n}" for n, (_, number) in enumerate(writes)} - set(held.values())
    assert not dead & set(re.findall(r"\d+", context.text))
    assert len(context.text.split()) <= budget


def overall(rows):
    return [row for row in rows if row["track"] == ALL]


def test_the_targets_hold_on_the_released_split():
    for row in overall(measure(reference_state.dev(), "state_based", (512, 1024, 2048, 8192))):
        assert row["resurrection"] <= 0.20
        assert row["coverage"] >= 0.73
        assert row["dead_values"] == 0
        assert row["live_values"] == 1
        assert row["over_budget"] == 0


def test_four_hundred_fillers_do_not_crowd_out_what_matters():
    filler = reference_state.rows("padding/filler_events.jsonl")
    padded = [row | {"events": [*filler, *row["events"]]} for row in reference_state.dev()[::4]]
    for row in overall(measure(padded, "state_based", (512,))):
        assert row["coverage"] >= 0.71
        assert row["resurrection"] < 0.343
        assert row["over_budget"] == 0


def test_contexts_of_one_timeline_do_not_share_their_facts():
    story = timeline(write("desk", "the desk is oak"), query="What is the desk?")
    story["events"].append(dict(story["events"][-1]))
    first, second = build_contexts(story)
    first.facts.clear()
    assert [fact.key for fact in second.facts] == ["desk"]
