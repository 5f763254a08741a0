"""Versions: what each measures, its exact settings and hash, its rows to download, how to submit."""

from __future__ import annotations

from django.db.models import Count, Q
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import render
from django.views.decorators.http import require_safe

from leaderboard.benchmarks import downloads
from leaderboard.benchmarks.models import Version


@require_safe
def index(request: HttpRequest) -> HttpResponse:
    counted = Count("submissions", filter=Q(submissions__shown=True))
    versions = Version.objects.readable().annotate(systems_count=counted)
    return render(request, "leaderboard/version_list.html", {"versions": versions})


@require_safe
def detail(request: HttpRequest, benchmark: str, version: str) -> HttpResponse:
    found = Version.objects.get_readable(benchmark, version)
    public = found.submissions.public().filter(status="graded")
    context = {
        "version": found,
        "disclosure": found.disclosure,
        "facts": [
            *found.suite.describe(found.settings, seeds=found.disclosure.shows_seeds),
            *_imported(found),
        ],
        "conditions": found.conditions,
        "sample": found.sample,
        "systems_count": public.filter(shown=True).count(),
        "graded_count": public.count(),
    }
    return render(request, "leaderboard/version.html", context)


def _imported(version: Version) -> list[tuple[str, str]]:
    """Where the rows come from, for a version of a published data set."""
    return [("Imported file", f"sha256 {version.source_sha256[:12]}…")] if version.source_sha256 else []


@require_safe
def rows(request: HttpRequest, benchmark: str, version: str) -> HttpResponseBase:
    """The rows as gzipped JSON lines, streamed; without gold unless the version makes it public."""
    found = Version.objects.get_readable(benchmark, version)
    return downloads.send(request, found.rows_sha256, name=downloads.rows_name(found))
