"""Run a system over rows: the single loop behind the command line and the site.

Predictions are passed one by one to `on_row`, so that the caller saves each before the next is made. A run can be
cancelled between rows and within one, and is resumed with `done_ids`. A batch that was only partly saved is answered
again as a whole, so that a resumed run gives the same results as an uninterrupted run. A server's adapter yields a
stream in order of arrival, and no arrived answer is lost when the run ends.

Every row has a state (`row_states`). With `may_pause`, a run pauses if too many rows are unanswered, to avoid paying
for results of a wrong setting. An adapter that cannot continue pauses any run.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from itertools import zip_longest
from types import MappingProxyType
from typing import Any, TypeVar, cast

from evaluation.adapters.base import Adapter, Answer, Paused, ShouldStop, Stopped, Usage
from evaluation.adapters.kinds import OnArtifact, RowKind, TwoPhaseKind, reading
from evaluation.adapters.pace import Pace
from evaluation.adapters.transcripts.record import Exchange
from evaluation.adapters.transcripts.recording import Exchanges, recording
from evaluation.core.errors import AdapterError, BenchmarkError
from evaluation.core.records import Prediction, Row
from evaluation.core.row_states import RowState, too_many

T = TypeVar("T")
DOUBTFUL = (
    "Row {}: {}. Its answer is kept and marked as doubtful. If the server cuts prompts, give it a larger context "
    "(Ollama: num_ctx, llama-server: -c, vLLM: --max-model-len), or set `context` to the size of the server's context."
)
#: Optional attribute of an adapter: row id -> why its answer is doubtful, though it counts.
DOUBTS = "doubts"
#: Optional attribute of an adapter: number of prompts that were cut to its model's context.
TRUNCATED = "truncated_rows"


@dataclass(frozen=True, slots=True)
class RowResult:
    """Result of asking one row. `rate` is in rows per second over recent rows; 0 while unknown.

    `eta_s` is the estimated remaining time; None after the first row, whose time is mostly loading. `exchange` is the
    exchange with a model, if recorded.
    """

    id: str
    prediction: Prediction
    usage: Usage
    done: int
    total: int
    rate: float
    eta_s: float | None
    state: RowState = RowState.ANSWERED
    exchange: Exchange | None = None
    truncated: int = 0  # prompts that were shortened since the row before
    doubt: str = ""  # why the model may have read only a part of the prompt


@dataclass(slots=True)
class RunSummary:
    """Totals of a run. `asked` and `doubted` count rows of this call; `skipped` counts rows of earlier calls.

    `states` counts asked and skipped rows by state. `paused`: too many rows are unanswered, or the adapter doubts an
    answer or cannot continue; `pause_reason` says why. `first_unread` is (id, reply) of the first unreadable row, if
    exchanges are recorded.
    """

    total: int
    asked: int = 0
    skipped: int = 0
    doubted: int = 0
    first_unread: tuple[str, str] = ("", "")
    states: Counter[str] = field(default_factory=Counter)
    cancelled: bool = False
    paused: bool = False
    pause_reason: str = ""
    seconds: float = 0.0
    usage: Usage = field(default_factory=Usage)
    provenance: dict[str, object] = field(default_factory=dict)

    def efficiency(self) -> dict[str, float]:
        """Totals, and means per query, of tokens, model calls, seconds and cost, by name."""
        return efficiency(self.usage, self.asked)


OnRow = Callable[[RowResult], None]


def run(
    rows: Iterable[Row],
    adapter: Adapter,
    *,
    protocol: str | None,
    kind: RowKind,
    on_row: OnRow | None = None,
    on_artifact: OnArtifact | None = None,
    artifacts: Mapping[str, str] = MappingProxyType({}),
    should_stop: ShouldStop | None = None,
    done_ids: Collection[str] = (),
    done_states: Mapping[str, int] = MappingProxyType({}),
    may_pause: bool = False,
    record: bool = False,
) -> RunSummary:
    """Answer every row that is not done yet.

    Args:
        protocol: Part of a row that the system may read; None: chosen by `kinds.reading`.
        on_row: Called with each result, before the next row is asked.
        on_artifact: Called with (episode, artifact) of a two-phase system, before the next artifact is built.
        artifacts: Artifacts of earlier attempts, by episode.
        should_stop: Called between rows and while one is answered; True cancels the run.
        may_pause: Pause if an answer is doubtful or too many rows are unanswered (`row_states.too_many`).
        record: Include the exchange with the model in the results.

    Returns:
        Totals of the run. A stop is not an error: `cancelled` or `paused` is set.

    Raises:
        AdapterError: The system breaks its contract or fails; names the row. Rows passed to `on_row` stay valid.
    """
    work, done = list(rows), frozenset(done_ids)
    skipped = sum(row["id"] in done for row in work)
    summary = RunSummary(total=len(work), skipped=skipped, states=Counter(done_states))
    if should_stop is not None and hasattr(adapter, "stop_when"):
        with _blamed("stop_when()"):
            adapter.stop_when(should_stop)
    exchanges = Exchanges({row["id"] for row in work} - done) if record else None
    pace = Pace()
    started, shortened = (last := time.perf_counter()), _shortened(adapter)
    streams = callable(getattr(adapter, "stream", None))
    try:
        stop = should_stop or (lambda: False)
        told = reading(kind, work, protocol)
        if isinstance(kind, TwoPhaseKind):
            listener = on_artifact or (lambda _episode, _artifact: None)
            work = kind.built(work, adapter, artifacts, on_artifact=listener, should_stop=stop)
        if skipped < len(work):
            begin(adapter, stop)
        answers = _streamed if streams else _answers
        with recording(exchanges):
            for row, answer in answers(work, adapter, told, kind, done, stop):
                if row["id"] in done:
                    continue
                prediction = kind.prediction(row, answer)
                state = kind.state(prediction)
                now = time.perf_counter()
                usage = replace(answer.usage, wall_s=now - last) if streams else answer.usage
                last = now
                pace.row(now, answer.usage.wall_s)
                summary.asked += 1
                summary.states[state.value] += 1
                summary.usage += usage
                doubt = _doubt(adapter, row["id"])
                summary.doubted += bool(doubt)
                if on_row is not None:
                    result = _result(row["id"], prediction, usage, state, summary, pace)
                    exchange = exchanges.take(row["id"]) if exchanges else None
                    if state is RowState.UNREADABLE and exchange and not summary.first_unread[0]:
                        summary.first_unread = row["id"], exchange.reply
                    before, shortened = shortened, _shortened(adapter)
                    on_row(replace(result, exchange=exchange, truncated=shortened - before, doubt=doubt))
                if may_pause and not summary.paused and (doubt or too_many(summary.states)):
                    summary.paused, summary.pause_reason = True, doubt and DOUBTFUL.format(row["id"], doubt)
                    if not _winds_down(adapter):
                        break
        missing = summary.total - summary.asked - summary.skipped
        if streams and missing and not summary.paused:
            raise AdapterError(f"stream() left out {missing} of {summary.total} rows")
    except Paused as pause:
        summary.paused, summary.pause_reason = True, str(pause)
    except Stopped:
        summary.cancelled = True
    summary.seconds = time.perf_counter() - started
    summary.provenance = provenance(adapter)
    return summary


def _shortened(adapter: Adapter) -> int:
    count: int = getattr(adapter, TRUNCATED, 0)
    return count


def _doubt(adapter: Adapter, row_id: str) -> str:
    doubts = getattr(adapter, DOUBTS, None)
    return str(doubts.get(row_id, "")) if isinstance(doubts, Mapping) else ""


def begin(adapter: Adapter, should_stop: ShouldStop) -> None:
    """Let an adapter check, before the first row, that it works. Raises AdapterError, or Stopped."""
    look = getattr(adapter, "begin", None)
    if not callable(look):
        return
    if should_stop():
        raise Stopped
    with _blamed("begin()"):
        look()


def _winds_down(adapter: Adapter) -> bool:
    end = getattr(adapter, "wind_down", None)
    if not callable(end):
        return False
    with _blamed("wind_down()"):
        end()
    return True


def provenance(adapter: Adapter) -> dict[str, object]:
    tell = getattr(adapter, "provenance", None)
    if not callable(tell):
        return {}
    with _blamed("provenance()"):
        return dict(tell())


def efficiency(usage: Usage, queries: int) -> dict[str, float]:
    """Totals and, unless `queries` is 0, means per query of tokens, model calls, seconds and cost, by name.

    `tokens_per_query` counts prompt and answer. `reuse_ratio` is the share of prompt tokens from the cache, in [0, 1].
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


def batches(adapter: Adapter, rows: Sequence[Row]) -> Iterator[list[Row]]:
    """Yield the adapter's own non-empty batches, or single rows if it has no `batches`.

    Raises AdapterError if the batches do not contain every row exactly once.
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
            raise AdapterError(f"row {strange}: batches() returned it more often than it was passed")
        if batch:
            yield batch
    if missing := next((row_id for row_id, count in left.items() if count), None):
        raise AdapterError(f"row {missing}: batches() left it out")


@contextmanager
def _blamed(what: str) -> Iterator[None]:
    try:
        yield
    except (BenchmarkError, Paused, Stopped):
        raise
    except Exception as error:
        raise AdapterError(f"{what} raised {type(error).__name__}: {error}") from error


def _blamed_one_by_one(what: str, give: Callable[[], Iterable[T]]) -> Iterator[T]:
    with _blamed(what):
        items = iter(give())
    while True:
        with _blamed(what):
            try:
                item = next(items)
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
    prepare, whole = kind.preparation(adapter, protocol), {row["id"]: row for row in rows}
    # an adapter with batches sees all rows before it answers any
    divides = callable(getattr(adapter, "batches", None))
    for batch in batches(adapter, [prepare(row) for row in rows] if divides else rows):
        if all(row["id"] in done for row in batch):
            continue
        if should_stop():
            raise Stopped
        asked = batch if divides else [prepare(row) for row in batch]
        answers = _answer_batch(adapter, asked, protocol)
        for row, answer in zip_longest((whole[row["id"]] for row in batch), answers):
            if row is None:
                raise AdapterError(
                    f"row {batch[-1]['id']}: predict_batch() gave more answers than the batch has rows"
                )
            yield row, _checked(answer, row["id"], "predict_batch()")
            if should_stop():
                raise Stopped


def _streamed(
    rows: Sequence[Row],
    adapter: Adapter,
    protocol: str,
    kind: RowKind,
    done: Collection[str],
    should_stop: ShouldStop,
) -> Iterator[tuple[Row, Answer]]:
    """Yield each row of a stream with its answer. Only after `wind_down()` may a stream leave rows out."""
    prepare, stream = kind.preparation(adapter, protocol), cast(Any, adapter).stream
    left = {row["id"]: row for row in rows}
    asked = [prepare(row) for row in rows] if len(done) < len(rows) else []
    stops_itself = hasattr(adapter, "stop_when")
    for item in _blamed_one_by_one("stream()", lambda: stream(asked, protocol=protocol, done=done)):
        with _blamed("stream()"):
            row_id, answer = item
        if (row := left.pop(row_id, None)) is None:
            raise AdapterError(f"row {row_id}: stream() answered it twice, or was never asked about it")
        yield row, _checked(answer, row_id, "stream()")
        if not stops_itself and should_stop():
            raise Stopped


def _checked(answer: object, row_id: str, what: str) -> Answer:
    if isinstance(answer, Answer) and isinstance(answer.usage, Usage):
        return answer
    received = "no answer" if answer is None else f"a {type(answer).__name__}, not an Answer with a Usage"
    raise AdapterError(f"row {row_id}: {what} gave {received}")


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
    id: str, prediction: Prediction, usage: Usage, state: RowState, summary: RunSummary, pace: Pace
) -> RowResult:
    done = summary.skipped + summary.asked
    eta = pace.left(summary.total - done)
    return RowResult(id, prediction, usage, done, summary.total, pace.rate, eta, state)
