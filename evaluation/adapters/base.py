"""The contract of a system under test.

A system is an object with `predict(row, protocol=…) -> {"value": …, "support_ids": […]}`, or
`-> {"response": text}` for StateBench (`kinds` defines its rows). If a row was asked but not answered,
the result is `{"state": why}` (`evaluation.core.row_states`). A module provides the object through
`create_adapter()`. Everything else is optional and looked up by name:

    build_artifact(document, episode_id, protocol) -> str    two-phase systems: a book, built once per episode
    batches(rows) -> lists of rows                           rows to answer together (shared prefix, concurrency)
    predict_batch(rows, protocol=…) -> iterator of Answer    the answers to one of these lists, in its order
    stream(rows, protocol=…, done=…) -> (id, Answer) …       instead of lists: all rows but those in `done`, yielded
                                                             as they are answered, in any order
    wind_down()                                              during a stream: ask no further row, yield pending answers
    doubts: {id: why}                                        row id -> reason to doubt its answer, which still counts
    begin()                                                  check that the system works, before the first row
    stop_when(should_stop)                                   call `should_stop` while answering; once it returns True,
                                                             yield the finished answers, then raise Stopped
    tell_reading(told)                                       report progress: told(tokens read, total) in a long prompt
    provenance() -> dict                                     the data needed to repeat the run
    close()                                                  free resources
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any, Literal, Protocol, TypeAlias, runtime_checkable

from evaluation.core.records import Row

Output: TypeAlias = Mapping[str, Any]
BookProtocol = Literal["open_book", "closed_book"]
PROTOCOLS: tuple[BookProtocol, ...] = ("closed_book", "open_book")


class Stopped(Exception):
    """Raised while a row is being answered, after `should_stop` returned True."""


class Paused(Exception):
    """The system can answer no further row for now; the message says why. The run can be resumed."""


@dataclass(slots=True)
class Usage:
    """Cost of one query, in tokens of the model's own tokenizer (0 without a model) and in seconds.

    `reused_tokens` is the part of `prompt_tokens` that was in the KV cache already. `evaluated_tokens` is the number of
    prompt and answer tokens that the model computed; tokens shared by several queries count for the first query only.
    `generated_tokens` were chosen by the model, `forced_tokens` were fixed by the answer form. `passes` counts the
    model calls that included this query. The fields `…_s` are seconds; the duration of a call is divided among its
    queries, so that sums over queries are totals of the run. (In a stream they are the waiting time of the row; the
    runner turns them into shares.) `cost` is an amount of money; 0 without prices.
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
        """The fields by name. The field `cost` is left out if it is 0."""
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
            row: A question without its right answer.
            protocol: Part of the row that the system may read: one of PROTOCOLS.

        Returns:
            `{"value", "support_ids"}` or `{"response"}`, or `{"state"}` if the row was not answered.
        """


ShouldStop: TypeAlias = Callable[[], bool]
#: Callback with (tokens read, total tokens) of a prompt. It must not raise.
Told: TypeAlias = Callable[[int, int], None]
