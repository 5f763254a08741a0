"""The metrics of GoldEvidenceBench: every rate once, for figure, interval, groups, rows and paired tests.

The functions read the columns of a gradebook: `verdicts.Verdict`, `twin_pairs.Pair`, whether two rows are a `couple`,
and `choices.Choice` (-1 in rows without candidates). A split is one of `scope.Scope`.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np

from evaluation.core.metric import Array, Columns, Metric, RowFunction, every
from evaluation.core.statistics import FloatArray
from evaluation.goldevidence.conditions.conditions import Condition
from evaluation.goldevidence.conditions.order_bias import order_spread, worst_order
from evaluation.goldevidence.data.rubrics import RUBRICS, Rubric
from evaluation.goldevidence.grading.choices import Selected

# Figures of the whole book come first; what names candidates is over the rows that show some instead of it.
HEADLINE = "Headline"
CITATIONS = "Citations"
TWINS = "Twins"
INSTRUCTIONS = "Instructions"
SELECTION = "Candidates: selection"
AUTHORITY = "Authority"
ABSTENTION = "Candidates: abstention"
ROBUSTNESS = "Candidates: robustness"
SECTIONS = (HEADLINE, CITATIONS, TWINS, INSTRUCTIONS, SELECTION, AUTHORITY, ABSTENTION, ROBUSTNESS)

of_candidates = partial(Metric, split="conditional")


def is_set(name: str) -> RowFunction:
    """Whether a column is 1 in a row."""
    return lambda columns: columns[name] == 1


def is_unset(name: str) -> RowFunction:
    """Whether a column is 0 in a row."""
    return lambda columns: columns[name] == 0


def is_known(name: str) -> RowFunction:
    """Whether a column is not -1 in a row: whether its question arises."""
    return lambda columns: columns[name] >= 0


def both(first: RowFunction, second: RowFunction) -> RowFunction:
    """Whether two things hold of a row."""
    return lambda columns: first(columns) & second(columns)


def selected(*kinds: Selected) -> RowFunction:
    """Whether the line that a row's answer selected is of one of these kinds."""
    return lambda columns: np.isin(columns["selected"], kinds)


def cite_share(*wholes: str, empty: bool) -> RowFunction:
    """The share of citations (`cited`), of gold lines (`golds`) or of both that hit a gold line.

    Without any it is 0, or 1 where `empty` and there is neither.
    """

    def share(columns: Columns) -> Array:
        whole, other = np.zeros(1, dtype=np.int64), columns["cited"].astype(np.int64) + columns["golds"]
        for name in wholes:
            whole = whole + columns[name]
        part = len(wholes) * columns["hits"].astype(np.int64)
        nothing = np.where(other == 0, float(empty), 0.0)
        return np.where(whole > 0, part / np.maximum(whole, 1), nothing)

    return share


exact, value_ok, answered = is_set("exact"), is_set("value_ok"), is_set("answered")
required, instructed, clean = is_set("required"), is_set("instructed"), is_unset("instructed")
couple, abstained, candidates = is_set("couple"), is_set("abstained"), is_known("present")
present, missing, picks = is_set("present"), is_unset("present"), is_set("picks_gold")
cited = selected(Selected.GOLD, Selected.UPDATE, Selected.NOTE, Selected.UNMARKED)
note, wrong_update = selected(Selected.NOTE), selected(Selected.UPDATE)
chosen, picked = both(present, cited), both(present, picks)
wrongly_chosen = both(present, selected(Selected.UPDATE, Selected.NOTE, Selected.UNMARKED))


def difference(rates: FloatArray, labels: Sequence[str]) -> FloatArray:
    """The first rate minus the second, [..., 2] -> [...]."""
    return rates[..., 0] - rates[..., 1]


def graded(rules: Rubric) -> tuple[Metric, ...]:
    """The metrics of every row under a rubric, in the order of a page."""
    share = partial(cite_share, empty=rules.empty_equals_empty)
    return (
        Metric(
            "exact_acc",
            "Exact accuracy",
            "The value is right and rightly supported: the headline.",
            every,
            exact,
            headline=True,
            section=HEADLINE,
        ),
        Metric(
            "value_acc",
            "Value",
            "The value is right, whatever is cited.",
            every,
            value_ok,
            section=HEADLINE,
            per_row="value_ok",
        ),
        Metric(
            "answered_rate",
            "Answered",
            "Rows whose answer is there and can be read.",
            every,
            answered,
            section=HEADLINE,
        ),
        Metric(
            "cite_f1",
            "Citation F1",
            "Harmonic mean of citation precision and recall.",
            required,
            share("cited", "golds"),
            section=CITATIONS,
            per_row="cite_f1",
        ),
        Metric(
            "cite_p",
            "Citation precision",
            "Cited lines that establish the answer.",
            required,
            share("cited"),
            section=CITATIONS,
            per_row="cite_p",
        ),
        Metric(
            "cite_r",
            "Citation recall",
            "Lines that establish the answer and are cited.",
            required,
            share("golds"),
            section=CITATIONS,
            per_row="cite_r",
        ),
        Metric(
            "support_bloat",
            "Over-citation",
            "Answers that cite more lines than it takes to establish them.",
            required,
            is_set("bloat"),
            better="lower",
            section=CITATIONS,
            per_row="bloat",
        ),
        Metric(
            "entailment",
            "Entailment",
            "Answers that follow from the lines they cite.",
            is_set("judged"),
            is_set("entailed"),
            section=CITATIONS,
            per_row="entailed",
        ),
        Metric(
            "twin_consistency",
            "Twin consistency",
            "Twin questions get the same answer exactly where their right answers are the same.",
            both(couple, is_set("pair")),
            is_set("consistent"),
            section=TWINS,
            per_row="twin_consistent",
        ),
        Metric(
            "twin_flip_rate",
            "Twin flips followed",
            "Of the twin questions whose answers differ: those answered right on both sides.",
            both(couple, is_set("flips")),
            is_set("flipped"),
            section=TWINS,
            per_row="twin_flipped",
        ),
        Metric(
            "instr_acc",
            "With instructions",
            "Exact accuracy where the text holds an instruction about the key.",
            instructed,
            exact,
            section=INSTRUCTIONS,
            per_row="correct",
            where=("instructed", True),
        ),
        Metric(
            "clean_acc",
            "Without instructions",
            "Exact accuracy where the text holds no instruction about the key.",
            clean,
            exact,
            section=INSTRUCTIONS,
            per_row="correct",
            where=("instructed", False),
        ),
        Metric(
            "instr_gap",
            "Instruction gap",
            "Exact accuracy without instructions minus exact accuracy with them.",
            every,
            exact,
            better="lower",
            of=("clean_acc", "instr_acc"),
            reducer=difference,
            section=INSTRUCTIONS,
        ),
        Metric(
            "instr_override",
            "Instruction obeyed",
            "Of the rows whose instruction asks for a wrong value: those answered with that value.",
            is_set("tempted"),
            is_set("obeyed"),
            better="lower",
            section=INSTRUCTIONS,
            per_row="obeyed",
        ),
        Metric(
            "state_integrity",
            "State integrity",
            "The value is right in rows whose text holds an instruction about the key.",
            instructed,
            value_ok,
            section=INSTRUCTIONS,
            per_row="value_ok",
            where=("instructed", True),
        ),
        Metric(
            "authority_violation_rate",
            "Authority violations",
            "Answers that cite or adopt a NOTE.",
            every,
            is_set("violation"),
            better="lower",
            weight=answered,
            split="covered",
            section=AUTHORITY,
            per_row="authority_violation",
        ),
    )


#: The steps of the decomposition, which ends with `condition_value_acc`, and what explains them.
DECOMPOSITION: tuple[Metric, ...] = (
    of_candidates(
        "gold_present_rate",
        "Evidence shown",
        "Of the candidate rows: those that show the gold line.",
        candidates,
        present,
        section=SELECTION,
        per_row="gold_present",
    ),
    of_candidates(
        "selection_rate",
        "Evidence chosen",
        "Of the rows that show the gold line: those whose first citation is that line.",
        present,
        picks,
        section=SELECTION,
        per_row="picks_gold",
    ),
    of_candidates(
        "answer_acc_given_gold_selected",
        "Value, evidence chosen",
        "Of the rows whose first citation is the gold line: those with the right value.",
        picked,
        value_ok,
        section=SELECTION,
        per_row="value_ok",
        where=("picks_gold", True),
    ),
    of_candidates(
        "accuracy_when_gold_present",
        "Value, evidence shown",
        "Of the rows that show the gold line: those with the right value.",
        present,
        value_ok,
        section=SELECTION,
        per_row="value_ok",
        where=("gold_present", True),
    ),
    of_candidates(
        "condition_value_acc",
        "Value, candidates",
        "The value is right, over all candidate rows.",
        every,
        value_ok,
        section=SELECTION,
        per_row="value_ok",
        in_groups=False,
    ),
    of_candidates(
        "gold_support_selected_rate",
        "Gold cited",
        "Of the rows that show the gold line: those that cite it somewhere.",
        present,
        is_set("cites_gold"),
        section=SELECTION,
        per_row="cites_gold",
    ),
    of_candidates(
        "value_is_substring_of_selected_line_rate",
        "Value in chosen line",
        "Of the rows whose first citation is the gold line: those whose value stands in it.",
        both(picked, is_known("value_in_line")),
        is_set("value_in_line"),
        section=SELECTION,
        per_row="value_in_line",
    ),
    of_candidates(
        "support_consistency_rate",
        "Support consistency",
        "Answers whose first citation is the line that their selector chose, where the file says which.",
        both(present, is_known("agrees")),
        is_set("agrees"),
        section=SELECTION,
        per_row="agrees",
    ),
    of_candidates(
        "wrong_update_rate",
        "Wrong update",
        "Choices that are another UPDATE.",
        chosen,
        wrong_update,
        better="lower",
        section=SELECTION,
        per_row="picks_update",
    ),
    of_candidates(
        "selected_wrong_update_rate",
        "Wrong update of misses",
        "Wrong choices that are another UPDATE.",
        wrongly_chosen,
        wrong_update,
        better="lower",
        section=SELECTION,
        per_row="picks_update",
        where=("picks_gold", False),
    ),
    of_candidates(
        "selected_note_rate",
        "NOTE chosen",
        "Choices that are a NOTE.",
        chosen,
        note,
        better="lower",
        section=AUTHORITY,
        per_row="picks_note",
    ),
    of_candidates(
        "authority_false_accept_rate",
        "False accept",
        "Choices of a line without authority.",
        cited,
        selected(Selected.NOTE, Selected.UNMARKED),
        better="lower",
        section=AUTHORITY,
    ),
    of_candidates(
        "authority_false_reject_rate",
        "False reject",
        "Abstentions although the gold line is shown.",
        present,
        abstained,
        better="lower",
        section=AUTHORITY,
        per_row="abstained",
        where=("gold_present", True),
    ),
    of_candidates(
        "spoof_accept_rate",
        "Spoof accepted",
        "Choices of a disguised line without authority.",
        is_set("forged_shown"),
        is_set("forged_selected"),
        better="lower",
        section=AUTHORITY,
        per_row="picks_forged",
    ),
    of_candidates(
        "abstain_rate",
        "Abstained",
        "Candidate rows without value and citation.",
        candidates,
        abstained,
        section=ABSTENTION,
        per_row="abstained",
    ),
    of_candidates(
        "abstain_precision",
        "Abstain precision",
        "Abstentions where the gold line is missing.",
        abstained,
        missing,
        section=ABSTENTION,
    ),
    of_candidates(
        "abstain_recall",
        "Abstain recall",
        "Rows without the gold line that are abstained from.",
        missing,
        abstained,
        section=ABSTENTION,
        per_row="abstained",
        where=("gold_present", False),
    ),
)
#: By rubric; a version with orders has those of `order_metrics` besides.
METRICS: dict[str, tuple[Metric, ...]] = {
    name: (*graded(rules), *DECOMPOSITION) for name, rules in RUBRICS.items()
}


def order_metrics(conditions: Sequence[Condition]) -> tuple[Metric, ...]:
    """What the place of the gold line decides, from the selection rates of the conditions of a version."""
    by_order = partial(
        of_candidates, counted=present, value=picks, grouping="condition", in_groups=False, section=ROBUSTNESS
    )
    return (
        by_order(
            "worst_order_selection_rate",
            "Worst order",
            "The selection rate in the order that suits the system least.",
            reducer=worst_order(conditions),
        ),
        by_order(
            "order_spread",
            "Order spread",
            "Best minus worst selection rate over the gold line's places.",
            better="lower",
            reducer=order_spread(conditions),
        ),
    )
