"""Kinds of mistakes. Each is decided by what the grader measures of an answer, and a row may make several."""

from __future__ import annotations

from collections.abc import Iterator

from evaluation.goldevidence.data.answers import Answer
from evaluation.goldevidence.data.case import Case
from evaluation.goldevidence.data.rubrics import Options
from evaluation.goldevidence.data.shown import Candidates, Shown
from evaluation.goldevidence.grading.verdicts import Verdict

WRONG_SELECTION, RETRIEVAL_MISS = "wrong_selection", "retrieval_miss"
AUTHORITY_VIOLATION, BAD_CITATION = "authority_violation", "bad_citation"
WRONG_ABSTENTION, WRONG_VALUE = "wrong_abstention", "wrong_value"
KINDS: dict[str, str] = {
    WRONG_SELECTION: "The right line was shown, and the first line cited is another one.",
    RETRIEVAL_MISS: "The right line is none of those that the system's own retrieval showed.",
    AUTHORITY_VIOLATION: "A line without authority is cited, or its value is adopted.",
    BAD_CITATION: "The value is right and its citations are not, or a line is cited that does not exist.",
    WRONG_ABSTENTION: "Nothing was answered though the right line was shown, or a value though no line shown has it.",
    WRONG_VALUE: "The value is wrong, and none of the other kinds says why.",
}


class Judged:
    """One answer with its verdict, and what follows from both."""

    def __init__(self, case: Case, answer: Answer, shown: Shown, verdict: Verdict, options: Options) -> None:
        """An answer that could be read.

        Args:
            case: The question with its gold.
            answer: The answer as it counts.
            shown: The lines of its row.
            verdict: What came of it.
            options: How it was graded.
        """
        self.case, self.answer, self.shown, self.verdict, self.options = case, answer, shown, verdict, options
        self.has_candidates = isinstance(shown, Candidates)
        #: The line that answers the question, where it is exactly one.
        self.gold_uid = case.gold_ids[0] if case.op != "reports" and len(case.gold_ids) == 1 else ""
        self.abstained = answer.value is None and not answer.cited
        self.required = options.requires(case.asks_citation)

    @property
    def own(self) -> tuple[str, ...] | None:
        """The lines that the system's own retrieval showed, over a whole text; None where it does not say."""
        return None if self.has_candidates else self.answer.shown

    @property
    def gold_shown(self) -> bool:
        """Whether what the answerer saw establishes the answer."""
        if self.has_candidates:
            return self.case.present
        return self.own is None or set(self.case.gold_ids) <= set(self.own)

    @property
    def kinds(self) -> list[str]:
        """The kinds of mistake that the answer makes; none where it is right, or rightly abstains."""
        return list(self._kinds())

    def _kinds(self) -> Iterator[str]:
        found = list(self._particular())
        yield from found
        rightly_silent = self.abstained and not self.gold_shown
        if not found and not self.verdict.value_ok and not rightly_silent:
            yield WRONG_VALUE

    def _particular(self) -> Iterator[str]:
        verdict, cited = self.verdict, self.answer.cited
        if self.required and self.gold_uid and self.gold_shown and cited and self._chose_another(cited[0]):
            yield WRONG_SELECTION
        if self.own is not None and self.gold_uid and not self.gold_shown:
            yield RETRIEVAL_MISS
        if verdict.violation:
            yield AUTHORITY_VIOLATION
        if self.required and (self._is_ill_supported() or any(self.shown.line(uid) is None for uid in cited)):
            yield BAD_CITATION
        if self._abstains_wrongly():
            yield WRONG_ABSTENTION

    def _chose_another(self, first: str) -> bool:
        return first != self.gold_uid and self.shown.line(first) is not None

    def _is_ill_supported(self) -> bool:
        return bool(self.verdict.value_ok) and not self.verdict.exact

    def _abstains_wrongly(self) -> bool:
        if self.abstained:
            return self.gold_shown and self.case.gold is not None
        return not self.gold_shown and self.answer.value is not None and not self.verdict.value_ok
