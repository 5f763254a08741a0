"""The figures of a score as a version that keeps its answers shows them: rounded, and few before an entry is declared.

Rounded figures stand in the columns that every page, file and answer of the API reads; the exact ones stand beside
them, for ranks, ties, gates and the mean of repeats. A version that retires shows the exact ones from then on.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from typing import Any

from django.utils import timezone

from evaluation.core.sealing.rounding import rounded_interval, rounded_number
from leaderboard.benchmarks.models import Version
from leaderboard.benchmarks.sealing import learning
from leaderboard.benchmarks.sealing.signals import retired
from leaderboard.submissions import signals
from leaderboard.submissions.models import Score, Submission
from leaderboard.submissions.scores import trials

#: The columns of a score that hold figures which depend on the answers.
FIGURES = ("headline", "metrics", "intervals", "groups", "spread", "failures", "run_sds")
#: Scores that are written at a time.
BATCH = 100
Fields = dict[str, Any]


def shown_fields(submission: Submission, fields: Fields) -> Fields:
    """The columns of a score as they are written: rounded where its version keeps its answers.

    Args:
        submission: That the score is of.
        fields: Column -> value, exact.

    Returns:
        The columns, with `exact`, `exact_headline`, `by_split` and `gates`.
    """
    version = submission.version
    step = version.shown_step
    if not step:
        return fields | {"exact": {}, "exact_headline": None, "by_split": True, "gates": []}
    exact = {name: fields[name] for name in FIGURES if name in fields}
    if fields.get("asked") is not None:
        kept = {"exact": exact, "exact_headline": fields["headline"], "by_split": False, "gates": []}
        return fields | kept | trials.sealed_figures(version, exact, fields["unit_scores"])
    by_split = shows_all(submission)
    gates = version.suite.gates(fields["metrics"], fields["intervals"])
    shown = _rounded(exact, step, version.row_count) if by_split else _headline_only(version, exact)
    kept = {"exact": exact, "exact_headline": fields["headline"], "by_split": by_split}
    return fields | shown | kept | {"gates": [gate.state for gate in gates] if by_split else []}


def shows_all(submission: Submission) -> bool:
    """Whether a submission to a version that keeps its answers shows all figures: a declared entry, or a run's."""
    return submission.declared or submission.is_mean or submission.source == Submission.Source.RUN


def _rounded(exact: Mapping[str, Any], step: float, rows: int) -> Fields:
    """All columns with each figure on the grid."""
    of_score = _figures({"metrics": exact["metrics"], "intervals": exact["intervals"]}, step, rows)
    groups = {
        grouping: {name: dict(group) | _figures(group, step, rows) for name, group in members.items()}
        for grouping, members in exact["groups"].items()
    }
    counts = {code: rounded_number(count, step, rows) for code, count in exact["failures"].items()}
    return of_score | {
        "headline": _number(exact["headline"], step, rows),
        "groups": groups,
        "spread": [(name, _number(value, step, rows)) for name, value in exact.get("spread", [])],
        "failures": {code: count for code, count in counts.items() if count},
        "run_sds": {name: _number(value, step, rows) for name, value in exact.get("run_sds", {}).items()},
    }


def _figures(figures: Mapping[str, Any], step: float, rows: int) -> Fields:
    ends = (figures.get("intervals") or {}).items()
    return {
        "metrics": {name: _number(value, step, rows) for name, value in figures["metrics"].items()},
        "intervals": {name: _ends(each, step) for name, each in ends},
    }


def _ends(ends: Sequence[float] | None, step: float) -> tuple[float, float] | None:
    return rounded_interval(ends[0], ends[1], step) if ends else None


def _number(value: Any, step: float, rows: int) -> Any:
    """A figure on the grid; what is no number stays as it is."""
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return rounded_number(value, step, rows) if is_number else value


def _headline_only(version: Version, exact: Mapping[str, Any]) -> Fields:
    """The headline, rounded, with the interval that a version of this size has; nothing else tells of the answers."""
    step, name = version.shown_step, version.headline.name
    value = _number(exact["headline"], step, version.row_count)
    arm = learning.expected_power(version).plus_minus
    ends = None if value is None else rounded_interval(max(0.0, value - arm), min(1.0, value + arm), step)
    sds = exact.get("run_sds", {})
    return {
        "headline": value,
        "metrics": {name: value},
        "intervals": {name: ends},
        "groups": {},
        "spread": [],
        "failures": {},
        "run_sds": {name: _number(sds[name], step, version.row_count)} if name in sds else {},
    }


def unrounded(score: Score) -> Score:
    """The score with its exact figures, which no reader sees: for the mean of repeats."""
    exact = copy.copy(score)
    for name, value in score.exact.items():
        setattr(exact, name, value)
    return exact


def show_exact(version_id: int) -> None:
    """Show the exact figures of every score of a version whose answers are kept no longer.

    Args:
        version_id: Its primary key.
    """
    rounded = Score.objects.filter(submission__version=version_id).exclude(exact={})
    columns = ("pk", "exact", *FIGURES)
    batch: list[Score] = []
    for score in rounded.only(*columns).iterator(BATCH):
        score = unrounded(score)
        score.exact, score.exact_headline, score.by_split, score.gates = {}, None, True, []
        score.graded_at = timezone.now()  # so that stored places are computed anew
        batch.append(score)
    fields = [*FIGURES, "exact", "exact_headline", "by_split", "gates", "graded_at"]
    Score.objects.bulk_update(batch, fields, batch_size=BATCH)
    if batch:
        signals.landed.send(Submission, version_id=version_id)


def _on_retired(sender: Any, *, version_id: int, **_: Any) -> None:
    show_exact(version_id)


def connect() -> None:
    """Show exact figures as soon as a version retires."""
    retired.connect(_on_retired, dispatch_uid="figures of a retired version are exact")
