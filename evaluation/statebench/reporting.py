"""Reports on predictions: metrics under the version's rubric and rubric 1.0, also by group, unit and row."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from typing import cast

import numpy as np

from evaluation.core.files.version_files import open_version_files
from evaluation.core.metric import RowFigures
from evaluation.core.records import Figures, GradingRecord, Prediction
from evaluation.core.report import Report
from evaluation.core.row_states import REASONS, given_state
from evaluation.core.statistics import UnitSums
from evaluation.statebench.data.truth import Truth, read_record
from evaluation.statebench.grading import grade, metrics
from evaluation.statebench.grading.columns import Table, chosen, columns
from evaluation.statebench.grading.measured import Templates, cell_units, headline_units, measure_with_sums
from evaluation.statebench.grading.metrics import RULES
from evaluation.statebench.grading.verdict import Verdict, cost_weighted_score
from evaluation.statebench.records import QueryVerdict, Response, row_id

Cells = dict[tuple[str, ...], dict[str, tuple[float, int]]]
#: Fields of `Truth`; only scenes have a length and a span.
GROUPINGS = ("track", "difficulty", "domain", "length", "span")
RELEASED = "1.0"
UNREPORTED: dict[str, None] = dict.fromkeys(("decision_accuracy", "must_mention_rate"))
#: The field of verdicts on tracks outside the headline.
OF_KEEPING = "false_supersession"
#: Field of a verdict -> the metric whose value for the row it has.
ROW_FIELDS = {
    "sfrr": "sfrr",
    "leakage": "leakage_rate",
    "fabrication": "fabrication_rate",
    OF_KEEPING: "false_supersession_rate",
}
SHOWN_RESPONSE = 1_000  # characters of the response in a verdict


def report_on(
    records: Iterable[GradingRecord], predictions: Iterable[Prediction], rubric: str, *, grader: str
) -> Report:
    """Grade under a rubric and under rubric 1.0. If no headline row is answered, the report has no headline."""
    files = open_version_files(records, predictions, form=grade.RESPONSES)
    asked = list(files.graded(lambda record: ((truth.key, truth) for truth in read_record(record))))
    known: list[Truth] = [truth for truth, _ in asked]
    answers: dict[grade.Key, Response] = {truth.key: answer for truth, answer in asked if answer is not None}
    verdicts = grade.judge_all(known, answers, rubric=rubric)
    table, units = columns(RULES[rubric], verdicts), _Units(verdicts)
    figures, sums = measure_with_sums(metrics.site_metrics(rubric), table, units.templates)
    permissions = grade.permissions_of(rubric, verdicts, figures["metrics"])
    more = grade.beside_rates(rubric, verdicts, table) | permissions.metrics
    beside = metrics.beside(rubric)
    released = columns(RULES[RELEASED], grade.judge_all(known, answers, rubric=RELEASED)) if beside else {}
    of_released, released_sums = measure_with_sums(beside, released, units.templates)
    figures_by_row = RowFigures((metrics.site_metrics(rubric), table), (beside, released))
    groupings = tuple(name for name in GROUPINGS if known and getattr(known[0], name))
    group_rows: dict[str, dict[str, dict[str, float]]] = {name: {} for name in groupings}
    report = Report(
        metrics=figures["metrics"] | more | of_released["metrics"],
        intervals=figures["intervals"] | of_released["intervals"],
        groups={
            name: _groups(rubric, verdicts, table, answers, units, name, group_rows[name])
            for name in groupings
        },
        group_rows=group_rows,
        rows=_rows(verdicts, answers, rubric, figures_by_row),
        units=headline_units(rubric, verdicts),
        robustness=units.sums_of(sums.get(metrics.SPARED.name)),
        cells=_answered_cells(verdicts, answers),
        settings={"rubric": rubric, "grader": grader, "cost_weighted": asdict(cost_weighted_score(verdicts))},
        unit_names=units.names,
        sums=sums | released_sums,
        row_figures=figures_by_row,
    )
    return _unreported(report) if _leaves_out(rubric, verdicts, answers) else report


class _Units:
    def __init__(self, verdicts: Sequence[Verdict]) -> None:
        ids = [verdict.truth.unit for verdict in verdicts]
        self.names = list(dict.fromkeys(ids))
        numbers = {name: number for number, name in enumerate(self.names)}
        codes = np.array([numbers[name] for name in ids], dtype=np.int64)
        _, tracks = np.unique([verdict.truth.track for verdict in verdicts], return_inverse=True)
        self.templates = Templates(codes, np.zeros(len(self.names), dtype=np.int64))
        self.templates.tracks[codes] = tracks

    def among(self, rows: Sequence[int]) -> Templates:
        return Templates(self.templates.codes[rows], self.templates.tracks)

    def sums_of(self, sums: UnitSums | None) -> dict[str, tuple[float, int]]:
        """Map each template to a rate's sum of values and number of queries counted; (0, 0) if there are none."""
        if sums is None:
            return dict.fromkeys(self.names, (0.0, 0))
        pairs = sums.sums[:, 0].tolist()
        return {name: (value, int(weight)) for name, (value, weight) in zip(self.names, pairs, strict=True)}


def _unreported(report: Report) -> Report:
    unreported = {name: None for name in (*UNREPORTED, metrics.SPARED.name) if name in report.metrics}
    report.metrics |= unreported
    report.intervals |= unreported
    report.units, report.robustness = {}, {}
    report.sums = {name: sums for name, sums in report.sums.items() if name not in unreported}
    return report


def _leaves_out(rubric: str, verdicts: Sequence[Verdict], answers: grade.Responses) -> bool:
    """True if no query of the headline is answered. The headline is then missing rather than zero."""
    counted = [verdict for verdict in verdicts if metrics.in_headline(verdict.truth.track, rubric)]
    return bool(counted) and not any(_is_in(verdict, answers) for verdict in counted)


def _is_in(verdict: Verdict, answers: grade.Responses) -> bool:
    return verdict.truth.key in answers


def _answered_cells(verdicts: Sequence[Verdict], answers: grade.Responses) -> Cells:
    having = {verdict.truth.parts for verdict in verdicts if _is_in(verdict, answers)}
    return {cell: units for cell, units in cell_units(verdicts).items() if cell in having}


def _groups(
    rubric: str,
    verdicts: Sequence[Verdict],
    table: Table,
    answers: grade.Responses,
    units: _Units,
    name: str,
    rows_of: dict[str, dict[str, float]],
) -> dict[str, Figures]:
    """Compute metrics per value of the ground-truth field `name`. Adds their numbers of queries to `rows_of`."""
    places: dict[str, list[int]] = {}
    for place, verdict in enumerate(verdicts):
        places.setdefault(getattr(verdict.truth, name), []).append(place)
    groups = {}
    for label, rows in places.items():
        members = [verdicts[place] for place in rows]
        if any(_is_in(verdict, answers) for verdict in members):
            silent = UNREPORTED if _leaves_out(rubric, members, answers) else {}
            groups[label], rows_of[label] = _group(
                rubric, chosen(table, np.array(rows)), units.among(rows), silent
            )
    return groups


def _group(
    rubric: str, table: Table, units: Templates, silent: dict[str, None]
) -> tuple[Figures, dict[str, float]]:
    figures, sums = measure_with_sums(metrics.group_metrics(RULES[rubric]), table, units)
    counts = grade.headline_counts(rubric, table)
    rows = {name: of_metric.least_weight for name, of_metric in sums.items()}
    silent = {name: None for name in silent if name in figures["metrics"]}
    return Figures(
        metrics={**figures["metrics"], **counts, **silent}, intervals={**figures["intervals"], **silent}
    ), rows


def _rows(
    verdicts: Sequence[Verdict], answers: grade.Responses, rubric: str, figures: RowFigures
) -> list[QueryVerdict]:
    """Verdicts as JSON data with `ROW_FIELDS`. A field is None if its metric does not count the row."""
    nothing = np.full(len(verdicts), np.nan)
    columns = [figures.get(name, nothing) for name in ROW_FIELDS.values()]
    rows = []
    for verdict, values in zip(
        verdicts, zip(*(column.tolist() for column in columns), strict=True), strict=True
    ):
        fields = {n: None if math.isnan(v) else int(v) for n, v in zip(ROW_FIELDS, values, strict=True)}
        rows.append(_row(verdict, answers, rubric, fields))
    return rows


def _row(
    verdict: Verdict, answers: grade.Responses, rubric: str, fields: dict[str, int | None]
) -> QueryVerdict:
    truth = verdict.truth
    answer = answers.get(truth.key)
    shown = verdict.as_row()
    identity: dict[str, object] = {
        "id": row_id(truth.timeline_id, truth.index),
        "unit": truth.timeline_id,
        "correct": int(verdict.correct),
        "condition": truth.track,
    }
    identity |= fields
    if metrics.in_headline(truth.track, rubric):
        del identity[OF_KEEPING]
    else:
        identity["in_headline"] = False
    identity["response"] = _shown(verdict, answer)[:SHOWN_RESPONSE] if answer else None
    labels = {"difficulty": truth.difficulty, "domain": truth.domain}
    if truth.span:
        labels |= {"length": truth.length, "span": truth.span}
    failure = {} if verdict.answered else _no_response(answer or {})
    return cast(QueryVerdict, {**identity, **shown, **labels, **failure})


def _shown(verdict: Verdict, answer: Response) -> str:
    return verdict.response if verdict.typed and not given_state(answer) else answer.get("response", "")


def _no_response(answer: Mapping[str, object]) -> dict[str, str]:
    if state := given_state(answer):
        return {"failure": state.value, "reason": REASONS[state]}
    return {"failure": "no_response", "reason": "there is no response"}
