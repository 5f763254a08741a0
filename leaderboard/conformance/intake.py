"""Checks on a received conformance report, shared by page, API and command line."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    StrictBool,
    StrictInt,
    StringConstraints,
    ValidationError,
    model_validator,
)

from evaluation.core import jsonl
from evaluation.core.errors import RowError
from evaluation.core.files import shape
from evaluation.statebench.conformance.model.aspects import ASPECTS
from evaluation.statebench.conformance.model.running import MOST_TIMELINES, SEEDS, TIMELINES
from evaluation.statebench.conformance.requirements import Judged, judge, shows
from evaluation.statebench.conformance.suite import whole

MAX_BYTES = 4 << 20  # room for `MAX_VECTORS` of 2 kB each, twice the evidence kept per vector
MAX_VECTORS = 2000  # in one report; this release has 143
#: The report of this release's vectors has 4 levels and some 500 values.
SHAPE = shape.Shape(values=100_000)
_EVIDENCE = 1000  # characters of evidence kept per vector, and twice as many per requirement
_ALL_EVIDENCE = 200_000  # characters of evidence kept of all vectors together
_SHOWN = 5  # problems reported at once


class ReportError(Exception):
    """A file is not a valid conformance report; `problems` has one sentence per error."""

    def __init__(self, *problems: str) -> None:
        self.problems = list(problems)
        super().__init__(" ".join(problems))


def _shortened(text: str) -> str:
    # PostgreSQL rejects NUL, and evidence may quote anything an implementation sent
    return text.replace("\x00", "�")[:_EVIDENCE]


Line = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, pattern=r"^[^\x00-\x1f]*$")]
Evidence = Annotated[str, AfterValidator(_shortened)]
Ids = Annotated[list[Annotated[str, StringConstraints(max_length=100)]], Field(max_length=100)]


class VectorVerdict(BaseModel):
    """The result of an implementation on one test vector."""

    model_config = ConfigDict(extra="ignore")

    name: Annotated[Line, Field(max_length=100)]
    passed: StrictBool
    evidence: Evidence = ""
    requirements: Ids | None = None
    failed: Ids | None = None

    @model_validator(mode="after")
    def agrees_with_itself(self) -> VectorVerdict:
        """Check that a passed test vector names no failed requirement, and that a failed vector names one."""
        if self.passed and self.failed:
            raise ValueError(f"{self.name} is reported as passed, but fails {', '.join(self.failed)}")
        if not self.passed and self.failed == [] and self.requirements:
            raise ValueError(f"{self.name} is reported as failed, but fails none of {self.requirements}")
        return self

    def row(self) -> Judged:
        """The verdict as a dictionary. Leaves out requirements that this site does not link to the test vector."""
        known = shows(self.name)
        shown = known if self.requirements is None else [one for one in known if one in self.requirements]
        failed = shown if self.failed is None and not self.passed else self.failed or []
        return {
            "name": self.name,
            "passed": self.passed,
            "evidence": self.evidence,
            "requirements": list(shown),
            "failed": [one for one in shown if one in failed],
        }


class Report(BaseModel):
    """The fields of a report that the site uses. The report's own verdicts on requirements are ignored."""

    model_config = ConfigDict(extra="ignore")

    implementation: Annotated[Line, Field(max_length=200)]
    vectors_sha256: Annotated[str, Field(pattern=r"^([0-9a-f]{64})?$")] = ""
    suite_revision: Annotated[StrictInt, Field(ge=1, le=10_000)] = 1  # reports of revision 1 lack the field
    seed: Annotated[StrictInt, Field(ge=0, lt=SEEDS)] | None = None
    timelines: Annotated[StrictInt, Field(ge=0, le=MOST_TIMELINES)] = 0
    vectors: Annotated[list[VectorVerdict], Field(min_length=1, max_length=MAX_VECTORS)]

    @model_validator(mode="after")
    def names_each_vector_once(self) -> Report:
        """Refuse a report with two verdicts on a test vector, because they could contradict each other."""
        counts = Counter(one.name for one in self.vectors)
        if twice := [name for name, count in counts.items() if count > 1]:
            raise ValueError(f"these vectors occur more than once: {', '.join(twice[:_SHOWN])}")
        return self


def read(data: bytes) -> dict[str, object]:
    """Parse a report and judge it by all vectors of this release, including vectors it lacks. Raises ReportError."""
    if len(data) > MAX_BYTES:
        raise ReportError(f"The report has more than {MAX_BYTES >> 20} MB.")
    if fault := shape.fault(data, SHAPE):
        raise ReportError(f"The file is not a report: {fault.reason}.")
    try:
        report = Report.model_validate(jsonl.parse_row(data.strip()))
    except RowError as error:
        raise ReportError(f"The file is not a report: {error.reason}.") from error
    except ValidationError as error:
        raise ReportError(*_problems(error)) from error
    # A pass over too few generated timelines counts as not run.
    too_few = ASPECTS if report.timelines < TIMELINES else ()
    rows = [one.row() for one in report.vectors if not (one.passed and one.name in too_few)]
    return {
        "implementation": report.implementation,
        "vectors_sha256": report.vectors_sha256,
        "suite_revision": report.suite_revision,
        "seed": report.seed,
        "timelines": report.timelines,
        "passed": sum(row["passed"] for row in rows),
        "total": len(rows),
        "requirements": judge(rows, whole()),
        "vectors": rows,
    }


def slim(report: Mapping[str, Any]) -> dict[str, object]:
    """Values of a report for the columns of its database row, with shortened evidence."""
    room = min(_EVIDENCE, _ALL_EVIDENCE // max(1, len(report["vectors"])))
    vectors = [
        {"name": row["name"], "passed": row["passed"], "evidence": row["evidence"][:room]}
        for row in report["vectors"]
    ]
    requirements = [row | {"evidence": row["evidence"][: 2 * _EVIDENCE]} for row in report["requirements"]]
    columns = (
        "implementation",
        "vectors_sha256",
        "suite_revision",
        "seed",
        "timelines",
        "passed",
        "total",
    )
    return {name: report[name] for name in columns} | {"vectors": vectors, "requirements": requirements}


def _problems(error: ValidationError) -> list[str]:
    """One message per error, with its path in the report: `vectors.3.passed: …`."""
    errors = error.errors(include_url=False, include_context=False, include_input=False)
    messages = [
        f"{'.'.join(map(str, one['loc'])) or 'report'}: {one['msg'].removeprefix('Value error, ')}."
        for one in errors[:_SHOWN]
    ]
    more = [f"And {len(errors) - _SHOWN} more."] if len(errors) > _SHOWN else []
    return [*messages, *more]
