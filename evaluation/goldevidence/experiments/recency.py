"""Computes accuracy by the words or distractors since a key's last update, or by the number of its updates.

Answers are graded by the reference's rubric.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Any, TypedDict

from evaluation.goldevidence.data import answers
from evaluation.goldevidence.data.answers import Answer
from evaluation.goldevidence.data.case import Case, case_of
from evaluation.goldevidence.data.rubrics import Options
from evaluation.goldevidence.data.shown import ShownReader
from evaluation.goldevidence.grading.resolve_gold import resolve_gold
from evaluation.goldevidence.grading.verdicts import judge
from evaluation.goldevidence.records import EpisodeRow

FIELDS = {  # of a case
    "tokens_since_update": "tokens",
    "distractors_since_update": "distractors",
    "writes_to_key": "writes",
}
Counts = dict[str, list[list[int]]]  # field -> [distance, rows, values right, exact]


class Bucket(TypedDict):
    bucket: str  # `low-high` or `low+`
    n: int
    value_acc: float
    exact_acc: float


def count(rows: Sequence[EpisodeRow], predictions: Mapping[Any, Any], *, citations: bool) -> Counts:
    """Count rows and right answers by each field of FIELDS, such as words since the key's last update.

    Each field gives a list of [value of the field, rows, right values, exact answers]. Rows without a value are left
    out. `predictions` are by row id; `citations` is True if the run asked for citations.
    """
    cases = list(map(case_of, rows))
    found = (predictions.get(str(case.id)) for case in cases)
    given = (answers.read(prediction, any_form=False) if prediction else None for prediction in found)
    return counted(zip(rows, cases, given, strict=True), citations=citations)


def counted(answered: Iterable[tuple[EpisodeRow, Case, Answer | None]], *, citations: bool) -> Counts:
    """Like `count`, for rows with their parsed cases and answers. An answer of None is a missing prediction."""
    options = Options(rubric="reference", citations="auto" if citations else "off")
    counts: dict[str, dict[int, list[int]]] = {field: {} for field in FIELDS}
    read = ShownReader(options.rules)
    for row, of_row, answer in answered:
        shown = read(row)
        case = resolve_gold(of_row, shown, options.rules)
        verdict = judge(case, answer, shown, options)
        for field, name in FIELDS.items():
            if (distance := getattr(case, name)) is not None:
                line = counts[field].setdefault(distance, [0, 0, 0])
                line[0] += 1
                line[1] += bool(verdict.value_ok)
                line[2] += bool(verdict.exact)
    return {field: [[each, *of[each]] for each in sorted(of)] for field, of in counts.items()}


def buckets(counts: Iterable[Counts], field: str, edges: Sequence[int]) -> list[Bucket]:
    """Return the accuracies by bucket [previous edge, edge); the last has no upper bound. Empty ones are left out."""
    labels = [f"{low}-{high}" for low, high in pairwise((0, *edges))] + [f"{edges[-1]}+"]
    sums = {label: [0, 0, 0] for label in labels}
    for of_run in counts:
        for distance, *numbers in of_run[field]:
            line = sums[labels[bisect_right(edges, distance)]]
            line[:] = [a + b for a, b in zip(line, numbers, strict=True)]
    return [
        {"bucket": label, "n": n, "value_acc": right / n, "exact_acc": exact / n}
        for label, (n, right, exact) in sums.items()
        if n
    ]
