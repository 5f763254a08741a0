"""Rounds the metrics of a score for a sealed version, so that they do not reveal answers.

Uploads that are not entries show only the headline (`shows_all`).
The columns of `Score` have rounded values, for pages, files and the API. `Score.exact` has exact values, for ranks,
ties, requirements and averages of repeats. When a version is retired, it shows the exact values.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping
from typing import Any, cast

from django.apps import AppConfig
from django.apps.registry import Apps
from django.db import DEFAULT_DB_ALIAS
from django.db.models import Model
from django.db.models.signals import post_migrate
from django.utils import timezone

from evaluation.core.records import Figures, Number
from evaluation.core.sealing.rounding import rounded_interval, rounded_number
from leaderboard.benchmarks.models import Version
from leaderboard.benchmarks.sealing import learning, shown
from leaderboard.benchmarks.sealing.signals import retired
from leaderboard.submissions import signals
from leaderboard.submissions.models import Score, Submission
from leaderboard.submissions.models.score import ScoreColumns
from leaderboard.submissions.scores import score_sums, trials
from leaderboard.submissions.scores.score_tables import Groups

#: Columns of a score that depend on the answers.
FIGURES = ("headline", "metrics", "intervals", "groups", "spread", "measures", "failures", "run_sds")
#: Key of `Score.exact` that is no column: grouping -> group -> metric -> number of rows.
GROUP_ROWS = "group_rows"
#: Version of the rounding rule. Increase it if values may change: `migrate` then rounds all scores of earlier
#: rules again.
RULE = 2
#: Scores per write.
BATCH = 100
Rows = Mapping[str, float]


def shown_fields(submission: Submission, fields: ScoreColumns) -> dict[str, object]:
    """Return the columns of a score to write, including `exact` and `gates`. Rounded if the version is sealed."""
    version = submission.version
    columns = {name: value for name, value in fields.items() if name != GROUP_ROWS}
    if not version.shown_step:
        return columns | {
            "exact": {},
            "exact_headline": None,
            "by_split": True,
            "gates": [],
            "rounding": RULE,
        }
    known = dict(fields)
    exact = cast(ScoreColumns, {name: known[name] for name in (*FIGURES, GROUP_ROWS) if name in known})
    if fields.get("asked") is not None:
        kept: dict[str, object] = {
            "exact": exact,
            "exact_headline": fields["headline"],
            "by_split": False,
            "gates": [],
        }
        return (
            columns | kept | trials.sealed_figures(version, exact, fields["unit_scores"]) | {"rounding": RULE}
        )
    gates = version.bound.gates(fields["metrics"], fields["intervals"])
    by_split = shows_all(submission)
    kept = {"exact": exact, "exact_headline": fields["headline"], "by_split": by_split, "rounding": RULE}
    told = _told(version, exact, bytes(fields["metric_sums"]), by_split=by_split)
    return columns | told | kept | {"gates": [gate.state for gate in gates] if by_split else []}


def shows_all(submission: Submission) -> bool:
    """True if all metrics are shown: for entries, means of repeats and runs of this site, not for uploaded repeats."""
    is_entry = submission.declared and submission.mean_id is None
    return is_entry or submission.is_mean or submission.source == Submission.Source.RUN


def _told(version: Version, exact: ScoreColumns, sums: bytes, *, by_split: bool) -> ScoreColumns:
    if not by_split:
        return _headline_only(version, exact)
    return _rounded(version, exact, score_sums.least_weights(sums))


def _rounded(version: Version, exact: ScoreColumns, rows: Rows) -> ScoreColumns:
    groups = dict(_groups(version, exact["groups"], exact.get("group_rows", {})))
    figured: Figures = {"metrics": exact["metrics"], "intervals": exact["intervals"]}
    figures = _figures(version, figured, rows, whole=True)
    name = version.headline.name
    counts = {code: shown.count(version, count) for code, count in exact["failures"].items()}
    return {
        "metrics": figures["metrics"],
        "intervals": figures["intervals"],
        "headline": figures["metrics"].get(name),
        "groups": groups,
        "spread": version.suite.display.order_bias(groups, version.settings),
        "measures": [_measured(version, measures) for measures in exact.get("measures", [])],
        "failures": {code: count for code, count in counts.items() if count},
        "run_sds": _run_sds(version, exact, rows),
    }


def _groups(
    version: Version, groups: Groups, rows: Mapping[str, Mapping[str, Rows]]
) -> Iterator[tuple[str, dict[str, Figures]]]:
    for grouping, members in groups.items():
        told: dict[str, Figures] = {}
        for name, group in members.items():
            of_group: Rows = rows.get(grouping, {}).get(name, {})
            size = of_group.get(version.headline.name, group["metrics"].get("n"))
            if size is not None and not shown.is_of_few(version, size):
                told[name] = group | _figures(version, group, _bounded(version, of_group, size))
        yield grouping, told


def _bounded(version: Version, rows: Rows, size: float) -> Rows:
    """Limit denominators to `size`, the number of rows in the group, because a row may ask several questions."""
    known = rows or {version.headline.name: size}  # earlier gradings stored one number
    return {name: min(weight, size) for name, weight in known.items()}


def _figures(version: Version, figures: Figures, rows: Rows, *, whole: bool = False) -> Figures:
    """Round the metrics of a group, or of the whole score if `whole`, and hide metrics over few rows."""
    ends = figures.get("intervals") or {}
    metrics: dict[str, Number] = {}
    intervals: dict[str, tuple[float, float] | None] = {}
    for name, value in figures["metrics"].items():
        if value is None or not (isinstance(value, float) or ends.get(name)):  # a count, or not reported
            metrics[name] = shown.count(version, value) if type(value) is int else value
            intervals |= {name: None} if name in ends else {}
            continue
        over = rows.get(name)
        if whole and name == version.headline.name:
            metrics[name], intervals[name] = shown.on_own_grid(version, value, ends.get(name), over)
        elif whole or over is not None:
            metrics[name], intervals[name] = shown.figure(version, value, ends.get(name), over)
        else:
            metrics[name], intervals[name] = shown.NOTHING
    return {"metrics": metrics, "intervals": intervals}


def _measured(version: Version, measures: Mapping[str, Any]) -> dict[str, Number]:
    told = dict(measures)
    for name, value in measures.items():
        if f"{name}_of" not in measures and f"{name}_low" not in measures:
            continue
        low, high, over = (measures.get(f"{name}{end}") for end in ("_low", "_high", "_of"))
        ends = None if low is None or high is None else (low, high)
        figure = shown.figure(version, None if value is None else float(value), ends, over)
        low, high = figure.interval or (None, None)
        told |= {name: figure.value, f"{name}_low": low, f"{name}_high": high}
        if f"{name}_of" in measures:
            told[f"{name}_of"] = None if figure.value is None or over is None else shown.count(version, over)
    return told


def _run_sds(version: Version, exact: ScoreColumns, rows: Rows) -> dict[str, float]:
    ends = exact["intervals"]
    return {
        name: rounded_number(float(sd), shown.step_of(version, rows.get(name), ends.get(name)))
        for name, sd in exact.get("run_sds", {}).items()
    }


def _headline_only(version: Version, exact: ScoreColumns) -> ScoreColumns:
    """Return only the rounded headline, with an interval whose width does not depend on the answers."""
    step, name, exactly = version.shown_step, version.headline.name, exact["headline"]
    value = None if exactly is None else rounded_number(float(exactly), step)
    arm = learning.expected_power(version).plus_minus
    ends = None if value is None else rounded_interval(max(0.0, value - arm), min(1.0, value + arm), step)
    sds = exact.get("run_sds", {})
    return {
        "headline": value,
        "metrics": {name: value},
        "intervals": {name: ends},
        "groups": {},
        "spread": [],
        "measures": [],
        "failures": {},
        "run_sds": {name: rounded_number(float(sds[name]), step)} if name in sds else {},
    }


def unrounded(score: Score) -> Score:
    """Return a copy of the score with exact values, for the mean of repeats. The copy must not be shown."""
    exact = copy.copy(score)
    for name, value in score.exact.items():
        setattr(exact, name, value)
    return exact


def show_exact(version_id: int) -> None:
    """Write the exact values into the shown columns of all scores of a version that is no longer sealed."""
    rounded = Score.objects.filter(submission__version=version_id).exclude(exact={})
    columns = ("pk", "exact", *FIGURES)
    batch: list[Score] = []
    for score in rounded.only(*columns).iterator(BATCH):
        score = unrounded(score)
        score.exact, score.exact_headline, score.by_split, score.gates = {}, None, True, []
        score.rounding = RULE
        score.graded_at = timezone.now()  # invalidates stored placements
        batch.append(score)
    fields = [*FIGURES, "exact", "exact_headline", "by_split", "gates", "rounding", "graded_at"]
    Score.objects.bulk_update(batch, fields, batch_size=BATCH)
    if batch:
        signals.landed.send(Submission, version_id=version_id)


def round_again() -> int:
    """Round the scores again that were rounded by an earlier rule. Returns the number of these scores.

    Each gets a new `graded_at`, which invalidates stored ranks.
    """
    earlier = Score.objects.exclude(exact={}).filter(rounding__lt=RULE)
    with_version = earlier.select_related("submission__version__benchmark").order_by("pk")
    fields = [*FIGURES, "exact", "by_split", "gates", "rounding", "graded_at"]
    rounded = 0
    while batch := list(with_version[:BATCH]):
        for score in batch:
            _round_again(score)
        Score.objects.bulk_update(batch, fields)
        rounded += len(batch)
    return rounded


def _round_again(score: Score) -> None:
    submission = score.submission
    exact = {"measures": score.measures} | score.exact
    columns = {name: exact[name] for name in (*FIGURES, GROUP_ROWS) if name in exact}
    columns |= {"metric_sums": score.metric_sums}
    for name, value in shown_fields(submission, cast(ScoreColumns, columns)).items():
        setattr(score, name, value)
    score.graded_at = timezone.now()


def _on_migrated(*, app_config: AppConfig, apps: Apps, using: str, **_: Any) -> None:
    # Migrating back to an older state may have removed columns.
    is_here = app_config.label == "leaderboard" and using == DEFAULT_DB_ALIAS
    if is_here and all(_is_whole(apps, model) for model in (Score, Submission, Version)):
        round_again()


def _is_whole(apps: Apps, model: type[Model]) -> bool:
    try:
        migrated = apps.get_model(model._meta.label)
    except LookupError:
        return False
    columns = {field.column for field in migrated._meta.concrete_fields}
    return {field.column for field in model._meta.concrete_fields} <= columns


def _on_retired(sender: Any, *, version_id: int, **_: Any) -> None:
    show_exact(version_id)


def connect() -> None:
    """Connect the signals: show exact values when a version is retired, and round again after a migration."""
    post_migrate.connect(_on_migrated, dispatch_uid="figures are rounded anew")
    retired.connect(_on_retired, dispatch_uid="figures of a retired version are exact")
