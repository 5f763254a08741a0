"""Check that a system gives the same answers twice."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

from evaluation.adapters.base import Adapter
from evaluation.adapters.kinds import RowKind
from evaluation.adapters.runner import RowResult, run
from evaluation.core.errors import AdapterError
from evaluation.core.records import Prediction, Row

TIMED = "latency_ms"  # differs from run to run


@dataclass(frozen=True, slots=True)
class Difference:
    id: str
    first: Prediction
    second: Prediction


def check_determinism(
    rows: Sequence[Row], adapter: Adapter, *, protocol: str | None, kind: RowKind
) -> list[Difference]:
    """Answer the rows twice and return the predictions that differ in more than latency. Raises AdapterError."""
    first, second = (_predictions(rows, adapter, protocol, kind) for _ in range(2))
    return [Difference(id, first[id], second[id]) for id in first if first[id] != second[id]]


def untimed(prediction: Prediction) -> Prediction:
    """The prediction without its field `latency_ms`."""
    return cast(Prediction, {name: value for name, value in prediction.items() if name != TIMED})


def _predictions(
    rows: Sequence[Row], adapter: Adapter, protocol: str | None, kind: RowKind
) -> dict[str, Prediction]:
    seen: dict[str, Prediction] = {}

    def keep(result: RowResult) -> None:
        seen[result.id] = untimed(result.prediction)

    summary = run(rows, adapter, protocol=protocol, kind=kind, on_row=keep)
    if summary.paused:
        raise AdapterError(summary.pause_reason)
    return seen
