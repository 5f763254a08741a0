"""Asking an implementation about generated timelines, and the shortest timeline of each aspect that fails."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from evaluation.core.errors import AdapterError
from evaluation.statebench.conformance.asking import ask
from evaluation.statebench.conformance.checks.check import Check
from evaluation.statebench.conformance.checks.reading import AnswerError, CheckedAnswer
from evaluation.statebench.conformance.model.aspects import ASPECTS, PLENTY, Asked, checks_of
from evaluation.statebench.conformance.model.shrinking import shortened
from evaluation.statebench.conformance.model.speech import spoken
from evaluation.statebench.conformance.model.state import Model
from evaluation.statebench.conformance.model.timelines import timeline_of
from evaluation.statebench.conformance.protocol import Implementation, Request

TIMELINES = 300  # drawn by default: a fault that one timeline in fifty shows is missed once in 400 runs
MOST_TIMELINES = 100_000  # of one run, which takes minutes
SEEDS = 1 << 32  # seeds are whole numbers from 0 and below this
QUESTIONS = 200  # asked at most to shorten one failing timeline
_SMALL = (9, 16, 40)  # tokens: some of a timeline's facts have no room

Row = dict[str, Any]


@dataclass(frozen=True)
class Failure:
    """A check that failed, with what was asked. `number` is the timeline's of its seed; `events` how many it had."""

    aspect: str
    number: int
    events: int
    row: Row
    query: int
    budget: int
    check: Check

    @property
    def request(self) -> Request:
        """What shows the failure to whom asks it."""
        return _request(self.row, self.query, self.budget)


@dataclass(frozen=True)
class Outcome:
    """One aspect over all timelines: how many checks of it were made, and the first that failed, shortened."""

    aspect: str
    checks: int
    failure: Failure | None
    error: str | None = None


def read_seed(text: str) -> int:
    """A seed as somebody types it.

    Args:
        text: What is typed.

    Returns:
        The seed.

    Raises:
        ValueError: It is no seed; says what one is.
    """
    if not text.isdecimal() or int(text) >= SEEDS:
        raise ValueError(f"{text!r} is no whole number from 0 to {SEEDS - 1}")
    return int(text)


def run_generated(
    implementation: Implementation, *, seed: int, timelines: int, questions: int = QUESTIONS
) -> list[Outcome]:
    """Ask about the timelines of a seed.

    Args:
        implementation: What is asked.
        seed: Which timelines.
        timelines: How many.
        questions: How many more may be asked to shorten each timeline that fails.

    Returns:
        One outcome per aspect, in their order. Where a question is not answered at all, all have the error.
    """
    counts, failures = dict.fromkeys(ASPECTS, 0), dict[str, Failure]()
    for number in range(timelines):
        row = timeline_of(seed, number)
        for query, budget in _questions(row, number):
            try:
                for aspect, checks in _looked_at(implementation, row, query, budget):
                    counts[aspect] += len(checks)
                    if aspect not in failures and (wrong := _first_wrong(checks)) is not None:
                        event_count = len(row["events"])
                        failures[aspect] = Failure(aspect, number, event_count, row, query, budget, wrong)
            except (AdapterError, AnswerError) as error:
                said = f"timeline {number} of seed {seed}, query {query}: {error}"
                return [Outcome(aspect, 0, None, said) for aspect in ASPECTS]
    shortest = {name: _shortest(implementation, failure, questions) for name, failure in failures.items()}
    return [Outcome(name, counts[name], shortest.get(name)) for name in ASPECTS]


def failures(implementation: Implementation, *, seed: int, timelines: int) -> Iterator[Failure]:
    """Every check that fails, as it is found: the first is enough to know that something is wrong.

    Args:
        implementation: What is asked. What it raises is raised.
        seed: Which timelines.
        timelines: How many.

    Returns:
        The failures, none of them shortened.
    """
    for number in range(timelines):
        row = timeline_of(seed, number)
        for query, budget in _questions(row, number):
            for aspect, checks in _looked_at(implementation, row, query, budget):
                for check in checks:
                    if not check.passed:
                        yield Failure(aspect, number, len(row["events"]), row, query, budget, check)


def _questions(row: Row, number: int) -> Iterator[tuple[int, int]]:
    """Every query with room for all; the last one with little room too."""
    queries = sum(event["type"] == "query" for event in row["events"])
    yield from ((query, PLENTY) for query in range(queries))
    yield queries - 1, _SMALL[number % len(_SMALL)]


def _looked_at(
    implementation: Implementation, row: Row, query: int, budget: int
) -> Iterator[tuple[str, Sequence[Check]]]:
    """The checks of an answer, aspect by aspect. Raises AdapterError and AnswerError where there is none."""
    model, request = Model(row, query), _request(row, query, budget)
    asked = Asked(CheckedAnswer(ask(implementation, request)), model, budget, request["lookup"])
    for aspect, look in ASPECTS.items():
        yield aspect, list(checks_of(asked, look))


def _request(row: Row, query: int, budget: int) -> Request:
    return {"timeline": row, "query_idx": query, "budget": budget, "lookup": _lookup(row), "turns": []}


def _lookup(row: Row) -> list[str]:
    """Every key of a timeline, and one that nothing has."""
    written = [one["key"] for event in row["events"] for one in event.get("writes", ())]
    given = [one["key"] for one in row["initial_state"]["persistent_facts"]]
    said = [said.key for event in row["events"] if (said := spoken(event.get("text", "")))]
    return [*dict.fromkeys((*given, *written, *said)), "nobody"]


def _first_wrong(checks: Sequence[Check]) -> Check | None:
    return next((check for check in checks if not check.passed), None)


def _shortest(implementation: Implementation, failure: Failure, questions: int) -> Failure:
    """The same failure on the shortest timeline that was found to have it."""

    def fails(row: Row, query: int) -> Check | None:
        if Model(row, query).open:
            return None
        try:
            looked_at = dict(_looked_at(implementation, row, query, failure.budget))
        except (AdapterError, AnswerError):
            return None
        return _first_wrong(looked_at[failure.aspect])

    row, query, check = shortened(failure.row, failure.query, fails, questions)
    return failure if check is None else replace(failure, row=row, query=query, check=check)
