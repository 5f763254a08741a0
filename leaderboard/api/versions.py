"""Versions: what each measures, its rows to download, and checking a file against it without submitting."""

from __future__ import annotations

from typing import Annotated, Any

from django.http import HttpRequest, HttpResponseBase
from django.urls import reverse
from ninja import Field, Query, Router

from evaluation import row_states
from leaderboard import downloads, submissions
from leaderboard.api import bodies
from leaderboard.api.access import SIGNED_IN
from leaderboard.api.fields import Slug
from leaderboard.api.openapi import download, problems
from leaderboard.api.paging import Page, Paging, by_key
from leaderboard.api.problems import ProblemError
from leaderboard.api.schemas import Checked, VersionDetail, VersionOut
from leaderboard.api.throttling import Throttle
from leaderboard.models import Version
from leaderboard.views.versions import readable, rows_name

router = Router(tags=["Versions"])


class VersionFilters(Paging):
    benchmark: Annotated[str, Field(pattern=r"^[-a-zA-Z0-9_]*$", max_length=90)] = ""


@router.get("", response=Page[VersionOut], summary="List the versions, newest first")
def list_versions(request: HttpRequest, filters: Query[VersionFilters]) -> Any:
    found = Version.objects.readable()
    if filters.benchmark:
        found = found.filter(benchmark__slug=filters.benchmark)
    return by_key(request, found, ["-frozen_at", "-id"], filters, lambda version: shown(request, version))


@router.get(
    "/{benchmark}/{version}", response=VersionDetail, summary="A version, its settings and a sample row"
)
def get_version(request: HttpRequest, benchmark: Slug, version: Slug) -> Any:
    found = readable(benchmark, version)
    facts = found.benchmark.engine.describe(found.settings, seeds=found.disclosure.shows_seeds)
    settings = [{"label": label, "text": text} for label, text in facts]
    return shown(request, found) | {"settings": settings, "sample": found.sample}


@router.get(
    "/{benchmark}/{version}/rows",
    response={200: None},
    summary="Download the rows",
    openapi_extra=download("The rows as gzipped JSON lines. Resumable by Range; the ETag never changes."),
)
def get_rows(request: HttpRequest, benchmark: Slug, version: Slug) -> HttpResponseBase:
    """Gzipped JSON lines, without gold unless the version makes it public."""
    found = readable(benchmark, version)
    return downloads.send(request, found.rows_sha256, name=rows_name(found))


@router.post(
    "/{benchmark}/{version}/validate",
    response=Checked,
    auth=SIGNED_IN,
    throttle=Throttle("upload"),
    summary="Check a predictions file without submitting it",
    openapi_extra=bodies.documented() | problems(409, 411, 413, 503),
)
def validate(request: HttpRequest, benchmark: Slug, version: Slug) -> Any:
    """Answers as submitting the file would, and stores nothing. A file with problems is answered with 422."""
    found = open_version(f"{benchmark}/{version}")
    with bodies.upload(request) as upload:
        checked = submissions.dry_run(found, upload.path, sent_by=request.user)
    return {
        "rows": checked.rows,
        "conditions": list(checked.conditions),
        "row_states": checked.states,
        "warning": row_states.sentence(checked.states, "lines"),
    }


def open_version(name: str) -> Version:
    """The version of that id, if it takes submissions. Raises Http404, or ProblemError 409 if retired."""
    benchmark, _, slug = name.partition("/")
    found = readable(benchmark, slug)
    if not found.is_open:
        raise ProblemError(409, "version-retired", f"{found} is retired and takes no more submissions.")
    return found


def shown(request: HttpRequest, version: Version) -> dict[str, Any]:
    """A version as the API shows it."""
    address = reverse("api:get_rows", args=[version.benchmark.slug, version.slug])
    told = version.disclosure
    return {
        "id": version_id(version),
        "title": version.title,
        "description": version.description,
        "status": version.status,
        "featured": version.featured,
        "grader": version.grader,
        "sha256": version.sha256,
        "rows_sha256": version.rows_sha256,
        "rows": version.row_count,
        "units": version.unit_count,
        "conditions": version.conditions,
        "public_gold": version.public_gold,
        "answers": {"state": told.state, "label": told.label, "text": told.sentence},
        "frozen_at": version.frozen_at,
        "rows_url": request.build_absolute_uri(address),
        "url": request.build_absolute_uri(version.get_absolute_url()),
    }


def version_id(version: Version) -> str:
    """`benchmark/version`."""
    return f"{version.benchmark.slug}/{version.slug}"
