"""Long conversations: looking superseded facts up by their words gives the same answers as a full scan."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from evaluation.statebench.context.assemble import as_dict, assemble
from evaluation.statebench.context.replay import replay
from evaluation.statebench.language import overlap
from tests.evaluation.statebench.writing import fact, say, timeline, write

FORMS = (
    "Gauge {} reads {} bar now.",
    "The desk of person {} moved from room {} to room {}.",
    "The gauge {} is {} bar.",
    "Actually, make that {}.",
    "The project {} is cancelled.",
    "The project {} is approved.",
    "Back to {} bar for gauge {}.",
    "Gauge {} was {} bar, it is {} bar now.",
    "Per the CFO the discount {} is {}%.",
    "Nina {} will review the report, not Bob {}.",
    "Somebody left {} umbrellas in hall {}.",
)


def conversation(seed: int) -> dict[str, Any]:
    """A hundred and sixty turns that state and change the same few things, with writes between them."""
    draw, events = Random(seed), list[dict[str, Any]]()
    for number in range(160):
        if number % 9 == 0:
            gauge = draw.randrange(5)
            events.append(write(f"gauge_{gauge}", f"Gauge {gauge} reads {number} bar", id=f"W-{number}"))
        form = draw.choice(FORMS)
        text = form.format(*[draw.randrange(9) for _ in form.split("{}")])
        events.append(say(text, draw.choice(("user", "user", "assistant"))))
    facts = [fact(f"gauge_{n}", f"Gauge {n} reads {n} bar") for n in range(5)]
    facts += [fact(f"project_{n}_status", f"Project {n} is approved") for n in range(3)]
    return timeline(*events, facts=facts, query="What does gauge 3 read, and is project 2 approved?")


def state_of(row: dict[str, Any]) -> tuple[object, ...]:
    """The context of a timeline, the changes detected in it, and every fact."""
    state = replay(row)
    shown = as_dict(assemble(state, 400))
    return shown, state.detections, [made.as_dict() for made in state.store], state.overruled


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_looking_up_superseded_facts_equals_a_full_scan(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    row = conversation(seed)
    monkeypatch.setattr(overlap, "FEW", 0)
    looked_up = state_of(row)
    monkeypatch.setattr(overlap, "FEW", 10**9)
    assert state_of(row) == looked_up
    dead = sum(not made["is_valid"] for made in looked_up[2])
    assert dead > 40
