"""Notes on a public file: for each row the lines that may answer it, for each text a sketch of a few kilobytes.

The sketch of a text consists of the smallest hashes of its tokens (without plain words) and of its lines (with masked
digits). Similar texts share many of these hashes (bottom-k, A. Broder, "On the resemblance and containment of
documents", 1997).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property
from hashlib import blake2b
from typing import Final, NamedTuple
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from evaluation.attacks.goldevidence.artifacts import artifact_of
from evaluation.attacks.goldevidence.guesses import wording
from evaluation.attacks.goldevidence.joining import links
from evaluation.attacks.goldevidence.sentences import lines_asked
from evaluation.attacks.goldevidence.view import Asked, asked, nothing, taken, text_of
from evaluation.attacks.plan import Example, PublicLine
from evaluation.core.files.spool import Spool
from evaluation.core.records import Prediction
from evaluation.goldevidence.data.ledger import Entry
from evaluation.goldevidence.records import EpisodePrediction, EpisodeRow

Hashes = NDArray[np.uint32]  # ascending, each once
#: Hashes that a sketch keeps.
KEPT: Final = 512
#: A text of a million tokens has some thousand lines with a tag; a question is answered by one of the last.
LINES_KEPT: Final = 200
NO_TEXT: Final = -1
STEP: Final = b"step="  # differs between texts
_MASK: Final = bytes.maketrans(b"123456789", b"000000000")


class NotedRow(NamedTuple):
    id: str
    shape: tuple[str, int]  # question without names, number of candidates
    question: int  # hash of its question
    derived_op: str | None
    lines: Sequence[Entry]  # its candidates, else the lines of its text about its tag
    mine: Sequence[int]  # indices of those about its tag
    text: int  # index of its text; NO_TEXT with candidates
    tag: int  # index of its tag in the text's order of first occurrence
    length: str  # of a ladder

    @property
    def has_candidates(self) -> bool:
        return self.text == NO_TEXT

    @property
    def lot(self) -> int:
        """A pseudo-random number that breaks ties, made from the id of the row, the same as for `AnyLineOfKey`."""
        return crc32(self.id.encode())

    def takes(self, line: int) -> EpisodePrediction:
        return taken(self.id, self.lines[line], self.derived_op)

    def guess(self) -> EpisodePrediction:
        return self.takes(self.mine[self.lot % len(self.mine)]) if self.mine else nothing(self.id)


class NotedText(NamedTuple):
    tokens: Hashes
    lines: Hashes  # digits masked
    tags: Sequence[str]  # in order of first occurrence
    form: int  # hash of the sequence of tags, up to renaming


class FileNotes:
    """Notes on one public file, and on its training `twin`, a version with known answers.

    `gold` (of a twin): row id -> id of the line that answers it; "" if no single line shown does. `builds`: the
    version requires artifacts.
    """

    def __init__(
        self, twin: FileNotes | None = None, gold: dict[str, str] | None = None, *, builds: bool = False
    ) -> None:
        self.rows: list[NotedRow] = []
        self.texts: list[NotedText] = []
        self.twin, self.gold, self._builds = twin, gold or {}, builds
        self.artifacts: Spool[Prediction] = Spool()
        self._episodes = set[str]()
        self._numbers: dict[bytes, int] = {}
        self._last: tuple[str, int] = ("", NO_TEXT)

    def see(self, line: PublicLine) -> None:
        question = asked(line)
        if self._builds:
            for artifact in artifact_of(line, self._episodes):
                self.artifacts.append(artifact)
        has_candidates = question.row.get("candidates") is not None
        number = NO_TEXT if has_candidates else self._number(question)
        key = question.question.key
        tags = () if has_candidates else self.texts[number].tags
        lines = question.lines if has_candidates else lines_asked(question)[-LINES_KEPT:]
        asks = question.row["question"]
        self.rows.append(
            NotedRow(
                question.row["id"],
                (wording(asks), len(lines) if has_candidates else 0),
                crc32(asks.encode()),
                question.question.derived_op,
                tuple(lines),
                [place for place, entry in enumerate(lines) if entry.key == key],
                number,
                tags.index(key) if key in tags else -1,
                question.row["meta"].get("length", ""),
            )
        )

    def _number(self, question: Asked) -> int:
        text = text_of(question.row)
        if text == self._last[0]:  # rows of a document are adjacent
            return self._last[1]
        digest = blake2b(text.encode(), digest_size=16).digest()
        if digest not in self._numbers:
            self._numbers[digest] = len(self.texts)
            self.texts.append(_noted(text, question.lines))
        self._last = text, self._numbers[digest]
        return self._last[1]

    @cached_property
    def by_ids(self) -> links.Groups:
        return links.by_ids(self.rows)

    @cached_property
    def by_overlap(self) -> links.Groups:
        return links.by_overlap(self.rows, self.texts)

    @cached_property
    def by_form(self) -> links.Groups:
        return links.by_form(self.rows, self.texts)

    @cached_property
    def by_shape(self) -> links.Groups:
        """Groups of rows with the same number of candidates and the same wording without names."""
        return links.grouped(row.shape for row in self.rows)


def take_notes(examples: Sequence[Example], *, builds: bool = False) -> FileNotes:
    gold: dict[str, str] = {}
    for example in examples:
        row: EpisodeRow = example.row  # type: ignore[assignment]
        support = row["gold"]["support_ids"] if row["gold"].get("present", True) else []
        gold[row["id"]] = support[0] if len(support) == 1 else ""
    twin = FileNotes(gold=gold)
    for example in examples:
        twin.see(example.line)
    return FileNotes(twin, builds=builds)


def _noted(text: str, entries: Sequence[Entry]) -> NotedText:
    data = text.encode()
    numbers: dict[str, int] = {}
    form = [numbers.setdefault(entry.key, len(numbers)) for entry in entries]
    return NotedText(
        sketch(token for token in set(data.split()) if not (token.isalpha() or token.startswith(STEP))),
        sketch(set(data.translate(_MASK).split(b"\n"))),
        tuple(numbers),
        crc32(repr(form).encode()),
    )


def sketch(parts: Iterable[bytes]) -> Hashes:
    """The smallest hashes of words or lines: at most `KEPT`, ascending.

    Args:
        parts: Encoded words or lines.
    """
    hashes = np.unique(np.fromiter(map(crc32, parts), dtype=np.uint32))
    return hashes[:KEPT]
