"""Conformance reports: read them, and send one of a system of yours as the command line writes it."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any

from django.http import Http404, HttpRequest, HttpResponse
from ninja import Field, Query, Router, Schema, Status

from leaderboard.accounts.access import MAY_SUBMIT
from leaderboard.conformance import intake
from leaderboard.conformance import services as conformance
from leaderboard.conformance.models import ConformanceReport
from leaderboard.submissions.models import System
from leaderboard.submissions.schemas import SystemRef, system_ref
from leaderboard.web.api import bodies
from leaderboard.web.api.fields import Words, example, of_row
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
    """One requirement of the specification, and whether it is fulfilled."""

    id: str
    text: str
    passed: bool | None = Field(
        description="null where no vector of the report shows it, or one that does is missing."
    )
    vectors_passed: int | None = Field(
        None, description="How many of its vectors passed; null in older reports and for the checklist."
    )
    vectors_total: int = Field(0, description="How many of the report's vectors show it.")
    missing: list[str] = Field([], description="Vectors that show it and that the report leaves out.")
    evidence: str


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

    id: int
    system: SystemRef | None = Field(description="null for our own where no such system is on a board.")
    implementation: str
    verified: bool = Field(description="Whether this site ran the implementation itself.")
    conforms: bool = Field(
        description="Whether every requirement passed, by all vectors of this site's suite that show it."
    )
    requirements_passed: int
    requirements_total: int
    failed: list[str]
    not_run: list[str]
    vectors_passed: int
    vectors_total: int = Field(description="How many the report holds.")
    vectors_expected: int = Field(description="How many it holds and leaves out of this site's suite.")
    vectors_missing: list[str] = Field(description="Those that it leaves out.")
    suite_revision: int = Field(description="Of the vectors and checks that judged it.")
    seed: int | None = Field(description="Of the timelines that were generated; null where none were.")
    timelines: int = Field(description="How many were generated from the seed.")
    vectors_sha256: str
    created_at: datetime
    url: str


class ReportDetail(ReportOut):
    """A conformance report with every requirement."""

    requirements: list[RequirementOut]


class ReportFilters(Paging):
    system: Annotated[
        str, Field(pattern=r"^([^\x00/]+/[-a-zA-Z0-9_]+)?$", max_length=250, description="`owner/slug`.")
    ] = ""
    verified: Annotated[bool, Field(description="Only those that this site ran itself.")] = False
    mine: bool = False


class ReportFields(Schema):
    """Whose report it is."""

    system: Annotated[
        Words, Field(min_length=1, max_length=80, description="Slug or name of your system, or a new name.")
    ]


@router.get(
    "",
    operation_id="leaderboard_api_conformance_list_reports",
    response=Page[ReportOut],
    summary="Conformance reports, newest first",
)
def list_reports(request: HttpRequest, filters: Query[ReportFilters]) -> Any:
    reports = ConformanceReport.objects.select_related("system__owner").defer("vectors")
    if filters.system:
        system = System.objects.by_address(filters.system)
        reports = reports.filter(system=system) if system else reports.none()
    if filters.verified:
        reports = reports.filter(verified=True)
    if filters.mine:
        reports = reports.filter(system__owner_id=request.user.pk)
    return by_key(request, reports, ["-created_at", "-id"], filters, lambda report: _shown(request, report))


@router.get(
    "/{int:id}",
    operation_id="leaderboard_api_conformance_get_report",
    response=ReportDetail,
    summary="A report with every requirement",
)
def get_report(request: HttpRequest, id: int) -> Any:
    report = ConformanceReport.objects.select_related("system__owner").defer("vectors").filter(pk=id).first()
    if report is None:
        raise Http404
    return _shown(request, report) | {"requirements": _requirements(report)}


@router.post(
    "",
    operation_id="leaderboard_api_conformance_send_report",
    response={201: ReportDetail, 200: ReportDetail},
    auth=MAY_SUBMIT,
    throttle=Throttle("upload"),
    summary="Send a conformance report",
    openapi_extra=bodies.documented_json(_EXAMPLE) | problems(411, 413),
)
def send_report(request: HttpRequest, response: HttpResponse, fields: Query[ReportFields]) -> Any:
    """The report as the body, or as the multipart field `file`: what `state conformance --results-json` writes.

    Its requirements are judged again from the verdicts on vectors, by all vectors of this site's suite: one of which a
    vector is missing was not run. What says the same as the system's newest report
    is not kept twice (200).
    """
    report, created = _kept(request, _body(request), fields.system)
    response["Location"] = f"{request.path}/{report.pk}"
    return Status(201 if created else 200, _shown(request, report) | {"requirements": _requirements(report)})


def _body(request: HttpRequest) -> bytes:
    """The report as it was sent. Raises ProblemError 411, 413 or 422."""
    with (
        bodies.upload(request, limit=intake.MAX_BYTES) as upload,
        open(upload.path, "rb") as file,
    ):
        return file.read(intake.MAX_BYTES + 1)


def _kept(request: HttpRequest, data: bytes, system: str) -> tuple[ConformanceReport, bool]:
    try:
        return conformance.receive(data, system=system, by=request.user)
    except intake.ReportError as error:
        refusals = [{"code": "invalid_report", "message": text} for text in error.problems]
        raise ProblemError(
            422, "rejected-report", f"{error} Nothing was stored.", problems=refusals
        ) from error


def _requirements(report: ConformanceReport) -> list[dict[str, object]]:
    """The requirements of a report, each with how many of its vectors the report holds."""
    return [{**row, "vectors_total": len(row.get("vectors", ()))} for row in report.judged]


def _shown(request: HttpRequest, report: ConformanceReport) -> dict[str, object]:
    """A report as the API shows it."""
    return of_row(
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
