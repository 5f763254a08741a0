"""A public timeline as attackers look at it: texts in their order, and a question behind them."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import Any, NamedTuple, cast

from evaluation.attacks.plan import Example, PublicLine
from evaluation.attacks.table_reader import Move
from evaluation.statebench.records import GroundTruth, RequiredMention, Response, Timeline, writes_of

#: Places that are tried from either end of the texts.
PLACES = 12


class Asked(NamedTuple):
    """One query of a public line, with the texts that stand before it."""

    line: PublicLine
    timeline: Timeline
    query_idx: int  # which query of the timeline
    prompt: str
    texts: Sequence[str]  # facts from the start, then what is said and written
    kinds: tuple[str, ...]  # the types of the events before it


class TimelineView:
    """How a `TableReader` looks at timelines: a move repeats a text, or says a decision."""

    def questions(self, line: PublicLine) -> Iterator[Asked]:
        """The queries of a timeline."""
        timeline = cast(Timeline, line.row)
        texts, kinds, index = (
            [fact["value"] for fact in timeline["initial_state"]["persistent_facts"]],
            [""],
            0,
        )
        for event in timeline["events"]:
            if event["type"] == "query":
                yield Asked(line, timeline, index, event["prompt"], tuple(texts), tuple(kinds))
                index += 1
            elif event["type"] == "conversation_turn":
                texts.append(event["text"])
            else:
                texts.extend(write["value"] for write in writes_of(event))
            kinds.append(event["type"])

    def right_moves(self, example: Example) -> Iterator[tuple[Asked, Collection[Move]]]:
        """Each query with the texts that hold what has to be said and nothing that must not, and its decision."""
        truths = [
            cast(GroundTruth, cast(Any, event)["ground_truth"])
            for event in cast(Timeline, example.row)["events"]
            if event["type"] == "query"
        ]
        for question, truth in zip(self.questions(example.line), truths, strict=True):
            yield question, [*_right_places(question.texts, truth), ("say", truth["decision"])]

    def answer(self, question: Asked, move: Move) -> Response | None:
        """A text by its place, or a decision; None where there is no such text."""
        if move[0] == "say":
            return response(question, str(move[1]))
        text = text_at(question.texts, move)
        return None if text is None else response(question, text)

    def nothing(self, question: Asked) -> Response:
        """An empty response."""
        return response(question, "")


def response(question: Asked, text: str) -> Response:
    """A line of a predictions file.

    Args:
        question: What is answered.
        text: The response.
    """
    return {"timeline_id": question.timeline["id"], "query_idx": question.query_idx, "response": text}


def text_at(texts: Sequence[str], move: Move) -> str | None:
    """The text at a place from either end; None where there is none.

    Args:
        texts: Those before a query.
        move: From which end, and how far.
    """
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
