"""The guide to taking part, which uses one version as its example, and the download of the engine."""

from __future__ import annotations

from django.http import FileResponse, Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import render
from django.views.decorators.http import require_safe

from leaderboard.benchmarks.models import Version
from leaderboard.web import engine as wheel


@require_safe
def docs(request: HttpRequest) -> HttpResponse:
    choices = _one_of_each()
    featured = next((version for version in choices if version.featured), choices[0] if choices else None)
    version = Version.objects.open().by_address(request.GET.get("version", "")) or featured
    context = {"version": version, "choices": choices}
    return render(request, "leaderboard/docs.html", context)


@require_safe
def engine(request: HttpRequest, name: str) -> HttpResponseBase:
    """Download the current release of the engine as a wheel, under a name that pip can parse."""
    if name != wheel.NAME or not wheel.is_built():
        raise Http404(f"This site has no file {name}.")
    # The type that package indexes use: browsers might unpack a zip.
    kind = "application/octet-stream"
    response = FileResponse(wheel.path().open("rb"), as_attachment=True, filename=name, content_type=kind)
    response["Cache-Control"] = "no-cache"
    return response


def _one_of_each() -> list[Version]:
    """One open version of each benchmark: the featured version, else the newest."""
    by_benchmark: dict[int, Version] = {}
    for version in Version.objects.open():
        if version.featured or version.benchmark_id not in by_benchmark:
            by_benchmark[version.benchmark_id] = version
    return list(by_benchmark.values())
