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
    read_seed,
    run_generated,
    told,
)
from evaluation.statebench.conformance.protocol import SHARES, Implementation, Request, ask, ours
from evaluation.statebench.conformance.requirements import Judged, Requirement, bears_on, judge, rule, shows
from evaluation.statebench.conformance.vectors import builtin, check_vector, read_vectors

OURS = "evaluation.statebench"
#: Of vectors, checks and properties together. 2: scopes, colliding ids, and nothing drafted or supposed in a context.
#: 3: timelines drawn from a seed and judged by a model, active places, facts from conversation, `ended`.
#: 4: takeovers in words ("I moved to …"), quoted authorities, constraints first,
#: times with an offset, successions and differences in words,
#: paraphrased queries, spans of months.
REVISION = 4
_EVIDENCE = 240  # characters of what was seen


class Report(TypedDict):
    """How an implementation did: what a page of badges shows, and what is sent to a site."""

    implementation: str
    suite_revision: int
    vectors_sha256: str
    seed: int | None  # None: no timeline was generated
    timelines: int
    passed: int  # of `total` vectors
    total: int
    requirements: list[Requirement]
    vectors: list[Judged]


@dataclass(frozen=True, slots=True)
class Generated:
    """What a verdict on generated timelines was found with: the same seed makes the same timelines.

    `failing` is the shortest timeline that was found to fail, as a request, with what was expected and seen.
    """

    seed: int
    timelines: int
    checks: int
    failing: Mapping[str, object] | None = None


@dataclass(frozen=True, slots=True)
class Verdict:
    """How an implementation did on one vector, by one property over all answers, or on generated timelines.

    `requirements` are those it shows, `failed` those of them that a failed check tells against. `error` says why
    nothing could be judged at all.
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
        """What failed and what was seen instead, or how much was checked."""
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
    """Run vectors and generated timelines against an implementation.

    Args:
        vectors: The vectors themselves or the path of their file; those of the package where None.
        implementation: What is asked; ours where None.
        seed: Which timelines are generated, a whole number from 0. Where None, that of the environment variable
            CONFORMANCE_SEED, else one that is drawn. The verdicts tell it.
        timelines: How many; where None, 200 beside the package's vectors and none beside others.
        questions: How many more may be asked to shorten each timeline that fails.
        watch: Called with each verdict as it comes.

    Returns:
        One verdict per vector, in order, then one per property, then one per aspect of generated timelines.

    Raises:
        RowError: One of them is no vector; raised before anything is asked.
        SettingsError: CONFORMANCE_SEED holds no seed; raised before anything is asked.
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
    """One verdict per aspect of generated timelines."""
    for one in run_generated(implementation, seed=seed, timelines=timelines, questions=questions):
        checks = _drawn_checks(one)
        failed = bool(one.error or one.failure)
        drawn = Generated(seed, timelines, one.checks, _failing(one))
        shown = shows(one.aspect)
        wrong = shown if failed else ()
        yield Verdict(one.aspect, rule(one.aspect), shown, wrong, not failed, checks, one.error, drawn)


def _drawn_checks(one: Outcome) -> tuple[Check, ...]:
    """The check that failed, with the timeline in words, which is what a page can show of it."""
    if (failure := one.failure) is None:
        return ()
    asked = f"query {failure.query} at {failure.budget} tokens of: {told(failure.row)}"
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
    """Drawn, unless CONFORMANCE_SEED holds one: a run that has to give the same each time, such as a test's."""
    fixed = os.environ.get("CONFORMANCE_SEED", "").strip()
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
    """The checks of an expectation; an answer that cannot be read fails it, and says what is missing."""
    try:
        for one in check(answer, expected, vector):
            yield replace(one, of=of)
    except AnswerError as error:
        yield Check(f"{of} cannot be checked: {error}", False, "", of)


def _shown(vector: Vector) -> tuple[str, ...]:
    """The requirements that a vector's name promises and its expectations tell of."""
    stated = set(vector["expect"]) - UNCHECKED
    return tuple(one for one in shows(vector["name"]) if any(bears_on(one, name) for name in stated))


@cache
def whole() -> Mapping[str, tuple[str, ...]]:
    """Every vector of the package, every property, and every aspect of generated timelines, with the requirements it
    shows: what a full report holds.
    """
    vectors = {vector["name"]: _shown(vector) for vector in builtin()}
    return vectors | {name: shows(name) for name in (*(one.name for one in PROPERTIES), *ASPECTS)}


def _verdict(
    name: str, says: str, shown: tuple[str, ...], checks: tuple[Check, ...], error: str | None = None
) -> Verdict:
    against = {check.of for check in checks if not check.passed}
    failed = tuple(one for one in shown if any(bears_on(one, of) for of in against))
    if error or (not failed and against):  # what bears on none of them tells against all
        failed = shown
    return Verdict(name, says, shown, failed, not error and not against, checks, error)


def request_for(vector: Vector) -> Request:
    """What an implementation is asked for a vector."""
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
    """SHA-256 of the vectors: which questions a report answers."""
    digest = hashlib.sha256()
    for vector in vectors:
        digest.update(jsonl.canonical(vector) + b"\n")
    return digest.hexdigest()


def report(verdicts: Iterable[Verdict], *, implementation: str = OURS, vectors_sha256: str = "") -> Report:
    """Requirements with pass or fail and evidence, for a page of badges.

    Args:
        verdicts: One per vector, property and aspect, as `run_conformance` gives them.
        implementation: The name of what was asked.
        vectors_sha256: The SHA-256 of the vectors' file.

    Returns:
        JSON-able data; `passed` of a requirement is None where nothing was run that shows it, `seed` where no timeline
        was generated.
    """
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
