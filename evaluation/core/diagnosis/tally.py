"""What the answers of a usable file have in common: legal, and surely not meant."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

from evaluation.core.diagnosis.findings import Finding
from evaluation.core.records import JsonObject
from evaluation.core.suite import Suite, answer_fields_of, given_of
from evaluation.core.terminal.wording import number_of

#: Fewer lines may well have one answer. From this share on it is a fault of a script, not a system's habit.
FEWEST_LINES, NEARLY_ALL = 20, 0.95
#: Different answers that are counted: a file of which nearly all answers are one has it among the first of them.
MOST_ANSWERS = 1_000
SHOWN = 60  # characters of an answer


@dataclass(slots=True)
class Tally:
    """The usable lines of a file, counted as they are read."""

    suite: Suite
    most_citations: int | None = None  # that count of a line; None: not known, or nothing is cited
    lines: int = 0
    cited: int = 0
    cited_too_many: int = 0
    unread: Counter[str] = field(default_factory=Counter)  # by the field of a text
    _answers: Counter[str | None] = field(default_factory=Counter)

    def add(self, data: JsonObject) -> None:
        """Count one usable line that holds an answer.

        Args:
            data: The line.
        """
        if (given := given_of(self.suite, data)) is None:
            return
        self.lines += 1
        if given.unread:
            self.unread[given.unread] += 1
            return
        answers, text = self._answers, given.text
        if text in answers or len(answers) < MOST_ANSWERS:
            answers[text] += 1
        if given.citations:
            self.cited += 1
            self.cited_too_many += self.most_citations is not None and given.citations > self.most_citations

    def findings(self) -> Iterator[Finding]:
        """What looks mistaken."""
        yield from self._unread()
        yield from self._constant()
        if self.most_citations is None:
            return
        if self.cited_too_many:
            what = "cites" if self.cited_too_many == 1 else "cite"
            yield Finding(
                "more_citations_than_count",
                f"{self.cited_too_many:,} of {number_of(self.lines, 'line')} {what} more than "
                f"{number_of(self.most_citations, 'line')} of the text. Those after the first "
                f"{self.most_citations:,} do not count: cite only what establishes the answer, the best first.",
            )
        if self._given >= FEWEST_LINES and not self.cited and self._answers[None] < self._given:
            yield Finding(
                "nothing_cited",
                f"None of {number_of(self._given, 'line')} cites anything. Answers without their evidence earn no "
                "credit for it: give the ids of the lines that establish the answer.",
            )

    @property
    def _given(self) -> int:
        """The lines whose answer was read."""
        return self.lines - self.unread.total()

    def _unread(self) -> Iterator[Finding]:
        for name, count in self.unread.items():
            if count < NEARLY_ALL * self.lines:
                return
            field_asked = answer_fields_of(self.suite)[0]
            yield Finding(
                "answer_not_in_its_field",
                f"{count:,} of {number_of(self.lines, 'line')} hold a text in {name!r} without a JSON object that says "
                f"{field_asked!r}, so no answer can be read. Where the text is the answer, call the field "
                f"{field_asked!r}.",
            )

    def _constant(self) -> Iterator[Finding]:
        (answer, count), *_ = self._answers.most_common(1) or [("", 0)]
        if self.lines < FEWEST_LINES or count < NEARLY_ALL * self.lines:
            return
        share = f"All {self.lines:,} lines" if count == self.lines else f"{count:,} of {self.lines:,} lines"
        if answer is None:
            yield Finding(
                "constant_answers", f"{share} abstain: their answer is null. Was the system asked at all?"
            )
            return
        yield Finding(
            "constant_answers",
            f"{share} give the same answer, {_short(answer)!r}. Was the right field written?",
        )


def _short(text: str) -> str:
    return text if len(text) <= SHOWN else f"{text[: SHOWN - 1]}…"
