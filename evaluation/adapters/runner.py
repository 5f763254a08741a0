"""Run a system over rows: the one loop behind the command line and the site.

Predictions come one by one through `on_row`, so that the caller saves each before the next is made. A run can
be cancelled between rows and within one, and goes on later with `done_ids`. Rows are answered in the batches
that the adapter asks for; a batch that was saved in part is answered again as a whole, so that a resumed run
writes what an unbroken one would have.

Every row has a state (`row_states`): answered, or why not. A run that may pause does so where too many rows hold no
answer, so that nobody pays for figures of a wrong setting.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from itertools import zip_longest
from types import MappingProxyType
from typing import Any, TypeVar

from evaluation.adapters.base import Adapter, Answer, Row, ShouldStop, Stopped, Usage
from evaluation.adapters.kinds import RowKind
from evaluation.core.errors import AdapterError, BenchmarkError
from evaluation.core.row_states import RowState, too_many

T = TypeVar("T")
TIMED = "latency_ms"  # the field of a prediction that differs from run to run


@dataclass(frozen=True, slots=True)
class RowResult:
    """One row that was asked. `eta_s` is how long the rest takes at the present rate (rows per second)."""

    id: str
    prediction: Row
    usage: Usage
    done: int
    total: int
    rate: float
    eta_s: float
    state: RowState = RowState.ANSWERED


@dataclass(slots=True)
class RunSummary:
    """A run as a whole. `asked` rows are of this call, `skipped` were done before; `states` counts both by state.

    `paused`: it stopped because too many rows hold no answer.
    """

    total: int
    asked: int = 0
    skipped: int = 0
    states: Counter[str] = field(default_factory=Counter)
    cancelled: bool = False
    paused: bool = False
    seconds: float = 0.0
    usage: Usage = field(default_factory=Usage)
    provenance: dict[str, Any] = field(default_factory=dict)

    def efficiency(self) -> dict[str, float]:
        """Totals, and means per query: what the benchmark's cost column is made of."""
        return efficiency(self.usage, self.asked)


OnRow = Callable[[RowResult], None]


def run(
    rows: Iterable[Row],
    adapter: Adapter,
    *,
    protocol: str,
    kind: RowKind,
    on_row: OnRow | None = None,
    should_stop: ShouldStop | None = None,
    done_ids: Collection[str] = (),
    done_states: Mapping[str, int] = MappingProxyType({}),
    may_pause: bool = False,
) -> RunSummary:
    """Answer every row that is not in `done_ids`. `rows` are the questions of a kind of rows.

    `done_states` counts the states of what was done before. With `may_pause` the run stops where too many rows hold
    no answer (`row_states.too_many`).

    Raises AdapterError naming the row when the system breaks its contract or fails; what `on_row` has seen
    stays valid. A stop is no error: the summary says `cancelled` or `paused`.
    """
    work, done = list(rows), frozenset(done_ids)
    skipped = sum(row["id"] in done for row in work)
    summary = RunSummary(total=len(work), skipped=skipped, states=Counter(done_states))
    if should_stop is not None and hasattr(adapter, "stop_when"):
        with _blamed("stop_when()"):
            adapter.stop_when(should_stop)
    started = time.perf_counter()
    try:
        for row, answer in _answers(work, adapter, protocol, kind, done, should_stop or _never):
            if row["id"] in done:
                continue
            prediction = kind.prediction(row, answer)
            state = kind.state(prediction)
            summary.asked += 1
            summary.states[state.value] += 1
            summary.usage += answer.usage
            if on_row is not None:
                seconds = time.perf_counter() - started
                on_row(_result(row["id"], prediction, answer.usage, state, summary, seconds))
            if may_pause and too_many(summary.states):
                summary.paused = True
                break
    except Stopped:
        summary.cancelled = True
    summary.seconds = time.perf_counter() - started
    summary.provenance = provenance(adapter)
    return summary


def provenance(adapter: Adapter) -> dict[str, Any]:
    """What the adapter says about itself; empty where it says nothing."""
    tell = getattr(adapter, "provenance", None)
    if not callable(tell):
        return {}
    with _blamed("provenance()"):
        return dict(tell())


def efficiency(usage: Usage, queries: int) -> dict[str, float]:
    """Totals of a usage and the means per query.

    `tokens_per_query` is prompt and answer, `reuse_ratio` the share of prompt tokens that came from the cache.
    """
    totals = usage.as_dict()
    if not queries:
        return totals
    tokens = usage.prompt_tokens + usage.generated_tokens + usage.forced_tokens
    totals["tokens_per_query"] = tokens / queries
    totals["evaluated_tokens_per_query"] = usage.evaluated_tokens / queries
    totals["passes_per_query"] = usage.passes / queries
    totals["wall_s_per_query"] = usage.wall_s / queries
    totals["reuse_ratio"] = usage.reused_tokens / usage.prompt_tokens if usage.prompt_tokens else 0.0
    return totals


@dataclass(frozen=True, slots=True)
class Difference:
    """A row that was answered differently the second time."""

    id: str
    first: Row
    second: Row


def check_determinism(
    rows: Sequence[Row], adapter: Adapter, *, protocol: str, kind: RowKind
) -> list[Difference]:
    """Run the rows twice and return those whose predictions differ, but for the time they took."""
    first, second = (_predictions(rows, adapter, protocol, kind) for _ in range(2))
    return [Difference(id, first[id], second[id]) for id in first if first[id] != second[id]]


def _predictions(rows: Sequence[Row], adapter: Adapter, protocol: str, kind: RowKind) -> dict[str, Row]:
    seen: dict[str, Row] = {}

    def keep(result: RowResult) -> None:
        seen[result.id] = {name: told for name, told in result.prediction.items() if name != TIMED}

    run(rows, adapter, protocol=protocol, kind=kind, on_row=keep)
    return seen


def batches(adapter: Adapter, rows: Sequence[Row]) -> Iterator[list[Row]]:
    """The batches that the adapter asks for; single rows where it asks for none.

    Raises AdapterError where they do not hold every row once.
    """
    ask = getattr(adapter, "batches", None)
    if not callable(ask):
        yield from ([row] for row in rows)
        return
    left = Counter(row["id"] for row in rows)
    asked = _blamed_one_by_one("batches()", lambda: ask(rows))
    for batch in asked:
        with _blamed("batches()"):
            batch = list(batch)
            left.subtract(row["id"] for row in batch)
        if strange := next((row["id"] for row in batch if left[row["id"]] < 0), None):
            raise AdapterError(f"row {strange}: batches() gave it more often than it was asked")
        if batch:
            yield batch
    if missing := next((row_id for row_id, count in left.items() if count), None):
        raise AdapterError(f"row {missing}: batches() left it out")


@contextmanager
def _blamed(what: str) -> Iterator[None]:
    """An error in the adapter's own code, as one that says where."""
    try:
        yield
    except (BenchmarkError, Stopped):
        raise
    except Exception as error:
        raise AdapterError(f"{what} raised {type(error).__name__}: {error}") from error


def _blamed_one_by_one(what: str, give: Callable[[], Iterable[T]]) -> Iterator[T]:
    """What the adapter's own code gives, its errors as ones that say where."""
    with _blamed(what):
        given = iter(give())
    while True:
        with _blamed(what):
            try:
                item = next(given)
            except StopIteration:
                return
        yield item


def _answers(
    rows: Sequence[Row],
    adapter: Adapter,
    protocol: str,
    kind: RowKind,
    done: Collection[str],
    should_stop: ShouldStop,
) -> Iterator[tuple[Row, Answer]]:
    prepare = kind.preparation(adapter, protocol)
    for batch in batches(adapter, rows):
        if all(row["id"] in done for row in batch):
            continue
        if should_stop():
            raise Stopped
        answers = _answer_batch(adapter, [prepare(row) for row in batch], protocol)
        for row, answer in zip_longest(batch, answers):
            if row is None:
                raise AdapterError(
                    f"row {batch[-1]['id']}: predict_batch() gave more answers than it has rows"
                )
            if not isinstance(answer, Answer) or not isinstance(answer.usage, Usage):
                found = (
                    "no answer"
                    if answer is None
                    else f"a {type(answer).__name__} and no Answer with its Usage"
                )
                raise AdapterError(f"row {row['id']}: predict_batch() gave {found}")
            yield row, answer
            if should_stop():
                raise Stopped


def _answer_batch(adapter: Adapter, batch: list[Row], protocol: str) -> Iterator[Answer]:
    many = getattr(adapter, "predict_batch", None)
    if callable(many):
        name = batch[0]["id"]
        yield from _blamed_one_by_one(f"row {name}: predict_batch()", lambda: many(batch, protocol=protocol))
        return
    for row in batch:
        with _blamed(f"row {row['id']}: predict()"):
            answer = _timed(adapter, row, protocol)
        yield answer


def _timed(adapter: Adapter, row: Row, protocol: str) -> Answer:
    started = time.perf_counter()
    output = adapter.predict(row, protocol=protocol)
    usage = getattr(adapter, "usage", None)
    seconds = time.perf_counter() - started
    return Answer(
        output, replace(usage, wall_s=seconds) if isinstance(usage, Usage) else Usage(wall_s=seconds)
    )


def _result(
    id: str, prediction: Row, usage: Usage, state: RowState, summary: RunSummary, seconds: float
) -> RowResult:
    done = summary.skipped + summary.asked
    rate = summary.asked / seconds if seconds > 0 else 0.0
    eta = (summary.total - done) / rate if rate else 0.0
    return RowResult(id, prediction, usage, done, summary.total, rate, eta, state)


def _never() -> bool:
    return False
