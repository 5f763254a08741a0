"""Recompute a published score: from predictions and gold if these are public, else from sums by unit."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from evaluation.core import jsonl, statistics
from evaluation.core.errors import BenchmarkError
from evaluation.core.metric import Reduction, worst_members
from evaluation.core.report import Report
from evaluation.core.sealing.commitment import content_sha256
from evaluation.core.sealing.rounding import own_step, rounded_interval, rounded_number
from evaluation.core.suite import SuiteVersion, get_suite
from evaluation.remote.client import Client
from evaluation.remote.records import Basis, Contestant, FileOf

TOLERANCE = 1e-12
Ends = tuple[float, float] | None
Table = NDArray[Any]


class CannotError(BenchmarkError):
    """A score cannot be recomputed: inputs are missing, or belong to a different revision of the engine."""


class Check(NamedTuple):
    """The published and the computed values of one figure or file hash. A tuple is empty if there is no value."""

    name: str
    published: tuple[float | str, ...]
    computed: tuple[float | str, ...]

    @property
    def equal(self) -> bool:
        if len(self.published) != len(self.computed):
            return False
        return all(map(_are_equal, self.published, self.computed))


class Computed(NamedTuple):
    value: float | None
    ends: Ends
    table: Table  # float32 [units, parts, 2], as the ranking reads it
    rows: float


def reproduce(client: Client, submission: str) -> tuple[Basis, list[Check], str]:
    """Recompute the headline of a submission, its interval and its range of ranks.

    Returns the published basis, a check of each number, and why ranks were not computed (empty if they were). Raises
    CannotError if nothing can be computed, ClientError if the site is unreachable or refuses.
    """
    basis = client.get(f"/submissions/{submission}/reproduction", Basis)
    if basis.statistics != statistics.VERSION:
        raise CannotError(
            f"the score's intervals were computed by version {basis.statistics} of the statistics; this engine has "
            f"version {statistics.VERSION}"
        )
    try:
        found = _from_files(client, basis)
    except _TamperedError as error:
        return basis, [error.check], "the site's files differ from the files that were graded"
    shown = _shown(basis, found)
    checks = [Check(basis.name, _numbers(basis.headline.value), _numbers(shown.value))]
    published_ends = _numbers(basis.headline.low, basis.headline.high)
    if basis.rounding is None or not basis.rounding.planned:
        checks.append(Check("interval", published_ends, shown.ends or ()))
    why = _why_unranked(basis)
    if not why:
        checks += _check_ranks(client, basis, found)
    return basis, checks, why


class _TamperedError(Exception):
    def __init__(self, check: Check) -> None:
        self.check = check


def _are_equal(published: float | str, computed: float | str) -> bool:
    if isinstance(published, str) or isinstance(computed, str):
        return published == computed
    return abs(published - computed) <= TOLERANCE


def _from_files(client: Client, basis: Basis) -> Computed:
    """Compute by grading predictions, else from published sums (`Marks`). Raises CannotError if both are missing."""
    if basis.gold is None or not basis.predictions or basis.settings is None:
        if basis.marks is None:
            raise CannotError(" ".join(filter(None, [basis.withheld, basis.marks_withheld])))
        return _from_marks(basis)
    version = get_suite(basis.suite).version(basis.settings)
    if version.grader != basis.grader:
        raise CannotError(f"the score was graded by {basis.grader}; this engine grades by {version.grader}")
    with TemporaryDirectory() as folder:
        gold = Path(folder, "gold.jsonl.gz")
        if basis.gold.url is None:
            jsonl.write(gold, (item.gold for item in version.generate()))
        _fetched(client, basis.gold, gold, "gold")
        reports = []
        for number, file in enumerate(basis.predictions):
            path = Path(folder, f"{number}.jsonl.gz")
            _fetched(client, file, path, "predictions")
            reports.append(version.grade(jsonl.read(gold), jsonl.read(path)))  # type: ignore[arg-type]
    return _of_mean(version, reports) if len(reports) > 1 else _of_report(version, reports[0])


def _fetched(client: Client, file: FileOf, path: Path, what: str) -> None:
    if file.url is not None:
        client.fetch(file.url, path)
    elif content_sha256(path) != file.content_sha256:
        raise CannotError(
            "the gold that this engine generates from the settings differs from the site's gold"
        )
    if (found := content_sha256(path)) != file.content_sha256:
        raise _TamperedError(Check(f"SHA-256 of the {what}", (file.content_sha256,), (found,)))


def _of_report(version: SuiteVersion, report: Report) -> Computed:
    name = version.headline().name
    value, ends = report.metrics.get(name), report.intervals.get(name)
    found: Ends = (float(ends[0]), float(ends[1])) if ends and ends[0] != ends[1] else None
    table = _parts_of(version, report)
    return Computed(None if value is None else float(value), found, table, float(table[..., 1].sum()))


def _of_mean(version: SuiteVersion, reports: Sequence[Report]) -> Computed:
    tables = np.stack([_parts_of(version, report) for report in reports])
    strata = reports[0].sums[version.headline().name].strata
    mean = statistics.repeated_rate(tables[:, :, 0], strata) if tables.shape[2] == 1 else None
    if mean is None:
        raise CannotError("means of repeats can only be recomputed for a headline that is a rate")
    table = statistics.mean_of_repeats(tables.astype(np.float32))
    return Computed(mean.value, (mean.low, mean.high), table, float(table[..., 1].sum()))


def _parts_of(version: SuiteVersion, report: Report) -> Table:
    """Sums of the headline metric, [units, parts, 2]. A rate is one part. A lowest rate has all parts it compares."""
    name = version.headline().name
    if name not in report.sums:
        return np.zeros((0, 1, 2))
    sums, metric = report.sums[name], version.metrics[name]
    members = worst_members(metric, sums.parts) if metric.reduction is Reduction.WORST else [0]
    return sums.sums[:, members]


def _from_marks(basis: Basis) -> Computed:
    assert basis.marks is not None
    table = np.array(basis.marks.units, dtype=np.float64)
    strata = None if basis.marks.strata is None else np.array(basis.marks.strata)
    if table.shape[1] > 1:
        value, ends = statistics.worst_with_interval(table, strata)
    else:
        [(rate, ends)] = statistics.rates_with_intervals([table[:, 0]], strata, icc=basis.marks.icc)
        value = float("nan") if rate is None else rate
    return Computed(None if np.isnan(value) else value, ends, table, float(table[..., 1].sum()))


def _shown(basis: Basis, found: Computed) -> Computed:
    """Round value and interval as the site does for a version that withholds its answers."""
    rule, value = basis.rounding, found.value
    if rule is None or value is None:
        return found
    rows = found.table[..., 1].sum(axis=0)
    least = float(rows[rows > 0].min(initial=np.inf))
    step = rule.step if rule.planned else own_step(rule.units, least, found.ends, at_least=rule.step)
    ends = rounded_interval(*found.ends, step) if found.ends else None
    return found._replace(value=rounded_number(value, step), ends=ends)


def _why_unranked(basis: Basis) -> str:
    if basis.marks_withheld:
        return basis.marks_withheld
    if basis.ranking != statistics.RANKING:
        return f"the site ranks by {basis.ranking!r}, this engine by {statistics.RANKING!r}"
    if basis.standing is None:
        return "the submission is on no leaderboard"
    return "" if basis.standing.rank is not None else f"no rank is published: {basis.standing.reason}"


def _check_ranks(client: Client, basis: Basis, found: Computed) -> Iterator[Check]:
    assert basis.standing is not None
    everybody = list(client.items(f"/leaderboard/{basis.version}/marks", Contestant, limit=100))
    published = next((each for each in everybody if each.submission == basis.submission), None)
    own = found.table.astype(np.float32)
    marks = np.array(published.units if published else [], dtype=np.float32)
    yield Check("marks by unit", tuple(marks.ravel().tolist()), tuple(own.ravel().tolist()))
    ranks = (basis.standing.low, basis.standing.high, basis.standing.among)
    yield Check("ranks", _numbers(*ranks), _range(basis, everybody, own))


def _range(basis: Basis, everybody: Sequence[Contestant], own: Table) -> tuple[float, ...]:
    """(best rank, worst rank, number of ranked systems), as the site ranks; empty if not ranked."""
    sign = -1 if basis.better == "higher" else 1
    able = [each for each in everybody if each.value is not None and not each.apart and each.units]
    able.sort(key=lambda each: (sign * (each.value or 0.0), each.system))
    shapes = [np.array(each.units).shape for each in able]
    able = [each for each, shape in zip(able, shapes, strict=True) if shape == max(shapes)]
    tables = [np.array(each.units, np.float32) for each in able]
    tables = [own if each.submission == basis.submission else t for each, t in zip(able, tables, strict=True)]
    tables = [table[:, 0] if table.shape[1] == 1 else table for table in tables]
    above = [
        number
        for number, each in enumerate(able)
        if statistics.is_above(each.value, each.ends, basis.guessing, basis.better)
    ]
    ranked = [able[number].submission for number in above]
    if basis.submission not in ranked:
        return ()
    strata = None if basis.strata is None else np.array(basis.strata)
    board = statistics.among(statistics.board(tables, strata, better=basis.better), above)
    at = ranked.index(basis.submission)
    return float(board.low[at]), float(board.high[at]), float(len(ranked))


def _numbers(*values: float | None) -> tuple[float, ...]:
    return tuple(float(value) for value in values if value is not None)
