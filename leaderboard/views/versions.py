"""Versions: what each measures, its exact settings and hash, its rows to download, how to submit."""

from __future__ import annotations

from django.db.models import Count, Q
from django.http import FileResponse, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404, render
from django.utils.http import http_date
from django.views.decorators.http import condition, require_safe

from leaderboard import storage
from leaderboard.models import Submission, Version


@require_safe
def index(request: HttpRequest) -> HttpResponse:
    graded = Q(submissions__status=Submission.Status.GRADED, submissions__shown=True)
    versions = Version.objects.readable().annotate(systems_count=Count("submissions", filter=graded))
    return render(request, "leaderboard/version_list.html", {"versions": versions})


@require_safe
def detail(request: HttpRequest, benchmark: str, version: str) -> HttpResponse:
    found = readable(benchmark, version)
    public = Submission.objects.public().filter(version=found, status=Submission.Status.GRADED)
    context = {
        "version": found,
        "facts": found.benchmark.engine.describe(found.settings),
        "conditions": found.conditions,
        "sample": found.sample,
        "systems_count": public.filter(shown=True).count(),
        "graded_count": public.count(),
    }
    return render(request, "leaderboard/version.html", context)


def readable(benchmark: str, version: str) -> Version:
    """The frozen or retired version at this address, or a 404."""
    return get_object_or_404(Version.objects.readable(), benchmark__slug=benchmark, slug=version)


def _etag(request: HttpRequest, benchmark: str, version: str) -> str | None:
    sha256 = Version.objects.readable().filter(benchmark__slug=benchmark, slug=version).values_list(
        "rows_sha256", flat=True
    )
    found = sha256.first()
    return f'"{found}"' if found else None


@require_safe
@condition(etag_func=_etag)
def rows(request: HttpRequest, benchmark: str, version: str) -> HttpResponseBase:
    """The rows as gzipped JSON lines, streamed; without gold unless the version makes it public."""
    found = readable(benchmark, version)
    response = FileResponse(
        storage.open_packed(found.rows_sha256),
        as_attachment=True,
        filename=f"{found.benchmark.slug}-{found.slug}.rows.jsonl.gz",
        content_type="application/gzip",
    )
    response["X-Content-SHA256"] = found.rows_sha256
    if found.frozen_at:
        response["Last-Modified"] = http_date(found.frozen_at.timestamp())
    response["Cache-Control"] = "public, max-age=31536000, immutable"
    return response
