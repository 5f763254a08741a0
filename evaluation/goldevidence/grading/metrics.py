"""The metrics of GoldEvidenceBench: every rate once, for figure, interval, groups, rows and paired tests.

The functions read the columns of a gradebook: `verdicts.Verdict`, `twin_pairs.Pair`, whether two rows are a `couple`,
`choices.Choice` (-1 in rows without candidates) and `choices.OwnChoice` (-1 where a prediction does not say what was
shown). A split is one of `scope.Scope`.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np

from evaluation.core.metric import Array, Columns, Metric, Reduction, RowFunction, every
from evaluation.core.statistics import FloatArray
from evaluation.goldevidence.conditions.conditions import Condition
from evaluation.goldevidence.conditions.order_bias import order_families, order_spread, worst_order
from evaluation.goldevidence.data.rubrics import RUBRICS, Rubric
from evaluation.goldevidence.grading.choices import Selected
from evaluation.goldevidence.grading.robustness import worst_rate

# Figures of the whole book come first; what names candidates is over the rows that show some instead of it.
HEADLINE = "Headline"
CITATIONS = "Citations"
TWINS = "Twins"
INSTRUCTIONS = "Instructions"
SELECTION = "Candidates: selection"
AUTHORITY = "Authority"
ABSTENTION = "Candidates: abstention"
ROBUSTNESS = "Candidates: robustness"
RETRIEVAL = "Own retrieval"  # over the whole-book rows whose predictions say what their answerer saw
SECTIONS = (
    HEADLINE,
    CITATIONS,
    TWINS,
    INSTRUCTIONS,
    RETRIEVAL,
    SELECTION,
    AUTHORITY,
    ABSTENTION,
    ROBUSTNESS,
)

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


def is_matched(side: int) -> RowFunction:
    """Whether a row has its pair with (1) or without (2) the instructions and is this side of it."""
    return lambda columns: columns["matched"] == side


def is_positive(name: str) -> RowFunction:
    """Whether a column is above 0 in a row."""
    return lambda columns: columns[name] > 0


def both(first: RowFunction, second: RowFunction) -> RowFunction:
    """Whether two things hold of a row.

    Args:
        first: One of them.
        second: The other.

    Returns:
        The function of a mask, [rows].
    """
    return lambda columns: first(columns) & second(columns)


def selected(*kinds: Selected) -> RowFunction:
    """Whether the line that a row's answer selected is of one of these kinds."""
    return lambda columns: np.isin(columns["selected"], kinds)


def cite_share(*wholes: str, empty: bool) -> RowFunction:
    """The share of citations that hit a gold line.

    Args:
        *wholes: What it is a share of: of citations (`cited`), of gold lines (`golds`) or of both.
        empty: Whether it is 1 where there is neither a citation nor a gold line; else it is 0 where the whole is 0.

    Returns:
        The function of a share, [rows].
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
said, in_own = is_known("own_rank"), is_positive("own_rank")
own_picked = both(in_own, is_set("own_picks"))
wrongly_chosen = both(present, selected(Selected.UPDATE, Selected.NOTE, Selected.UNMARKED))


def share_of_one(name: str) -> RowFunction:
    """How likely one of several lines is the one that is drawn from them.

    Args:
        name: The column that says how many they are.

    Returns:
        The function of a share, [rows]; 1 where there is no line.
    """
    return lambda columns: 1 / np.maximum(columns[name], 1, dtype=np.float64)


def reciprocal_rank(columns: Columns) -> Array:
    """One by the place of the gold line among the lines that a system showed.

    Source:
        Voorhees: "The TREC-8 Question Answering Track Report", 1999: the reciprocal rank, 0 where it is not retrieved.

    Args:
        columns: What was found in each row, [rows] each.

    Returns:
        A share, [rows].
    """
    rank = columns["own_rank"]
    return np.where(rank > 0, 1 / np.maximum(rank, 1, dtype=np.float64), 0.0)


def difference(rates: FloatArray, labels: Sequence[str]) -> FloatArray:
    """The first rate minus the second.

    Args:
        rates: [..., 2].
        labels: The labels of the two, as a `Reducer` gets them; not read.

    Returns:
        [...].
    """
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
            by_split=True,
        ),
        Metric(
            "value_acc",
            "Value",
            "The value is right, whatever is cited.",
            every,
            value_ok,
            first=True,
            section=HEADLINE,
            by_split=True,
        ),
        Metric(
            "answered_rate",
            "Answered",
            "Rows whose answer is there and can be read.",
            every,
            answered,
            first=True,
            section=HEADLINE,
        ),
        Metric(
            "cite_f1",
            "Citation F1",
            "Harmonic mean of citation precision and recall.",
            required,
            share("cited", "golds"),
            first=True,
            section=CITATIONS,
        ),
        Metric(
            "cite_p",
            "Citation precision",
            "Cited lines that establish the answer.",
            required,
            share("cited"),
            section=CITATIONS,
        ),
        Metric(
            "cite_r",
            "Citation recall",
            "Lines that establish the answer and are cited.",
            required,
            share("golds"),
            section=CITATIONS,
        ),
        Metric(
            "support_bloat",
            "Over-citation",
            "Answers that cite more lines than it takes to establish them.",
            required,
            is_set("bloat"),
            better="lower",
            section=CITATIONS,
        ),
        Metric(
            "entailment",
            "Entailment",
            "Answers that follow from the lines they cite.",
            is_set("judged"),
            is_set("entailed"),
            section=CITATIONS,
        ),
        Metric(
            "twin_consistency",
            "Twin consistency",
            "Twin questions get the same answer exactly where their right answers are the same.",
            both(couple, is_set("pair")),
            is_set("consistent"),
            first=True,
            counts=("twin pair", "twin pairs"),
            section=TWINS,
        ),
        Metric(
            "twin_flip_rate",
            "Twin flips followed",
            "Of the twin questions whose answers differ: those answered right on both sides.",
            both(couple, is_set("flips")),
            is_set("flipped"),
            counts=("twin pair", "twin pairs"),
            section=TWINS,
        ),
        Metric(
            "instr_acc",
            "With instructions",
            "Exact accuracy where the text holds an instruction about the key.",
            instructed,
            exact,
            section=INSTRUCTIONS,
        ),
        Metric(
            "clean_acc",
            "Without instructions",
            "Exact accuracy where the text holds no instruction about the key.",
            clean,
            exact,
            section=INSTRUCTIONS,
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
            first=True,
            section=INSTRUCTIONS,
        ),
        Metric(
            "instr_with_acc",
            "Same rows, with",
            "Exact accuracy with the instructions, of the questions that are asked without them, too.",
            is_matched(1),
            exact,
            section=INSTRUCTIONS,
        ),
        Metric(
            "instr_without_acc",
            "Same rows, without",
            "Exact accuracy of the same questions over the same texts without the lines of instructions.",
            is_matched(2),
            exact,
            section=INSTRUCTIONS,
        ),
        Metric(
            "instr_effect",
            "Instruction effect",
            "Exact accuracy without the instructions minus with them, of the same questions: texts differ in nothing "
            "else.",
            every,
            exact,
            better="lower",
            of=("instr_without_acc", "instr_with_acc"),
            reducer=difference,
            first=True,
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
        ),
        Metric(
            "state_integrity",
            "State integrity",
            "The value is right in rows whose text holds an instruction about the key.",
            instructed,
            value_ok,
            section=INSTRUCTIONS,
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
            counts=("answer", "answers"),
            section=AUTHORITY,
        ),
        Metric(
            "note_violation_rate",
            "Violations at risk",
            "Of the answers to rows that show a NOTE about their key: those that cite or adopt a NOTE.",
            every,
            is_set("violation"),
            better="lower",
            weight=answered,
            split="noted",
            in_groups=False,
            first=True,
            counts=("answer", "answers"),
            section=AUTHORITY,
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
        first=True,
        neutral=True,
        section=SELECTION,
        by_split=True,
    ),
    of_candidates(
        "selection_rate",
        "Evidence chosen",
        "Of the rows that show the gold line: those whose first citation is that line.",
        present,
        picks,
        first=True,
        chance="selection_chance",
        section=SELECTION,
        by_split=True,
    ),
    of_candidates(
        "answer_acc_given_gold_selected",
        "Value, evidence chosen",
        "Of the rows whose first citation is the gold line: those with the right value.",
        picked,
        value_ok,
        section=SELECTION,
        by_split=True,
    ),
    of_candidates(
        "accuracy_when_gold_present",
        "Value, evidence shown",
        "Of the rows that show the gold line: those with the right value.",
        present,
        value_ok,
        section=SELECTION,
        by_split=True,
    ),
    of_candidates(
        "condition_value_acc",
        "Value, candidates",
        "The value is right, over all candidate rows.",
        every,
        value_ok,
        section=SELECTION,
        in_groups=False,
    ),
    of_candidates(
        "gold_support_selected_rate",
        "Gold cited",
        "Of the rows that show the gold line: those that cite it somewhere.",
        present,
        is_set("cites_gold"),
        section=SELECTION,
    ),
    of_candidates(
        "value_is_substring_of_selected_line_rate",
        "Value in chosen line",
        "Of the rows whose first citation is the gold line: those whose value stands in it.",
        both(picked, is_known("value_in_line")),
        is_set("value_in_line"),
        section=SELECTION,
    ),
    of_candidates(
        "support_consistency_rate",
        "Support consistency",
        "Answers whose first citation is the line that their selector chose, where the file says which.",
        both(present, is_known("agrees")),
        is_set("agrees"),
        section=SELECTION,
    ),
    of_candidates(
        "wrong_update_rate",
        "Wrong update",
        "Choices that are another UPDATE.",
        chosen,
        wrong_update,
        better="lower",
        section=SELECTION,
        by_split=True,
    ),
    of_candidates(
        "selected_wrong_update_rate",
        "Wrong update of misses",
        "Wrong choices that are another UPDATE.",
        wrongly_chosen,
        wrong_update,
        better="lower",
        section=SELECTION,
    ),
    of_candidates(
        "selected_note_rate",
        "NOTE chosen",
        "Choices that are a NOTE.",
        chosen,
        note,
        better="lower",
        section=AUTHORITY,
        by_split=True,
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
    ),
    of_candidates(
        "spoof_accept_rate",
        "Spoof accepted",
        "Choices of a disguised line without authority.",
        is_set("forged_shown"),
        is_set("forged_selected"),
        better="lower",
        section=AUTHORITY,
    ),
    of_candidates(
        "abstain_rate",
        "Abstained",
        "Candidate rows without value and citation.",
        candidates,
        abstained,
        neutral=True,
        section=ABSTENTION,
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
        first=True,
        section=ABSTENTION,
        by_split=True,
    ),
)
#: Rows show more lines than `k`, or fewer where a book has no more; so what chance gets is counted and no setting.
SELECTION_CHANCE = of_candidates(
    "selection_chance",
    "Chosen by chance",
    "Of the rows that show the gold line: the share of them that a citation drawn from their lines would get right.",
    present,
    share_of_one("shown"),
    neutral=True,
    section=SELECTION,
    by_split=True,
)
WORST_ORDER_RATE = "worst_order_selection_rate"
#: The system's own retrieval, as far as its predictions say what was shown: the same steps over whole-book rows, with
#: the names of DECOMPOSITION behind `own_`.
OWN: tuple[Metric, ...] = (
    Metric(
        "own_gold_present_rate",
        "Gold line retrieved",
        "Of the whole-text rows that say what was shown and that one line answers: those whose answerer saw it.",
        said,
        in_own,
        section=RETRIEVAL,
    ),
    Metric(
        "own_gold_mrr",
        "Reciprocal rank",
        "One by the place of the gold line among the lines shown, in the order shown; 0 where it is not shown.",
        said,
        reciprocal_rank,
        section=RETRIEVAL,
    ),
    Metric(
        "own_selection_rate",
        "Chosen, retrieved",
        "Of the rows whose answerer saw the gold line: those whose first citation is that line.",
        in_own,
        is_set("own_picks"),
        section=RETRIEVAL,
        chance="own_selection_chance",
    ),
    Metric(
        "own_answer_acc_given_gold_selected",
        "Value, chosen",
        "Of the rows whose answerer saw the gold line and cites it first: those with the right value.",
        own_picked,
        value_ok,
        section=RETRIEVAL,
    ),
    Metric(
        "own_accuracy_when_gold_present",
        "Value, retrieved",
        "Of the rows whose answerer saw the gold line: those with the right value.",
        in_own,
        value_ok,
        section=RETRIEVAL,
    ),
    Metric(
        "own_value_acc",
        "Value, all that say",
        "The value is right, over all whole-text rows that say what was shown and that one line answers.",
        said,
        value_ok,
        section=RETRIEVAL,
    ),
    Metric(
        "own_unshown_citation_rate",
        "Cites unshown",
        "Answers that cite a line which their answerer, as the file says, was not shown; in rows of every kind.",
        is_known("cites_unshown"),
        is_set("cites_unshown"),
        better="lower",
        split="covered",
        section=RETRIEVAL,
    ),
    Metric(
        "own_selection_chance",
        "Chosen at random, retrieved",
        "Of the rows whose answerer saw the gold line: what a citation drawn from the lines shown would get right.",
        in_own,
        share_of_one("own_lines"),
        in_groups=False,
    ),
)
#: By rubric; a version with orders has those of `order_metrics` besides.
METRICS: dict[str, tuple[Metric, ...]] = {
    name: (*graded(rules), *DECOMPOSITION, SELECTION_CHANCE, *OWN) for name, rules in RUBRICS.items()
}


def order_metrics(conditions: Sequence[Condition], *, complete: bool = False) -> tuple[Metric, ...]:
    """What the place of the gold line decides, from the selection rates of the conditions of a version.

    Args:
        conditions: Those of the version.
        complete: Whether the worst order is reported only where a file answers all of them, as a headline has to be.
    """
    by_order = partial(
        of_candidates,
        counted=present,
        value=picks,
        grouping="condition",
        families=order_families(conditions),
        in_groups=False,
        section=ROBUSTNESS,
    )
    in_orders = partial(
        of_candidates,
        counted=is_set("permuted"),
        counts=("question", "questions"),
        in_groups=False,
        section=ROBUSTNESS,
    )
    return (
        by_order(
            WORST_ORDER_RATE,
            "Worst order",
            "The selection rate in the order that suits the system least.",
            first=True,
            reducer=worst_order(conditions, complete=complete),
            reduction=Reduction.WORST,
        ),
        by_order(
            "order_spread",
            "Order spread",
            "Best minus worst selection rate over the gold line's places.",
            better="lower",
            reducer=order_spread(conditions),
            reduction=Reduction.SPREAD,
        ),
        in_orders(
            "order_consistency",
            "Same in all orders",
            "Questions whose answer and first citation are the same in every order of the same lines.",
            value=is_set("same_in_orders"),
        ),
        in_orders(
            "order_robust_acc",
            "Right in all orders",
            "Questions that are answered exactly in every order of the same lines.",
            value=is_set("right_in_orders"),
        ),
    )


def worst_condition_metric(conditions: Sequence[Condition]) -> Metric:
    """What decides between systems that the headline cannot tell apart, under the conditions of a version."""
    return Metric(
        "worst_condition_exact_acc",
        "Worst condition",
        "Exact answers under the condition that suits the system least, where the file answers all of them.",
        every,
        exact,
        split="conditional",
        grouping="condition",
        reducer=worst_rate([condition.name for condition in conditions]),
        reduction=Reduction.WORST,
        in_groups=False,
    )


def version_metrics(conditions: Sequence[Condition], *, complete: bool = False) -> tuple[Metric, ...]:
    """The metrics of a version besides those of its rubric: what its conditions say together.

    Args:
        conditions: Those of the version.
        complete: See `order_metrics`.
    """
    if not conditions:
        return ()
    return (*order_metrics(conditions, complete=complete), worst_condition_metric(conditions))
