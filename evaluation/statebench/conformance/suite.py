"""Run vectors against an implementation and report per requirement."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from evaluation import jsonl
from evaluation.errors import AdapterError, RowError
from evaluation.statebench.conformance.checks import CHECKS, UNCHECKED, Answer, Check
from evaluation.statebench.conformance.protocol import Implementation, Request, ours
from evaluation.statebench.conformance.vectors import REQUIREMENTS, Vector, builtin, shows

OURS = "evaluation.statebench"
_EVIDENCE = 240  # characters of what was seen


@dataclass(frozen=True, slots=True)
class Verdict:
    """How an implementation did on one vector. `error` says why it could not be judged at all."""

    name: str
    rule: str
    requirements: tuple[str, ...]
    passed: bool
    checks: tuple[Check, ...]
    error: str | None = None

    @property
    def evidence(self) -> str:
        """What failed and what was seen instead, or how much was checked."""
        if self.error:
            return self.error
        failed = [
            f"{check.expectation}; seen: {check.seen[:_EVIDENCE]}"
            for check in self.checks
            if not check.passed
        ]
        return " | ".join(failed) or f"{len(self.checks)} checks hold"


def run_conformance(
    vectors: Iterable[Vector] | str | Path | None = None, implementation: Implementation | None = None
) -> list[Verdict]:
    """One verdict per vector, in order. `vectors` are given themselves, or as the path of their file.

    Without vectors: those of the package; without an implementation: ours.
    """
    if isinstance(vectors, str | Path):
        vectors = jsonl.read(vectors)
    return [_run(vector, implementation or ours) for vector in (builtin() if vectors is None else vectors)]


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

    `passed` is None where nothing was run.
    """
    verdicts = list(verdicts)
    requirements = []
    for name, text in REQUIREMENTS.items():
        shown = [verdict for verdict in verdicts if name in verdict.requirements]
        failed = [verdict for verdict in shown if not verdict.passed]
        evidence = "; ".join(f"{verdict.name}: {verdict.evidence}" for verdict in failed or shown)
        requirements.append(
            {
                "id": name,
                "text": text,
                "passed": not failed if shown else None,
                "vectors": [verdict.name for verdict in shown],
                "evidence": evidence,
            }
        )
    return {
        "implementation": implementation,
        "vectors_sha256": vectors_sha256,
        "passed": sum(verdict.passed for verdict in verdicts),
        "total": len(verdicts),
        "requirements": requirements,
        "vectors": [asdict(verdict) | {"evidence": verdict.evidence} for verdict in verdicts],
    }


def _run(vector: Vector, implementation: Implementation) -> Verdict:
    name, rule = vector["name"], vector.get("rule") or ""
    expect = vector["expect"]
    if unknown := sorted(set(expect) - set(CHECKS) - UNCHECKED):
        raise RowError(f"vector {name!r} expects {', '.join(unknown)}, which no check knows")
    try:
        answer = implementation(request_for(vector))
        checks = tuple(_checks(answer, vector))
    except AdapterError as error:
        return Verdict(name, rule, shows(name), False, (), str(error))
    except (KeyError, TypeError, AttributeError) as error:
        return Verdict(name, rule, shows(name), False, (), f"the answer is not of the protocol: {error!r}")
    return Verdict(name, rule, shows(name), all(check.passed for check in checks), checks)


def request_for(vector: Vector) -> Request:
    """What an implementation is asked for a vector."""
    expect = vector["expect"]
    return {
        "timeline": vector["timeline"],
        "query_idx": 0,
        "budget": vector["token_budget"],
        "lookup": list(expect.get("current_value", ())),
        "turns": list(expect.get("turn_scope", ())),
    }


def _checks(answer: Answer, vector: Vector) -> Iterable[Check]:
    for name, expected in vector["expect"].items():
        if name in CHECKS:
            yield from CHECKS[name](answer, expected, vector)
