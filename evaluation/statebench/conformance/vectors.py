"""The requirements, and vectors that come with the package: the specification's three tests, its anti-
patterns, and a story for each requirement that these leave open.

A vector is {"name", "rule", "token_budget", "timeline", "expect"}; more of them can be read from a file.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from evaluation.statebench.conformance.specified import stories
from evaluation.statebench.conformance.writing import fact, say, supersede, timeline, write

Vector = Mapping[str, Any]

REQUIREMENTS: dict[str, str] = {
    "L1": "Four separate layers, each with its own way to read and write",
    "L5": "Working-set items live for a session and never become facts",
    "L6": "The environment keeps the freshest value and is not changed by what is said",
    "S1": "Facts are created, read or superseded, never deleted or edited",
    "S2": "A supersession links old and new, and the chain can be followed",
    "S3": "Only valid facts are in a context",
    "S4": "What depends on a superseded fact needs review, transitively",
    "S5": "Hypothetical and draft statements never change global facts",
    "M1": "Memory is organizational, capability or user",
    "C1": "Constraints are recognised and typed",
    "SC1": "The scope of a statement is inferred",
    "W1": "A pointer is taken by id or by key; one that leads nowhere does no harm",
    "W2": "Lower authority does not supersede higher",
    "R3": "The current value follows the chain",
    "D1": "Explicit wording of change supersedes",
    "D2": "The same entity with a conflicting value supersedes; other entities do not",
    "D3": "Policy overrides manager, manager employee, employee guest",
    "D4": "The newer word on a time-sensitive fact supersedes",
    "P1": "Restricted facts are shown only to who may see them",
    "Q2": "Facts are ranked by relevance to the query",
    "Q3": "Facts take at most their share of the remaining budget",
    "Q5": "A context never exceeds its budget",
    "T1": "Test: basic supersession",
    "T2": "Test: repetition does not beat supersession",
    "T3": "Test: authority overrides",
    "A1": "Anti-pattern: superseded facts in the context",
    "A2": "Anti-pattern: the latest mention instead of the chain",
    "A3": "Anti-pattern: anyone may write policy facts",
}

# Vector name, or the beginning of it -> what it shows. The longest beginning counts.
SHOWS: dict[str, tuple[str, ...]] = {
    "basic_supersession": ("T1", "S2", "S3", "W1"),
    "basic_supersession_by_id": ("T1", "S3", "W1"),
    "emphatic_repetition": ("T2", "S3"),
    "authority_override": ("T3", "W2"),
    "chain_of_three": ("S1", "S2", "R3"),
    "dangling_pointer": ("W1",),
    "superseding_a_superseded_fact": ("S2", "S3"),
    "id_collision": ("W1", "S1"),
    "dependency": ("S4",),
    "hypothetical_scope": ("S5", "SC1"),
    "draft_scope": ("S5", "SC1"),
    "task_scope": ("SC1",),
    "memory_types": ("M1",),
    "constraint_types": ("C1",),
    "environment": ("L1", "L6"),
    "out_of_order_events": ("D1", "S1"),
    "temporal_rule": ("D4",),
    "implicit_rule": ("D2",),
    "explicit_rule": ("D1",),
    "authority_rule": ("D3", "W2"),
    "complementary_facts_coexist": ("D2",),
    "restricted": ("P1",),
    "budget": ("Q2", "Q3", "Q5"),
    "working_set": ("L1", "L5"),
    "anti_pattern_superseded_in_context": ("A1", "S3"),
    "anti_pattern_latest_mention": ("A2",),
    "anti_pattern_anyone_writes_policy": ("A3", "W2"),
}


def shows(name: str) -> tuple[str, ...]:
    """The requirements a vector shows, by its name; none for a name that nothing is known about."""
    known = [beginning for beginning in SHOWS if name.startswith(beginning)]
    return SHOWS[max(known, key=len)] if known else ()


def builtin() -> Sequence[Vector]:
    """The vectors that come with the package."""
    return (
        _vector(
            "basic_supersession",
            timeline(
                write("status_v1", "shipment approved"),
                supersede("status_v2", "shipment cancelled", of="status_v1"),
                query="What is the status of the shipment?",
            ),
            context_contains=["cancelled"],
            context_not_contains=["approved"],
            superseded_by={"status_v1": "status_v2"},
            current_value={"status_v1": "shipment cancelled"},
        ),
        _vector(
            "emphatic_repetition",
            timeline(
                say("The shipment is approved!"),
                write("shipment_v1", "shipment approved"),
                say("Again: shipment approved."),
                say("To be clear, shipment approved."),
                supersede("shipment_v2", "shipment cancelled", of="shipment_v1"),
                query="Should the shipment go out?",
            ),
            context_contains=["cancelled"],
            context_not_contains=["approved"],
        ),
        _vector(
            "authority_override",
            timeline(
                say("Let's offer 25%"),
                facts=(fact("discount_policy", "Discounts are at most 15%", type="policy", authority="CFO"),),
                reader="intern",
                query="Can we offer 25%?",
            ),
            context_contains=["at most 15%"],
            valid_keys=["discount_policy"],
            superseded_keys=[],
        ),
        _vector(
            "anti_pattern_superseded_in_context",
            timeline(
                write("venue_v1", "the summit is in Lisbon"),
                supersede("venue_v2", "the summit is in Porto", of="venue_v1"),
                say("I had told everyone the summit is in Lisbon."),
                query="Where is the summit?",
            ),
            context_contains=["Porto"],
            context_not_contains=["Lisbon"],
        ),
        _vector(
            "anti_pattern_latest_mention",
            timeline(
                write("rate_v1", "the hourly rate is $80"),
                supersede("rate_v2", "the hourly rate is $95", of="rate_v1"),
                say("As discussed before, the hourly rate is $80."),
                query="What is the hourly rate?",
            ),
            current_value={"rate_v1": "the hourly rate is $95"},
            context_not_contains=["$80"],
            valid_keys=["rate_v2"],
        ),
        _vector(
            "anti_pattern_anyone_writes_policy",
            timeline(
                supersede(
                    "travel_policy", "Anyone may book first class", of="travel_policy", authority="intern"
                ),
                facts=(
                    fact(
                        "travel_policy", "Only economy class may be booked", type="policy", authority="policy"
                    ),
                ),
                query="Which class may be booked?",
            ),
            context_contains=["economy class"],
            context_not_contains=["first class"],
            superseded_keys=[],
        ),
        _vector(
            "environment_from_outside",
            timeline(
                say("Pretend the alert is a drill."),
                write("alert", "Dock 4 reopened", layer="environment"),
                environment={"alert": "Dock 4 closed"},
                query="Is dock 4 open?",
            ),
            context_contains=["reopened"],
            context_not_contains=["closed"],
        ),
        _vector(
            "budget_48",
            timeline(
                *(write(f"gauge_{n}", f"Gauge {n} of the north hall reads {n} bar") for n in range(30)),
                write("vault_code_word", "The code word of the vault is heron"),
                *(write(f"gauge_{n}", f"Gauge {n} of the north hall reads {n} bar") for n in range(30, 60)),
                query="What is the code word of the vault?",
            ),
            budget=48,
            context_contains=["heron"],
            max_tokens=48,
            facts_section_max_fraction_of_remaining=0.7,
        ),
        *(_vector(name, of, **expect) for name, of, expect in stories()),
    )


def _vector(name: str, of: Mapping[str, Any], *, budget: int = 8192, **expect: Any) -> Vector:
    rules = "; ".join(REQUIREMENTS[requirement] for requirement in shows(name))
    return {"name": name, "rule": rules, "token_budget": budget, "timeline": of, "expect": expect}
