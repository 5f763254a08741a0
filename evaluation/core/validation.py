"""The check of predictions files that browser uploads, the API and the command line share.

Files are read line by line from disk, so that every problem has a line number. The check stops after
`Limits.max_problems` problems, and after about twice as many lines as the version has rows, which bounds its cost.
"""

from __future__ import annotations

import difflib
from bisect import bisect_left
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import orjson

from evaluation.core import diagnosis, jsonl
from evaluation.core.diagnosis import Finding, ProblemGroup, Tally
from evaluation.core.files import limits as bounded
from evaluation.core.files.artifacts import ARTIFACT, EPISODE, is_artifact
from evaluation.core.files.limits import Bounds, RefusedError, capital
from evaluation.core.suite import Apart, ExpectedRows, Problem, Suite

MOST_TOKENS = 1e12  # of a query: more is a counting mistake
#: Lines allowed beyond twice the rows of the version, for blank ones.
SPARE_LINES = 1_000


@dataclass(frozen=True, slots=True)
class Limits(Bounds):
    """Bounds on reading, the number of problems after which a check stops, and whether rows may be missing."""

    max_problems: int = 20
    allow_missing: bool = False


@dataclass(slots=True)
class Intake:
    """Result of a check. The file is valid if and only if `problems` is empty.

    A problem is about one line, or about all missing rows of a split. `problem_count` is the number of problems.
    `counts`: code -> number of rows concerned. `stopped`: the check ended early, and there may be more problems.

    `rows` is the number of valid predictions, `splits` counts the answered rows by split, `states` the valid lines by
    row state. `tokens_per_query` is the mean over the lines, or None if a line does not report it.
    `apart` describes lines that contain something other than answers, such as contexts. It is None for answers, and if
    no line is valid.

    `guess` is the guessed format of a refused file, or None. `warnings` are suspected mistakes in an accepted file.
    """

    problems: list[Problem] = field(default_factory=list)
    problem_count: int = 0
    counts: dict[str, int] = field(default_factory=dict)
    stopped: bool = False
    rows: int = 0
    splits: dict[str, int] = field(default_factory=dict)
    states: dict[str, int] = field(default_factory=dict)
    tokens_per_query: float | None = None
    apart: Apart | None = None
    guess: Finding | None = None
    warnings: list[Finding] = field(default_factory=list)

    @property
    def groups(self) -> list[ProblemGroup]:
        return diagnosis.grouped(self.problems)

    @property
    def ok(self) -> bool:
        return not self.counts

    @property
    def total(self) -> int:
        return sum(self.counts.values())

    @property
    def summary(self) -> str:
        count = self.problem_count
        if self.stopped:
            return f"The check stopped after {count:,} problems; there may be more."
        return f"The file has {count:,} {'problem' if count == 1 else 'problems'}."


def check(path: str | Path, suite: Suite, expected: ExpectedRows, *, limits: Limits | None = None) -> Intake:
    """Check a predictions file against the expected rows. Faults are problems in the result, never exceptions."""
    bounds = limits or Limits()
    reading = _Reading(suite, expected, bounds)
    try:
        reading.read(Path(path))
        reading.look_for_missing()
    except RefusedError as refused:
        reading.add(refused.problem)
    except _EnoughError:
        reading.stop()
    intake = reading.finish()
    if not intake.ok:
        intake.guess = diagnosis.guess(Path(path), suite, expected, bounds)
    return intake


class _EnoughError(Exception):
    """The limit of reported problems is reached."""


class _Reading:
    def __init__(self, suite: Suite, expected: ExpectedRows, limits: Limits) -> None:
        self._suite, self._expected, self._limits = suite, expected, limits
        self._intake = Intake()
        self._line_of: dict[str, int] = {}
        self._answered: Counter[str] = Counter()  # by split
        self._covered: set[str] = set()  # splits, or forms of rows, that must be answered in full
        self._sorted_ids: Sequence[str] = ()
        self._built: set[str] = set()  # episodes with an artifact
        self._tally = Tally(suite, expected)
        self._tokens: float | None = 0.0  # sum over lines; None once a line does not report them

    def add(self, problem: Problem, count: int = 1) -> None:
        counts = self._intake.counts
        counts[problem.code] = counts.get(problem.code, 0) + count
        self._intake.problem_count += 1
        self._intake.problems.append(problem)

    def stop(self) -> None:
        self._intake.stopped = True

    def read(self, path: Path) -> None:
        """Check every line. Raises RefusedError for an unreadable file, _EnoughError at the limit of problems."""
        number = 0
        for number, line in bounded.lines(path, self._bounds()):
            problem = line if isinstance(line, Problem) else self._problem_of(number, line)
            if problem is not None:
                self._add_or_stop(replace(problem, line=number))
        if not number:
            raise RefusedError("empty_file", "The file is empty: one JSON object per line is expected.")

    def _bounds(self) -> Bounds:
        """Limits for reading. About two lines per row of the version are allowed, more than a valid file has."""
        most = 2 * len(self._expected.splits) + SPARE_LINES
        return replace(self._limits, max_rows=min(self._limits.max_rows, most))

    def _add_or_stop(self, problem: Problem, count: int = 1) -> None:
        self.add(problem, count)
        if len(self._intake.problems) >= self._limits.max_problems:
            raise _EnoughError

    def look_for_missing(self) -> None:
        """Report missing answers in each split that has an answer. Raises _EnoughError at the limit of problems."""
        missing: dict[str, list[str]] = {}
        for row_id in self._expected.splits:
            together = self._expected.together(row_id)
            if together in self._covered and row_id not in self._line_of:
                missing.setdefault(together, []).append(row_id)
        if self._limits.allow_missing:
            return
        what = "condition" if self._expected.forms is None else "kind"
        for name, ids in missing.items():
            ids.sort()  # the order of the grading record would reveal which rows belong together
            few = ", ".join(ids[:5]) + (" …" if len(ids) > 5 else "")
            message = (
                f"{len(ids):,} {'row' if len(ids) == 1 else 'rows'} of {name!r} {'has' if len(ids) == 1 else 'have'} "
                f"no prediction: {few}. "
                f"Answer every row of a {what}, or leave the {what} out."
            )
            self._add_or_stop(Problem("missing_id", message, id=ids[0]), len(ids))
        self._look_for_artifacts()

    def finish(self) -> Intake:
        """Complete and return the result. Splits are in the version's order."""
        order = dict.fromkeys(self._expected.splits.values())
        self._intake.splits = {name: self._answered[name] for name in order if self._answered[name]}
        if self._tokens is not None and self._intake.rows:
            mean = self._tokens / self._intake.rows
            self._intake.tokens_per_query = mean if mean <= MOST_TOKENS else None
        if self._intake.ok:
            self._intake.warnings = list(self._tally.findings())
        return self._intake

    def _problem_of(self, number: int, line: bytes) -> Problem | None:
        try:
            data = orjson.loads(line)
        except orjson.JSONDecodeError:
            fault = jsonl.fault_of(line)
            return Problem(fault.code, capital(fault.reason), column=fault.column or None)
        if not isinstance(data, dict):
            kind = jsonl.kind(data)
            return Problem("not_an_object", f"A line must be a JSON object, not {kind}.", column=1)
        if self._expected.artifacts is not None and is_artifact(data):
            return self._problem_of_artifact(data, self._expected.artifacts)
        if (row_id := self._suite.row_id(data)) is not None:
            return self._problem_of_row(number, row_id, data)
        read = self._suite.read_line(data, self._expected)
        return read if isinstance(read, Problem) else Problem("no_id", "The line has no row id.")

    def _problem_of_artifact(self, data: Any, sources: Mapping[str, str]) -> Problem | None:
        episode, artifacts = data.get(EPISODE), self._suite.artifacts
        if not isinstance(episode, str) or episode not in sources or artifacts is None:
            message = f"The version has no episode {_short(str(episode))!r} to build an artifact for."
            return Problem("unknown_episode", message)
        if episode in self._built:
            return Problem(
                "duplicate_artifact", f"Episode {episode!r} has two artifacts: keep one of them.", id=episode
            )
        self._built.add(episode)
        problem = artifacts.problem(data[ARTIFACT], sources[episode])
        return problem and replace(
            problem, id=episode, message=f"The artifact of episode {episode!r} is refused: {problem.message}"
        )

    def _look_for_artifacts(self) -> None:
        lacking = [name for name in self._expected.artifacts or () if name not in self._built]
        if lacking and self._covered:
            few = ", ".join(sorted(lacking)[:5]) + (" …" if len(lacking) > 5 else "")
            message = (
                f"{len(lacking):,} {'episode has' if len(lacking) == 1 else 'episodes have'} no artifact: {few}. Add a "
                f'line {{"{EPISODE}": …, "{ARTIFACT}": …}} for each: the answers are made from it.'
            )
            self._add_or_stop(Problem("missing_artifact", message, id=min(lacking)), len(lacking))

    def _problem_of_row(self, number: int, row_id: str, data: Any) -> Problem | None:
        split = self._expected.splits.get(row_id)
        if split is None:
            message = f"The version has no row {_short(row_id)!r}.{self._hint(row_id)}"
            return Problem("unknown_id", message, id=_short(row_id))
        first = self._line_of.setdefault(row_id, number)
        if first != number:
            message = f"Row {row_id!r} is answered in line {first} and in line {number}: keep one of them."
            return Problem("duplicate_id", message, id=row_id)
        self._answered[split] += 1
        self._covered.add(self._expected.together(row_id))
        line = self._suite.read_line(data, self._expected)
        if isinstance(line, Problem):
            return replace(line, id=row_id)
        if not self._intake.rows:
            self._intake.apart = line.apart
        if line.apart != self._intake.apart:
            held, others = (each.words if each else "answers" for each in (line.apart, self._intake.apart))
            message = f"The line contains {held}, earlier lines contain {others}: send a file with one kind of line."
            return Problem("mixed_lines", message, id=row_id)
        self._intake.rows += 1
        states = self._intake.states
        states[line.state.value] = states.get(line.state.value, 0) + 1
        self._count(line.tokens)
        self._tally.add(line.given)
        return None

    def _count(self, tokens: float | None) -> None:
        self._tokens = None if self._tokens is None or tokens is None else self._tokens + tokens

    def _hint(self, row_id: str) -> str:
        """Hint at the nearest known id among the 40 neighbours in sort order, as similar ids often begin alike."""
        self._sorted_ids = self._sorted_ids or sorted(self._expected.splits)
        at = bisect_left(self._sorted_ids, row_id)
        near = difflib.get_close_matches(_short(row_id), self._sorted_ids[max(0, at - 20) : at + 20], n=1)
        return f" Did you mean {near[0]!r}?" if near else ""


def _short(text: str) -> str:
    return text if len(text) <= 80 else f"{text[:79]}…"
