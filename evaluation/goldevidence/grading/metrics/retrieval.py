"""The metrics of a system's own retrieval, over rows whose predictions list the lines shown."""

from __future__ import annotations

from functools import partial

import numpy as np

from evaluation.core.metric import Array, Columns, Metric, both
from evaluation.goldevidence.grading.metrics.row_functions import (
    in_own,
    is_known,
    is_set,
    own_picked,
    said,
    share_of_one,
    value_ok,
)
from evaluation.goldevidence.grading.metrics.sections import RETRIEVAL


def reciprocal_rank(columns: Columns) -> Array:
    """1 / rank of the gold line among the lines listed, [rows], or 0 if the gold line is not listed.

    Source:
        Voorhees: "The TREC-8 Question Answering Track Report", 1999.

    Args:
        columns: `own_rank`, [rows].
    """
    rank = columns["own_rank"]
    return np.where(rank > 0, 1 / np.maximum(rank, 1, dtype=np.float64), 0.0)


_retrieval = partial(Metric, section=RETRIEVAL)
#: Metrics of a system's own retrieval over whole-book rows whose predictions list the lines shown. The names are those
#: of DECOMPOSITION, prefixed with `own_`.
OWN: tuple[Metric, ...] = (
    _retrieval(
        "own_gold_present_rate",
        "Gold line retrieved",
        "Of the whole-text rows that have one gold line and a prediction that lists the lines shown, the share whose "
        "list contains the gold line.",
        said,
        in_own,
    ),
    _retrieval(
        "own_gold_mrr",
        "Reciprocal rank",
        "1 divided by the rank of the gold line among the lines shown to the answerer; 0 if it is not shown.",
        said,
        reciprocal_rank,
    ),
    _retrieval(
        "own_gold_picked_rate",
        "Picked, retrieved",
        "Of the rows whose answerer saw the gold line and whose prediction states the selector's pick "
        "(`selected_uid`), the share where the gold line is the pick, whatever the answer cites.",
        both(in_own, is_known("own_selector_picks")),
        is_set("own_selector_picks"),
    ),
    _retrieval(
        "own_selection_rate",
        "Chosen, retrieved",
        "Of the rows whose answerer saw the gold line, the share whose answer cites that line first.",
        in_own,
        is_set("own_picks"),
        chance="own_selection_chance",
    ),
    _retrieval(
        "own_answer_acc_given_gold_selected",
        "Value, chosen",
        "Of the rows whose answerer saw the gold line and cites it first, the share with the right value.",
        own_picked,
        value_ok,
    ),
    _retrieval(
        "own_accuracy_when_gold_present",
        "Value, retrieved",
        "Of the rows whose answerer saw the gold line, the share with the right value.",
        in_own,
        value_ok,
    ),
    _retrieval(
        "own_value_acc",
        "Value, rows with a list",
        "Of the whole-text rows that have one gold line and a prediction that lists the lines shown, the share with "
        "the right value.",
        said,
        value_ok,
    ),
    _retrieval(
        "own_unshown_citation_rate",
        "Cites unshown",
        "Answers that cite a line missing from the prediction's own list of lines shown, over rows of every kind.",
        is_known("cites_unshown"),
        is_set("cites_unshown"),
        better="lower",
        split="covered",
    ),
    Metric(
        "own_selection_chance",
        "Chosen at random, retrieved",
        "Of the rows whose answerer saw the gold line, the expected share where a random line seen is the gold line.",
        in_own,
        share_of_one("own_lines"),
        in_groups=False,
    ),
)
