"""Versions of a preset, generated again with other seeds, and systems that answer all of them.

A system's long-run value is its mean over these versions; each version's interval is checked against it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from evaluation.core.records import Prediction, Row
from evaluation.core.report import Report
from evaluation.core.suite import Item, Suite, get_suite

#: How often the mixed system answers as the better of its two, on average; how much alike within a unit.
SHARE, ICC = 0.8, 0.15
LEAST_UNITS = 2  # one unit has no interval


class Study(NamedTuple):
    """The systems and figures that are studied of a suite."""

    suite: str
    mixed: tuple[str, str]  # two systems, of which the mixed one answers as the one or the other
    systems: tuple[str, ...]
    figures: tuple[str, ...]


class Judged(NamedTuple):
    """The intervals of a system's figure over all versions."""

    truth: float
    inside: int  # versions whose figure is inside (0, 1)
    held: int


STUDIES = (
    Study(
        "goldevidence", ("ledger", "naive"), ("naive", "latest_step"), ("exact_acc", "value_acc", "cite_f1")
    ),
    Study(
        "statebench",
        ("state_based", "no_memory"),
        ("transcript_latest_wins", "rag_transcript"),
        ("decision_accuracy", "must_mention_rate", "sfrr"),
    ),
)


def regenerated(suite: Suite, preset: str, versions: int) -> Iterator[tuple[dict[str, Any], list[Item]]]:
    """Versions of a preset: their settings and items. No two share a seed."""
    settings = without_candidates(suite.settings.checked(suite.presets()[preset].settings))
    for version in range(versions):
        if "seeds" in settings:
            count = len(settings["seeds"])
            seeds = {"seeds": [10_000 + version * count + number for number in range(count)]}
        else:
            seeds = {"seed": 10_000 + version}
        changed = settings | seeds
        yield changed, list(suite.version(changed).generate())


#: Tokens of the one length of a ladder that is generated again: units and answers are those of all lengths.
SHORT = 8192


def without_candidates(settings: dict[str, Any]) -> dict[str, Any]:
    """The settings of rows with the whole text, to which the figures belong; of a ladder at one short length.

    This makes versions faster.
    """
    if ladder := settings.get("ladder"):
        settings = settings | {"ladder": ladder | {"lengths": [min(ladder["lengths"][0], SHORT)]}}
    if not settings.get("conditions"):
        return settings
    return settings | {"conditions": [], "headline": "exact_acc"}


def judged(study: Study, preset: str, versions: int) -> dict[tuple[str, str], Judged]:
    """Coverage of the intervals, by (system, figure)."""
    suite = get_suite(study.suite)
    reports: dict[str, list[Report]] = {name: [] for name in ("mixed", *study.systems)}
    for number, (settings, items) in enumerate(regenerated(suite, preset, versions)):
        for name, answers in _answers(suite, study, items, number).items():
            reports[name].append(suite.version(settings).grade([item.gold for item in items], answers))
    return {
        (name, figure): _of_figure(of_system, figure)
        for name, of_system in reports.items()
        for figure in study.figures
    }


def _answers(
    suite: Suite, study: Study, items: Sequence[Item], version: int
) -> Mapping[str, list[Prediction]]:
    """The answers of each system to a version."""
    built = {name: suite.systems()[name].build() for name in {*study.mixed, *study.systems}}
    answers: dict[str, list[Prediction]] = {name: [] for name in ("mixed", *study.systems)}
    random = np.random.default_rng(version)
    for item in items:
        share = random.beta(SHARE * (1 / ICC - 1), (1 - SHARE) * (1 / ICC - 1))
        for row in map(suite.public_row, item.rows):
            answers["mixed"] += _predicted(built[study.mixed[random.random() >= share]], row)
            for name in study.systems:
                answers[name] += _predicted(built[name], row)
    return answers


def _predicted(system: Any, row: Row) -> list[Prediction]:
    answer = system.predict(row)
    return answer if isinstance(answer, list) else [answer]


def _of_figure(reports: Sequence[Report], figure: str) -> Judged:
    """Whether the interval of each version holds the mean of all.

    Each version is part of that mean, so its distance is scaled up to the expected distance from the long run.
    """
    known = [(report.metrics[figure], report.intervals.get(figure)) for report in reports]
    values = np.array([np.nan if value is None else value for value, _ in known])
    seen = int(np.count_nonzero(~np.isnan(values)))
    if seen < LEAST_UNITS:
        return Judged(float("nan"), 0, 0)
    truth = float(np.nanmean(values))
    held = [
        ends[0] <= value - (value - truth) * np.sqrt(seen / (seen - 1)) <= ends[1]
        for value, ends in known
        if value is not None and ends is not None and 0 < value < 1
    ]
    return Judged(truth, len(held), int(sum(held)))
