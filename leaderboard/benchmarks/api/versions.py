"""API of versions, with downloads of their rows."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated, Any

from django.http import HttpRequest, HttpResponseBase
from django.urls import reverse
from ninja import Field, Query, Router

from leaderboard.benchmarks import downloads
from leaderboard.benchmarks.models import Version
from leaderboard.benchmarks.schemas import VersionDetail, VersionOut
from leaderboard.benchmarks.sealing import learning
from leaderboard.benchmarks.sealing.published import downloads_of
from leaderboard.web.api.fields import Slug, row_fields
from leaderboard.web.api.openapi import download
from leaderboard.web.api.paging import Page, Paging, by_key
from leaderboard.web.api.problems import ProblemError

router = Router(tags=["Versions"])


class VersionFilters(Paging):
    benchmark: Annotated[
        str, Field(pattern=r"^[-a-zA-Z0-9_]*$", max_length=90, description="Slug of a benchmark; empty: all.")
    ] = ""


@router.get("", response=Page[VersionOut], summary="List the versions, newest first")
def list_versions(request: HttpRequest, filters: Query[VersionFilters]) -> Any:
    """List frozen versions, which accept submissions, and retired versions."""
    versions = Version.objects.readable().with_twins()
    if filters.benchmark:
        versions = versions.filter(benchmark__slug=filters.benchmark)
    return by_key(request, versions, ["-frozen_at", "-id"], filters, lambda version: shown(request, version))


@router.get(
    "/{benchmark}/{version}", response=VersionDetail, summary="A version, its settings and a sample row"
)
def get_version(request: HttpRequest, benchmark: Slug, version: Slug) -> Any:
    """Return a version with its settings, a sample row, its files, and the scores of attackers: programs that answer
    without understanding the text.
    """
    frozen = Version.objects.get_readable(benchmark, version)
    facts = frozen.bound.settings.describe(seeds=frozen.disclosure.shows_seeds)
    settings = [{"label": label, "text": text} for label, text in facts]
    files = [file._asdict() | {"url": _address(request, frozen, file.what)} for file in downloads_of(frozen)]
    published = frozen.lists_predictions
    return shown(request, frozen) | {
        "settings": settings,
        "sample": frozen.sample,
        "downloads": files,
        "predictions_url": _address(request, frozen, "predictions") if published else None,
        "attacks": frozen.attack_report,
    }


@router.get(
    "/{benchmark}/{version}/rows",
    response={200: None},
    summary="Download the rows",
    openapi_extra=download("The rows as gzipped JSON lines. Resumable by Range; the ETag never changes."),
)
def get_rows(request: HttpRequest, benchmark: Slug, version: Slug) -> HttpResponseBase:
    """Download the rows as gzipped JSON lines, without gold unless the version makes it public.

    Rows with a `document_id` refer to a line of the documents instead of repeating its text.
    """
    frozen = Version.objects.get_readable(benchmark, version)
    return downloads.send(request, frozen.rows_sha256, name=downloads.rows_name(frozen))


@router.get(
    "/{benchmark}/{version}/documents",
    response={200: None},
    summary="Download the texts that the rows refer to",
    openapi_extra=download(
        "The texts as gzipped JSON lines. Resumable by Range; the ETag never changes. 404 if the rows have no "
        "`document_id`."
    ),
)
def get_documents(request: HttpRequest, benchmark: Slug, version: Slug) -> HttpResponseBase:
    """Download the texts that rows refer to, each once: gzipped JSON lines with `id` and `document` (or `book`)."""
    frozen = Version.objects.get_readable(benchmark, version)
    return downloads.send_documents(request, frozen)


@router.get(
    "/{benchmark}/{version}/gold",
    response={200: None},
    summary="Download the gold of a retired version",
    openapi_extra=download("The gold as gzipped JSON lines. 404 while it is secret."),
)
def get_gold(request: HttpRequest, benchmark: Slug, version: Slug) -> HttpResponseBase:
    """Download the gold as gzipped JSON lines. `goldevidencebench commitment` checks it against the commitment."""
    frozen = Version.objects.get_readable(benchmark, version)
    return downloads.send_gold(request, frozen)


def _address(request: HttpRequest, version: Version, what: str) -> str:
    place = [version.benchmark.slug, version.slug]
    return request.build_absolute_uri(reverse(f"api:get_{what}", args=place))


def open_version(name: str) -> Version:
    """Find the version with this id. Raises Http404 if it is unknown, or ProblemError 409 if it is retired."""
    benchmark, _, slug = name.partition("/")
    version = Version.objects.get_readable(benchmark, slug)
    if not version.is_open:
        raise ProblemError(409, "version-retired", f"{version} is retired and accepts no more submissions.")
    return version


def shown(request: HttpRequest, version: Version) -> dict[str, object]:
    """Values for the fields of `VersionOut`."""
    address = reverse("api:get_rows", args=[version.benchmark.slug, version.slug])
    disclosure = version.disclosure
    return row_fields(
        VersionOut,
        version,
        id=version_id(version),
        documents_sha256=version.documents_sha256 or None,
        documents=version.document_count if version.documents_sha256 else None,
        rows=version.row_count,
        units=version.unit_count,
        headline=asdict(version.headline),
        commitment=version.commitment or None,
        answers={"state": disclosure.state, "label": disclosure.label, "text": disclosure.sentence},
        figure_step=version.shown_step or None,
        uploads=learning.upload_limit(version) if version.shown_step else None,
        twin=version_id(version.public_twin) if version.public_twin else None,
        twin_of=version_id(version.twin_of) if version.twin_of else None,
        rows_url=request.build_absolute_uri(address),
        documents_url=_address(request, version, "documents") if version.documents_sha256 else None,
        url=request.build_absolute_uri(version.get_absolute_url()),
    )


def version_id(version: Version) -> str:
    """Id of a version in the API: `benchmark/version`."""
    return f"{version.benchmark.slug}/{version.slug}"
