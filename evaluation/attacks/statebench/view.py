"""A public timeline as attackers see it: the texts in order, then a question."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from functools import lru_cache
from typing import Any, NamedTuple, cast

from evaluation.attacks.plan import Example, PublicLine
from evaluation.attacks.table_reader import Move
from evaluation.core.records import Row
from evaluation.statebench.data.printing import as_text
from evaluation.statebench.language.memo import memo
from evaluation.statebench.language.values import find_values
from evaluation.statebench.language.words import STOPWORDS
from evaluation.statebench.records import Event, GroundTruth, RequiredMention, Response, Timeline, writes_of

#: Positions tried from either end of the texts.
PLACES = 12
#: Last texts of a long timeline that are searched for values.
TEXTS = 300
_WORD = re.compile(r"[a-z]{4,}")
_NAME = re.compile(
    r"(?<![.!?:]\s)(?<!^)\b[A-Z][a-z]+(?:\s[A-Z][a-z]+)*|\b[A-Z][a-z]+(?=\s(?:has|is|was|will|leads|owns|takes)\b)"
)


class Asked(NamedTuple):
    line: PublicLine
    timeline: Timeline
    query_idx: int  # index in the timeline
    prompt: str
    texts: tuple[str, ...]  # facts from the start, then what is said and written
    said: tuple[bool, ...]  # for each text: it is a turn
    kinds: tuple[str, ...]  # the types of the events before it

    @property
    def before(self) -> Sequence[Event]:
        return self.timeline["events"][: len(self.kinds) - 1]


class TimelineView:
    """Lets a `TableReader` read timelines. A move repeats a text, or states a decision."""

    def questions(self, line: PublicLine) -> Sequence[Asked]:
        return _questions(line)

    def right_moves(self, example: Example) -> Iterator[tuple[Asked, Collection[Move]]]:
        """Yield each query with its right moves: its decision, texts with all required and no forbidden words."""
        for question, truth in zip(self.questions(example.line), golds(example.row), strict=True):
            yield question, [*_right_places(question.texts, truth), ("say", truth["decision"])]

    def answer(self, question: Asked, move: Move) -> Response | None:
        """The response with the text at a position, or with a decision. None if there is no text at the position."""
        if move[0] == "say":
            return response(question, str(move[1]))
        text = text_at(question.texts, move)
        return None if text is None else response(question, text)

    def nothing(self, question: Asked) -> Response:
        return response(question, "")


@lru_cache(maxsize=8)  # all attackers read a line before the next
def _questions(line: PublicLine) -> Sequence[Asked]:
    timeline, found = cast(Timeline, line.row), list[Asked]()
    texts = [as_text(fact["value"]) for fact in timeline["initial_state"]["persistent_facts"]]
    said, kinds = [False] * len(texts), [""]
    for event in timeline["events"]:
        if event["type"] == "query":
            found.append(
                Asked(line, timeline, len(found), event["prompt"], tuple(texts), tuple(said), tuple(kinds))
            )
        else:
            more = [as_text(write["value"]) for write in writes_of(event)]
            if event["type"] == "conversation_turn":
                more = [event["text"]]
            texts += more
            said += [event["type"] == "conversation_turn"] * len(more)
        kinds.append(event["type"])
    return found


def golds(row: Row) -> list[GroundTruth]:
    events = cast(Timeline, row)["events"]
    return [
        cast(GroundTruth, cast(Any, event)["ground_truth"]) for event in events if event["type"] == "query"
    ]


def mentioned(question: Asked) -> str:
    """The text that shares the most words with the question; on ties the last one. Empty if no words are shared."""
    words = _words(question.prompt)
    shared = [(len(words & _words(text)), n) for n, text in enumerate(question.texts)]
    most, place = max(shared, default=(0, 0))
    return question.texts[place] if most else ""


def values_of(texts: Sequence[str]) -> tuple[str, ...]:
    """The values and names that occur in the last `TEXTS` texts, in order."""
    return tuple([value for text in texts[-TEXTS:] for value in _values_in(text)])


@memo
def _words(text: str) -> frozenset[str]:
    return frozenset(_WORD.findall(text.lower()))


@memo
def _values_in(text: str) -> tuple[str, ...]:
    found = [(value.start, value.text.strip()) for value in find_values(text)]
    taken = [range(start, start + len(each)) for start, each in found]
    for name in _NAME.finditer(text):
        if name[0].lower() not in STOPWORDS and not any(name.start() in span for span in taken):
            found.append((name.start(), name[0]))
    return tuple([each for _, each in sorted(found)])


def response(question: Asked, text: str) -> Response:
    return {"timeline_id": question.timeline["id"], "query_idx": question.query_idx, "response": text}


def text_at(texts: Sequence[str], move: Move) -> str | None:
    number = cast(int, move[1])
    if number >= len(texts):
        return None
    return texts[number] if move[0] == "first" else texts[-1 - number]


def _right_places(texts: Sequence[str], truth: GroundTruth) -> Iterator[Move]:
    must, must_not = (
        [_phrase(each) for each in truth[name]] for name in ("must_mention", "must_not_mention")
    )
    if not must:
        return
    for place, text in enumerate(text.lower() for text in texts):
        if all(phrase in text for phrase in must) and not any(phrase in text for phrase in must_not):
            after = len(texts) - 1 - place
            yield from ((name, n) for name, n in (("first", place), ("last", after)) if n < PLACES)


def _phrase(mention: str | RequiredMention) -> str:
    return (mention if isinstance(mention, str) else mention["phrase"]).lower()
