"""Grade a file of responses against a file of timelines."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from evaluation.core import jsonl
from evaluation.core.errors import RowError
from evaluation.core.report import Number
from evaluation.core.row_states import RowState, given_state
from evaluation.statebench.grading import metrics, noticed, permission, severity
from evaluation.statebench.grading.rubrics import get_rubric
from evaluation.statebench.grading.truth import Truth, truths
from evaluation.statebench.grading.verdict import Verdict

DEFAULT_RUBRIC = "strict"
Responses = Mapping[tuple[str, int], Mapping[str, Any]]


@dataclass(slots=True)
class StateReport:
    """Figures of one file of responses.

    `metrics` overall and `tracks` per track: name -> number, None where it does not apply. `queries`: one
    verdict per query in the order of the timelines. `permission` and `cost_weighted`: details behind their
    figures.
    """

    rubric: str
    metrics: dict[str, Number]
    tracks: dict[str, dict[str, Number]]
    queries: list[dict[str, Any]]
    permission: permission.Permission
    cost_weighted: severity.CostWeighted
    verdicts: list[Verdict] = field(repr=False, default_factory=list)

    def as_dict(self) -> dict[str, Any]:
        """The report as JSON-able data."""
        return {
            "rubric": self.rubric,
            "metrics": self.metrics,
            "tracks": self.tracks,
            "queries": self.queries,
            "permission": asdict(self.permission),
            "cost_weighted": asdict(self.cost_weighted),
        }


def grade_files(timelines: str | Path, responses: str | Path, *, rubric: str = DEFAULT_RUBRIC) -> StateReport:
    """Grade responses. A query without one counts as answered with nothing.

    Raises RowError for a response that names no query, or a query that is already answered.
    """
    get_rubric(rubric)
    known = truths(jsonl.read(timelines))
    return grade(known, read_responses(responses, known), rubric=rubric)


def grade(known: Iterable[Truth], responses: Responses, *, rubric: str = DEFAULT_RUBRIC) -> StateReport:
    """Grade responses, keyed by (timeline id, query index), against ground truths."""
    verdicts = judge_all(known, responses, rubric=rubric)
    permissions = permission.measure(verdicts, admissible_only=rubric == "2.0")
    costs = severity.measure(verdicts)
    tracks = {name: track_metrics(rubric, found) for name, found in metrics.by_track(verdicts).items()}
    overall = metrics.RATES[rubric](verdicts) | permissions.metrics | {"cost_weighted_score": costs.score}
    overall |= {detection_name(rubric): detection(rubric, verdicts)} | metrics.tokens(verdicts)
    rows = [verdict.as_row() for verdict in verdicts]
    return StateReport(rubric, overall, tracks, rows, permissions, costs, verdicts)


def judge_all(known: Iterable[Truth], responses: Responses, *, rubric: str) -> list[Verdict]:
    """One verdict per truth, in order."""
    prepare = get_rubric(rubric)
    verdicts = []
    for truth in known:
        answer = responses.get((truth.timeline_id, truth.index), {})
        text = "" if given_state(answer) else answer.get("response") or ""
        verdict = prepare(truth)(text)
        used = answer.get("tokens_used")
        verdict.tokens = len(text.split()) if used is None else int(used)
        verdict.latency_ms = float(answer.get("latency_ms") or 0.0)
        verdicts.append(verdict)
    return verdicts


def track_metrics(rubric: str, verdicts: list[Verdict]) -> dict[str, Number]:
    """The figures of one track, or of any group. What is left out costs no tokens, so ours are over what is there."""
    used = sum(verdict.tokens for verdict in verdicts)
    rows = len(metrics.answered(verdicts) if rubric == "strict" else verdicts)
    return metrics.track_rates(rubric, verdicts) | {"avg_tokens": metrics.ratio(used, rows)}


def detection_name(rubric: str) -> str:
    """What the figure on noticed supersessions is called: ours is a rate, the released one a mean F1."""
    return "detection_rate" if rubric == "strict" else "detection_f1"


def detection(rubric: str, verdicts: list[Verdict]) -> float | None:
    """Whether supersessions were noticed, by the rubric's own measure."""
    return noticed.strict_rate(verdicts) if rubric == "strict" else noticed.released_f1(verdicts)


def read_responses(path: str | Path, known: Iterable[Truth]) -> dict[tuple[str, int], dict[str, Any]]:
    """The responses of a file by (timeline id, query index). Raises RowError naming the line."""
    keys = {(truth.timeline_id, truth.index) for truth in known}
    found: dict[tuple[str, int], dict[str, Any]] = {}
    for number, line in jsonl.lines(path):
        row = jsonl.parse(line, path=str(path), number=number)
        if problem := response_problem(row):
            raise RowError(problem, path=str(path), line=number)
        key = (row["timeline_id"], row["query_idx"])
        if key not in keys:
            raise RowError(
                f"there is no query {key[1]} in a timeline {key[0]!r}", path=str(path), line=number
            )
        if key in found:
            raise RowError(f"query {key[1]} of {key[0]!r} is answered twice", path=str(path), line=number)
        found[key] = row
    return found


def row_state(row: Mapping[str, Any]) -> RowState:
    """What became of the query that a usable response row stands for."""
    silent = RowState.ANSWERED if row["response"].strip() else RowState.EMPTY
    return given_state(row) or silent


def response_problem(row: Any) -> str | None:
    """What is wrong with the form of a response row, None where it is usable."""
    if not isinstance(row, dict):
        return f"a response must be a JSON object, not {type(row).__name__}"
    for name, kind in (("timeline_id", str), ("query_idx", int), ("response", str)):
        if name not in row:
            return f"the field {name!r} is missing"
        if not isinstance(row[name], kind) or isinstance(row[name], bool):
            return f"the field {name!r} must be {'a whole number' if kind is int else 'text'}"
    for name in ("tokens_used", "latency_ms"):
        value = row.get(name)
        if value is not None and (
            not isinstance(value, (int, float)) or isinstance(value, bool) or value < 0
        ):
            return f"the field {name!r} must be a number, zero or more"
    return None
