"""Warnings about patterns over all answers of a valid file that are almost certainly mistakes."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from evaluation.core.checks import Finding, Problem
from evaluation.core.records import Given
from evaluation.core.suite import ExpectedRows, Suite
from evaluation.core.terminal.wording import number_of

#: Fewer lines may share one answer by chance. A larger share is a fault of a script, not a habit of the system.
FEWEST_LINES, NEARLY_ALL = 20, 0.95
#: Most different answers counted: an answer that fills nearly all lines is among the first ones.
MOST_ANSWERS = 1_000
#: A model may invent ids; if this share of the lines cites no line of its row, a script may be at fault.
MOST_UNKNOWN = 0.5
SHOWN = 60  # characters of an answer
#: Parts that differ between equal messages about different lines: ids, positions, counts, hints.
_OWN = re.compile(r" \(did you mean [^)]*\)|'[^']*'|\d[\d,]*| Did you mean .*$")
MOST_RANGES = 6  # ranges of line numbers in a message


@dataclass(slots=True)
class Tally:
    """Counts the answers, citations and ignored fields in the valid lines of a predictions file."""

    suite: Suite
    expected: ExpectedRows
    lines: int = 0
    cited: int = 0
    cited_too_many: int = 0
    cited_unknown: int = 0  # lines whose citations all miss the row
    unknown: str = ""  # the first such citation
    unread: Counter[str] = field(default_factory=Counter)  # by field name
    odd: Counter[tuple[str, str]] = field(default_factory=Counter)  # by code and text
    examples: dict[str, str] = field(default_factory=dict)  # by code
    _answers: Counter[str | None] = field(default_factory=Counter)

    def add(self, given: Given | None) -> None:
        """Count the answer of one valid line. `given` is None without an answer, or if it is unknown: not counted."""
        if given is None:
            return
        self.lines += 1
        if given.unread:
            self.unread[given.unread] += 1
            return
        for each in given.odd:
            self.odd[each.code, each.about] += 1
            self.examples.setdefault(each.code, each.example)
        answers, text = self._answers, given.text
        if text in answers or len(answers) < MOST_ANSWERS:
            answers[text] += 1
        if given.citations:
            self.cited += 1
            most = self.expected.citations
            self.cited_too_many += most is not None and given.citations > most
            self.cited_unknown += bool(given.cites_none)
            self.unknown = self.unknown or given.cites_none

    def findings(self) -> Iterator[Finding]:
        yield from self._unread()
        yield from self._odd()
        yield from self._constant()
        yield from self._unknown()
        if (most := self.expected.citations) is None:
            return
        if self.cited_too_many:
            what = "cites" if self.cited_too_many == 1 else "cite"
            yield Finding(
                "more_citations_than_count",
                f"{self.cited_too_many:,} of {number_of(self.lines, 'line')} {what} more than "
                f"{number_of(most, 'line')} of the text. Citations after the first "
                f"{most:,} do not count: cite only the lines that establish the answer, the best first.",
            )
        if self._given >= FEWEST_LINES and not self.cited and self._answers[None] < self._given:
            yield Finding(
                "nothing_cited",
                f"None of {number_of(self._given, 'line')} cites anything. Answers without citations earn no credit "
                "for evidence: cite the ids of the lines that establish the answer.",
            )

    @property
    def _given(self) -> int:
        return self.lines - self.unread.total()

    def _unread(self) -> Iterator[Finding]:
        for name, count in self.unread.items():
            if count < NEARLY_ALL * self.lines:
                return
            field_asked = self.suite.fields.answers[0]
            yield Finding(
                "answer_not_in_its_field",
                f"{count:,} of {number_of(self.lines, 'line')} have a text in {name!r} that contains no JSON object "
                f"with {field_asked!r}, so no answer can be read. If the text is the answer, rename the field to "
                f"{field_asked!r}.",
            )

    def _odd(self) -> Iterator[Finding]:
        for (code, about), count in self.odd.items():
            yield Finding(
                code,
                f"{count:,} of {number_of(self.lines, 'line')} {about} First example: "
                f"{_short(self.examples[code])!r}.",
            )

    def _unknown(self) -> Iterator[Finding]:
        if self.cited_unknown > MOST_UNKNOWN * self.cited:
            yield Finding(
                "unknown_citations",
                f"{self.cited_unknown:,} of {number_of(self.cited, 'line')} with citations cite no line of their row, "
                f"so the citations earn nothing. First example: {_short(self.unknown)!r}. Cite the line ids in the "
                "row's text.",
            )

    def _constant(self) -> Iterator[Finding]:
        (answer, count), *_ = self._answers.most_common(1) or [("", 0)]
        if self.lines < FEWEST_LINES or count < NEARLY_ALL * self.lines:
            return
        share = f"All {self.lines:,} lines" if count == self.lines else f"{count:,} of {self.lines:,} lines"
        if answer is None:
            yield Finding(
                "constant_answers",
                f"{share} abstain: their answer is null. Did the system get the questions?",
            )
            return
        yield Finding(
            "constant_answers",
            f"{share} give the same answer, {_short(answer)!r}. Was the right field written?",
        )


def _short(text: str) -> str:
    return text if len(text) <= SHOWN else f"{text[: SHOWN - 1]}…"


@dataclass(frozen=True, slots=True)
class ProblemGroup:
    """Problems with the same code and similar messages, in file order."""

    problems: tuple[Problem, ...]

    @property
    def first(self) -> Problem:
        return self.problems[0]

    @property
    def others(self) -> tuple[Problem, ...]:
        return self.problems[1:]

    @property
    def code(self) -> str:
        return self.first.code

    @property
    def lines(self) -> str:
        """Line numbers of the problems, such as `2–20, 24`. Empty if no problem has a line number."""
        return ranges(each.line for each in self.problems if each.line)

    def sentence(self, path: str) -> str:
        """One line for a terminal: `preds.jsonl:2:1: Not JSON. (and 19 more: lines 2–21)`."""
        first, others = self.first, len(self.problems) - 1
        place = ":".join(str(part) for part in (path, first.line, first.column) if part)
        return f"{place}: {first.message}" + (f" (and {others:,} more: lines {self.lines})" if others else "")

    def as_dict(self) -> dict[str, object]:
        return {
            "code": self.code,
            "message": self.first.message,
            "count": len(self.problems),
            "lines": self.lines,
        }


def grouped(problems: Iterable[Problem]) -> list[ProblemGroup]:
    """Group problems with the same code whose messages differ only in ids and numbers. Groups are in file order."""
    kinds: dict[tuple[str, str], list[Problem]] = {}
    for problem in problems:
        kinds.setdefault((problem.code, _OWN.sub("", problem.message)), []).append(problem)
    return [ProblemGroup(tuple(each)) for each in kinds.values()]


def ranges(numbers: Iterable[int]) -> str:
    """Format ascending numbers as ranges, `2–20, 24, …`; at most `MOST_RANGES` ranges."""
    found: list[list[int]] = []
    for number in numbers:
        if found and number == found[-1][1] + 1:
            found[-1][1] = number
        else:
            found.append([number, number])
    texts = [f"{low:,}" if low == high else f"{low:,}–{high:,}" for low, high in found]
    return ", ".join([*texts[:MOST_RANGES], *(["…"] if len(texts) > MOST_RANGES else [])])
