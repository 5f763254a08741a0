"""Versions: what each measures, its exact settings and hash, its rows to download, how to submit."""

from __future__ import annotations

from django.db.models import Count
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_safe

from leaderboard import downloads
from leaderboard.models import Submission, Version


@require_safe
def index(request: HttpRequest) -> HttpResponse:
    counts = dict(
        Submission.objects.filter(shown=True).order_by().values_list("version").annotate(Count("pk"))
    )
    versions = list(Version.objects.readable())
    for version in versions:
        version.systems_count = counts.get(version.pk, 0)  # type: ignore[attr-defined]
    return render(request, "leaderboard/version_list.html", {"versions": versions})


@require_safe
def detail(request: HttpRequest, benchmark: str, version: str) -> HttpResponse:
    found = readable(benchmark, version)
    public = Submission.objects.public().filter(version=found, status=Submission.Status.GRADED)
    context = {
        "version": found,
        "disclosure": found.disclosure,
        "facts": [
            *found.benchmark.engine.describe(found.settings, seeds=found.disclosure.shows_seeds),
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


def readable(benchmark: str, version: str) -> Version:
    """The frozen or retired version at this address, or a 404."""
    return get_object_or_404(Version.objects.readable(), benchmark__slug=benchmark, slug=version)


@require_safe
def rows(request: HttpRequest, benchmark: str, version: str) -> HttpResponseBase:
    """The rows as gzipped JSON lines, streamed; without gold unless the version makes it public."""
    found = readable(benchmark, version)
    return downloads.send(request, found.rows_sha256, name=rows_name(found))


def rows_name(version: Version) -> str:
    """What a download of the rows is called."""
    return f"{version.benchmark.slug}-{version.slug}.rows.jsonl.gz"
