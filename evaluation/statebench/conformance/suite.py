"""Run vectors against an implementation and report per requirement."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

from evaluation.core import jsonl
from evaluation.core.errors import AdapterError
from evaluation.core.terminal.wording import number_of
from evaluation.statebench.conformance.checks import EXPECTATIONS, UNCHECKED
from evaluation.statebench.conformance.checks.check import Check, Checker
from evaluation.statebench.conformance.checks.properties import PROPERTIES
from evaluation.statebench.conformance.checks.reading import AnswerError, CheckedAnswer
from evaluation.statebench.conformance.protocol import Implementation, Request, ours
from evaluation.statebench.conformance.requirements import bears_on, judge, rule, shows
from evaluation.statebench.conformance.vectorfile import Vector, check_vector, read_vectors
from evaluation.statebench.conformance.vectors import builtin

OURS = "evaluation.statebench"
#: Of vectors, checks and properties together. 2: scopes, colliding ids, and nothing drafted or supposed in a context.
REVISION = 2
_EVIDENCE = 240  # characters of what was seen


@dataclass(frozen=True, slots=True)
class Verdict:
    """How an implementation did on one vector, or by one property over all answers.

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

    @property
    def evidence(self) -> str:
        """What failed and what was seen instead, or how much was checked."""
        if self.error:
            return self.error
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
    watch: Watcher | None = None,
) -> list[Verdict]:
    """One verdict per vector, in order, then one per property. `vectors` are given themselves, or as a path.

    Without vectors: those of the package; without an implementation: ours. `watch` is called with each verdict
    as it comes. Raises RowError for what is no vector, before anything is asked.
    """
    chosen = _chosen(vectors)
    answers: list[tuple[Vector, CheckedAnswer]] = []
    verdicts = []
    for verdict in _verdicts(chosen, implementation or ours, answers):
        verdicts.append(verdict)
        if watch is not None:
            watch(verdict)
    return verdicts


def _chosen(vectors: Iterable[Vector] | str | Path | None) -> Sequence[Vector]:
    if vectors is None:
        return builtin()
    if isinstance(vectors, str | Path):
        return read_vectors(vectors)
    given = list(vectors)
    for vector in given:
        check_vector(vector)
    return given


def _verdicts(
    vectors: Sequence[Vector], implementation: Implementation, answers: list[tuple[Vector, CheckedAnswer]]
) -> Iterator[Verdict]:
    for vector in vectors:
        try:
            answer = CheckedAnswer(_asked(implementation, request_for(vector)))
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


def _asked(implementation: Implementation, request: Request) -> Any:
    """The answer as it reads after its way through JSON, so that in process and over HTTP are judged alike."""
    try:
        answer = implementation(request)
    except AdapterError:
        raise
    except Exception as error:  # anybody's code: whatever it does is its verdict
        raise AdapterError(f"the implementation raised {type(error).__name__}: {error}") from error
    try:
        return jsonl.parse(jsonl.dumps(answer))
    except TypeError as error:
        raise AdapterError(f"the answer cannot be written as JSON: {error}") from error


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
    """Every vector of the package, and every property, with the requirements it shows: what a full report holds."""
    vectors = {vector["name"]: _shown(vector) for vector in builtin()}
    return vectors | {one.name: shows(one.name) for one in PROPERTIES}


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
    request = {
        "timeline": vector["timeline"],
        "query_idx": 0,
        "budget": vector["token_budget"],
        "lookup": list(dict.fromkeys((*expect.get("current_value", ()), *expect.get("is_current", ())))),
        "turns": list(expect.get("turn_scope", ())),
    }
    share = vector.get("fact_share")
    return request if share is None else request | {"fact_share": share}


def fingerprint(vectors: Iterable[Vector]) -> str:
    """SHA-256 of the vectors: which questions a report answers."""
    digest = hashlib.sha256()
    for vector in vectors:
        digest.update(jsonl.canonical(vector) + b"\n")
    return digest.hexdigest()


def report(
    verdicts: Iterable[Verdict], *, implementation: str = OURS, vectors_sha256: str = ""
) -> dict[str, Any]:
    """Requirements with pass or fail and evidence, for a page of badges.

    `passed` of a requirement is None where nothing was run that shows it.
    """
    rows = [asdict(verdict) | {"evidence": verdict.evidence} for verdict in verdicts]
    return {
        "implementation": implementation,
        "suite_revision": REVISION,
        "vectors_sha256": vectors_sha256,
        "passed": sum(row["passed"] for row in rows),
        "total": len(rows),
        "requirements": judge(rows),
        "vectors": rows,
    }
