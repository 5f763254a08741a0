"""Our state-based strategy, variants without some of its parts, and the released strategy."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from evaluation.statebench.context.assemble import (
    DEFAULT_OPTIONS,
    Context,
    Options,
    assemble,
    assemble_from,
    gather,
    identity_line,
    options_for,
)
from evaluation.statebench.context.replay import RULES, replay, replay_all
from evaluation.statebench.context.state import State, visible_events
from evaluation.statebench.data.tokens import Tokenizer
from evaluation.statebench.facts.layers import identity_from
from evaluation.statebench.facts.scopes import Places
from evaluation.statebench.records import Timeline, writes_of

_SHOWN_TURNS = 10  # last turns in the working set


@dataclass(frozen=True, slots=True)
class StateStrategy:
    """Builds contexts from a replayed state. Turns change facts if `detects`, and add facts if `conversation_facts`."""

    options: Options = DEFAULT_OPTIONS
    detects: bool = True
    conversation_facts: bool = True

    def __call__(self, timeline: Timeline, query_idx: int, budget: int, count: Tokenizer) -> Context:
        detector = RULES if self.detects else None
        state = replay(timeline, query_idx, detector=detector, conversation_facts=self.conversation_facts)
        return assemble(state, budget, count, self.options)

    def every(self, timeline: Timeline, budgets: Sequence[int], count: Tokenizer) -> list[list[Context]]:
        """Build the contexts of all queries for each budget. Queries that see the same events share one replay."""
        contexts: list[list[Context]] = [[] for _ in budgets]
        seen: State | None = None
        places: Places = ()
        detector = RULES if self.detects else None
        for state in replay_all(timeline, detector=detector, conversation_facts=self.conversation_facts):
            if state is not seen or state.active != places or state.items:  # notes may have expired
                seen, places, material = state, state.active, gather(state, self.options)
            for made, budget in zip(contexts, budgets, strict=True):
                made.append(assemble_from(material, state.query, budget, count, self.options))
        return contexts


def without(**switches: bool) -> StateStrategy:
    return StateStrategy(replace(DEFAULT_OPTIONS, **switches))


def preset(name: str) -> StateStrategy:
    return StateStrategy(options_for(name))


def state_based_reference(timeline: Timeline, query_idx: int, budget: int, count: Tokenizer) -> Context:
    """Build the context of the released strategy: facts by id, corrections, environment, and the last turns.

    It keeps the release's errors: a `supersedes` that names a key has no effect, facts with one id overwrite each
    other, nothing is ranked, and the budget is ignored.
    """
    initial = timeline["initial_state"]
    facts: dict[str, dict[str, object]] = {fact["id"]: dict(fact) for fact in initial["persistent_facts"]}
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
