"""Whether a system answers the same rows the same twice."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

from evaluation.adapters.base import Adapter
from evaluation.adapters.kinds import RowKind
from evaluation.adapters.runner import RowResult, run
from evaluation.core.errors import AdapterError
from evaluation.core.records import Prediction, Row

TIMED = "latency_ms"  # the field of a prediction that differs from run to run


@dataclass(frozen=True, slots=True)
class Difference:
    """A row that was answered differently the second time."""

    id: str
    first: Prediction
    second: Prediction


def check_determinism(
    rows: Sequence[Row], adapter: Adapter, *, protocol: str | None, kind: RowKind
) -> list[Difference]:
    """Run the rows twice and compare the predictions, but for the time they took.

    Args:
        rows: The questions.
        adapter: The system under test.
        protocol: What of a row may be read.
        kind: How the rows are asked and answered.

    Returns:
        The rows whose predictions differ.

    Raises:
        AdapterError: The system breaks its contract or fails.
    """
    first, second = (_predictions(rows, adapter, protocol, kind) for _ in range(2))
    return [Difference(id, first[id], second[id]) for id in first if first[id] != second[id]]


def _predictions(
    rows: Sequence[Row], adapter: Adapter, protocol: str | None, kind: RowKind
) -> dict[str, Prediction]:
    seen: dict[str, Prediction] = {}

    def keep(result: RowResult) -> None:
        untimed = {name: value for name, value in result.prediction.items() if name != TIMED}
        seen[result.id] = cast(Prediction, untimed)

    summary = run(rows, adapter, protocol=protocol, kind=kind, on_row=keep)
    if summary.paused:
        raise AdapterError(summary.pause_reason)
    return seen
