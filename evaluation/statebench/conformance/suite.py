"""Run vectors and generated timelines against an implementation and report per requirement."""

from __future__ import annotations

import hashlib
import os
import secrets
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cache
from itertools import chain
from pathlib import Path
from typing import Any, TypedDict, cast

from evaluation.core import jsonl
from evaluation.core.errors import AdapterError, SettingsError
from evaluation.core.terminal.wording import number_of
from evaluation.statebench.conformance.checks import EXPECTATIONS, UNCHECKED
from evaluation.statebench.conformance.checks.properties import PROPERTIES
from evaluation.statebench.conformance.checks.reading import (
    AnswerError,
    Check,
    CheckedAnswer,
    Checker,
    Vector,
)
from evaluation.statebench.conformance.model.aspects import ASPECTS
from evaluation.statebench.conformance.model.running import (
    QUESTIONS,
    SEEDS,
    TIMELINES,
    Outcome,
    in_words,
    read_seed,
    run_generated,
)
from evaluation.statebench.conformance.protocol import SHARES, Implementation, Request, ask, ours
from evaluation.statebench.conformance.requirements import Judged, Requirement, bears_on, judge, rule, shows
from evaluation.statebench.conformance.vectors import builtin, check_vector, read_vectors

OURS = "evaluation.statebench"
#: Version of vectors, checks and properties. 2: scopes, colliding ids, nothing drafted or supposed in a context.
#: 3: timelines drawn from a seed and judged by a model, active places, facts from conversation, `ended`.
#: 4: takeovers in words ("I moved to …"), quoted authorities, constraints first,
#: times with an offset, successions and differences in words,
#: paraphrased queries, spans of months.
REVISION = 4
_EVIDENCE = 240  # characters


class Report(TypedDict):
    """Results of an implementation, as shown on its page and uploaded to a site."""

    implementation: str
    suite_revision: int
    vectors_sha256: str
    seed: int | None  # None without generated timelines
    timelines: int
    passed: int  # of `total` vectors
    total: int
    requirements: list[Requirement]
    vectors: list[Judged]


@dataclass(frozen=True, slots=True)
class Generated:
    """The generated timelines that a verdict is about. The same seed generates the same timelines.

    `failing` is the shortest failing timeline found, as a request, with the expected and the actual value.
    """

    seed: int
    timelines: int
    checks: int
    failing: Mapping[str, object] | None = None


@dataclass(frozen=True, slots=True)
class Verdict:
    """Result on one vector, on one property over all answers, or on generated timelines.

    `failed`: the `requirements` that a failed check tests. `error`: the reason if no check could be made.
    """

    name: str
    rule: str
    requirements: tuple[str, ...]
    failed: tuple[str, ...]
    passed: bool
    checks: tuple[Check, ...]
    error: str | None = None
    generated: Generated | None = None

    @property
    def evidence(self) -> str:
        """Failed checks with the actual values, or the number of checks if all passed."""
        if self.error:
            return self.error
        if self.generated is not None and self.passed:
            drawn = self.generated
            held = number_of(drawn.checks, "check holds", "checks hold")
            return f"{held} on {number_of(drawn.timelines, 'timeline')} of seed {drawn.seed}"
        failed = [
            f"expected: {check.expectation}; seen: {check.seen[:_EVIDENCE]}"
            if check.seen
            else check.expectation
            for check in self.checks
            if not check.passed
        ]
        return " | ".join(failed) or number_of(len(self.checks), "check holds", "checks hold")


Watcher = Callable[[Verdict], None]


def run_conformance(
    vectors: Iterable[Vector] | str | Path | None = None,
    implementation: Implementation | None = None,
    *,
    seed: int | None = None,
    timelines: int | None = None,
    questions: int = QUESTIONS,
    watch: Watcher | None = None,
) -> list[Verdict]:
    """Run vectors and generated timelines against an implementation, by default ours.

    By default, the package's vectors are run with 300 generated timelines, other vectors with none. The default `seed`
    (an integer from 0) is the environment variable CONFORMANCE_SEED, else random. Verdicts record the seed. `questions`
    limits the requests for shortening a failing timeline. `watch` is called with each verdict as soon as it is known.

    Returns one verdict per vector, in order, then one per property, then one per aspect of generated timelines.
    Raises RowError for a malformed vector, SettingsError for a bad CONFORMANCE_SEED, both before the first request.
    """
    chosen, asked = _chosen(vectors), implementation or ours
    if timelines is None:
        timelines = TIMELINES if vectors is None else 0
    if seed is None:
        seed = _default_seed() if timelines else 0
    answers: list[tuple[Vector, CheckedAnswer]] = []
    verdicts = []
    for verdict in chain(
        _verdicts(chosen, asked, answers), _generated(asked, seed, timelines, questions) if timelines else ()
    ):
        verdicts.append(verdict)
        if watch is not None:
            watch(verdict)
    return verdicts


def _generated(
    implementation: Implementation, seed: int, timelines: int, questions: int
) -> Iterator[Verdict]:
    for one in run_generated(implementation, seed=seed, timelines=timelines, questions=questions):
        checks = _drawn_checks(one)
        failed = bool(one.error or one.failure)
        drawn = Generated(seed, timelines, one.checks, _failing(one))
        shown = shows(one.aspect)
        wrong = shown if failed else ()
        yield Verdict(one.aspect, rule(one.aspect), shown, wrong, not failed, checks, one.error, drawn)


def _drawn_checks(one: Outcome) -> tuple[Check, ...]:
    if (failure := one.failure) is None:
        return ()
    asked = f"query {failure.query} at {failure.budget} tokens of: {in_words(failure.row)}"
    length = number_of(len(failure.row["events"]), "event")
    number = f"timeline {failure.number} ({number_of(failure.events, 'event')}, shortened to {length})"
    expected = f"{failure.check.expectation}; {number}, {asked}"
    return (replace(failure.check, expectation=expected, of=one.aspect),)


def _failing(one: Outcome) -> Mapping[str, object] | None:
    if (failure := one.failure) is None:
        return None
    check = failure.check
    return {
        "number": failure.number,
        "request": failure.request,
        "expected": check.expectation,
        "seen": check.seen,
    }


def _default_seed() -> int:
    fixed = os.environ.get("CONFORMANCE_SEED", "").strip()
    # Random by default, so that an implementation cannot be fitted to known timelines.
    if not fixed:
        return secrets.randbelow(SEEDS)
    try:
        return read_seed(fixed)
    except ValueError as error:
        raise SettingsError({"CONFORMANCE_SEED": [str(error)]}) from error


def _chosen(vectors: Iterable[Vector] | str | Path | None) -> Sequence[Vector]:
    if vectors is None:
        return builtin()
    if isinstance(vectors, str | Path):
        return read_vectors(vectors)
    chosen = list(vectors)
    for vector in chosen:
        check_vector(vector)
    return chosen


def _verdicts(
    vectors: Sequence[Vector], implementation: Implementation, answers: list[tuple[Vector, CheckedAnswer]]
) -> Iterator[Verdict]:
    for vector in vectors:
        try:
            answer = CheckedAnswer(ask(implementation, request_for(vector)))
        except (AdapterError, AnswerError) as error:
            yield _verdict(vector["name"], vector.get("rule") or "", _shown(vector), (), str(error))
            continue
        answers.append((vector, answer))
        checks = tuple(_checks(answer, vector))
        yield _verdict(vector["name"], vector.get("rule") or "", _shown(vector), checks)
    for one in PROPERTIES:
        checks = tuple(
            check for vector, answer in answers for check in _judged(one.of, one.check, answer, None, vector)
        )
        yield _verdict(one.name, rule(one.name), shows(one.name), checks, None if checks else one.vacuous)


def _checks(answer: CheckedAnswer, vector: Vector) -> Iterator[Check]:
    for name, expected in vector["expect"].items():
        if name in EXPECTATIONS:
            yield from _judged(name, EXPECTATIONS[name].check, answer, expected, vector)


def _judged(of: str, check: Checker, answer: CheckedAnswer, expected: Any, vector: Vector) -> Iterator[Check]:
    try:
        for one in check(answer, expected, vector):
            yield replace(one, of=of)
    except AnswerError as error:
        yield Check(f"{of} cannot be checked: {error}", False, "", of)


def _shown(vector: Vector) -> tuple[str, ...]:
    stated = set(vector["expect"]) - UNCHECKED
    return tuple(one for one in shows(vector["name"]) if any(bears_on(one, name) for name in stated))


@cache
def whole() -> Mapping[str, tuple[str, ...]]:
    """Map the name of each vector, property and aspect in a full report to the requirements that it tests."""
    vectors = {vector["name"]: _shown(vector) for vector in builtin()}
    return vectors | {name: shows(name) for name in (*(one.name for one in PROPERTIES), *ASPECTS)}


def _verdict(
    name: str, says: str, shown: tuple[str, ...], checks: tuple[Check, ...], error: str | None = None
) -> Verdict:
    against = {check.of for check in checks if not check.passed}
    failed = tuple(one for one in shown if any(bears_on(one, of) for of in against))
    if error or (not failed and against):  # a failure that bears on none counts against all
        failed = shown
    return Verdict(name, says, shown, failed, not error and not against, checks, error)


def request_for(vector: Vector) -> Request:
    expect = vector["expect"]
    request: Request = {
        "timeline": vector["timeline"],
        "query_idx": 0,
        "budget": vector["token_budget"],
        "lookup": list(dict.fromkeys((*expect.get("current_value", ()), *expect.get("is_current", ())))),
        "turns": list(expect.get("turn_scope", ())),
    }
    for name in SHARES:
        if (share := vector.get(name)) is not None:
            request[name] = share
    return request


def fingerprint(vectors: Iterable[Vector]) -> str:
    """SHA-256 of the vectors, which identifies the questions that a report answers."""
    digest = hashlib.sha256()
    for vector in vectors:
        digest.update(jsonl.canonical(vector) + b"\n")
    return digest.hexdigest()


def report(verdicts: Iterable[Verdict], *, implementation: str = OURS, vectors_sha256: str = "") -> Report:
    """Summarise verdicts per requirement, as JSON. `passed` is None if no vector of the requirement was run."""
    given = list(verdicts)
    rows = [cast(Judged, asdict(verdict) | {"evidence": verdict.evidence}) for verdict in given]
    drawn = next((verdict.generated for verdict in given if verdict.generated is not None), None)
    return {
        "implementation": implementation,
        "suite_revision": REVISION,
        "vectors_sha256": vectors_sha256,
        "seed": drawn.seed if drawn else None,
        "timelines": drawn.timelines if drawn else 0,
        "passed": sum(row["passed"] for row in rows),
        "total": len(rows),
        "requirements": judge(rows),
        "vectors": rows,
    }
