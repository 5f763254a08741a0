"""The contract of a system under test.

A system is an object with `predict(row, protocol=…) -> {"value": …, "support_ids": […]}`, or
`-> {"response": text}` for StateBench (`kinds` defines its rows). For a row that was asked and not
answered, either is `{"state": why}` instead (`evaluation.core.row_states`). A module offers it through
`create_adapter()`. Everything else is optional and looked up by name:

    build_artifact(document, episode_id, protocol) -> str    two-phase systems: a book, built once per episode
    batches(rows) -> lists of rows                           rows to answer together (shared prefix, concurrency)
    predict_batch(rows, protocol=…) -> iterator of Answer    the answers of one such list, in its order
    stream(rows, protocol=…, done=…) -> (id, Answer) …       instead of lists: all rows at once, as they are answered
    wind_down()                                              of a stream: ask no more, yield pending answers
    doubts: {id: why}                                        why the answer to a row is doubtful, though it counts
    begin()                                                  called before the first row: a check that it works
    stop_when(should_stop)                                   asked during a row; raise Stopped when it says yes
    tell_reading(told)                                       told(read, total): tokens of a long prompt, as it is read
    provenance() -> dict                                     the data needed to repeat the run
    close()                                                  free resources
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
    """No further row can be answered for now; the text says why. The run can be resumed."""


@dataclass(slots=True)
class Usage:
    """Cost of one query. Token counts are of the model's own tokenizer; 0 without a model.

    `prompt_tokens` is the prompt's length, `reused_tokens` of it were in the KV cache already.
    `evaluated_tokens` went through the model (prompt and answer); tokens shared by several queries are counted once,
    for the first. `generated_tokens` were decided by the model, `forced_tokens` had no alternative and were
    only fed. `passes` counts the model calls that this query took part in; the seconds are its share of their
    wall clock, so that sums over queries are totals of the run. (From a stream they are the waiting time
    of the row; the runner turns them into shares.) `cost` is money, if prices are set.
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
        """By name; without `cost` if it is 0."""
        figures = asdict(self)
        return figures if self.cost else {name: value for name, value in figures.items() if name != "cost"}


@dataclass(slots=True)
class Answer:
    """The answer to one row, and its cost."""

    output: Output
    usage: Usage


@runtime_checkable
class Adapter(Protocol):
    """A system under test."""

    def predict(self, row: Row, *, protocol: str) -> Output:
        """Answer one row.

        Args:
            row: A question, without gold.
            protocol: The readable part of the row: one of PROTOCOLS.

        Returns:
            `{"value", "support_ids"}` or `{"response"}`, or `{"state"}` if it was asked and not answered.
        """


class BatchAdapter(Protocol):
    """A system that answers several rows together."""

    def batches(self, rows: Sequence[Row]) -> Iterable[list[Row]]: ...

    def predict_batch(self, rows: Sequence[Row], *, protocol: str) -> Iterator[Answer]:
        """Yield the answers of one list from `batches`, in the order of the rows.

        Args:
            rows: Questions, without gold.
            protocol: The readable part of a row: one of PROTOCOLS.
        """


class StreamingAdapter(Protocol):
    """A system that answers many rows concurrently and independently."""

    def stream(
        self, rows: Sequence[Row], *, protocol: str, done: Collection[str]
    ) -> Iterator[tuple[str, Answer]]:
        """Answer all rows of a run. An interruptible adapter yields what it has, then raises Stopped.

        Args:
            rows: Questions, without gold.
            protocol: The readable part of a row: one of PROTOCOLS.
            done: Ids that were answered before, to be skipped.

        Returns:
            (id of the row, its answer), as they are answered.
        """


ShouldStop: TypeAlias = Callable[[], bool]
#: Callback with the tokens read of a prompt, and their total. It must not raise.
Told: TypeAlias = Callable[[int, int], None]
