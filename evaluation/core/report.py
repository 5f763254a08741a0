"""What a grader returns, for every suite."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from evaluation.core.statistics import FloatArray, UnitSums

Number = float | int | None


@dataclass(slots=True)
class Report:
    """Figures and verdicts of one predictions file.

    `metrics`    name -> number, None where it does not apply (never 0 for "not applicable").
    `intervals`  name -> (low, high), the 95% bootstrap interval over units; None where not applicable.
    `groups`     grouping -> group -> {"metrics": …, "intervals": …}; e.g. groups["state_mode"]["kv"].
    `rows`       one verdict (JSON-able dict) per benchmark row, in data order. Always has
                 `id`, `unit` (what the bootstrap resamples), `correct` (the headline, 0/1/None),
                 `failure` (a short code, or None) and `reason` (a sentence, or None); `in_headline` is False where the
                 headline leaves a row out, whatever part of the version it is over, and else missing.
    `units`      unit -> (sum, rows) of the headline metric, in data order: what paired tests between systems use.
    `cells`      the same apart for every part of the rows: (a part of each facet, in the suite's order) -> units. Cells
                 add up, so that a board can be ranked by any part. One that the file leaves out is missing.
    `robustness` the same for what decides where the headline cannot (`Suite.tie_breaker`); empty where there is none.
    `unit_names` all units, in data order.
    `sums`       metric -> its sums by unit, over `unit_names`, for paired tests; of those that apply.
    `row_figures` metric -> the figure of each row [rows], in the order of `rows`; NaN where a row is not counted.
    `settings`   the grader's settings (rubric, revision, options), so that a result can be repeated.
    """

    metrics: dict[str, Number]
    intervals: dict[str, tuple[float, float] | None] = field(default_factory=dict)
    groups: dict[str, dict[str, dict[str, Any]]] = field(default_factory=dict)
    rows: Sequence[dict[str, Any]] = field(default_factory=list)
    units: dict[str, tuple[float, int]] = field(default_factory=dict)
    cells: dict[tuple[str, ...], dict[str, tuple[float, int]]] = field(default_factory=dict)
    robustness: dict[str, tuple[float, int]] = field(default_factory=dict)
    settings: Mapping[str, Any] = field(default_factory=dict)
    unit_names: Sequence[str] = field(default_factory=list)
    sums: Mapping[str, UnitSums] = field(default_factory=dict, compare=False)
    row_figures: Mapping[str, FloatArray] = field(default_factory=dict, compare=False, repr=False)

    def as_dict(self, *, rows: bool = True) -> dict[str, Any]:
        """The report as JSON-able data, as `--results-json` writes it."""
        data: dict[str, Any] = {
            "settings": dict(self.settings),
            "metrics": self.metrics,
            "intervals": self.intervals,
            "groups": self.groups,
        }
        return data | {"rows": list(self.rows)} if rows else data
