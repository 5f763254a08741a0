"""Protocol of memory systems: the calls, and the JSON of events, queries and contexts.

A memory receives events in order, one at a time, and is asked for a context of limited length. One object is the
memory of one timeline. Events have the `index` by which contexts name their sources:

    {"index": 0, "type": "start", "identity": {…}, "timezone"?, "user_id"?}                    the reader
    {"index": 1, "type": "fact", "id", "key", "value", "ts", "source", "is_constraint", …}    initial fact
    {"index": 2, "type": "note", "content", "ts", …}                                          initial working set
    {"index": 3, "type": "signal", "key", "value"}                                            initial environment

followed by events as in public timelines:

    {"index": 4, "type": "conversation_turn", "ts", "speaker", "text", "scope"?, "scope_id"?}
    {"index": 5, "type": "state_write" or "supersession", "ts", "writes": […]}
    {"index": 6, "type": "scope", "ts", "action", "scope", "scope_id"}

A query is {"type": "query", "ts", "prompt", "scope"?, "scope_id"?}. Queries take an index, too, so that the index of
an event does not depend on which queries are sent.

A context is {"text": …, "items": [{"text": …, "source": [index …]} …]}. The reader sees the text. Items are parts of
the text, each with the events from which it comes. Without items the sources are unknown.

Over HTTP every call is a POST to one address with the same objects. `memory` identifies the memory; an unknown
identifier stands for a new, empty memory:

    {"memory": "3f2a…", "event": {…}}                    → {}    (idempotent)
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

#: See the module; the fields depend on `type`.
MemoryEvent = dict[str, Any]


class Item(TypedDict):
    """A part of a context. `source` has the indexes of the events from which the part comes."""

    text: str
    source: Sequence[int]


class MemoryContext(TypedDict):
    """The context that a memory returns for a query, to be shown to a reader."""

    text: str
    items: NotRequired[Sequence[Item]]


class Memory(Protocol):
    """A memory system for one timeline. If it has a method `close()`, this is called at the end of the timeline."""

    def ingest(self, event: MemoryEvent) -> None:
        """Receive the next event."""

    def context(self, query: Query, budget: int) -> MemoryContext:
        """Return the context for a query.

        Args:
            query: The question with its time and scope.
            budget: Maximum tokens; a longer text is cut at the end.
        """


#: Makes an empty memory.
MakeMemory = Callable[[], Memory]


def plain(event: MemoryEvent) -> list[str]:
    """Write an event as lines of text, like "speaker: text" or "key: value". A scope event has no line."""
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
    """Validate a memory's answer. `known` are the indexes of the events that the memory received.

    Raises:
        AdapterError: The answer is not a context, or an item names an unknown event.
    """
    if not isinstance(answer, Mapping) or not isinstance(text := answer.get("text"), str):
        raise AdapterError(f'a context must be an object with a text "text", not {in_message(answer)}')
    items = answer.get("items") or []
    if not isinstance(items, Sequence) or isinstance(items, str):
        raise AdapterError(f'"items" of a context must be a list, not {in_message(items)}')
    return {"text": text, "items": [_item(item, known) for item in items]}


def _item(item: object, known: set[int]) -> Item:
    if not isinstance(item, Mapping) or not isinstance(text := item.get("text"), str):
        raise AdapterError(
            f'an item of a context must be an object with a text "text", not {in_message(item)}'
        )
    source = item.get("source") or []
    if not isinstance(source, Sequence) or isinstance(source, str):
        raise AdapterError(f'"source" of an item must be a list of indexes, not {in_message(source)}')
    if strange := [index for index in source if type(index) is not int or index not in known]:
        raise AdapterError(
            f"an item cites the event {in_message(strange[0])}, which the memory has not received"
        )
    return {"text": text, "source": list(source)}
