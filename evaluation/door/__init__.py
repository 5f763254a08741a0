"""The public API: functions for harnesses, notebooks and scripts, the same for both suites.

    version = read_version("rows.jsonl.gz")        the questions of a file, with gold if the file has it
    messages(row)                                  the chat messages of a question
    verdict(row, reply)                            the grade of a reply
    grade(version, "preds.jsonl")                  metrics with intervals, groups, verdicts
    generate("goldevidence", "ladder_short")       rows that anyone can reproduce
    Site("https://…")                              a site's versions, leaderboards and submissions

Import them from `goldevidencebench`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple, Protocol, cast

from evaluation.core.errors import BenchmarkError
from evaluation.core.files import flat
from evaluation.core.records import JsonObject, Row
from evaluation.core.report import Report
from evaluation.core.suite import get_suite, preset_settings
from evaluation.door import goldevidence, statebench
from evaluation.gym.parts import Message, Reply


class Doorway(Protocol):
    """A suite's implementation of the API. A *question* is a row, or a part of a row, with its own `id`."""

    def takes(self, row: JsonObject) -> bool: ...

    def questions(self, rows: Iterable[Any]) -> Iterator[Any]: ...

    def messages(self, question: Any, prompt: str) -> list[Message]: ...

    def has_gold(self, question: Any) -> bool: ...

    def unit(self, question: Any) -> str: ...

    def line(self, question: Any, reply: Reply) -> JsonObject: ...

    def grade(
        self, questions: Sequence[Any], predictions: Path | Iterable[JsonObject]
    ) -> tuple[Report, str]: ...


_DOORWAYS: Mapping[str, Doorway] = {"statebench": statebench, "goldevidence": goldevidence}


class WithheldError(BenchmarkError):
    """A row has no gold: only the site that withholds the gold can grade an answer."""


@dataclass(frozen=True)
class Version:
    """The questions of a file of rows. `has_gold`: all of them have gold, so that `grade` works."""

    suite: str
    rows: Sequence[Row]
    has_gold: bool

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[Row]:
        return iter(self.rows)


class Verdict(NamedTuple):
    """The grade of one reply.

    `score` is the row's value of the rate named `headline`, or None if the rate does not count the row. The mean of all
    rows' scores is the rate over these rows. `figures`: metric -> value of the row, for all metrics that count it.
    `row` is the verdict as in `Report.rows`. Cluster standard errors by `unit`: rows of one unit are dependent.
    """

    score: float | None
    headline: str
    figures: Mapping[str, float]
    row: Mapping[str, Any]
    unit: str


def read_version(path: str | Path, documents: str | Path = "") -> Version:
    """Read all questions of a file of rows, as downloaded, published or generated.

    Args:
        path: JSON lines, may be gzipped.
        documents: The file of documents. If empty, the file beside `path` is used.

    Raises:
        RowError: A row is unusable; the error names the line.
        BenchmarkError: The file has no rows, or rows of an unknown suite.
    """
    return version_from_rows((cast(Row, row) for _, row in flat.read(path, documents)), str(path))


def messages(row: Row, prompt: str = "") -> list[Message]:
    """Build the chat of a question: a system and a user message, without gold.

    Args:
        row: A question of a `Version`, or a row of a data file with one question.
        prompt: A prompt set, such as `ruled@1`. If empty, the suite's default; `typed@1` if the row's gold is typed.

    Raises:
        UnknownNameError: There is no such prompt set.
    """
    doorway, question = _question(row)
    return doorway.messages(question, prompt)


def verdict(row: Row, reply: Reply) -> Verdict:
    """Grade one reply, in the same way as `grade`.

    Args:
        row: A question with gold.
        reply: A model's text; or the fields of a line of a predictions file.

    Raises:
        WithheldError: The row has no gold.
        RowError: The row is unusable.
    """
    doorway, question = _question(row)
    if not doorway.has_gold(question):
        raise WithheldError(
            f"row {question['id']!r} has no gold: only the site that withholds the gold can grade answers"
        )
    report, headline = doorway.grade([question], [doorway.line(question, reply)])
    figures = {
        name: float(values[0]) for name, values in report.row_figures.items() if values[0] == values[0]
    }
    return Verdict(figures.get(headline), headline, figures, report.rows[0], doorway.unit(question))


def unit_of(row: Row) -> str:
    """Return the unit of a row, by which to cluster standard errors. Returns the row's id if the gold is withheld."""
    doorway, question = _question(row)
    return doorway.unit(question) if doorway.has_gold(question) else question["id"]


def grade(
    rows: Version | str | Path | Iterable[Row], predictions: str | Path | Iterable[JsonObject]
) -> Report:
    """Grade predictions, in the same way as the command `goldevidencebench grade`.

    Args:
        rows: A version, a file, or rows, with gold.
        predictions: A predictions file, or its lines; a row without a line counts as unanswered.

    Raises:
        WithheldError: A row has no gold.
        RowError: A row or a line is unusable.
    """
    if isinstance(rows, str | Path):
        rows = read_version(rows)
    version = rows if isinstance(rows, Version) else version_from_rows(iter(rows), "the rows")
    if not version.has_gold:
        raise WithheldError(
            "these rows have no gold: only the site that withholds the gold can grade answers"
        )
    given = Path(predictions) if isinstance(predictions, str) else predictions
    return _DOORWAYS[version.suite].grade(version.rows, given)[0]


def generate(suite: str, preset: str = "", **settings: object) -> Iterator[Row]:
    """Generate rows with gold; equal arguments give equal rows on every machine.

    Args:
        suite: `goldevidence`, `statebench`, or the name of another installed suite.
        preset: Name of a preset. If empty, the suite's default settings are used.
        settings: Override settings of the preset, such as `seeds=[7]`.

    Raises:
        UnknownNameError: There is no such suite or preset.
        SettingsError: A setting is invalid; the error names every invalid setting.
    """
    found = get_suite(suite)
    for item in found.version(preset_settings(found, preset) | settings).generate():
        yield from item.rows


def version_from_rows(rows: Iterator[Row], source: str) -> Version:
    """Make a `Version` of rows in memory. `source` names the rows in errors."""
    if (first := next(rows, None)) is None:
        raise BenchmarkError(f"{source}: no rows")
    suite = _suite_of(first)
    doorway = _DOORWAYS[suite]
    questions = list(doorway.questions(chain([first], rows)))
    return Version(suite, questions, all(map(doorway.has_gold, questions)))


def _question(row: Row) -> tuple[Doorway, Row]:
    doorway = _DOORWAYS[_suite_of(row)]
    found = list(doorway.questions([row]))
    if len(found) != 1:
        asks = f"row {row['id']!r} asks {len(found)} questions"
        raise BenchmarkError(f"{asks}: pass one question of `read_version`")
    return doorway, found[0]


def _suite_of(row: JsonObject) -> str:
    for name, doorway in _DOORWAYS.items():
        if doorway.takes(row):
            return name
    raise BenchmarkError(
        "the row is neither a question (`id` and `question`) nor a timeline (`initial_state` and `events`)"
    )
