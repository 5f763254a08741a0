"""Pages of versions: purpose, settings, hash, downloads, and how to submit."""

from __future__ import annotations

from django.db.models import Q, Sum
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import render
from django.views.decorators.http import require_safe

from leaderboard.benchmarks import downloads
from leaderboard.benchmarks.models import Version
from leaderboard.benchmarks.sealing import learning
from leaderboard.benchmarks.sealing.published import downloads_of


@require_safe
def index(request: HttpRequest) -> HttpResponse:
    shown = Sum("submission_counts__number", filter=Q(submission_counts__shown=True), default=0)
    versions = Version.objects.readable().annotate(systems_count=shown)
    twins = {twin.twin_of_id: twin for twin in versions if twin.is_twin}
    listed = [version for version in versions if not version.is_twin]
    context = {"versions": [(version, twins.get(version.pk)) for version in listed]}
    return render(request, "leaderboard/version_list.html", context)


@require_safe
def detail(request: HttpRequest, benchmark: str, version: str) -> HttpResponse:
    frozen = Version.objects.get_readable(benchmark, version)
    public = frozen.submission_counts.filter(visibility="public", status="graded")
    context = {
        "version": frozen,
        "disclosure": frozen.disclosure,
        "downloads": {file.what: file for file in downloads_of(frozen)},
        "other_formats": list(frozen.suite.display.formats),
        "facts": [*frozen.bound.settings.describe(seeds=frozen.disclosure.shows_seeds), *_imported(frozen)],
        "learning": learning.learning(frozen),
        "twin": frozen.public_twin,
        "reached": None if frozen.is_import else frozen.suite.display.reached(frozen.settings),
        "splits": frozen.conditions,
        "sample": frozen.sample,
        "systems_count": public.filter(shown=True).total(),
        "graded_count": public.exclude(source="mean").total(),
    }
    return render(request, "leaderboard/version.html", context)


def _imported(version: Version) -> list[tuple[str, str]]:
    return [("Imported file", f"sha256 {version.source_sha256[:12]}…")] if version.source_sha256 else []


@require_safe
def gold(request: HttpRequest, benchmark: str, version: str) -> HttpResponseBase:
    return downloads.send_gold(request, Version.objects.get_readable(benchmark, version))


@require_safe
def rows(request: HttpRequest, benchmark: str, version: str) -> HttpResponseBase:
    """Stream the rows as gzipped JSON lines, without gold unless the version makes it public."""
    frozen = Version.objects.get_readable(benchmark, version)
    return downloads.send(request, frozen.rows_sha256, name=downloads.rows_name(frozen))


@require_safe
def documents(request: HttpRequest, benchmark: str, version: str) -> HttpResponseBase:
    return downloads.send_documents(request, Version.objects.get_readable(benchmark, version))


@require_safe
def rows_in_format(request: HttpRequest, benchmark: str, version: str, name: str) -> HttpResponseBase:
    return downloads.send_in_format(Version.objects.get_readable(benchmark, version), name)
