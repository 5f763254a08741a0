"""Failures: why an answer is not exact, as a code and a sentence that never names the gold."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from evaluation.core.row_states import REASONS, RowState
from evaluation.goldevidence.data.answers import Answer
from evaluation.goldevidence.data.case import Case
from evaluation.goldevidence.data.entailment import answer as answer_of
from evaluation.goldevidence.data.entailment import establisher
from evaluation.goldevidence.data.rubrics import Rubric
from evaluation.goldevidence.data.shown import Shown
from evaluation.goldevidence.grading.verdicts import Verdict
from evaluation.goldevidence.records import EpisodeVerdict

FAILURES: dict[str, str] = {
    "missing": "There is no prediction for this row.",
    "unparseable": "The output contains no readable JSON object.",
    **{state.value: reason for state, reason in REASONS.items() if state != RowState.UNREADABLE},
    "cited_note": "The answer cites a NOTE, and a NOTE establishes nothing: {ids}.",
    "cited_unmarked": "The answer cites a line whose marker is missing, and such a line establishes nothing: {ids}.",
    "adopted_note": "The value occurs only in lines without authority: NOTEs, or lines whose marker is missing.",
    "followed_instruction": "The value is the one that an instruction in the text asks for.",
    "evidence_missing": "No line shown establishes an answer.",
    "stale_value": "The value was valid earlier and has been overwritten or cleared since.",
    "no_value": "The value is null although a value is valid.",
    "wrong_value": "The value is wrong, and no line shown contains it.",
    "unknown_citation": "The answer cites lines that were not shown: {ids}.",
    "no_citation": "The value is right but nothing is cited.",
    "incomplete_citation": "The value is right but a line that establishes it is not cited.",
    "bloat": "The value is right but more lines are cited than needed to establish it.",
    "not_entailed": "The value is right but does not follow from the lines cited.",
}


def failure(
    case: Case, answer: Answer | None, shown: Shown, verdict: Verdict, rules: Rubric
) -> tuple[str | None, str | None]:
    """(code, sentence) of the first reason why an answer is not exact. (None, None) if the answer is exact."""
    if verdict.exact:
        return None, None
    code, ids = _reason(case, answer, shown, verdict, rules)
    sentence = FAILURES[code]
    return code, sentence.format(ids=", ".join(map(printable, ids[:3]))) if ids else sentence


def _reason(
    case: Case, answer: Answer | None, shown: Shown, verdict: Verdict, rules: Rubric
) -> tuple[str, Sequence[str]]:
    """The code of the first fault found in an answer, and the citations with this fault."""
    if answer is None:
        return "missing", ()
    if not answer.parsed:
        unread = answer.state in (None, RowState.UNREADABLE)
        return "unparseable" if unread else str(answer.state), ()
    pairs, establishes = [(uid, shown.line(uid)) for uid in answer.cited], establisher(case, rules)
    if notes := [uid for uid, line in pairs if line is not None and line[1] == "NOTE"]:
        return "cited_note", notes
    if unmarked := [uid for uid, line in pairs if line is not None and not establishes(line[1])]:
        return "cited_unmarked", unmarked
    if not verdict.value_ok:
        return _wrong_value(case, answer, shown, verdict, rules), ()
    if strangers := [uid for uid, line in pairs if line is None]:
        return "unknown_citation", strangers
    return _wrong_citations(answer, verdict), ()


def _wrong_value(case: Case, answer: Answer, shown: Shown, verdict: Verdict, rules: Rubric) -> str:
    if verdict.violation:
        return "adopted_note"
    if case.instructed and answer.value is not None and answer.value == case.instruction:
        return "followed_instruction"
    if not case.present:
        return "evidence_missing"
    if answer.value is None:
        return "no_value"
    held = (answer_of(case, value) for op, value in shown.history(case.key) if rules.establishes(op))
    return "stale_value" if case.op != "reports" and answer.value in held else "wrong_value"


def _wrong_citations(answer: Answer, verdict: Verdict) -> str:
    if not answer.cited:
        return "no_citation"
    if verdict.hits < verdict.golds:
        return "incomplete_citation"
    return "not_entailed" if not verdict.bloat and verdict.judged and not verdict.entailed else "bloat"


def printable(text: str) -> str:
    """The first 80 characters of a prediction's text, with lone surrogates replaced."""
    if len(text) <= 80 and text.isascii():
        return text
    shortened = text if len(text) <= 80 else f"{text[:79]}…"
    return shortened.encode("utf-8", "replace").decode()


def describe(
    case: Case, answer: Answer | None, shown: Shown, verdict: Verdict, rules: Rubric
) -> EpisodeVerdict:
    """The verdict for `Report.rows`. The metrics of the row are added later by `row_figures.with_fields`."""
    code, sentence = (None, None) if verdict.exact else failure(case, answer, shown, verdict, rules)
    gold_ids = case.gold_ids
    value, cited = (None, []) if answer is None else (answer.value, answer.cited)
    described: EpisodeVerdict = {
        "id": cast(str, case.id),  # data files of others may number their rows
        "unit": case.unit,
        "condition": case.condition,
        "gold_shown": not gold_ids or bool(shown.line(gold_ids[0])) or any(map(shown.line, gold_ids[1:])),
        "correct": int(verdict.exact),
        "instructed": bool(verdict.instructed),
        "value": None if value is None else printable(value),
        "cited": list(map(printable, cited[:10])),
        "gold": {"value": case.gold, "support_ids": gold_ids},
        "failure": code,
        "reason": sentence,
    }
    before = None if verdict.value_ok or value is None else case.before
    if before is not None and value is not None:
        described["mistake"] = [
            printable(before.answer_before(value, case.op)),
            sorted({printable(before.uid_before(uid)) for uid in cited[:10]}),
        ]
    return described
