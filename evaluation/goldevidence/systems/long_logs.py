"""Reference systems for boards by text length. The longer the text, the more lines these systems miss."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from zlib import crc32

import numpy as np

from evaluation.core.files.remembered import remembered
from evaluation.core.tokens import last_digit_tokens
from evaluation.goldevidence.conditions.rows import shown_entries
from evaluation.goldevidence.data.ledger import Entry, latest, parse_book, parse_log
from evaluation.goldevidence.generator import queries
from evaluation.goldevidence.records import CanonicalPrediction, EpisodeRow
from evaluation.goldevidence.retrieval.bm25 import K1, B
from evaluation.goldevidence.retrieval.terms import SUMMARIES_AT_HAND, mentions, words
from evaluation.goldevidence.selectors.rules import answer as value_of
from evaluation.goldevidence.systems import families

RETRIEVED = 32  # lines; in a text of 8k tokens some fifty name the tag
_WORD = re.compile(r"[0-9a-z]+")

Choose = Callable[[EpisodeRow, Sequence[Entry]], Entry | None]


@dataclass(frozen=True, slots=True)
class Mentions:
    """A system that answers with the value of one line with `tag = value`. `choose` picks the line."""

    choose: Choose

    def predict(self, row: EpisodeRow, *, protocol: str = "closed_book") -> CanonicalPrediction:
        """Answer with the value and id of the chosen line. Nothing is cited if the line has no id."""
        key = _asked_key(row)
        shown = shown_entries(row) if row.get("candidates") is not None else mentions(_text(row, protocol))
        return _answered(row, self.choose(row, [entry for entry in shown if entry.key == key]))


@dataclass(frozen=True, slots=True)
class Window:
    """A system that reads only the last `tokens` of a text."""

    tokens: int

    def predict(self, row: EpisodeRow, *, protocol: str = "closed_book") -> CanonicalPrediction:
        """The tag's latest value in the lines kept, or null if no kept line is about the tag."""
        if families.is_of_family(row):
            value, support_ids = families.solved(row, self.tokens)
            return {"id": row["id"], "value": value, "support_ids": support_ids}
        if row.get("candidates") is not None:
            lines: Sequence[Entry] = shown_entries(row)
        else:
            lines = _in_window(_text(row, protocol), self.tokens, protocol)
        return _answered(row, latest(list(lines), _asked_key(row)))


@dataclass(frozen=True, slots=True)
class LineRetriever:
    """A system that retrieves `k` lines by BM25 and answers from these lines."""

    k: int = RETRIEVED

    def predict(self, row: EpisodeRow, *, protocol: str = "closed_book") -> CanonicalPrediction:
        """The tag's latest value in the lines retrieved, or null if no retrieved line is an UPDATE of the tag."""
        if row.get("candidates") is not None:
            found: Sequence[Entry] = shown_entries(row)
        else:
            best = _lines(_text(row, protocol)).best(row["question"].partition("\n")[0], self.k)
            if families.is_of_family(row):
                value, support_ids = families.solved_by(row["question"], best)
                return {"id": row["id"], "value": value, "support_ids": support_ids}
            found = (parse_log if protocol == "open_book" else _parse_pages)("\n".join(best))
        return _answered(row, latest(list(found), _asked_key(row)))


def last_mention(row: EpisodeRow, lines: Sequence[Entry]) -> Entry | None:
    return lines[-1] if lines else None


def random_mention(row: EpisodeRow, lines: Sequence[Entry]) -> Entry | None:
    """A pseudo-random line, seeded by the row id."""
    return lines[crc32(str(row["id"]).encode()) % len(lines)] if lines else None


def _answered(row: EpisodeRow, entry: Entry | None) -> CanonicalPrediction:
    op = (row.get("meta") or {}).get("derived_op")
    if entry is None or op == "reports":
        return {"id": row["id"], "value": None, "support_ids": []}
    return {"id": row["id"], "value": value_of(entry, op), "support_ids": [entry.uid] if entry.uid else []}


def _asked_key(row: EpisodeRow) -> str:
    asked = queries.read(row["question"])
    return (asked.key if asked else None) or str((row.get("meta") or {}).get("key", ""))


def _text(row: EpisodeRow, protocol: str) -> str:
    return row["document"] if protocol == "open_book" else row["book"]


@remembered(SUMMARIES_AT_HAND)
def _in_window(text: str, tokens: int, protocol: str) -> Sequence[Entry]:
    kept = last_digit_tokens(text, tokens)
    return parse_log(kept) if protocol == "open_book" else _parse_pages(kept)


def _parse_pages(lines: str) -> list[Entry]:
    return parse_book(f"## State Ledger\n{lines}")


class Lines:
    """The lines of a text, indexed by word, because a question uses ten of 600,000 words."""

    def __init__(self, text: str) -> None:
        self._lines = [line for line in text.split("\n") if line]
        self._of_word: defaultdict[str, list[int]] = defaultdict(list)
        lengths = []
        for number, line in enumerate(self._lines):
            found = _WORD.findall(line.lower())
            lengths.append(len(found))
            for word in found:
                self._of_word[word].append(number)
        self._lengths = np.array(lengths, dtype=np.float64)
        self._mean = float(self._lengths.mean()) if lengths else 1.0

    def best(self, question: str, k: int) -> list[str]:
        """At most k lines with the highest BM25 above 0, in the order of the text. Later lines win ties."""
        scores = np.zeros(len(self._lines))
        for word in words(question):
            lines, counts = np.unique(
                np.array(self._of_word.get(word, []), dtype=np.int64), return_counts=True
            )
            rarity = np.log((len(scores) - len(lines) + 0.5) / (len(lines) + 0.5) + 1.0)
            saturation = K1 * (1.0 - B + B * self._lengths[lines] / self._mean)
            scores[lines] += rarity * counts * (K1 + 1.0) / (counts + saturation)
        order = np.lexsort((-np.arange(len(scores)), -scores))[:k]
        return [self._lines[place] for place in sorted(order.tolist()) if scores[place] > 0]


@remembered(4)  # they hold their text
def _lines(text: str) -> Lines:
    return Lines(text)
