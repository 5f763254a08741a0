"""The contract of a system under test, and the check of what it hands back.

A system is an object with `predict(row, protocol=…) -> {"value": …, "support_ids": […]}`, or
`-> {"response": text}` where it answers StateBench (`kinds` says what a row is there). Where a row was asked and not
answered, either is `{"state": why}` instead (`evaluation.row_states`). A module offers it through
`create_adapter()`. Everything else is optional and looked up by name:

    build_artifact(document, episode_id, protocol) -> str    two-phase systems: a book, built once per episode
    batches(rows) -> lists of rows                           how rows go together (shared prefix, concurrency)
    predict_batch(rows, protocol=…) -> iterator of Answer    the answers of one such list, in its order
    stop_when(should_stop)                                   asked during a row; raise Stopped when it says yes
    provenance() -> dict                                     what is needed to repeat the run
    close()                                                  free what is held
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from typing import Any, Literal, Protocol, TypeAlias, runtime_checkable

from evaluation.errors import AdapterError
from evaluation.goldevidence.answers import SELECTED
from evaluation.row_states import STATE, given_state

Row: TypeAlias = dict[str, Any]
Output: TypeAlias = Mapping[str, Any]
BookProtocol = Literal["open_book", "closed_book"]
PROTOCOLS: tuple[BookProtocol, ...] = ("closed_book", "open_book")
MAX_SUPPORT = 3


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


def support_limit(row: Mapping[str, Any]) -> int:
    """How many citations a row allows: as many as its meta says, else 3."""
    meta = row.get("meta")
    most = meta.get("max_support_k") if isinstance(meta, Mapping) else None
    return most if isinstance(most, int) and most > 0 else MAX_SUPPORT


def check_output(
    output: Any, *, row_id: str, known_ids: Iterable[str], max_support: int = MAX_SUPPORT
) -> Row:
    """The output in canonical form, `value` and `support_ids`; other fields are left behind.

    Only `selected_uid`, the id that a selector chose before the answer was made, stays where it is given.
    `value` must be present and null, a text or a number (a number becomes its text). `support_ids` is a list
    of at most `max_support` ids of the episode; one id (`support_ids` or `support_id`) is read as a list of
    one. An output that says why there is no answer stays as that. Raises AdapterError that names the row and the rule.
    """
    if not isinstance(output, Mapping):
        raise _broken(row_id, f"the output must be an object, not {type(output).__name__}")
    if state := given_state(output):
        return {STATE: state.value}
    if "value" not in output:
        raise _broken(row_id, "`value` is required (it may be null)")
    ids = _support_ids(output, row_id)
    if len(ids) > max_support:
        raise _broken(row_id, f"at most {max_support} `support_ids` are allowed, got {len(ids)}")
    known = set(known_ids)
    for uid in ids:
        if uid not in known:
            raise _broken(row_id, f"support id {uid!r} does not exist in the episode")
    return {"value": _value(output["value"], row_id), "support_ids": ids} | _selected(output, row_id, known)


def _value(value: Any, row_id: str) -> str | None:
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, (bool, int, float)):
        return str(value)
    raise _broken(row_id, f"`value` must be null, a text or a number, not {type(value).__name__}")


def _support_ids(output: Output, row_id: str) -> list[str]:
    raw = output.get("support_ids") or output.get("support_id")
    if raw is None or raw == []:
        return []
    ids = [raw] if isinstance(raw, (str, int)) else raw
    if not isinstance(ids, (list, tuple)) or not all(isinstance(uid, str) for uid in ids):
        raise _broken(row_id, "`support_ids` must be a list of texts")
    return list(ids)


def _selected(output: Output, row_id: str, known: Collection[str]) -> Row:
    chosen = output.get(SELECTED)
    if chosen is None:
        return {}
    if not isinstance(chosen, str) or chosen not in known:
        raise _broken(row_id, f"`{SELECTED}` must be null or the id of a line of the episode, not {chosen!r}")
    return {SELECTED: chosen}


def _broken(row_id: str, rule: str) -> AdapterError:
    return AdapterError(f"row {row_id}: {rule}")
