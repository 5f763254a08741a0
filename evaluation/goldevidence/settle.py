"""Settling a case: its question can be answered from what was shown, and its gold has authority."""

from __future__ import annotations

from evaluation.errors import RowError
from evaluation.goldevidence.case import Case
from evaluation.goldevidence.entailment import answer, is_integer
from evaluation.goldevidence.ledger import latest, unclear
from evaluation.goldevidence.rubrics import Rubric
from evaluation.goldevidence.shown import Candidates, Shown


def settle(case: Case, shown: Shown, rubric: Rubric) -> Case:
    """The case as it is graded. Raises RowError for a question that its ledger cannot answer.

    A gold line that is a NOTE gives way to the key's latest authoritative line, where the rubric says so.
    """
    if case.op == "parity" and case.mode != "counter":
        for op, value in shown.history(case.key):
            if op != "NOTE" and value is not None and not is_integer(value):
                raise RowError(f"row {case.id!r} asks for the parity of {value!r}, which is not a number")
    if rubric.gold_has_authority and case.op != "reports" and _is_note(case, shown):
        entry = latest(shown.entries(), case.key)
        if entry is not None:
            case = case._replace(gold=answer(case, entry.value), gold_ids=[entry.uid])
    return where_unclear(case, shown, rubric)


def where_unclear(case: Case, shown: Shown, rubric: Rubric) -> Case:
    """The case; where its candidates leave authority unclear, and the rubric minds, null is the answer to it."""
    if rubric.markers_count and isinstance(shown, Candidates) and unclear(shown.lines.values(), case.key):
        return case._replace(gold=None, gold_ids=[], present=False)
    return case


def _is_note(case: Case, shown: Shown) -> bool:
    lines = map(shown.line, case.gold_ids)
    return any(line is not None and line[1] == "NOTE" for line in lines)
