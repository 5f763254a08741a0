"""What programs reach that read no text: run over the public file of each version before it is frozen.

A suite that can be attacked has a plan (`attack_plan`): its attackers, and the metrics that they are measured by. Each
attacker answers every row of the public file, line by line as a stranger reads it, and the oracle grades the answers.

- `floor`: guesses (nothing, the most frequent answer, any line of the key). The best of them is the floor.
- `shortcut`: looks at places, ids, names, lengths, order. None may be above the ceiling: the floor and `MARGIN`.
- `parser`: reads the form of the text, which solves some versions by design. It has no ceiling.

A preset may declare floor and ceiling of a metric itself (`AttackLimit`). "Above" is said where the whole interval is,
so that a small version is not condemned by chance. Where the rows of a unit are copies, that interval is over rows:
what is asked is what a program reaches in these rows, not in other templates. Attackers that learn do so on a twin: the
same settings under an open seed.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Protocol, TypedDict

from evaluation.core import jsonl
from evaluation.core.files.documents import form as documents
from evaluation.core.files.documents.reader import Documents
from evaluation.core.files.documents.writer import DocumentSpool
from evaluation.core.files.spool import Spool
from evaluation.core.records import JsonObject, Prediction, Row
from evaluation.core.sealing import keyed_ids
from evaluation.core.sealing.leaks import form
from evaluation.core.sealing.limits import AttackLimit
from evaluation.core.sealing.rounding import rounded_interval, rounded_number
from evaluation.core.suite import grader_of, headline_of, shared_texts_of

if TYPE_CHECKING:  # numpy is behind it
    from evaluation.core.report import Report
    from evaluation.core.suite import Item, Settings, Suite

Role = Literal["floor", "shortcut", "parser"]
#: What a parser of a published line grammar is made of.
DOZEN = "A dozen regular expressions"
#: How far above the floor a shortcut may come. Four balanced orders of five lines let a fixed place reach .30 where
#: chance is .20; three of them .40. Twice the first is allowed.
MARGIN = 0.2
#: No floor excuses more: a version of which a constant answers this much measures little.
HIGHEST_CEILING = 0.6


@dataclass(frozen=True, slots=True, eq=False)  # itself, in a dictionary: a row cannot be hashed
class PublicLine:
    """A line of the public file: all that an attacker has."""

    row: Row
    number: int  # from 0
    length: int  # bytes, without the newline


class Answers(Protocol):
    """An attacker that was built."""

    def __call__(self, line: PublicLine) -> Iterable[Prediction]:
        """Lines of a predictions file for the questions of a row."""


class Example(NamedTuple):
    """A public line of the twin with what answers it."""

    line: PublicLine
    row: Row  # with gold
    unit: int  # the number of its unit


@dataclass(frozen=True, slots=True)
class Attacker:
    """One program. `build` gets the twin's examples."""

    name: str
    label: str
    about: str  # what it reads and answers, in a sentence
    role: Role
    build: Callable[[Sequence[Example]], Answers]


@dataclass(frozen=True, slots=True)
class AttackPlan:
    """How versions of some settings are attacked."""

    attackers: Sequence[Attacker]
    metrics: Sequence[
        tuple[str, str]
    ]  # (key in Report.metrics, label); those that a report lacks are left out
    twin: Settings  # of the rows to learn from: as few as teach a leak
    limits: Sequence[AttackLimit] = ()  # what the preset declares
    by_design: str = ""  # why a parser solves these versions, in a sentence
    means: str = DOZEN  # what it is made of


class AttackScore(TypedDict):
    """What an attacker reaches in one metric, with its 95% interval."""

    metric: str
    value: float
    low: float
    high: float
    above: bool  # whether all of the interval is above the ceiling


class AttackOutcome(TypedDict):
    """One attacker of a version."""

    name: str
    label: str
    about: str
    role: Role
    scores: list[AttackScore]


class AttackMeasure(TypedDict):
    """One metric that attackers are measured by."""

    metric: str
    label: str
    floor: float
    ceiling: float
    declared: bool  # by the preset


class AttackReport(TypedDict):
    """What a version keeps of its attackers."""

    revision: int
    measures: list[AttackMeasure]
    attackers: list[AttackOutcome]
    diagnostic: str  # why the version ranks nobody; empty: no attacker is above its ceiling
    claim: str  # that a parser solves it, where one does; empty: none does


class Guesser(TypedDict):
    """The headline that an attacker that reads no text reaches."""

    name: str
    label: str
    headline: float | None  # over the rows that the headline is defined for; None: not reported
    cells: list[list[float]]  # (right, rows) of each cell of `Guesses.cells`


class Guesses(TypedDict):
    """Figures of guessing over a version and, cell by cell, over any part of its rows: cells add up."""

    revision: int
    grader: str
    rows: int  # that were graded: those of the version, or of the units that stand for it
    cells: list[list[str]]  # the name of each: its part of every facet (`Report.cells`)
    guessers: list[Guesser]  # every floor and shortcut; parsers read the form of the text


class Attacked(NamedTuple):
    """Results of the attackers of a version: the sealed report of all, and the cells of those that guess."""

    report: AttackReport
    guesses: Guesses


REVISION = 1
#: Of a version that a parser solves, and the words of versions frozen before.
PROVES_NOTHING = "a self-reported result does not show that a model read the text."
FORMER_WORDS = (
    "an upload to this version is a claim. Only runs of this site, marked verified, are shown as a model's."
)
#: Of `Guesses`. Another one whenever guesses may come out otherwise: they are computed again.
GUESSES_REVISION = 1
#: Of a version that a parser solves, and the words of versions frozen before.
PROVES_NOTHING = "a self-reported result does not show that a model read the text."
FORMER_WORDS = (
    "an upload to this version is a claim. Only runs of this site, marked verified, are shown as a model's."
)
#: The attackers that read no text.
GUESSERS = ("floor", "shortcut")
_FIGURE = re.compile(r"\b[01]\.\d{3}\b")  # as the sentences of a report say it
#: Of a larger version units are graded evenly, so many rows in all. No preset makes one: a guess is compared with
#: systems over the same rows, and a thousand of them are graded for all attackers in half a second.
GRADED_ROWS = 10_000
#: The interval of a rate over one unit, which has none: anything is possible, and nothing is above a ceiling.
UNKNOWN = (0.0, 1.0)
Records = Callable[[], Iterable[JsonObject]]  # once for the ids, once an attacker


def run(suite: Suite, settings: Settings, public: Iterable[PublicLine], records: Records) -> Attacked | None:
    """Attack a version.

    Args:
        suite: Its suite.
        settings: Its settings.
        public: Its public file, in its order; read once.
        records: Called for its grading records.

    Returns:
        What the attackers reach; None where the suite plans no attacks on these settings.
    """
    from evaluation.core.sealing.by_rows import by_rows  # numpy is behind it, which help does without

    plan = plan_of(suite, settings)
    if plan is None:
        return None
    built = _built(suite, plan)
    graded = _Graded(suite, records)
    files: list[Spool[Prediction]] = [Spool() for _ in built]
    for line in public:
        if line.row["id"] in graded.lines:
            for answers, file in zip(built, files, strict=True):
                for prediction in answers(line):
                    file.append(prediction)
    reports = [suite.grade(graded.records(), file, settings) for file in files]
    names = [name for name, _ in plan.metrics]
    return Attacked(
        _report(plan, [by_rows(suite, report, names) for report in reports]),
        _guesses(grader_of(suite, settings), headline_of(suite, settings).name, graded.count, plan, reports),
    )


class _Graded:
    """The units that are graded: every one of a version of up to `GRADED_ROWS` rows, else every second, third …"""

    def __init__(self, suite: Suite, records: Records) -> None:
        self._records = records
        asked = [list(suite.expected([record]).splits) for record in records()]
        self._every = max(1, -(-sum(map(len, asked)) // GRADED_ROWS))
        self.count = sum(map(len, asked[:: self._every]))  # of the rows that they ask
        #: The ids of their lines: a line that asks several questions has `#` and a number behind its id.
        self.lines = {row_id.partition("#")[0] for ids in asked[:: self._every] for row_id in ids}

    def records(self) -> Iterator[JsonObject]:
        """Their grading records."""
        return islice(self._records(), 0, None, self._every)


def _built(suite: Suite, plan: AttackPlan) -> list[Answers]:
    """The attackers, which keep what they learn and not the twin."""
    examples = list(twin_examples(suite, plan.twin))
    return [attacker.build(examples) for attacker in plan.attackers]


def plan_of(suite: Suite, settings: Settings) -> AttackPlan | None:
    """The plan of a suite, None where it has none: plugged-in suites need not have any.

    Args:
        suite: Any suite.
        settings: Those of the version that is attacked.
    """
    planned = getattr(suite, "attack_plan", None)
    plan: AttackPlan | None = planned(settings) if planned else None
    return plan


def public_lines(lines: Iterable[bytes], texts: Documents | None = None) -> Iterator[PublicLine]:
    """A public file as an attacker reads it.

    Args:
        lines: Of its rows.
        texts: The documents that they name; None where they hold their texts.
    """
    for number, line in enumerate(lines):
        line = line.removesuffix(b"\n")
        row: Row = jsonl.parse(line)
        name = documents.document_named(row) if texts else None
        whole = documents.joined(row, texts.texts(name)) if texts and name else row
        yield PublicLine(whole, number, len(line))


def twin_examples(suite: Suite, settings: Settings) -> Iterator[Example]:
    """The public lines of a twin, each beside its row with gold: as a sealed file has them.

    Args:
        suite: That generates it.
        settings: Those of the twin.
    """
    lines, gold = sealed_lines(suite, suite.generate(settings), shared_texts_of(suite, settings))
    for line, (row, unit) in zip(lines, gold, strict=True):
        yield Example(line, row, unit)


def sealed_lines(
    suite: Suite, items: Iterable[Item], shared: Collection[str] = ()
) -> tuple[list[PublicLine], list[tuple[Row, int]]]:
    """Rows as they stand in a sealed file: those of a form of one length, in the order of their documents and ids.

    Args:
        suite: Their suite.
        items: The units.
        shared: The fields that stand apart, in documents.

    Returns:
        The lines, and in the same order each row with its gold and the number of its unit.
    """
    spool, made = DocumentSpool(shared, keyed_ids.OPEN_KEY, {}), list[_Sealed]()
    for unit, item in enumerate(items):
        for row in item.rows:
            shown = suite.public_row(row)
            short, document = spool.part(shown)
            made.append(_Sealed(document, row, unit, shown, form(short), len(jsonl.dumps(short))))
    made.sort(key=lambda one: (one.document, one.row["id"]))
    longest = dict[tuple[str, ...], int]()
    for one in made:
        longest[one.form] = max(longest.get(one.form, 0), one.length)
    lines = [PublicLine(one.shown, number, longest[one.form]) for number, one in enumerate(made)]
    return lines, [(one.row, one.unit) for one in made]


class _Sealed(NamedTuple):
    """A row on its way into a sealed file."""

    document: str
    row: Row
    unit: int
    shown: Row
    form: tuple[str, ...]
    length: int  # of its line, before it is filled up


def _guesses(grader: str, headline: str, rows: int, plan: AttackPlan, reports: Sequence[Report]) -> Guesses:
    """The figures of those that read no text. Cells that a file does not cover are missing in its report."""
    guessing = [
        (each, report) for each, report in zip(plan.attackers, reports, strict=True) if each.role in GUESSERS
    ]
    cells = list(dict.fromkeys(cell for _, report in guessing for cell in report.cells))
    return {
        "revision": GUESSES_REVISION,
        "grader": grader,
        "rows": rows,
        "cells": [list(cell) for cell in cells],
        "guessers": [
            {
                "name": each.name,
                "label": each.label,
                "headline": report.metrics.get(headline),
                "cells": [_total(report.cells.get(cell, {})) for cell in cells],
            }
            for each, report in guessing
        ],
    }


def _total(units: Mapping[str, tuple[float, int]]) -> list[float]:
    """(sum, rows) over all units of a cell."""
    return [float(sum(side)) for side in zip((0.0, 0), *units.values(), strict=True)]


def on_grid(report: AttackReport, step_of: Callable[[float, float], float]) -> AttackReport:
    """A report as a version that keeps its answers shows it: an attacker's file tells its exact figures.

    Args:
        report: As the freeze made it.
        step_of: From the ends of an interval to the step of its figure.

    Returns:
        The same with every number on a grid, those in its sentences too. What is above a ceiling stays so.
    """
    coarse = step_of(0.0, 0.0)

    def number(value: float) -> float:
        return rounded_number(value, coarse)

    def told(text: str) -> str:
        return _FIGURE.sub(lambda found: f"{number(float(found[0])):.3f}", text)

    def score(each: AttackScore) -> AttackScore:
        step = step_of(each["low"], each["high"])
        low, high = rounded_interval(each["low"], each["high"], step)
        return {**each, "value": rounded_number(each["value"], step), "low": low, "high": high}

    return {
        **report,
        "measures": [
            {**each, "floor": number(each["floor"]), "ceiling": number(each["ceiling"])}
            for each in report["measures"]
        ],
        "attackers": [{**each, "scores": list(map(score, each["scores"]))} for each in report["attackers"]],
        "diagnostic": told(report["diagnostic"]),
        "claim": told(report["claim"]),
    }


def _report(plan: AttackPlan, reports: Sequence[Report]) -> AttackReport:
    reported = [(name, label) for name, label in plan.metrics if reports and _score(reports[0], name)]
    measures = [_measure(plan, reports, name, label) for name, label in reported]
    outcomes = [
        _outcome(attacker, report, measures) for attacker, report in zip(plan.attackers, reports, strict=True)
    ]
    return {
        "revision": REVISION,
        "measures": measures,
        "attackers": outcomes,
        "diagnostic": _diagnostic(measures, outcomes),
        "claim": _claim(plan, measures, outcomes),
    }


def _score(report: Report, metric: str) -> tuple[float, float, float] | None:
    value, interval = report.metrics.get(metric), report.intervals.get(metric)
    return None if value is None else (value, *(interval or UNKNOWN))


def _measure(plan: AttackPlan, reports: Sequence[Report], name: str, label: str) -> AttackMeasure:
    """Floor and ceiling of a metric: declared, or measured by those that guess."""
    declared = next((limit for limit in plan.limits if limit.metric == name), AttackLimit(metric=name))
    scores = [_score(report, name) for report in reports]
    guessed = [
        score[0]
        for attacker, score in zip(plan.attackers, scores, strict=True)
        if score and attacker.role == "floor"
    ]
    floor = declared.floor if declared.floor is not None else max(guessed, default=0.0)
    ceiling = declared.ceiling if declared.ceiling is not None else min(floor + MARGIN, HIGHEST_CEILING)
    return {
        "metric": name,
        "label": label,
        "floor": round(floor, 6),
        "ceiling": round(ceiling, 6),
        "declared": declared.floor is not None or declared.ceiling is not None,
    }


def _outcome(attacker: Attacker, report: Report, measures: Collection[AttackMeasure]) -> AttackOutcome:
    scores: list[AttackScore] = []
    for measure in measures:
        if score := _score(report, measure["metric"]):
            value, low, high = (round(number, 6) for number in score)
            above = attacker.role != "parser" and low > measure["ceiling"]
            scores.append(
                {"metric": measure["metric"], "value": value, "low": low, "high": high, "above": above}
            )
    return {
        "name": attacker.name,
        "label": attacker.label,
        "about": attacker.about,
        "role": attacker.role,
        "scores": scores,
    }


def _diagnostic(measures: Sequence[AttackMeasure], outcomes: Sequence[AttackOutcome]) -> str:
    """The attacker that is furthest above its ceiling, in words that follow "diagnostic: "."""
    limits = {measure["metric"]: measure for measure in measures}
    above = [
        (score["value"] - limits[score["metric"]]["ceiling"], outcome, score)
        for outcome in outcomes
        for score in outcome["scores"]
        if score["above"]
    ]
    if not above:
        return ""
    _, outcome, score = max(above, key=lambda each: each[0])
    measure = limits[score["metric"]]
    return (
        f"the attacker “{outcome['label'].lower()}” reaches {score['value']:.3f} of {measure['label'].lower()} without "
        f"understanding the text, above the ceiling of {measure['ceiling']:.3f}"
    )


def _claim(plan: AttackPlan, measures: Sequence[AttackMeasure], outcomes: Sequence[AttackOutcome]) -> str:
    """That a parser solves the version: it is above the ceiling of the first metric, which is the headline's."""
    if not measures:
        return ""
    for outcome in outcomes:
        score: Any = next((s for s in outcome["scores"] if s["metric"] == measures[0]["metric"]), None)
        if outcome["role"] == "parser" and score and score["value"] > measures[0]["ceiling"]:
            return (
                f"{plan.by_design} {plan.means} reach {score['value']:.3f} of "
                f"{measures[0]['label'].lower()}: {PROVES_NOTHING}"
            )
    return ""
