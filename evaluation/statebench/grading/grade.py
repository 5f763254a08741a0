"""Grades a file of responses against a file of timelines."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, cast

import numpy as np

from evaluation.adapters.thinking import without_thinking
from evaluation.core import jsonl
from evaluation.core.errors import RowError
from evaluation.core.files.version_files import AnswerForm
from evaluation.core.metric import Array
from evaluation.core.records import JsonObject, Number
from evaluation.core.row_states import RowState, given_state
from evaluation.statebench.data.contexts import as_response, holds_contexts
from evaluation.statebench.data.truth import Truth, truths
from evaluation.statebench.grading import metrics, permission
from evaluation.statebench.grading.columns import Table, chosen, columns, split
from evaluation.statebench.grading.measured import figures
from evaluation.statebench.grading.metrics import METRICS, RULES
from evaluation.statebench.grading.rubrics import DEFAULT_RUBRIC, TYPED, get_rubric
from evaluation.statebench.grading.typed.answers import ANSWER, answer_problem, own_answer
from evaluation.statebench.grading.typed.judge import TypedJudge
from evaluation.statebench.grading.verdict import CostWeighted, Verdict, cost_weighted_score
from evaluation.statebench.records import GradedQuery, Response, Timeline

Key = tuple[str, int]  # timeline, index of its query
Responses = Mapping[Key, Response]
#: Reader of lines of a predictions file.
RESPONSES = AnswerForm(
    lambda row: (row["timeline_id"], row["query_idx"]),
    lambda row: as_response(row) if holds_contexts(row) else row,
)

#: Stands in for a missing response.
NO_RESPONSE: Response = {"timeline_id": "", "query_idx": -1, "response": ""}


@dataclass(slots=True)
class StateReport:
    """Metrics of one file of responses.

    `metrics` has the overall metrics by name, `tracks` the metrics of each track; a metric that does not apply is
    None. `queries` has one verdict per query in order. `permission` and `cost_weighted` have the details of these
    metrics.
    """

    rubric: str
    metrics: dict[str, Number]
    tracks: dict[str, dict[str, Number]]
    queries: list[GradedQuery]
    permission: permission.Permission
    cost_weighted: CostWeighted
    verdicts: list[Verdict] = field(repr=False, default_factory=list)

    def as_dict(self) -> dict[str, object]:
        return {
            "rubric": self.rubric,
            "metrics": self.metrics,
            "tracks": self.tracks,
            "queries": self.queries,
            "permission": asdict(self.permission),
            "cost_weighted": asdict(self.cost_weighted),
        }


def grade_files(timelines: str | Path, responses: str | Path, *, rubric: str = DEFAULT_RUBRIC) -> StateReport:
    """Grade a file of responses; a missing response counts as empty. Raises RowError or UnknownNameError."""
    get_rubric(rubric)
    known = truths(cast(Iterable[Timeline], jsonl.read(timelines)))
    return grade(known, read_responses(responses, known, typed=rubric in TYPED), rubric=rubric)


def grade(known: Iterable[Truth], responses: Responses, *, rubric: str = DEFAULT_RUBRIC) -> StateReport:
    """Grade responses by timeline id and query index against ground truths. A missing response counts as empty."""
    verdicts = judge_all(known, responses, rubric=rubric)
    table = columns(RULES[rubric], verdicts)
    rates = figures(METRICS[rubric], table)
    permissions = permissions_of(rubric, verdicts, rates)
    return StateReport(
        rubric,
        rates | beside_rates(rubric, verdicts, table) | permissions.metrics,
        tracks={
            name: group_figures(rubric, chosen(table, rows)) for name, rows in by_track(verdicts).items()
        },
        queries=[verdict.as_row() for verdict in verdicts],
        permission=permissions,
        cost_weighted=cost_weighted_score(verdicts),
        verdicts=verdicts,
    )


def permissions_of(
    rubric: str, verdicts: Sequence[Verdict], rates: Mapping[str, Number]
) -> permission.Permission:
    if RULES[rubric].typed:
        return permission.Permission([], [], {})
    return permission.measure(verdicts, rates, admissible_only=RULES[rubric].admissible_only)


def beside_rates(rubric: str, verdicts: Sequence[Verdict], table: Table) -> dict[str, Number]:
    """Return token usage, latency, and the numerators and denominators of the headline.

    Args:
        table: Columns of the verdicts, [queries] each.
    """
    return metrics.usage(verdicts) | headline_counts(rubric, table)


def group_figures(rubric: str, table: Table) -> dict[str, Number]:
    """Return the metrics of one group of queries, such as a track.

    Args:
        table: Columns of the group's verdicts, [queries] each.
    """
    return figures(metrics.group_metrics(RULES[rubric]), table) | headline_counts(rubric, table)


def headline_counts(rubric: str, table: Table) -> dict[str, Number]:
    """Return the numerators and denominators of the rates in the headline.

    Args:
        table: Columns of verdicts, [queries] each.
    """
    return metrics.counts(RULES[rubric], chosen(table, split(table, "headline")))


def by_track(verdicts: Sequence[Verdict]) -> dict[str, Array]:
    """Return a mask of the rows of each track, [queries]. Tracks are in order of appearance.

    Args:
        verdicts: One per query.
    """
    tracks = np.array([verdict.truth.track for verdict in verdicts])
    return {name: tracks == name for name in dict.fromkeys(tracks.tolist())}


def judge_all(known: Iterable[Truth], responses: Responses, *, rubric: str) -> list[Verdict]:
    """Return one verdict per ground truth, in order. A missing response counts as empty. Raises UnknownNameError."""
    prepare = get_rubric(rubric)
    verdicts = []
    for truth in known:
        answer = responses.get(truth.key, NO_RESPONSE)
        line = NO_RESPONSE if given_state(answer) else answer
        text, judge = line.get("response") or "", prepare(truth)
        verdict = judge.line(line) if isinstance(judge, TypedJudge) else judge(text)
        used = answer.get("tokens_used")
        verdict.tokens = len(text.split()) if used is None else int(used)
        verdict.latency_ms = float(answer.get("latency_ms") or 0.0)
        verdicts.append(verdict)
    return verdicts


def read_responses(
    path: str | Path, known: Iterable[Truth], *, typed: bool = False
) -> dict[tuple[str, int], Response]:
    """Read responses by timeline id and query index. Raises RowError for a malformed, unknown or repeated line."""
    numbered = (
        (number, jsonl.parse(line, path=str(path), number=number)) for number, line in jsonl.lines(path)
    )
    return _by_query(numbered, known, str(path), typed=typed)


def responses_by_query(
    lines: Iterable[JsonObject], known: Iterable[Truth], *, typed: bool = False
) -> dict[tuple[str, int], Response]:
    """Do the same as `read_responses` for lines in memory."""
    return _by_query(enumerate(lines, 1), known, "", typed=typed)


def _by_query(
    numbered: Iterable[tuple[int, Any]], known: Iterable[Truth], path: str, *, typed: bool
) -> dict[tuple[str, int], Response]:
    keys = {truth.key for truth in known}
    responses: dict[tuple[str, int], Response] = {}
    for number, row in numbered:
        if problem := response_problem(row, typed=typed):
            raise RowError(problem, path=path, line=number)
        key = (row["timeline_id"], row["query_idx"])
        if key not in keys:
            raise RowError(f"there is no query {key[1]} in timeline {key[0]!r}", path=path, line=number)
        if key in responses:
            raise RowError(f"query {key[1]} of {key[0]!r} is answered twice", path=path, line=number)
        responses[key] = row
    return responses


def row_state(row: JsonObject, *, bare: bool = True) -> RowState:
    """Return the state of a well-formed response row. With `bare`, a response with only thinking counts as empty."""
    if state := given_state(row):
        return state
    if row.get(ANSWER) is not None and own_answer(row):
        return RowState.ANSWERED
    response = without_thinking(row["response"]) if bare else row["response"].strip()
    return RowState.ANSWERED if response else RowState.EMPTY


def response_problem(row: Any, *, typed: bool = False) -> str | None:
    """Return an error message for a malformed response row, else None. If `typed`, `answer` may replace `response`."""
    if not isinstance(row, dict):
        return f"a response must be a JSON object, not {type(row).__name__}"
    answered = typed and row.get(ANSWER) is not None
    for name, kind in (("timeline_id", str), ("query_idx", int), ("response", str)):
        if name not in row:
            if name == "response" and answered:
                continue
            if name == "response" and typed:
                return "the line needs an 'answer' or a 'response'"
            return f"the field {name!r} is missing"
        if not isinstance(row[name], kind) or isinstance(row[name], bool):
            return f"the field {name!r} must be {'a whole number' if kind is int else 'text'}"
    for name in ("tokens_used", "latency_ms"):
        value = row.get(name)
        if value is not None and (
            not isinstance(value, (int, float)) or isinstance(value, bool) or value < 0
        ):
            return f"the field {name!r} must be a number ≥ 0"
    return answer_problem(row[ANSWER]) if answered else None
