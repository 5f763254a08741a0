"""Attackers of reworded texts: regular expressions, and a parser of the sentences in our source code."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from evaluation.attacks.goldevidence.template import state_of
from evaluation.attacks.goldevidence.view import Asked, RowView, asked, text_of
from evaluation.attacks.plan import PublicLine, Untaught
from evaluation.goldevidence.data.ledger import Entry
from evaluation.goldevidence.generator.difficulty.naming import resolve
from evaluation.goldevidence.generator.difficulty.reading import read_text
from evaluation.goldevidence.generator.queries import Query, answer, gold
from evaluation.goldevidence.records import EpisodePrediction

VIEW = RowView()
TEXTS_AT_HAND = 256
_SENTENCE = re.compile(r"^.*\bU[0-9A-F]{6}\b.*$", re.MULTILINE)
_TAG = re.compile(r"tag\.\d{2,}")
_ID = re.compile(r"[(\[](U[0-9A-F]{6})[)\]]")
_VALUE = re.compile(r"(?<![\w.,:-])(?:[a-z]+-\d{3,4}|item\d{4}(?:,item\d{4})*|\d+)(?![\w:-])")
#: Words for a change: the effect of a dozen keywords without reading the sentence.
_CHANGED = re.compile(
    r"signed|confirmed|logged|entered|took effect|carried out|approv|correct|official|in force|initial|cleared|emptied"
)


class Mention(NamedTuple):
    uid: str
    value: str | None
    changed: bool  # it contains a word for a change


class LastMention(Untaught):
    """Cites the last line that contains the question's key, an id and a value, without reading the sentence."""

    def __call__(self, line: PublicLine) -> Iterator[EpisodePrediction]:
        yield _answer(line, [mention for mention in _mentions_asked(line) if mention.value is not None])


class KeywordReader(Untaught):
    """Cites the last line about the question's key that contains a word such as "confirmed" or "approved"."""

    def __call__(self, line: PublicLine) -> Iterator[EpisodePrediction]:
        yield _answer(line, [mention for mention in _mentions_asked(line) if mention.changed])


class PackReader(Untaught):
    """Parses all forms of text that our source code can write, and computes the answer from them."""

    def __call__(self, line: PublicLine) -> Iterator[EpisodePrediction]:
        question = asked(line)
        asks = question.question
        reading = read_text(text_of(question.row), in_source=True)
        key = resolve(asks.phrase, reading) if asks.phrase else asks.key
        record = gold(Query(key or "", asks.derived_op, asks.manager), state_of(reading.entries))
        yield {"id": question.row["id"], "value": record["value"], "support_ids": record["support_ids"]}


def _answer(line: PublicLine, mentions: Sequence[Mention]) -> EpisodePrediction:
    question = asked(line)
    if not mentions:
        return VIEW.nothing(question)
    last, op = mentions[-1], question.question.derived_op
    value = answer(Query("", op), last.value) if op != "reports" else None
    return {"id": question.row["id"], "value": value, "support_ids": [last.uid]}


def _mentions_asked(line: PublicLine) -> Sequence[Mention]:
    question = asked(line)
    return _mentions(text_of(question.row)).get(question.question.key or "", ())


def lines_asked(question: Asked) -> Sequence[Entry]:
    """All lines of a text about the key of a question. A line that is a sentence is read as a SET operation."""
    key = question.question.key
    if key is None:
        return ()
    if question.lines:
        return [entry for entry in question.lines if entry.key == key]
    return [
        Entry(mention.uid, place, "SET", key, mention.value)
        for place, mention in enumerate(_mentions(text_of(question.row)).get(key, ()))
    ]


@lru_cache(maxsize=TEXTS_AT_HAND)  # rows of an episode share its text
def _mentions(text: str) -> Mapping[str, Sequence[Mention]]:
    mentions: dict[str, list[Mention]] = {}
    for line in _SENTENCE.findall(text):
        tag, uid = _TAG.search(line), _ID.search(line)
        if tag and uid:
            values = _VALUE.findall(_TAG.sub(" ", line))
            mention = Mention(uid[1], values[-1] if values else None, _CHANGED.search(line) is not None)
            mentions.setdefault(tag[0], []).append(mention)
    return mentions
