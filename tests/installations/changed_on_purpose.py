"""Intended differences from a kept installation: place -> reason.

A key is a pattern (`*` stands for anything) of the places that a failing test names, with or without the change, for
instance

    "comparisons/* was * and is ''": NO_WIDTH,
    "conformance/*/vectors_missing": "Later revisions of the suite have vectors for scopes and what is said.",
    "ranks/*": "There are no ranks over fewer than 40 units.",
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
    "conformance/*/vectors_missing": "Later revisions of the suite have vectors for scopes and what is said.",
    "verdicts/*/first/reason was * and is *": "If the answers are public, verdicts tell them.",
    "ranks/*": "A rank is a range that holds for the whole board, and over fewer than 40 units there are none.",
    "conformance/*/vectors_expected": "Later revisions of the suite have vectors for scopes and what is said.",
    "conformance/*/conforms was True and is False": "So does no report that lacks vectors of a later revision.",
    "conformance/*/not_run*": "A requirement that lacks a vector of a later revision was not run.",
    "conformance/*/requirements*": "A requirement that lacks a vector of a later revision was not run.",
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
SEALED = (
    "A version that keeps its answers rounds each figure by its own rows and shows none over fewer than 50."
)
SHOWN = "There a comparison is made of the shown figures alone."
RANKED = "One ranking rule: a failed requirement takes no rank; what is not above guessing has none, nor has what is "
RANKED += "self-reported where answers are public."
ONE_DOOR = "A strategy without a model has no headline for any reader."
SCALED = "What is 0 on the scale is the guessing line, and nothing is scaled where it is near the oracle."
REVISION_4 = "Revision 4 of the suite asks vectors that this report does not have."
#: The submissions to versions of 54763fa that keep their answers, by how their ids begin.
ENTRIES = ("1235bd47", "184fc3d0", "25b4531b", "6f2b2282", "706ab1e6", "b818eeeb", "cff8d58c", "f3c19e35")
RUNS = (
    "0a5d43c1", "2571c92d", "3030b19f", "305c7d68", "4e98edd4", "59c3dc97", "830b0453", "8376cbb6", "92101945",
    "93a1bf22", "a850a832", "aeefada5", "c9c6bf15", "d7b7b0f4",
)  # fmt: skip
KEEPING = (
    "goldevidencebench/sealed",
    "goldevidencebench/lengths",
    "goldevidencebench/two-phases",
    "statebench/states",
)
#: Of 54763fa, seen as soon as the database is migrated, and for good.
M54763FA: dict[str, str] = {
    "measures/statebench/states/*": SEALED,
    "versions/*/attacks/*": SEALED,
    "comparisons/*": SHOWN,
    "standings/*": RANKED,
    "sentences/*": RANKED,
    "ranks/*": RANKED,
    "exports/*/not_ranked was *": RANKED,
    "submissions/*/headline/*": f"{ONE_DOOR} {SEALED}",
    "submissions/*/gates/*": "A requirement of which no figure is shown is not told either.",
    "events/*": ONE_DOOR,
    "conformance/*/vectors_missing": REVISION_4,
    "conformance/*/vectors_expected": REVISION_4,
    "conformance/*/conforms was True and is False": REVISION_4,
    "conformance/*/not_run*": REVISION_4,
    "conformance/*/requirements*": REVISION_4,
}
M54763FA |= {f"{section}/{pk}*": SEALED for section in ("figures", "groups", "owners") for pk in ENTRIES}
M54763FA |= {f"figures/run:{pk}*": SEALED for pk in RUNS}
M54763FA |= {
    f"boards/{version}/*": SEALED for version in KEEPING if version != "goldevidencebench/two-phases"
}
M54763FA |= {f"exports/{version}/*": SEALED for version in KEEPING}
#: By commit: seen once the placements, and with them the guessing lines, are computed.
ONCE_COMPUTED: dict[str, dict[str, str]] = {"c53810c": {}, "54763fa": {"exports/*/scaled*": SCALED}}
#: Seen where the present code grades what the old code left.
PLAIN_WORDS = (
    "The sentences of a verdict and of a bar were said more plainly; they are made when they are shown."
)
M54763FA_LATER: dict[str, str] = {
    "verdicts/*/first/reason was 'The value is not*": PLAIN_WORDS,
    "benches/*/bars/*/help was 'The widest distance*": PLAIN_WORDS,
    "benches/*/bars/*/help was 'The gold line is cited first*": PLAIN_WORDS,
    "figures/run:1fdd560f*": SEALED,
    "submissions/*/flags was *": "Of two files that are alike the later one is flagged, and none that this site ran.",
}
#: By the commit that made the installation: seen as soon as the database is migrated, and for good.
AT_ONCE: dict[str, dict[str, str]] = {"c53810c": C53810C, "54763fa": M54763FA}
#: On top of these, once a worker of the present code has done what the old one left.
AFTER_THE_NEXT_WORK: dict[str, dict[str, str]] = {
    "c53810c": C53810C_LATER,
    "54763fa": M54763FA_LATER | ONCE_COMPUTED["54763fa"],
}
