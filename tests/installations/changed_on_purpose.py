"""What shows otherwise than in a kept installation, on purpose: where -> why.

A key is a pattern (`*` stands for anything) of the places that a failing test names, with or without what became of
them, for instance

    "comparisons/* was * and is ''": NO_WIDTH,
    "conformance/*/vectors_missing": "Revisions 2 and 3 of the suite have vectors for scopes and what is said.",
    "ranks/*": "Nobody is ranked over fewer than 40 units.",
    "conformance/*/vectors_expected": "The suite has four vectors more.",

Figures that were graded never change by themselves: where a grader changes, a regrade adds a revision. An entry that
excuses nothing fails the test, so that the list stays true. Each kept installation has lists of its own.
"""

from __future__ import annotations

NO_WIDTH = "An interval without width says nothing about what other rows would give: it is not reported."
NO_SUMS = "A paired test takes sums by unit, which an older release did not keep: a regrade adds them."
INTERVALS = "The present statistics make other intervals: of parts at once, of stored scores with a regrade."
GATES = "A gate is judged by the whole interval, which over these few episodes decides little."
GRADER = "The present grader, in which an unanswered row is wrong, graded what waited."
NO_DECISION = (
    "A strategy without a model decides nothing: it has no accuracy, but a table of what its contexts hold."
)
OF_A_TRIAL = (
    "The one trial was graded over all rows of its version: none of its figures is shown before a regrade."
)
#: Of c53810c, seen as soon as the database is migrated, and for good.
C53810C: dict[str, str] = {
    "submissions/*/gates/* was * and is 'undecided'": GATES,
    "exports/*/gate_* was * and is 'undecided'": GATES,
    "boards/*=*/[12] was * and is *": INTERVALS,
    "comparisons/*/differences/*/B-A * was * and is *": INTERVALS,
    "comparisons/*/conditions/*/B-A * was * and is *": INTERVALS,
    "figures/*/metrics/*/[12] was * and is None": NO_WIDTH,
    "boards/*/[12] was * and is None": NO_WIDTH,
    "exports/*_low was * and is *": NO_WIDTH,
    "exports/statebench/*/* was * and is ''": NO_DECISION,
    "boards/statebench/*/[03] was * and is None": NO_DECISION,
    "events/run:* was * and is 'not reported (statebench/*": NO_DECISION,
    "events/run:0102b3d3-* was * and is 'not reported (*": OF_A_TRIAL,
    "figures/run:0102b3d3-*/1/*": OF_A_TRIAL,
    "exports/*_high was * and is *": NO_WIDTH,
    "comparisons/* was * and is ''": NO_WIDTH,
    "comparisons/*/differences/*/B-A low was * and is ''": NO_SUMS,
    "conformance/*/vectors_missing": "Revisions 2 and 3 of the suite have vectors for scopes and what is said.",
    "verdicts/*/first/reason was * and is *": "Where anybody can make the answers, verdicts tell them.",
    "ranks/*": "A rank is a range that holds for the whole board, and over fewer than 40 units nobody has one.",
    "conformance/*/vectors_expected": "Revisions 2 and 3 of the suite have vectors for scopes and what is said.",
    "conformance/*/conforms was True and is False": "So does nobody who was not asked the vectors of revision 3.",
    "conformance/*/not_run*": "A requirement that lacks a vector of revision 2 or 3 was not run.",
    "conformance/*/requirements*": "A requirement that lacks a vector of revision 2 or 3 was not run.",
}
C53810C |= {
    f"figures/run:*/metrics/{name}/0 was * and is None": NO_DECISION
    for name in (
        "answered_rate",
        "cost_weighted_score",
        "decision_accuracy",
        "decision_accuracy_1_0",
        "detection_rate",
        "false_refusal_rate",
        "must_mention_rate_1_0",
        "must_not_mention_violation_rate_1_0",
        "sfrr_1_0",
    )
}
#: Seen where the present code grades and runs what the old code left: on top of the above.
C53810C_LATER: dict[str, str] = {
    "figures/*/grader": GRADER,
    "figures/*/metrics/*/[12] was * and is *": INTERVALS,
    "boards/*/all/*/[12] was * and is *": INTERVALS,
    "comparisons/*/differences/*/[AB] * was * and is *": INTERVALS,
    "comparisons/*/differences/worst_condition_exact_acc/* was * and is *": "It has an interval, too, and a score of "
    "an older grading kept too little of it to be paired with one of today.",
    "events/* was *strict-2/* and is *strict-3/*": GRADER,
    "figures/*/metrics/*/[12] was None and is *": "Every rate has an interval, those of StateBench, too.",
}
C53810C_LATER |= {
    "submissions/*/flags was * and is []": "Of two files that are alike the later one is flagged, "
    "and none that this site ran.",
}
#: By the commit that made the installation: seen as soon as the database is migrated, and for good.
AT_ONCE: dict[str, dict[str, str]] = {"c53810c": C53810C, "54763fa": {}}
#: On top of these, once a worker of the present code has done what the old one left.
AFTER_THE_NEXT_WORK: dict[str, dict[str, str]] = {"c53810c": C53810C_LATER, "54763fa": {}}
