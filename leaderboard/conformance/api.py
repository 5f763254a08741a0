"""API of conformance reports: read reports, and send a report for your system."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any

from django.http import Http404, HttpRequest, HttpResponse
from ninja import Field, Query, Router, Schema, Status

from leaderboard.accounts import teams
from leaderboard.accounts.access import MAY_SUBMIT, account_of
from leaderboard.conformance import intake
from leaderboard.conformance import services as conformance
from leaderboard.conformance.models import ConformanceReport
from leaderboard.submissions.models import System
from leaderboard.submissions.schemas import SystemRef, system_ref
from leaderboard.web.api import bodies
from leaderboard.web.api.fields import Words, example, row_fields
from leaderboard.web.api.openapi import problems
from leaderboard.web.api.paging import Page, Paging, by_key
from leaderboard.web.api.problems import ProblemError
from leaderboard.web.api.throttling import Throttle

router = Router(tags=["Conformance"])
_EXAMPLE = {
    "implementation": "my store 1.2",
    "suite_revision": 4,
    "seed": 1234567890,
    "timelines": 300,
    "vectors_sha256": "",
    "vectors": [
        {
            "name": "basic_supersession",
            "passed": True,
            "requirements": ["T1", "S2", "S3", "W1"],
            "failed": [],
            "evidence": "4 checks hold",
        }
    ],
}


class RequirementOut(Schema):
    """A requirement of the specification, and whether it is fulfilled."""

    id: str = Field(description="Id of the requirement in the specification.")
    text: str = Field(description="Text of the requirement.")
    passed: bool | None = Field(
        description="Whether the requirement is met: false if a vector shows a failure, else null if a vector that "
        "tests it is missing in the report."
    )
    vectors_passed: int | None = Field(
        None,
        description="Number of the requirement's vectors that passed; null in older reports and for the checklist.",
    )
    vectors_total: int = Field(0, description="Number of the report's vectors that test the requirement.")
    missing: list[str] = Field([], description="Vectors of the requirement that the report lacks.")
    evidence: str = Field(description="Evidence from the vectors.")


class ReportOut(Schema):
    """A conformance report in short."""

    model_config = example(
        id=7,
        system={"owner": "ada", "slug": "my-store", "name": "My store"},
        implementation="my store 1.2",
        verified=False,
        conforms=False,
        requirements_passed=40,
        requirements_total=41,
        failed=["Q4"],
        not_run=[],
        vectors_passed=142,
        vectors_total=143,
        vectors_expected=143,
        vectors_missing=[],
        suite_revision=3,
        seed=1234567890,
        timelines=300,
    )

    id: int = Field(description="Id of the report in addresses of this API.")
    system: SystemRef | None = Field(description="The tested system; null if it is on no board.")
    implementation: str = Field(description="Name and release of the implementation, from the report.")
    verified: bool = Field(description="Whether this site ran the implementation itself.")
    conforms: bool = Field(
        description="Whether all requirements are met, each tested by all of its vectors in this site's suite."
    )
    requirements_passed: int = Field(description="Number of requirements that are met.")
    requirements_total: int = Field(description="Number of requirements.")
    failed: list[str] = Field(description="Ids of requirements that are not met.")
    not_run: list[str] = Field(
        description="Ids of requirements that did not fail, but that the report does not test completely."
    )
    vectors_passed: int = Field(description="Number of vectors that passed.")
    vectors_total: int = Field(description="Number of vectors in the report.")
    vectors_expected: int = Field(description="Number of vectors of a complete report.")
    vectors_missing: list[str] = Field(description="Vectors of this site's suite that the report lacks.")
    suite_revision: int = Field(description="Revision of the vectors and checks that judged the report.")
    seed: int | None = Field(description="Seed of the generated timelines; null if none were generated.")
    timelines: int = Field(description="Number of timelines generated from the seed.")
    vectors_sha256: str = Field(description="SHA-256 of the vectors that were run; empty if unknown.")
    created_at: datetime = Field(description="When the report was stored.")
    url: str = Field(description="URL of the report's page on this site.")


class ReportDetail(ReportOut):
    """A conformance report with every requirement."""

    requirements: list[RequirementOut] = Field(description="Each requirement and whether it is fulfilled.")


class ReportFilters(Paging):
    system: Annotated[
        str, Field(pattern=r"^([^\x00/]+/[-a-zA-Z0-9_]+)?$", max_length=250, description="`owner/slug`.")
    ] = ""
    verified: Annotated[bool, Field(description="Only reports of runs by this site itself.")] = False
    mine: Annotated[bool, Field(description="Only reports of the caller and their teams.")] = False


class ReportFields(Schema):
    """Query parameters that name the system of a report."""

    system: Annotated[
        Words, Field(min_length=1, max_length=80, description="Slug or name of your system, or a new name.")
    ]
    team: Annotated[
        Words, Field(max_length=150, description="Your team that owns the system; empty: you own it.")
    ] = ""


@router.get(
    "",
    response=Page[ReportOut],
    summary="Conformance reports, newest first",
)
def list_reports(request: HttpRequest, filters: Query[ReportFilters]) -> Any:
    """List conformance reports, the newest first."""
    reports = ConformanceReport.objects.select_related("system__owner").defer("vectors")
    if filters.system:
        system = System.objects.by_address(filters.system)
        reports = reports.filter(system=system) if system else reports.none()
    if filters.verified:
        reports = reports.filter(verified=True)
    if filters.mine:
        reports = reports.filter(system__owner__in=teams.accounts_of(request.user))
    return by_key(request, reports, ["-created_at", "-id"], filters, lambda report: _shown(request, report))


@router.get(
    "/{int:id}",
    response=ReportDetail,
    summary="A report with every requirement",
)
def get_report(request: HttpRequest, id: int) -> Any:
    """Return a report with each requirement of the specification."""
    report = ConformanceReport.objects.select_related("system__owner").defer("vectors").filter(pk=id).first()
    if report is None:
        raise Http404
    return _shown(request, report) | {"requirements": _requirements(report)}


@router.post(
    "",
    response={201: ReportDetail, 200: ReportDetail},
    auth=MAY_SUBMIT,
    throttle=Throttle("upload"),
    summary="Send a conformance report",
    openapi_extra=bodies.documented_json(_EXAMPLE) | problems(411, 413),
)
def send_report(request: HttpRequest, response: HttpResponse, fields: Query[ReportFields]) -> Any:
    """Send a report of `state conformance --results-json`, as the body or the multipart field `file`.

    This site judges each requirement again, from the report's verdicts on vectors. A requirement fails if any of its
    vectors fails. It is fulfilled only if the report has all of its vectors in this site's suite and none fails. If
    none fails but some are missing, the requirement counts as not run. The status is 200 if the report equals the
    system's newest report: then it is not stored again.
    """
    report, created = _kept(request, _body(request), fields)
    response["Location"] = f"{request.path}/{report.pk}"
    return Status(201 if created else 200, _shown(request, report) | {"requirements": _requirements(report)})


def _body(request: HttpRequest) -> bytes:
    with (
        bodies.upload(request, limit=intake.MAX_BYTES) as upload,
        open(upload.path, "rb") as file,
    ):
        return file.read(intake.MAX_BYTES + 1)


def _kept(request: HttpRequest, data: bytes, fields: ReportFields) -> tuple[ConformanceReport, bool]:
    try:
        owner = account_of(request, fields.team)
        return conformance.receive(data, system=fields.system, by=request.user, owner=owner)
    except intake.ReportError as error:
        refusals = [{"code": "invalid_report", "message": text} for text in error.problems]
        raise ProblemError(
            422, "rejected-report", f"{error} Nothing was stored.", problems=refusals
        ) from error


def _requirements(report: ConformanceReport) -> list[dict[str, object]]:
    return [{**row, "vectors_total": len(row.get("vectors", ()))} for row in report.judged]


def _shown(request: HttpRequest, report: ConformanceReport) -> dict[str, object]:
    return row_fields(
        ReportOut,
        report,
        system=report.system and system_ref(report.system),
        requirements_total=len(report.judged),
        failed=[row["id"] for row in report.judged if row["passed"] is False],
        not_run=[row["id"] for row in report.judged if row["passed"] is None],
        vectors_passed=report.passed,
        vectors_total=report.total,
        vectors_missing=report.missing,
        url=request.build_absolute_uri(report.get_absolute_url()),
    )
