"""Judge of rubric `typed@1`: decision, value and evidence of a typed answer, and the free text beside it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from evaluation.core.errors import RowError
from evaluation.statebench.data.dumps import DUMP, NOTHING_SAID, is_dump
from evaluation.statebench.data.truth import SUPERSEDED, Truth
from evaluation.statebench.data.typed_gold import UNCLEAR, VALUE
from evaluation.statebench.grading.typed.answers import TypedAnswer, given
from evaluation.statebench.grading.typed.evidence import Evidence
from evaluation.statebench.grading.typed.quantities import same_value
from evaluation.statebench.grading.verdict import TypedFigures, Verdict

#: Graded words of free text: an answer, not a report.
MOST_WORDS = 80
CUT = f"only the first {MOST_WORDS} words of its free text are graded"
FREE_TEXT_ONLY = "it is free text without a typed decision"


class _Prose(NamedTuple):
    right: bool | None  # None without free text
    note: str = ""
    dump: bool = False


_NO_PROSE = _Prose(None)


class TypedJudge:
    """Judges response lines to one query. Raises RowError if the query has no typed gold."""

    def __init__(self, truth: Truth, free_text: Callable[[Truth], Callable[[str], Verdict]]) -> None:
        if truth.answer is None:
            raise RowError(
                f"query {truth.index} of timeline {truth.timeline_id!r} has no typed gold (ground_truth.answer), "
                "which rubric typed@1 grades against"
            )
        self._truth, self._gold, self._rubric = truth, truth.answer, free_text
        self._free_text: Callable[[str], Verdict] | None = None
        self._evidence = Evidence(truth.answer)
        self._constrained = frozenset({SUPERSEDED} if truth.answer["dead"] else ())
        # Verdict on a missing value.
        self._no_value = None if truth.answer["value"] is None else False

    def __call__(self, response: str) -> Verdict:
        return self.line({"response": response})

    def line(self, line: Mapping[str, Any]) -> Verdict:
        typed, text = given(line)
        prose = self._prose(text) if text else _NO_PROSE
        # An object copied from the timeline is not an answer of the system's own.
        if prose.dump and line.get("answer") is None and typed is not None:
            typed = TypedAnswer(UNCLEAR, None, ())
        if typed is None:
            verdict = Verdict(
                self._truth, text, None, False, [], [False] * len(self._constrained), self._constrained
            )
            verdict.typed = TypedFigures(False, self._no_value, "none", prose.right, prose.note)
        else:
            verdict = self._typed(typed, text, prose)
        if verdict.failure or prose.note:
            verdict.reason = self._reason(verdict, typed)
        return verdict

    def _typed(self, typed: TypedAnswer, text: str, prose: _Prose) -> Verdict:
        gold = self._gold
        value = self._no_value
        if gold["value"] is not None and typed.value is not None:
            value = same_value(gold["value"], typed.value)
        right = typed.decision == gold["decision"] and (typed.decision != VALUE or value is True)
        standing, dead = self._evidence.standing(typed.because)
        if typed.value is not None and value is not True and self._is_dead(typed.value):
            dead = [typed.value, *dead]
        shown = typed.as_text()
        verdict = Verdict(
            self._truth,
            f"{shown}\n{text}" if text else shown,
            typed.decision,
            right,
            [],
            [bool(dead)] * len(self._constrained),
            self._constrained,
            {SUPERSEDED: dead} if dead else {},
        )
        verdict.typed = TypedFigures(True, value, standing, prose.right, prose.note)
        return verdict

    def _is_dead(self, value: str) -> bool:
        """True if outdated evidence states a wrong value.

        If there is no right value, current evidence must not state it. If there is one, it may: current evidence may
        name the old value ("from $7 to $9").
        """
        if not self._evidence.states("dead", value):
            return False
        return self._gold["value"] is not None or not self._evidence.states("live", value)

    def _prose(self, text: str) -> _Prose:
        if self._free_text is None:
            self._free_text = self._rubric(self._truth)
        if is_dump(text, self._truth.lines):
            return _Prose(self._free_text(NOTHING_SAID).correct, DUMP, dump=True)
        words = text.split(maxsplit=MOST_WORDS)
        if len(words) > MOST_WORDS:
            return _Prose(self._free_text(" ".join(words[:MOST_WORDS])).correct, CUT)
        return _Prose(self._free_text(text).correct)

    def _reason(self, verdict: Verdict, typed: TypedAnswer | None) -> str:
        figures = verdict.typed
        if typed is None:
            parts = [FREE_TEXT_ONLY] if verdict.answered else ["there is no response"]
        else:
            parts = list(self._faults(typed, verdict))
        return "; ".join([*parts, *([figures.note] if figures and figures.note else [])])

    def _faults(self, typed: TypedAnswer, verdict: Verdict) -> list[str]:
        gold, parts = self._gold, []
        if typed.decision != gold["decision"]:
            parts.append(f"it decides {typed.decision!r} where the answer is {gold['decision']!r}")
        elif not verdict.correct:
            parts.append(f"its value {typed.value!r} is not {gold['value']!r}")
        if verdict.resurrected:
            dead = verdict.typed is not None and verdict.typed.evidence == "dead"
            parts.append(
                "it cites superseded evidence" if dead else f"its value {typed.value!r} is superseded"
            )
        return parts
