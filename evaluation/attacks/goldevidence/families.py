"""Attackers of questions whose answers depend on many lines of the text."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple, cast

from evaluation.attacks.goldevidence.guesses import ConstantReader
from evaluation.attacks.goldevidence.view import RowView, asked, text_of
from evaluation.attacks.plan import PublicLine, Untaught
from evaluation.core.files.remembered import remembered
from evaluation.goldevidence.records import EpisodePrediction

VIEW = RowView()
#: Texts whose lines are cached: rows of a document are adjacent.
TEXTS_AT_HAND = 4
_LINE = re.compile(r"^.*[(\[]U[0-9A-F]{6}[)\]].*$", re.MULTILINE)
_ID = re.compile(r"[(\[](U[0-9A-F]{6})[)\]]")
_WORD = re.compile(r"[a-z0-9]+(?:[.-][a-z0-9]+)*")
_VALUE = re.compile(r"(?<![\w.,-])(?:tag\.\d{2,}|[a-z]+-\d{3,4})(?![\w-])")


class KindConstant(ConstantReader):
    """Gives the most frequent right answer to questions of the same kind in the training rows."""

    def key(self, line: PublicLine) -> str | None:
        return asked(line).question.derived_op


class MostWords(Untaught):
    """Cites the line that shares the most words with the question; on ties the last. Needs a value or tag."""

    def __call__(self, line: PublicLine) -> Iterator[EpisodePrediction]:
        row = asked(line).row
        lines = _worded(text_of(row))
        words = _words(row["question"].partition("\n")[0])
        if not lines:
            yield VIEW.nothing(asked(line))
            return
        best = max(lines, key=lambda each: (len(words & each.words), each.place))
        yield {"id": row["id"], "value": best.value, "support_ids": [best.uid]}


class _Worded(NamedTuple):
    place: int
    uid: str
    value: str  # its last value or tag
    words: frozenset[str]


@remembered(TEXTS_AT_HAND)
def _worded(text: str) -> Sequence[_Worded]:
    lines = []
    for place, line in enumerate(_LINE.findall(text)):
        if values := _VALUE.findall(line):
            uid = cast(re.Match[str], _ID.search(line))[1]
            lines.append(_Worded(place, uid, values[-1], _words(line)))
    return lines


def _words(text: str) -> frozenset[str]:
    return frozenset(_WORD.findall(text.lower()))
