"""Builds the record of a run (one combination of a sweep's settings) for `results.json`, in the reference's names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from evaluation.core.errors import RowError
from evaluation.core.files.version_files import open_version_files
from evaluation.core.report import Report
from evaluation.goldevidence.data.case import case_of
from evaluation.goldevidence.data.rubrics import Options
from evaluation.goldevidence.experiments import recency
from evaluation.goldevidence.experiments.sweep.answering import Answers, as_predictions
from evaluation.goldevidence.experiments.sweep.grid import Cell, Grid, View
from evaluation.goldevidence.experiments.sweep_folder import METRICS, SCHEMA_VERSION, Run
from evaluation.goldevidence.experiments.traces import Trace, choice_of, condition_trace, own_trace
from evaluation.goldevidence.grading.grade import grade_rows
from evaluation.goldevidence.records import EpisodeRow

PROTOCOLS = {"closed": "closed_book", "open": "open_book", "build": "build"}  # the reference's names
#: Settings of the adapter `retrieval` that a condition replaces.
OF_RETRIEVAL = (
    "retriever",
    "k",
    "wrong_type",
    "ties",
    "order",
    "drop_prob",
    "order_seed",
    "drop_seed",
    "include_clear",
)
#: Metrics whose sums by episode a run stores, so that metrics over several runs have an interval.
SUMMED = {
    **{name: ours for name, ours in METRICS.items() if name != "instruction_gap"},
    "gold_picked_rate": "gold_picked_rate",
    "selection_rate": "selection_rate",
    "accuracy_when_gold_present": "accuracy_when_gold_present",
    "gold_present_rate": "gold_present_rate",
    "selected_note_rate": "selected_note_rate",
    "wrong_update_rate": "wrong_update_rate",
}


class Graded(NamedTuple):
    report: Report
    artifacts: list[Mapping[str, object]]  # statistics of the artifacts that the system built
    recency: recency.Counts


def graded(
    rows: Sequence[EpisodeRow], lines: Sequence[Mapping[str, object]], rubric: str, *, citations: bool
) -> Graded:
    """Grade the answers to rows. `citations` says whether the rows ask for citations. Raises RowError."""
    most = rows[0]["meta"].get("max_support_k", 3) if rows else 3
    options = Options(rubric, max_support_k=most)
    files = open_version_files(rows, lines, form=options.rules.answer_form, source="data.jsonl")
    cases = list(map(case_of, rows))
    report, artifacts = grade_rows(files, options, known=cases, rows=[])
    given = (files.answer_to(case.id) for case in cases)
    counts = recency.counted(zip(rows, cases, given, strict=True), citations=citations)
    return Graded(report, artifacts, counts)


def run_of(
    grid: Grid,
    cell: Cell,
    place: str,
    rows: Sequence[EpisodeRow],
    answers: Answers,
    env: Mapping[str, str | None],
) -> Run:
    """Build the run of a cell in the folder `place`. Raises RowError naming the folder if an answer is unusable."""
    predictions = as_predictions(answers.lines)
    try:
        done = graded(rows, answers.lines, cell.rubric, citations=cell.config.require_citations)
    except RowError as error:
        raise RowError(error.reason, path=f"{place}/{error.path}", line=error.line) from error
    metrics = {name: done.report.metrics.get(ours) for name, ours in METRICS.items()}
    return {
        "adapter_schema_version": SCHEMA_VERSION,
        "baseline": cell.contestant.name,
        "protocol": PROTOCOLS[cell.protocol],
        "seed": cell.seed,
        "steps": cell.config.steps,
        "state_mode": cell.config.state_mode,
        "distractor_profile": cell.config.distractor_profile,
        "data": {"path": f"{place}/data.jsonl", "n": len(rows)},
        "config": _config(grid, cell),
        "env": dict(env),
        "metrics": metrics,
        # The reference's adapters overwrite what a model cites; ours hand over its answers, so both are the same.
        "metrics_raw": None if cell.contestant.is_rule else metrics,
        "efficiency": answers.efficiency,
        "artifact_stats": done.artifacts,
        "retrieval_stats": [each for row in rows if (each := _trace(cell, row, predictions.get(row["id"])))],
        "recency": done.recency,
        "row_states": answers.states,
        "sums": _sums(done.report, cell.seed),
        "provenance": cell.contestant.told(_as_shown(answers.provenance, cell.view)),
        "identity": cell.identity(),
    }


def _as_shown(told: Mapping[str, object], view: View) -> dict[str, object]:
    """Return the adapter's provenance with the retrieval settings in effect. Those of a condition take precedence."""
    settings = told.get("settings")
    if view.condition is None or not isinstance(settings, Mapping):
        return dict(told)
    of_grid = {name: getattr(view.condition, name) for name in OF_RETRIEVAL if name in settings}
    if view.authority_filter:
        of_grid["authority_filter"] = True
    return {**told, "settings": {**settings, **of_grid}}


def _config(grid: Grid, cell: Cell) -> dict[str, object]:
    """Return the settings of the sweep and of the cell in one dictionary."""
    config, view = cell.config, cell.view
    return {
        "seeds": grid.seeds,
        "steps_list": _listed(grid.steps),
        "state_modes": ",".join(grid.state_modes),
        "distractor_profiles": ",".join(grid.distractor_profiles),
        "max_book_tokens": view.max_book_tokens,
        "max_book_tokens_list": _listed(grid.max_book_tokens),
        "no_derived_queries": config.derived_query_rate == 0,
        "no_require_citations": not config.require_citations,
        "condition": view.condition.name if view.condition else None,
        "authority_filter": view.authority_filter if view.condition else None,
        "rubric": cell.rubric,
        **config.as_json(),
    }


def _listed(values: Sequence[Any]) -> str | None:
    return ",".join(map(str, values)) if len(values) > 1 else None


def _trace(cell: Cell, row: EpisodeRow, prediction: Any) -> Trace | None:
    settings, condition = cell.contestant.settings, cell.view.condition
    if prediction is None:
        return None
    made = condition_trace(row, prediction, condition) if condition else own_trace(row, prediction, settings)
    if made is None:
        return None
    made |= {"rerank_mode": settings.get("selector"), "authority_filter": cell.view.authority_filter or None}
    return made | {"choice": [int(part) for part in choice_of(row, prediction, made)]}


def _sums(report: Report, seed: int) -> dict[str, list[tuple[str, float, float]]]:
    """Map each metric to (episode, sum of the metric, number of rows) per episode, so that runs can be pooled."""
    sums: dict[str, list[tuple[str, float, float]]] = {}
    for name, ours in SUMMED.items():
        if (known := report.sums.get(ours)) is not None and len(known.parts) == 1:
            pairs = zip(report.unit_names, known.sums[:, 0].tolist(), strict=True)
            sums[name] = [(f"{seed}:{unit}", total, rows) for unit, (total, rows) in pairs if rows]
    return sums
