"""What shows otherwise than in a kept installation, on purpose: where -> why.

A key is a pattern (`*` stands for anything) of the places that a failing test names, with or without what became of
them, for instance

    "comparisons/* was * and is ''": NO_WIDTH,
    "conformance/*/vectors_missing": "The suite, revision 2, has vectors for scopes and colliding ids.",
    "ranks/statebench/*": "Strategies are shown without a rank: no model answers.",
    "conformance/*/vectors_expected": "The suite has four vectors more.",

Figures that were graded never change by themselves: where a grader changes, a regrade adds a revision. An entry that
excuses nothing fails the test, so that the list stays true.
"""

from __future__ import annotations

NO_WIDTH = "An interval without width says nothing about what other rows would give: it is not reported."
GRADER = "The present grader, in which an unanswered row is wrong, graded what waited."
#: Seen as soon as the database is migrated, and for good.
AT_ONCE: dict[str, str] = {
    "figures/*/metrics/*/[12] was * and is None": NO_WIDTH,
    "boards/*/[12] was * and is None": NO_WIDTH,
    "exports/*_low was * and is *": NO_WIDTH,
    "exports/*_high was * and is *": NO_WIDTH,
    "comparisons/* was * and is ''": NO_WIDTH,
    "conformance/*/vectors_missing": "The suite, revision 2, has vectors for scopes and colliding ids.",
    "ranks/statebench/*": "Strategies without a model are not ranked, so that others move up and ties end.",
    "conformance/*/vectors_expected": "The suite, revision 2, has vectors for scopes and colliding ids.",
    "conformance/*/conforms was True and is False": "So does nobody who was not asked the vectors of revision 2.",
    "conformance/*/not_run*": "A requirement that lacks a vector of revision 2 was not run.",
    "conformance/*/requirements*": "A requirement that lacks a vector of revision 2 was not run.",
}
#: Seen where the present code grades and runs what the old code left: on top of the above.
AFTER_THE_NEXT_WORK: dict[str, str] = {
    "figures/*/grader": GRADER,
    "events/* was *strict-2/* and is *strict-3/*": GRADER,
    "figures/*/metrics/*/[12] was None and is *": "Every rate has an interval, those of StateBench, too.",
}
