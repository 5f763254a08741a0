"""What a memory system has to do, and the JSON it is told and asked.

A memory is given what happens in order, one event at a time, and is asked for a context of at most so many tokens. One
object is the memory of one timeline. Events have the `index` by which contexts name their sources:

    {"index": 0, "type": "start", "identity": {…}, "timezone"?, "user_id"?}                    who asks
    {"index": 1, "type": "fact", "id", "key", "value", "ts", "source", "is_constraint", …}    known from the start
    {"index": 2, "type": "note", "content", "ts", …}                                          working set at the start
    {"index": 3, "type": "signal", "key", "value"}                                            environment at the start

and from here on events as public timelines have them:

    {"index": 4, "type": "conversation_turn", "ts", "speaker", "text", "scope"?, "scope_id"?}
    {"index": 5, "type": "state_write" or "supersession", "ts", "writes": […]}
    {"index": 6, "type": "scope", "ts", "action", "scope", "scope_id"}

A query is {"type": "query", "ts", "prompt", "scope"?, "scope_id"?}. It takes up an index, which no event is given.
A context is {"text": …, "items": [{"text": …, "source": [index …]} …]}: the text is what a reader sees; items say what
it is made of, and from which events each part comes. Without items no source is known.

Over HTTP every call is a POST to one address with the same objects. `memory` tells the memories apart, and one that was
never heard of is empty:

    {"memory": "3f2a…", "event": {…}}                    → {}    (the same event again changes nothing)
    {"memory": "3f2a…", "query": {…}, "budget": 512}     → {"text": …, "items": […]}
    {"memory": "3f2a…", "close": true}                   → {}
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NotRequired, Protocol, TypedDict

from evaluation.core.checks import in_message
from evaluation.core.errors import AdapterError
from evaluation.statebench.data.printing import as_text
from evaluation.statebench.records import Query

#: As the module says; `type` tells which fields it has.
MemoryEvent = dict[str, Any]


class Item(TypedDict):
    """A part of a context. `source`: the indexes of the events that it comes from."""

    text: str
    source: Sequence[int]


class MemoryContext(TypedDict):
    """What a memory would show a reader."""

    text: str
    items: NotRequired[Sequence[Item]]


class Memory(Protocol):
    """A memory system. One that has a method `close()` as well is told when its timeline is over."""

    def ingest(self, event: MemoryEvent) -> None:
        """Take in what happens next."""

    def context(self, query: Query, budget: int) -> MemoryContext:
        """What a reader is shown who is asked the query.

        Args:
            query: What is asked, when, and where.
            budget: Tokens at most. What a text has over that is cut off at its end.
        """


#: An empty memory.
MakeMemory = Callable[[], Memory]


def plain(event: MemoryEvent) -> list[str]:
    """An event in words, for memories that keep text: "speaker: text", "key: value".

    Args:
        event: As a memory is given it.

    Returns:
        A line for each thing that it says; none for entering and leaving a place.
    """
    match event["type"]:
        case "start":
            return [f"{name}: {value}" for name, value in event["identity"].items() if value]
        case "fact" | "signal":
            return [f"{event['key']}: {as_text(event['value'])}"]
        case "note":
            return [event["content"]]
        case "conversation_turn":
            return [f"{event['speaker']}: {event['text']}"]
        case "state_write" | "supersession":
            return [f"{write['key']}: {as_text(write['value'])}" for write in event["writes"]]
    return []


def read_context(answer: object, known: set[int]) -> MemoryContext:
    """Check what a memory answered.

    Args:
        answer: Whatever it was.
        known: The indexes of the events that it was given.

    Returns:
        The context, with items.

    Raises:
        AdapterError: It is no context, or an item names an event that the memory never saw.
    """
    if not isinstance(answer, Mapping) or not isinstance(text := answer.get("text"), str):
        raise AdapterError(f'a context is an object with a text "text", not {in_message(answer)}')
    items = answer.get("items") or []
    if not isinstance(items, Sequence) or isinstance(items, str):
        raise AdapterError(f'"items" of a context is a list, not {in_message(items)}')
    return {"text": text, "items": [_item(item, known) for item in items]}


def _item(item: object, known: set[int]) -> Item:
    if not isinstance(item, Mapping) or not isinstance(text := item.get("text"), str):
        raise AdapterError(f'an item of a context is an object with a text "text", not {in_message(item)}')
    source = item.get("source") or []
    if not isinstance(source, Sequence) or isinstance(source, str):
        raise AdapterError(f'"source" of an item is a list of indexes, not {in_message(source)}')
    if strange := [index for index in source if type(index) is not int or index not in known]:
        raise AdapterError(
            f"an item names the event {in_message(strange[0])}, which the memory was never given"
        )
    return {"text": text, "source": list(source)}
