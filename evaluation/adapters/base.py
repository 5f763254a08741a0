"""The contract of a system under test, and the check of what it hands back.

A system is an object with `predict(row, protocol=…) -> {"value": …, "support_ids": […]}`, or
`-> {"response": text}` where it answers StateBench (`kinds` says what a row is there). Where a row was asked and not
answered, either is `{"state": why}` instead (`evaluation.core.row_states`). A module offers it through
`create_adapter()`. Everything else is optional and looked up by name:

    build_artifact(document, episode_id, protocol) -> str    two-phase systems: a book, built once per episode
    batches(rows) -> lists of rows                           how rows go together (shared prefix, concurrency)
    predict_batch(rows, protocol=…) -> iterator of Answer    the answers of one such list, in its order
    stream(rows, protocol=…, done=…) -> (id, Answer) …       instead of lists: all rows at once, in the order answered
    wind_down()                                              of a stream: ask no more, give what is under way
    doubts: {id: why}                                        why the answer to a row is doubtful, though it stands
    begin()                                                  called before the first row: a look whether it works
    stop_when(should_stop)                                   asked during a row; raise Stopped when it says yes
    provenance() -> dict                                     what is needed to repeat the run
    close()                                                  free what is held
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from typing import Any, Literal, Protocol, TypeAlias, runtime_checkable

from evaluation.core.records import Row

Output: TypeAlias = Mapping[str, Any]
BookProtocol = Literal["open_book", "closed_book"]
PROTOCOLS: tuple[BookProtocol, ...] = ("closed_book", "open_book")


class Stopped(Exception):
    """Raised inside a row when `should_stop` said yes."""


class Paused(Exception):
    """Raised where no further row can be answered for now: its text says why. The run can be resumed."""


@dataclass(slots=True)
class Usage:
    """What one query cost. Token counts are of the model's own tokenizer; 0 where no model runs.

    `prompt_tokens` is the prompt's length, `reused_tokens` of it were in the KV cache already.
    `evaluated_tokens` went through the model (prompt and answer); what several queries share is counted once,
    by the first. `generated_tokens` were decided by the model, `forced_tokens` had no alternative and were
    only fed. `passes` counts the model calls that this query took part in; the seconds are its share of their
    wall clock, so that sums over queries are totals of the run. (In what a stream gives they are how long the
    row was waited for; the runner makes shares of them.) `cost` is money, by prices that somebody set.
    """

    prompt_tokens: int = 0
    evaluated_tokens: int = 0
    reused_tokens: int = 0
    generated_tokens: int = 0
    forced_tokens: int = 0
    passes: int = 0
    prefill_s: float = 0.0
    decode_s: float = 0.0
    wall_s: float = 0.0
    cost: float = 0.0

    def __add__(self, other: Usage) -> Usage:
        return Usage(*(getattr(self, f.name) + getattr(other, f.name) for f in fields(Usage)))

    def as_dict(self) -> dict[str, float]:
        """By name; no cost where nothing has a price."""
        figures = asdict(self)
        return figures if self.cost else {name: value for name, value in figures.items() if name != "cost"}


@dataclass(slots=True)
class Answer:
    """What a system says about one row, and what that cost."""

    output: Output
    usage: Usage


@runtime_checkable
class Adapter(Protocol):
    """A system under test."""

    def predict(self, row: Row, *, protocol: str) -> Output:
        """The answer to one row.

        Args:
            row: A question, without gold.
            protocol: What of the row may be read: one of PROTOCOLS.

        Returns:
            `{"value", "support_ids"}` or `{"response"}`, or `{"state"}` where it was asked and not answered.
        """


class BatchAdapter(Protocol):
    """A system that answers several rows together."""

    def batches(self, rows: Sequence[Row]) -> Iterable[list[Row]]: ...

    def predict_batch(self, rows: Sequence[Row], *, protocol: str) -> Iterator[Answer]:
        """The answers of one list of `batches`.

        Args:
            rows: Questions, without gold.
            protocol: What of a row may be read: one of PROTOCOLS.

        Returns:
            The answers, in the order of the rows.
        """


class StreamingAdapter(Protocol):
    """A system that answers many rows at a time, none of which waits for another."""

    def stream(
        self, rows: Sequence[Row], *, protocol: str, done: Collection[str]
    ) -> Iterator[tuple[str, Answer]]:
        """The answers of a whole run. One that can be stopped gives what it has before it raises Stopped.

        Args:
            rows: Questions, without gold.
            protocol: What of a row may be read: one of PROTOCOLS.
            done: The ids that were answered before: an answer to one of them is left out.

        Returns:
            (id of the row, its answer), in the order answered.
        """


ShouldStop: TypeAlias = Callable[[], bool]
