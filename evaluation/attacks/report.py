"""The report on a version's attackers: floor and ceiling of each metric, and the attackers above the ceiling.

A preset may declare floor and ceiling (`AttackLimit`). An attacker is "above" the ceiling if its whole interval is, so
that a small version is not flagged by chance. The ceiling of joiners is measured in every version: the best guess or
shortcut, plus `JOIN_MARGIN`.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Collection, Iterator, Sequence
from statistics import NormalDist
from typing import TYPE_CHECKING, Any, NamedTuple, NotRequired, TypedDict

from evaluation.attacks.plan import AttackPlan, Program, Role
from evaluation.core.sealing.limits import AttackLimit
from evaluation.core.sealing.rounding import rounded_interval, rounded_number

if TYPE_CHECKING:  # imports numpy
    from evaluation.core.report import Report

REVISION = 2
#: Highest ceiling, whatever the floor: a version of which a constant answers this much measures little.
HIGHEST_CEILING = 0.6
#: Margin of joiners, which see all rows, above the best guess or shortcut, which see one at a time.
JOIN_MARGIN = 0.02
#: Smaller splits are not judged separately: one right answer would be above a ceiling of .02.
LEAST_ROWS = 20
#: Roles of programs that see one row at a time and read no text.
SINGLE = ("floor", "shortcut")
#: Stands for the missing interval of a rate over one unit, which is never above a ceiling.
UNKNOWN = (0.0, 1.0)
#: About a version that a parser solves, and the former words in versions frozen before.
PROVES_NOTHING = "a self-reported result does not show that a model read the text."
FORMER_WORDS = (
    "an upload to this version is a claim. Only runs of this site, marked verified, are shown as a model's."
)
#: A rate in the sentences of a report: per cent, or a fraction in versions frozen before.
_FIGURE = re.compile(r"\b(?:(?P<share>[01]\.\d{3})\b|(?P<percent>\d{1,3}\.\d)%)")


class AttackScore(TypedDict):
    """An attacker's value of one metric, with its 95% interval."""

    metric: str
    value: float
    low: float
    high: float
    above: bool  # the whole interval is above the ceiling


class AttackOutcome(TypedDict):
    name: str
    label: str
    about: str
    role: Role
    scores: list[AttackScore]


class AttackMeasure(TypedDict):
    metric: str
    label: str
    floor: float
    ceiling: float
    declared: bool  # by the preset
    joined_ceiling: NotRequired[float]  # of joiners; absent in versions frozen before there were any


class AttackedSplit(TypedDict):
    """Guesses and shortcuts on one split, by the first metric. Intervals hold for all splits at once (Bonferroni)."""

    split: str
    guess: str  # the label of the best guess
    attacker: str  # the label of the best guess or shortcut, by the lower end of its interval
    measure: AttackMeasure
    score: AttackScore


class AttackReport(TypedDict):
    revision: int
    measures: list[AttackMeasure]
    attackers: list[AttackOutcome]
    diagnostic: str  # why the version has no ranks; empty: no attacker is above its ceiling
    claim: str  # sentence if a parser solves it, else empty
    splits: NotRequired[list[AttackedSplit]]  # absent: judged together, or an older report
    joins: NotRequired[str]  # why rows of one question can be joined; empty: no way is known


def report_on(plan: AttackPlan, reports: Sequence[Report]) -> AttackReport:
    reported = [(name, label) for name, label in plan.metrics if reports and _score(reports[0], name)]
    measures = [_measure(plan, reports, name, label) for name, label in reported]
    outcomes = [_outcome(each, report, measures) for each, report in zip(plan.programs, reports, strict=True)]
    splits = list(_splits(plan, reports, measures[0])) if plan.grouping and measures else []
    told: AttackReport = {
        "revision": REVISION,
        "measures": measures,
        "attackers": [outcome for outcome in outcomes if outcome["scores"]],  # a half of one unit has none
        "diagnostic": _diagnostic(plan, measures, outcomes, splits),
        "claim": _claim(plan, measures, outcomes),
        "joins": plan.joinable,
    }
    return told | {"splits": splits} if splits else told


def on_grid(report: AttackReport, step_of: Callable[[float, float], float]) -> AttackReport:
    """Round all numbers of a report, also within sentences, as exact scores of attackers would reveal some answers.

    This is for versions that withhold their answers. `step_of` maps the ends of an interval to the rounding step.
    """
    coarse = step_of(0.0, 0.0)

    def number(value: float) -> float:
        return rounded_number(value, coarse)

    def told(text: str) -> str:
        return _FIGURE.sub(lambda found: f"{number(_rate(found)):.1%}", text)

    def score(each: AttackScore) -> AttackScore:
        step = step_of(each["low"], each["high"])
        low, high = rounded_interval(each["low"], each["high"], step)
        return {**each, "value": rounded_number(each["value"], step), "low": low, "high": high}

    def measure(each: AttackMeasure) -> AttackMeasure:
        told: AttackMeasure = {**each, "floor": number(each["floor"]), "ceiling": number(each["ceiling"])}
        if "joined_ceiling" in each:
            told["joined_ceiling"] = number(each["joined_ceiling"])
        return told

    on: AttackReport = {
        **report,
        "measures": [measure(each) for each in report["measures"]],
        "attackers": [{**each, "scores": list(map(score, each["scores"]))} for each in report["attackers"]],
        "diagnostic": told(report["diagnostic"]),
        "claim": told(report["claim"]),
    }
    if "splits" in report:
        on["splits"] = [
            {**each, "measure": measure(each["measure"]), "score": score(each["score"])}
            for each in report["splits"]
        ]
    return on


def _rate(found: re.Match[str]) -> float:
    return float(found["share"]) if found["share"] else float(found["percent"]) / 100


def _score(report: Report, metric: str) -> tuple[float, float, float] | None:
    value, interval = report.metrics.get(metric), report.intervals.get(metric)
    return None if value is None else (value, *(interval or UNKNOWN))


def _measure(plan: AttackPlan, reports: Sequence[Report], name: str, label: str) -> AttackMeasure:
    declared = next((limit for limit in plan.limits if limit.metric == name), AttackLimit(metric=name))
    scores = [(each.role, score[0]) for each, report in zip(plan.programs, reports, strict=True)
              if (score := _score(report, name))]  # fmt: skip
    guessed = max((value for role, value in scores if role == "floor"), default=0.0)
    floor = declared.floor if declared.floor is not None else guessed
    ceiling = declared.ceiling if declared.ceiling is not None else min(floor + plan.margin, HIGHEST_CEILING)
    measure: AttackMeasure = {
        "metric": name,
        "label": label,
        "floor": round(floor, 6),
        "ceiling": round(ceiling, 6),
        "declared": declared.floor is not None or declared.ceiling is not None,
    }
    if plan.joining is not None:
        best = max((value for role, value in scores if role in SINGLE), default=0.0)
        measure["joined_ceiling"] = round(best + JOIN_MARGIN, 6)
    return measure


def _outcome(program: Program, report: Report, measures: Collection[AttackMeasure]) -> AttackOutcome:
    scores: list[AttackScore] = []
    for measure in measures:
        if score := _score(report, measure["metric"]):
            value, low, high = (round(number, 6) for number in score)
            above = low > _ceiling(program.role, measure)
            scores.append(
                {"metric": measure["metric"], "value": value, "low": low, "high": high, "above": above}
            )
    return {
        "name": program.name,
        "label": program.label,
        "about": program.about,
        "role": program.role,
        "scores": scores,
    }


def _ceiling(role: Role, measure: AttackMeasure) -> float:
    if role == "parser":
        return math.inf
    return measure["joined_ceiling"] if role == "join" else measure["ceiling"]


class _Reached(NamedTuple):
    program: Program
    value: float
    low: float
    high: float


def _splits(plan: AttackPlan, reports: Sequence[Report], whole: AttackMeasure) -> Iterator[AttackedSplit]:
    programs = [
        (each, report) for each, report in zip(plan.programs, reports, strict=True) if each.role in SINGLE
    ]
    rows_of = programs[0][1].group_rows.get(plan.grouping, {}) if programs else {}
    splits = [name for name, rows in rows_of.items() if rows.get(whole["metric"], 0) >= LEAST_ROWS]
    for split in splits:
        reached = [
            _Reached(each, value, *simultaneous(value, rows, len(programs) * len(splits)))
            for each, report in programs
            for value, rows in _in_split(report, plan.grouping, split, whole["metric"])
        ]
        guesses = [each for each in reached if each.program.role == "floor"]
        if not guesses:
            continue
        guess = max(guesses, key=lambda each: each.value)
        ceiling = min(guess.value + plan.margin, HIGHEST_CEILING)
        if whole["declared"]:  # what a preset excuses over all rows it excuses in each split
            ceiling = max(ceiling, whole["ceiling"])
        furthest = max(reached, key=lambda each: (each.low, each.value))
        yield {
            "split": split,
            "guess": guess.program.label,
            "attacker": furthest.program.label,
            "measure": {
                "metric": whole["metric"],
                "label": whole["label"],
                "floor": round(guess.value, 6),
                "ceiling": round(ceiling, 6),
                "declared": False,
            },
            "score": {
                "metric": whole["metric"],
                "value": round(furthest.value, 6),
                "low": round(furthest.low, 6),
                "high": round(furthest.high, 6),
                "above": furthest.low > ceiling,
            },
        }


def _in_split(report: Report, grouping: str, split: str, metric: str) -> Iterator[tuple[float, float]]:
    figures = report.groups.get(grouping, {}).get(split, {"metrics": {}, "intervals": {}})
    value, rows = (
        figures["metrics"].get(metric),
        report.group_rows.get(grouping, {}).get(split, {}).get(metric),
    )
    if value is not None and rows:
        yield value, rows


def simultaneous(value: float, rows: float, tests: int) -> tuple[float, float]:
    """Wilson's interval of a share of `rows` rows. All `tests` intervals hold together with 95% (Bonferroni)."""
    z = NormalDist().inv_cdf(1 - 0.025 / tests)
    shrunk = 1 + z * z / rows
    middle = (value + z * z / (2 * rows)) / shrunk
    half = z * math.sqrt(value * (1 - value) / rows + z * z / (4 * rows * rows)) / shrunk
    return max(0.0, middle - half), min(1.0, middle + half)


def _diagnostic(
    plan: AttackPlan,
    measures: Sequence[AttackMeasure],
    outcomes: Sequence[AttackOutcome],
    splits: Sequence[AttackedSplit],
) -> str:
    whole = _above_ceiling(measures, outcomes)
    apart = [each for each in splits if each["score"]["above"]]
    if not apart:
        return whole
    worst = max(apart, key=lambda each: each["score"]["low"] - each["measure"]["ceiling"])
    one = (
        f"in “{worst['split'].replace('_', ' ')}” the attacker program “{worst['attacker'].lower()}” scores "
        f"{worst['score']['value']:.1%}, above the ceiling of {worst['measure']['ceiling']:.1%} there"
    )
    count = f"{len(apart)} of {len(splits)} {plan.grouping}s can be answered without understanding the text ({one})"
    return f"{whole}; {count}" if whole else count


def _above_ceiling(measures: Sequence[AttackMeasure], outcomes: Sequence[AttackOutcome]) -> str:
    limits = {measure["metric"]: measure for measure in measures}
    above = [
        (score["value"] - _ceiling(outcome["role"], limits[score["metric"]]), outcome, score)
        for outcome in outcomes
        for score in outcome["scores"]
        if score["above"]
    ]
    if not above:
        return ""
    _, outcome, score = max(above, key=lambda each: each[0])
    measure = limits[score["metric"]]
    attacker = f"the attacker program “{outcome['label'].lower()}”"
    scores = f"scores {score['value']:.1%} in “{measure['label']}”"
    ceiling = f"above the ceiling of {_ceiling(outcome['role'], measure):.1%}"
    if outcome["role"] == "join":
        best = f"{100 * JOIN_MARGIN:.0f} points above the best program that sees one row at a time"
        return f"{attacker}, which joins rows, {scores}, {ceiling} ({best})"
    return f"{attacker} {scores} without understanding the text, {ceiling} for such programs"


def _claim(plan: AttackPlan, measures: Sequence[AttackMeasure], outcomes: Sequence[AttackOutcome]) -> str:
    if not measures:
        return ""
    for outcome in outcomes:
        score: Any = next((s for s in outcome["scores"] if s["metric"] == measures[0]["metric"]), None)
        if outcome["role"] == "parser" and score and score["value"] > measures[0]["ceiling"]:
            return (
                f"{plan.by_design} {plan.means} score {score['value']:.1%} in “{measures[0]['label']}”: "
                f"{PROVES_NOTHING}"
            )
    return ""
