"""Vectors for what the specification's own tests leave open, in wording of their own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from evaluation.statebench.conformance.vectors.writing import Event, fact, say, supersede, timeline, write

Story = tuple[str, Mapping[str, Any], dict[str, Any]]  # name, timeline, what is expected


def stories() -> Sequence[Story]:
    """Name, timeline and expectations of each."""
    return (*_facts(), *_scopes(), *_kinds(), *_detection())


def _facts() -> Sequence[Story]:
    """Chains, pointers, dependencies, sessions."""
    chain = timeline(
        write("gate_v1", "the train leaves from platform four"),
        supersede("gate_v2", "the train leaves from platform seven", of="gate_v1"),
        supersede("gate_v3", "the train leaves from platform nine", of="gate_v2"),
        query="Which platform?",
    )
    dangling = timeline(
        write("crew", "the crew has twelve members"),
        supersede("route", "the route follows the coast", of="no_such_fact"),
        query="What is known of the voyage?",
    )
    dependent = timeline(
        write("hall", "the wedding is in the red hall", id="F-HALL"),
        write("chairs", "eighty chairs stand in the red hall", id="F-CHAIRS", depends_on=["F-HALL"]),
        write("florist", "the florist dresses eighty chairs", id="F-FLORIST", depends_on=["F-CHAIRS"]),
        supersede("hall_v2", "the wedding is in the garden", of="F-HALL"),
        query="What about the chairs?",
    )
    scratch = timeline(
        write("draft_menu", "soup, then trout", layer="working_set"), query="What is on the menu?"
    )
    return (
        (
            "chain_of_three",
            chain,
            {
                "superseded_by": {"gate_v1": "gate_v2", "gate_v2": "gate_v3"},
                "current_value": {"gate_v1": "the train leaves from platform nine"},
                "context_contains": ["platform nine"],
                "context_not_contains": ["platform four", "platform seven"],
            },
        ),
        (
            "dangling_pointer",
            dangling,
            {"valid_keys": ["crew", "route"], "superseded_keys": [], "context_contains": ["twelve members"]},
        ),
        (
            "dependency_chain",
            dependent,
            {"superseded_keys": ["hall"], "needs_review_keys": ["chairs", "florist"]},
        ),
        ("working_set_is_no_fact", scratch, {"valid_keys": [], "superseded_keys": []}),
    )


def _scopes() -> Sequence[Story]:
    """What is only imagined, drafted, or meant for one task; what is restricted."""
    rent = fact("rent", "The monthly rent is 900 euros", type="policy", authority="manager")
    imagined, drafted = "Suppose the monthly rent were 1200 euros.", "Draft: the monthly rent is 1200 euros."
    unchanged = {"superseded_keys": [], "valid_keys": ["rent"], "context_contains": ["900 euros"]}
    task = "For this exercise only, count the crates twice."
    secret = fact(
        "offer",
        "[RESTRICTED: reserve prices restricted to VP+] The reserve price is 41,000",
        type="policy",
        authority="CFO",
    )
    asked = "What is the reserve price?"
    return (
        (
            "hypothetical_scope",
            timeline(say(imagined), facts=(rent,), query="What is the rent?"),
            {**unchanged, "turn_scope": {imagined: "hypothetical"}},
        ),
        (
            "draft_scope",
            timeline(say(drafted), facts=(rent,), query="What is the rent?"),
            {**unchanged, "turn_scope": {drafted: "draft"}},
        ),
        (
            "task_scope",
            timeline(say(task), query="How often are crates counted?"),
            {"turn_scope": {task: "task"}},
        ),
        (
            "restricted_hidden",
            timeline(facts=(secret,), reader="intern", query=asked),
            {"context_not_contains": ["41,000"]},
        ),
        (
            "restricted_visible",
            timeline(facts=(secret,), reader="CFO", query=asked),
            {"context_contains": ["41,000"]},
        ),
    )


def _kinds() -> Sequence[Story]:
    """Memory types and constraints, told by source and wording."""
    sources = timeline(
        write("leave", "Leave is asked for in writing", type="policy"),
        write("habit", "Deliveries tend to be late on Mondays", type="pattern"),
        write("taste", "Robin prefers tea", type="preference"),
        query="What is known?",
    )
    limits = timeline(
        write("spend", "The budget must not exceed $700"),
        write("due", "The poster must be printed by Friday, the deadline"),
        write("room", "The cellar has a capacity of at most 30 people"),
        write("mood", "The poster is blue"),
        query="What limits the party?",
    )
    types = {"leave": "organizational", "habit": "capability", "taste": "user"}
    return (
        ("memory_types", sources, {"memory_type": types}),
        (
            "constraint_types",
            limits,
            {
                "is_constraint": {"spend": True, "due": True, "room": True, "mood": False},
                "constraint_type": {"spend": "budget", "due": "deadline", "room": "capacity"},
            },
        ),
    )


def _detection() -> Sequence[Story]:
    """Changes that are only said, without a pointer."""

    def timeline_of(event: Event, *, query: str, key: str, value: str, **source: str) -> Mapping[str, Any]:
        return timeline(event, facts=(fact(key, value, **source),), query=query)

    return (
        (
            "explicit_rule",
            timeline_of(
                say("The office has moved to 12 Mill Lane."),
                query="Where is the office?",
                key="office",
                value="The office is at 7 Quay Street",
            ),
            {"superseded_keys": ["office"], "context_contains": ["12 Mill Lane"]},
        ),
        (
            "implicit_rule",
            timeline_of(
                say("The choir rehearsal is on Sunday at 5pm."),
                query="When is the choir rehearsal?",
                key="rehearsal",
                value="The choir rehearsal is on Friday at 6pm",
            ),
            {"superseded_keys": ["rehearsal"], "context_contains": ["Sunday at 5pm"]},
        ),
        (
            "complementary_facts_coexist",
            timeline_of(
                say("The museum visit is on Sunday at 5pm."),
                query="When is the choir rehearsal?",
                key="rehearsal",
                value="The choir rehearsal is on Friday at 6pm",
            ),
            {"superseded_keys": [], "valid_keys": ["rehearsal"]},
        ),
        (
            "authority_rule_low_after_high",
            timeline(
                write("overtime", "Overtime is capped at 5 hours", authority="policy", type="policy"),
                write("overtime", "Overtime is capped at 20 hours", authority="intern"),
                query="How is overtime capped?",
            ),
            {"context_contains": ["5 hours"], "context_not_contains": ["20 hours"]},
        ),
        (
            "temporal_rule",
            timeline(
                write("wheat_price", "The price of wheat is $210"),
                write("wheat_price", "The price of wheat is $198"),
                query="What is the price of wheat?",
            ),
            {"context_contains": ["$198"], "context_not_contains": ["$210"]},
        ),
    )
