"""Versions: what each measures, and its rows to download."""

from __future__ import annotations

from typing import Annotated, Any

from django.http import HttpRequest, HttpResponseBase
from django.urls import reverse
from ninja import Field, Query, Router

from leaderboard.benchmarks import downloads
from leaderboard.benchmarks.models import Version
from leaderboard.benchmarks.schemas import VersionDetail, VersionOut
from leaderboard.web.api.fields import Slug
from leaderboard.web.api.openapi import download
from leaderboard.web.api.paging import Page, Paging, by_key
from leaderboard.web.api.problems import ProblemError

router = Router(tags=["Versions"])


class VersionFilters(Paging):
    benchmark: Annotated[str, Field(pattern=r"^[-a-zA-Z0-9_]*$", max_length=90)] = ""


@router.get(
    "",
    operation_id="leaderboard_api_versions_list_versions",
    response=Page[VersionOut],
    summary="List the versions, newest first",
)
def list_versions(request: HttpRequest, filters: Query[VersionFilters]) -> Any:
    found = Version.objects.readable()
    if filters.benchmark:
        found = found.filter(benchmark__slug=filters.benchmark)
    return by_key(request, found, ["-frozen_at", "-id"], filters, lambda version: shown(request, version))


@router.get(
    "/{benchmark}/{version}",
    operation_id="leaderboard_api_versions_get_version",
    response=VersionDetail,
    summary="A version, its settings and a sample row",
)
def get_version(request: HttpRequest, benchmark: Slug, version: Slug) -> Any:
    found = Version.objects.get_readable(benchmark, version)
    facts = found.suite.describe(found.settings, seeds=found.disclosure.shows_seeds)
    settings = [{"label": label, "text": text} for label, text in facts]
    return shown(request, found) | {"settings": settings, "sample": found.sample}


@router.get(
    "/{benchmark}/{version}/rows",
    operation_id="leaderboard_api_versions_get_rows",
    response={200: None},
    summary="Download the rows",
    openapi_extra=download("The rows as gzipped JSON lines. Resumable by Range; the ETag never changes."),
)
def get_rows(request: HttpRequest, benchmark: Slug, version: Slug) -> HttpResponseBase:
    """Gzipped JSON lines, without gold unless the version makes it public."""
    found = Version.objects.get_readable(benchmark, version)
    return downloads.send(request, found.rows_sha256, name=downloads.rows_name(found))


def open_version(name: str) -> Version:
    """The version of that id, if it takes submissions. Raises Http404, or ProblemError 409 if retired."""
    benchmark, _, slug = name.partition("/")
    found = Version.objects.get_readable(benchmark, slug)
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
