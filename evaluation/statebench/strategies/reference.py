"""The released state-based strategy as an ablation: what the reference does, and so what it gets wrong.

Pointers are followed by id only although the data mostly names keys; colliding ids overwrite each other;
nothing is ranked and no budget kept; corrections are printed with the old value; raw turns stand in the
working set.
"""

from __future__ import annotations

from typing import Any

from evaluation.statebench.context.assemble import Context, identity_line
from evaluation.statebench.context.opening import visible_events
from evaluation.statebench.data.tokens import Tokenizer
from evaluation.statebench.facts.layers import identity_from
from evaluation.statebench.records import Timeline, writes_of

_SHOWN_TURNS = 10  # the last ones, in the working set


def state_based_reference(timeline: Timeline, query_idx: int, budget: int, count: Tokenizer) -> Context:
    """Facts by id, corrections with what was, environment, and the last turns. The budget is ignored."""
    initial = timeline["initial_state"]
    facts: dict[str, dict[str, Any]] = {fact["id"]: dict(fact) for fact in initial["persistent_facts"]}
    environment = dict(initial["environment"])
    corrections, turns = [], []
    events, _ = visible_events(timeline, query_idx)
    for _, event in events:
        if event["type"] == "conversation_turn":
            turns.append(f"{event['speaker']}: {event['text']}")
            continue
        for write in writes_of(event):
            if write["layer"] == "environment":
                environment[write["key"]] = write["value"]
                continue
            old = facts.get(write.get("supersedes") or "")
            if old is not None:
                old["is_valid"] = False
                corrections.append(f"{write['key']}: {write['value']} (was: {old['value']})")
            facts[write["id"]] = dict(write) | {"is_valid": True}
    identity = identity_line(identity_from(initial["identity_role"]))
    sections = {
        "identity": [identity],
        "facts": [f"{fact['key']}: {fact['value']}" for fact in facts.values() if fact["is_valid"]],
        "corrections": corrections,
        "working_set": [*(item["content"] for item in initial["working_set"]), *turns[-_SHOWN_TURNS:]],
        "environment": [f"{key}: {value}" for key, value in environment.items()],
    }
    text = "\n".join(line for lines in sections.values() for line in lines)
    return Context(text, count(text), budget, [], sections)
