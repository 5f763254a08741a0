"""Conformance reports: of our own implementation, run here, and of anybody's, sent as the command line writes them."""

from __future__ import annotations

import time
from typing import Any

from evaluation import jsonl
from evaluation.errors import RowError
from evaluation.statebench.conformance.suite import OURS, fingerprint, report, run_conformance
from evaluation.statebench.conformance.vectors import REQUIREMENTS, builtin, shows
from leaderboard.models import ConformanceReport, System
from leaderboard.seeding import SITE_USER

#: The strategy that our implementation is, as this site runs it.
OWN_SYSTEM = "state_based"
MAX_BYTES = 4 << 20
GROUPS = {
    "L": "Layers",
    "S": "Supersession",
    "M": "Memory types",
    "C": "Constraints",
    "SC": "Scope",
    "W": "Writing",
    "R": "Reading",
    "D": "Detection",
    "P": "Permission",
    "Q": "Context and budget",
    "T": "The specification's three tests",
    "A": "Anti-patterns",
    "K": "Checklist",
}


class ReportError(Exception):
    """A file is no conformance report; the text says why."""


def run(*, by: Any = None) -> ConformanceReport:
    """Run the package's vectors against our own implementation and keep the report."""
    started, vectors = time.perf_counter(), builtin()
    found = report(run_conformance(vectors), implementation=OURS, vectors_sha256=fingerprint(vectors))
    own = System.objects.filter(owner__username=SITE_USER, name=OWN_SYSTEM).first()
    seconds = time.perf_counter() - started
    return _kept(found, system=own, verified=True, added_by=by, seconds=seconds)


def receive(data: bytes, *, system: System, by: Any) -> ConformanceReport:
    """Keep a report that somebody made of their system. Raises ReportError."""
    return _kept(_checked(data), system=system, added_by=by)


def newest_own() -> ConformanceReport | None:
    """The latest report of our own implementation."""
    return ConformanceReport.objects.filter(verified=True).first()


def _kept(found: dict[str, Any], **fields: Any) -> ConformanceReport:
    columns = ("implementation", "vectors_sha256", "passed", "total", "requirements", "vectors")
    slim = [{name: row[name] for name in ("name", "passed", "evidence")} for row in found["vectors"]]
    values = {name: found[name] for name in columns} | {"vectors": slim}
    return ConformanceReport.objects.create(**values, **fields)


def _checked(data: bytes) -> dict[str, Any]:
    """A report whose requirements are judged anew from its vectors: what it says of them itself is not read."""
    if len(data) > MAX_BYTES:
        raise ReportError(f"The report has more than {MAX_BYTES >> 20} MB.")
    try:
        found = jsonl.parse_row(data.strip())
        vectors = [_vector(row) for row in found["vectors"]]
        implementation, vectors_sha256 = (
            str(found["implementation"])[:200],
            str(found.get("vectors_sha256", ""))[:64],
        )
    except RowError as error:
        raise ReportError(f"The file is no report: {error.reason}.") from error
    except (KeyError, TypeError, AttributeError) as error:
        raise ReportError(
            "The file is no report: write it with `state conformance --results-json`."
        ) from error
    if not vectors:
        raise ReportError("The report holds no vectors.")
    return {
        "implementation": implementation,
        "vectors_sha256": vectors_sha256,
        "passed": sum(row["passed"] for row in vectors),
        "total": len(vectors),
        "requirements": [_requirement(name, vectors) for name in REQUIREMENTS],
        "vectors": vectors,
    }


def _vector(row: dict[str, Any]) -> dict[str, Any]:
    return {
        "name": str(row["name"])[:100],
        "passed": row["passed"] is True,
        "evidence": str(row["evidence"])[:1000],
    }


def _requirement(name: str, vectors: list[dict[str, Any]]) -> dict[str, Any]:
    """Pass or fail by the vectors that show a requirement; None where none of them was run."""
    shown = [row for row in vectors if name in shows(row["name"])]
    failed = [row for row in shown if not row["passed"]]
    return {
        "id": name,
        "text": REQUIREMENTS[name],
        "passed": not failed if shown else None,
        "vectors": [row["name"] for row in shown],
        "evidence": "; ".join(f"{row['name']}: {row['evidence']}" for row in failed or shown)[:2000],
    }
