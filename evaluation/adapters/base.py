"""The contract of a system under test, and the check of what it hands back.

A system is an object with `predict(row, protocol=…) -> {"value": …, "support_ids": […]}`, or
`-> {"response": text}` where it answers StateBench (`kinds` says what a row is there). Where a row was asked and not
answered, either is `{"state": why}` instead (`evaluation.core.row_states`). A module offers it through
`create_adapter()`. Everything else is optional and looked up by name:

    build_artifact(document, episode_id, protocol) -> str    two-phase systems: a book, built once per episode
    batches(rows) -> lists of rows                           how rows go together (shared prefix, concurrency)
    predict_batch(rows, protocol=…) -> iterator of Answer    the answers of one such list, in its order
    stop_when(should_stop)                                   asked during a row; raise Stopped when it says yes
    provenance() -> dict                                     what is needed to repeat the run
    close()                                                  free what is held
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from typing import Any, Literal, Protocol, TypeAlias, runtime_checkable

Row: TypeAlias = dict[str, Any]
Output: TypeAlias = Mapping[str, Any]
BookProtocol = Literal["open_book", "closed_book"]
PROTOCOLS: tuple[BookProtocol, ...] = ("closed_book", "open_book")


class Stopped(Exception):
    """Raised inside a row when `should_stop` said yes."""


@dataclass(slots=True)
class Usage:
    """What one query cost. Token counts are of the model's own tokenizer; 0 where no model runs.

    `prompt_tokens` is the prompt's length, `reused_tokens` of it were in the KV cache already.
    `evaluated_tokens` went through the model (prompt and answer); what several queries share is counted once,
    by the first. `generated_tokens` were decided by the model, `forced_tokens` had no alternative and were
    only fed. `passes` counts the model calls that this query took part in; the seconds are its share of their
    wall clock, so that sums over queries are totals of the run.
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

    def __add__(self, other: Usage) -> Usage:
        return Usage(*(getattr(self, f.name) + getattr(other, f.name) for f in fields(Usage)))

    def as_dict(self) -> dict[str, float]:
        return asdict(self)


@dataclass(slots=True)
class Answer:
    """What a system says about one row, and what that cost."""

    output: Output
    usage: Usage


@runtime_checkable
class Adapter(Protocol):
    """A system under test."""

    def predict(self, row: Row, *, protocol: str) -> Output:
        """The answer to one row, `{"value", "support_ids"}` or `{"response"}`."""


class BatchAdapter(Protocol):
    """A system that answers several rows together."""

    def batches(self, rows: Sequence[Row]) -> Iterable[list[Row]]: ...

    def predict_batch(self, rows: Sequence[Row], *, protocol: str) -> Iterator[Answer]: ...


ShouldStop: TypeAlias = Callable[[], bool]
