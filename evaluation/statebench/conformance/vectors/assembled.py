"""Vectors for the assembly of a context: order, relevance of the working set, tiny budgets, the share of facts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from evaluation.statebench.conformance.vectors.writing import Event, fact, say, timeline, write

#: Name, timeline, budget in tokens, share of facts asked for (None: the implementation's own), what is expected.
BudgetStory = tuple[str, Mapping[str, Any], int, float | None, dict[str, Any]]

_PLENTY = 8192
_SECTIONS = ["identity", "environment", "facts", "working_set"]


def stories() -> Sequence[BudgetStory]:
    """Every story with its budget."""
    return (*_order(), *_working_set(), *_tuning())


def _order() -> Sequence[BudgetStory]:
    """Four sections in their order; who asks is there whatever the budget."""
    regatta = timeline(
        write("start", "the regatta starts at pier nine"),
        write("wind", "gusts from the west", layer="environment"),
        say("The regatta needs two spare sails."),
        query="What does the regatta need?",
    )
    return (
        (
            "context_order",
            regatta,
            _PLENTY,
            None,
            {
                "section_order": _SECTIONS,
                "section_contains": {
                    "identity": ["Robin"],
                    "environment": ["gusts from the west"],
                    "facts": ["pier nine"],
                    "working_set": ["spare sails"],
                },
            },
        ),
        (
            "context_order_keeps_identity_at_a_small_budget",
            regatta,
            12,
            None,
            {"section_contains": {"identity": ["Robin"]}},
        ),
        ("tiny_budget_16", regatta, 16, None, {"max_tokens": 16}),
        ("tiny_budget_4", regatta, 4, None, {"max_tokens": 4}),
    )


def _working_set() -> Sequence[BudgetStory]:
    """Two notes of forty words: with room for one, the relevant one; with room for none, none; never a scoped one."""
    relevant, other = _note("the greenhouse", "marigold"), _note("the boathouse", "periwinkle")
    asked = "Which plant grows in the greenhouse?"
    rule = fact("watering", "Water the greenhouse at dusk")
    notes = (
        write("plants", relevant, layer="working_set"),
        write("boats", other, layer="working_set"),
    )

    def timeline_of(*events: Event) -> Mapping[str, Any]:
        return timeline(*events, facts=(rule,), query=asked)

    supposed = "[SCOPE: hypothetical] Suppose the greenhouse grew nothing but foxglove"
    return (
        (
            "working_set_relevant_first",
            timeline_of(*notes),
            80,
            None,
            {"context_contains": ["marigold", "at dusk"], "context_not_contains": ["periwinkle"]},
        ),
        (
            "working_set_relevant_is_shown_where_there_is_room",
            timeline_of(*notes, write("idea", supposed, layer="working_set")),
            _PLENTY,
            None,
            {"context_contains": ["marigold"], "context_not_contains": ["foxglove"]},
        ),
        (
            "working_set_that_does_not_fit",
            timeline_of(*notes),
            36,
            None,
            {"context_contains": ["at dusk"], "context_not_contains": ["marigold", "periwinkle"]},
        ),
    )


def _note(place: str, plant: str) -> str:
    """Forty words on a place, with the plant as the last of them."""
    words = f"Note on {place} from this morning's round with the gardener".split()
    filler = "after which we went on along the path and looked at the next bed and then".split()
    while len(words) < 36:
        words.append(filler[len(words) % len(filler)])
    return " ".join([*words, "it", "grows", "only", plant])


def _tuning() -> Sequence[BudgetStory]:
    """More facts than any share has room for: each share is kept to, and a larger one shows more."""
    meters = [write(f"meter_{n}", f"Meter {n} of the mill reads {n} litres today") for n in range(90)]
    mill = timeline(*meters, query="What do the meters of the mill read?")
    most, least = "facts_section_max_fraction_of_remaining", "facts_section_min_fraction_of_remaining"
    return (
        ("tuned_share_default", mill, 400, None, {most: 0.7, least: 0.55}),
        ("tuned_share_high_stakes", mill, 400, 0.5, {most: 0.5, least: 0.35}),
        ("tuned_share_balanced", mill, 400, 0.7, {most: 0.7, least: 0.55}),
        ("tuned_share_comprehensive", mill, 400, 0.9, {most: 0.9, least: 0.75}),
    )
