"""Adjusts the gold of a case to the rubric and the lines shown."""

from __future__ import annotations

from evaluation.core.errors import RowError
from evaluation.goldevidence.data.case import Case
from evaluation.goldevidence.data.entailment import answer, is_integer
from evaluation.goldevidence.data.ledger import latest, unclear
from evaluation.goldevidence.data.rubrics import Rubric
from evaluation.goldevidence.data.shown import Candidates, Shown


def resolve_gold(case: Case, shown: Shown, rubric: Rubric) -> Case:
    """Adapt the gold of a case: some rubrics replace a gold NOTE by the key's latest authoritative line.

    Raises RowError for a question about the parity of a value that is not a number.
    """
    if case.op == "parity" and case.mode != "counter":
        for op, value in shown.history(case.key):
            if op != "NOTE" and value is not None and not is_integer(value):
                raise RowError(f"row {case.id!r} asks for the parity of {value!r}, which is not a number")
    if rubric.gold_has_authority and case.op != "reports" and _is_note(case, shown):
        entry = latest(shown.entries(), case.key)
        if entry is not None:
            case = case._replace(gold=answer(case, entry.value), gold_ids=[entry.uid])
    return null_if_ambiguous(case, shown, rubric)


def null_if_ambiguous(case: Case, shown: Shown, rubric: Rubric) -> Case:
    """Set the gold to null if the candidates leave authority unclear and `Rubric.markers_count` is on."""
    if rubric.markers_count and isinstance(shown, Candidates) and unclear(shown.lines.values(), case.key):
        return case._replace(gold=None, gold_ids=[], present=False)
    return case


def _is_note(case: Case, shown: Shown) -> bool:
    lines = map(shown.line, case.gold_ids)
    return any(line is not None and line[1] == "NOTE" for line in lines)
