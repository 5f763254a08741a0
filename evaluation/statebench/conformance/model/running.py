"""Asks an implementation about generated timelines, and shortens a failing timeline per aspect."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, cast

from evaluation.core.errors import AdapterError
from evaluation.statebench.conformance.checks.reading import AnswerError, Check, CheckedAnswer
from evaluation.statebench.conformance.model.aspects import ASPECTS, PLENTY, Asked, checks_of
from evaluation.statebench.conformance.model.facts import spoken
from evaluation.statebench.conformance.model.state import Model
from evaluation.statebench.conformance.model.timelines import timeline_of
from evaluation.statebench.conformance.protocol import Implementation, Request, ask
from evaluation.statebench.records import Timeline

Row = dict[str, Any]
Fails = Callable[[Row, int], Check | None]  # (timeline, query) -> failed check
_PLAIN: dict[str, object] = {"supersedes": None, "depends_on": [], "expires_at": None}
_QUESTION = "What is known?"
TIMELINES = 300  # default: a fault shown by one timeline in fifty is missed once in 400 runs
MOST_TIMELINES = 100_000  # a run of minutes
SEEDS = 1 << 32  # seeds are integers below this
QUESTIONS = 200  # limit of requests to shorten one failing timeline
_SMALL = (9, 16, 40)  # tokens: too few for all facts of a timeline


def shortened(row: Row, query: int, fails: Fails, questions: int) -> tuple[Row, int, Check | None]:
    """Shorten a failing timeline with at most `questions` requests.

    Returns the shortest failing timeline found, the index of its query, and its failed check (None if not shortened).
    """
    found: Check | None = None
    place = 0  # of the next attempt; a failed removal is retried only after all others
    since = 0  # attempts since the last success
    for _ in range(questions):
        attempts = list(_attempts(row, query))
        if since >= len(attempts):
            break
        shorter, at = attempts[place % len(attempts)]
        check = fails(shorter, at)
        if check is None:
            place, since = place % len(attempts) + 1, since + 1
        else:
            row, query, found, since = shorter, at, check, 0
    return row, query, found


def _attempts(row: Row, query: int) -> Iterator[tuple[Row, int]]:
    """(timeline with a part removed, its query) for every removal to try, the largest removal first."""
    places = [n for n, event in enumerate(row["events"]) if event["type"] == "query"]
    asked = places[query]
    if len(places) > 1:
        yield row | {"events": [e for n, e in enumerate(row["events"]) if n not in places or n == asked]}, 0
    for n in range(len(row["events"]) - 1, -1, -1):
        if n not in places:
            yield row | {"events": [event for m, event in enumerate(row["events"]) if m != n]}, query
    for layer in ("persistent_facts", "working_set"):
        items = row["initial_state"][layer]
        for n in range(len(items)):
            initial = row["initial_state"] | {layer: items[:n] + items[n + 1 :]}
            yield row | {"initial_state": initial}, query
    for n, event in enumerate(row["events"]):
        for simpler in _simpler(event):
            yield row | {"events": [*row["events"][:n], simpler, *row["events"][n + 1 :]]}, query


def _simpler(event: Row) -> Iterator[Row]:
    if "writes" in event:
        (written,) = event["writes"]
        for name, plain in _PLAIN.items():
            if written.get(name):
                kind = "state_write" if name == "supersedes" else event["type"]
                yield event | {"type": kind, "writes": [written | {name: plain}]}
    elif event["type"] != "scope" and event.get("scope"):
        yield {name: value for name, value in event.items() if name not in ("scope", "scope_id")}
    if event["type"] == "query" and event["prompt"] != _QUESTION:
        yield event | {"prompt": _QUESTION}


def in_words(row: Row) -> str:
    """One line that describes a generated timeline in a report."""
    given = [f"given {_write(one)}" for one in row["initial_state"]["persistent_facts"]]
    noted = [f"noted {item['content']!r}" for item in row["initial_state"]["working_set"]]
    reader = row["initial_state"]["identity_role"]["authority"]
    return "; ".join([f"reader {reader}", *given, *noted, *map(_event, row["events"])])


def _event(event: Row) -> str:
    if event["type"] == "scope":
        return f"{event['action']} {_place(event)}"
    if event["type"] == "query":
        return f"ask {event['prompt']!r}" + (f" in {_place(event)}" if event.get("scope") else "")
    if event["type"] == "conversation_turn":
        return f"say {event['text']!r}" + (f" in {_place(event)}" if event.get("scope") else "")
    return ", ".join(_write(one) for one in event["writes"])


def _write(one: Row) -> str:
    layer = {"working_set": "note", "environment": "signal"}.get(one.get("layer", ""), "write")
    parts = [layer, f"{one['key']}={one['value']!r}"]
    parts += [f"in {_place(one)}"] if one.get("scope", "global") != "global" else []
    parts += [f"as {one['source']['authority']}"] if one.get("source") else []
    parts += [f"id {one['id']}"] if one.get("id") else []
    parts += [f"superseding {one['supersedes']}"] if one.get("supersedes") else []
    parts += [f"depending on {', '.join(one['depends_on'])}"] if one.get("depends_on") else []
    return " ".join(parts)


def _place(data: Row) -> str:
    return " ".join(filter(None, (data["scope"], data.get("scope_id"))))


@dataclass(frozen=True)
class Failure:
    """A failed check with its request. `number` is the timeline's index, `events` its length before shortening."""

    aspect: str
    number: int
    events: int
    row: Row
    query: int
    budget: int
    check: Check

    @property
    def request(self) -> Request:
        return _request(self.row, self.query, self.budget)


@dataclass(frozen=True)
class Outcome:
    """The result for one aspect on all timelines: the number of checks, and the first failure, shortened."""

    aspect: str
    checks: int
    failure: Failure | None
    error: str | None = None


def read_seed(text: str) -> int:
    """Parse a seed. Raises ValueError if it is not an integer in range."""
    if not text.isdecimal() or int(text) >= SEEDS:
        raise ValueError(f"{text!r} is not a whole number from 0 to {SEEDS - 1}")
    return int(text)


def run_generated(
    implementation: Implementation, *, seed: int, timelines: int, questions: int = QUESTIONS
) -> list[Outcome]:
    """Outcome of each aspect over the timelines of a seed. Up to `questions` requests shorten a failing timeline."""
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
    """Yield each failed check on the timelines of a seed, not shortened. Errors of the implementation propagate."""
    for number in range(timelines):
        row = timeline_of(seed, number)
        for query, budget in _questions(row, number):
            for aspect, checks in _looked_at(implementation, row, query, budget):
                for check in checks:
                    if not check.passed:
                        yield Failure(aspect, number, len(row["events"]), row, query, budget, check)


def _questions(row: Row, number: int) -> Iterator[tuple[int, int]]:
    """(query, budget): every query with an ample budget, and the last query with a small budget too."""
    queries = sum(event["type"] == "query" for event in row["events"])
    yield from ((query, PLENTY) for query in range(queries))
    yield queries - 1, _SMALL[number % len(_SMALL)]


def _looked_at(
    implementation: Implementation, row: Row, query: int, budget: int
) -> Iterator[tuple[str, Sequence[Check]]]:
    model, request = Model(row, query), _request(row, query, budget)
    asked = Asked(CheckedAnswer(ask(implementation, request)), model, budget, request["lookup"])
    for aspect, look in ASPECTS.items():
        yield aspect, list(checks_of(asked, look))


def _request(row: Row, query: int, budget: int) -> Request:
    return {
        "timeline": cast(Timeline, row),
        "query_idx": query,
        "budget": budget,
        "lookup": _lookup(row),
        "turns": [],
    }


def _lookup(row: Row) -> list[str]:
    written = [one["key"] for event in row["events"] for one in event.get("writes", ())]
    given = [one["key"] for one in row["initial_state"]["persistent_facts"]]
    said = [said.key for event in row["events"] if (said := spoken(event.get("text", "")))]
    return [*dict.fromkeys((*given, *written, *said)), "nobody"]


def _first_wrong(checks: Sequence[Check]) -> Check | None:
    return next((check for check in checks if not check.passed), None)


def _shortest(implementation: Implementation, failure: Failure, questions: int) -> Failure:
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
