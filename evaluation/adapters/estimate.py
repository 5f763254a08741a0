"""Estimate the duration of a run: answer a few rows, and extrapolate their cost to all rows."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from typing import Any

from evaluation.adapters.base import Adapter, ShouldStop, Stopped, Usage
from evaluation.adapters.kinds import RowKind, TwoPhaseKind, reading
from evaluation.adapters.runner import RowResult, batches, begin, run
from evaluation.core.errors import AdapterError
from evaluation.core.records import Row
from evaluation.core.terminal.wording import number_of

CALIBRATION_ROWS = 8  # default number of rows answered to measure the speed


@dataclass(frozen=True, slots=True)
class Estimate:
    """Estimated `seconds` for all rows, extrapolated from `calibration_rows` rows that took `calibration_s` seconds."""

    rows: int
    texts: int
    seconds: float
    evaluated_tokens: float
    calibration_rows: int
    calibration_s: float
    cost: float = 0.0  # money, if prices are set

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)

    def sentence(self) -> str:
        return (
            f"{number_of(self.rows, 'row')} over {number_of(self.texts, 'text')}: {about(self.seconds)} "
            f"(calibrated on {number_of(self.calibration_rows, 'row')} in {duration(self.calibration_s)})"
            + (f", cost {self.cost:.4g}" if self.cost else "")
        )


def estimate(
    rows: Sequence[Row],
    adapter: Adapter,
    *,
    protocol: str | None,
    kind: RowKind,
    calibration_rows: int = CALIBRATION_ROWS,
    should_stop: ShouldStop | None = None,
) -> Estimate:
    """Answer the first batches (at least `calibration_rows` rows) and extrapolate to all rows. Raises AdapterError."""
    told = reading(kind, rows, protocol)
    sample = _sample(rows, adapter, told, kind, calibration_rows)
    costs: dict[str, Usage] = {}
    rate = 0.0

    def keep(result: RowResult) -> None:
        nonlocal rate
        costs[result.id], rate = result.usage, result.rate

    with suppress(Stopped):
        begin(adapter, should_stop or (lambda: False))  # the check of a server must not count as pace
    started = time.perf_counter()
    summary = run(sample, adapter, protocol=protocol, kind=kind, on_row=keep, should_stop=should_stop)
    if summary.paused:
        raise AdapterError(summary.pause_reason)
    seconds = time.perf_counter() - started
    answered = [row for row in sample if row["id"] in costs]
    total, tokens = _carried_over(rows, answered, costs, told, kind)
    # concurrent rows: their times overlap, only the total counts
    if callable(getattr(adapter, "stream", None)):
        total = len(rows) / rate if rate else seconds / max(len(answered), 1) * len(rows)
    texts = sum(1 for _ in kind.groups(rows))
    cost = sum(costs[row["id"]].cost for row in answered) / max(len(answered), 1) * len(rows)
    return Estimate(len(rows), texts, total, tokens, len(answered), seconds, cost)


def duration(seconds: float) -> str:
    """Seconds as text: `75` -> `1 min 15 s`."""
    if seconds < 60:
        return f"{seconds:.1f} s" if seconds < 10 else f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    if minutes < 60:
        return f"{int(seconds // 60)} min {int(seconds % 60)} s"
    return f"{minutes // 60} h {minutes % 60} min"


def about(seconds: float) -> str:
    """Seconds as approximate text: `75` -> `about 1 min 15 s`."""
    return f"about {duration(seconds)}" if seconds >= 1 else "under a second"


def _sample(rows: Sequence[Row], adapter: Adapter, protocol: str, kind: RowKind, size: int) -> list[Row]:
    sample: list[Row] = []
    # a system that builds an artifact first may not see a question before: its sample is the first texts
    first = isinstance(kind, TwoPhaseKind) and kind.builds(rows)
    if first or callable(getattr(adapter, "build_artifact", None)):
        divided: Iterable[list[Row]] = kind.groups(rows)
    else:
        whole, prepare = {row["id"]: row for row in rows}, kind.preparation(adapter, protocol)
        seen = batches(adapter, [prepare(row) for row in rows])
        divided = ([whole[row["id"]] for row in batch] for batch in seen)
    for batch in divided:
        sample += batch
        if len(sample) >= size:
            break
    return sample


def _carried_over(
    rows: Sequence[Row], sample: Sequence[Row], costs: dict[str, Usage], protocol: str, kind: RowKind
) -> tuple[float, float]:
    if not sample:
        return 0.0, 0.0
    firsts = [group[0]["id"] for group in kind.groups(sample)]
    later = [row["id"] for row in sample if row["id"] not in set(firsts)]
    tail = _mean([costs[id].evaluated_tokens for id in later])
    heads = sum(max(costs[id].evaluated_tokens - tail, 0.0) for id in firsts)
    shown_chars = sum(kind.size(row, protocol) for row in sample if row["id"] in set(firsts))
    all_chars = sum(kind.size(group[0], protocol) for group in kind.groups(rows))
    tokens = heads * all_chars / max(shown_chars, 1) + tail * len(rows)
    spent = sum((costs[row["id"]] for row in sample), Usage())
    if not spent.evaluated_tokens or not spent.prefill_s:
        return spent.wall_s / len(sample) * len(rows), tokens
    fed = spent.evaluated_tokens - spent.generated_tokens
    per_token = spent.prefill_s / max(fed, 1)
    return tokens * per_token + spent.decode_s / len(sample) * len(rows), tokens


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else 0.0
