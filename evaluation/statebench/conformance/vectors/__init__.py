"""The vectors that come with the package: the specification's three tests, its anti-patterns, and stories for each
requirement that these leave open.

A vector is {"name", "rule", "token_budget", "timeline", "expect"}, and "fact_share" where it asks for one; more of
them can be read from a file (vectorfile.py).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from evaluation.statebench.conformance.requirements import rule
from evaluation.statebench.conformance.vectors import assembled, layered, placed, scoped, specified, spoken
from evaluation.statebench.conformance.vectors.writing import fact, say, supersede, timeline, write

Vector = Mapping[str, Any]


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
        *(_vector(name, of, **expect) for name, of, expect in specified.stories()),
        *(_vector(name, of, **expect) for name, of, expect in layered.stories()),
        *(_vector(name, of, **expect) for name, of, expect in scoped.stories()),
        *(_vector(name, of, **expect) for name, of, expect in placed.stories()),
        *(_vector(name, of, **expect) for name, of, expect in spoken.stories()),
        *(
            _vector(name, of, budget=budget, fact_share=share, **expect)
            for name, of, budget, share, expect in assembled.stories()
        ),
    )


def _vector(
    name: str, of: Mapping[str, Any], *, budget: int = 8192, fact_share: float | None = None, **expect: Any
) -> Vector:
    vector = {"name": name, "rule": rule(name), "token_budget": budget, "timeline": of, "expect": expect}
    return vector if fact_share is None else vector | {"fact_share": fact_share}
