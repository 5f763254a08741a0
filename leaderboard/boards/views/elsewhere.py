"""Downloads of versions and results in common formats: Croissant, Parquet, Hugging Face Hub, Every Eval Ever."""

from __future__ import annotations

from typing import Any

from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase, JsonResponse
from django.views.decorators.http import require_safe

from leaderboard.benchmarks import downloads
from leaderboard.benchmarks.models import Version
from leaderboard.boards.sharing import citations, every_eval, hub
from leaderboard.boards.sharing.croissant import croissant
from leaderboard.submissions.models import Submission
from leaderboard.submissions.rows.table_file import table_of

YAML = "text/plain; charset=utf-8"  # browsers show it, and save what is called YAML


@require_safe
def version_table(request: HttpRequest, benchmark: str, version: str) -> HttpResponseBase:
    frozen = Version.objects.get_readable(benchmark, version)
    table = table_of(frozen)
    name = f"{frozen.benchmark.slug}-{frozen.slug}.parquet"
    return downloads.send_parquet(request, table.path, table.sha256, name=name)


@require_safe
def version_croissant(request: HttpRequest, benchmark: str, version: str) -> HttpResponse:
    frozen = Version.objects.get_readable(benchmark, version)
    citation = citations.version_entry(frozen, url=request.build_absolute_uri(frozen.get_absolute_url()))
    made = croissant(frozen, table_of(frozen), request.build_absolute_uri, citation)
    return JsonResponse(made, content_type="application/ld+json", json_dumps_params={"indent": 2})


@require_safe
def version_eval_yaml(request: HttpRequest, benchmark: str, version: str) -> HttpResponse:
    return HttpResponse(hub.eval_yaml(Version.objects.get_readable(benchmark, version)), content_type=YAML)


@require_safe
def version_cff(request: HttpRequest, benchmark: str, version: str) -> HttpResponse:
    frozen = Version.objects.get_readable(benchmark, version)
    url = request.build_absolute_uri(frozen.get_absolute_url())
    return HttpResponse(citations.cff(frozen, url=url), content_type=YAML)


@require_safe
def board_records(request: HttpRequest, benchmark: str, version: str) -> HttpResponse:
    """A zip with an Every Eval Ever record of each system on the board."""
    frozen = Version.objects.get_readable(benchmark, version)
    shown = Submission.objects.on_board(frozen).with_names().order_by("pk")
    graded = [submission for submission in shown if submission.result is not None]
    response = HttpResponse(
        every_eval.archive(graded, request.build_absolute_uri), content_type="application/zip"
    )
    name = f"{frozen.benchmark.slug}-{frozen.slug}-every-eval-ever.zip"
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    return response


@require_safe
def submission_record(request: HttpRequest, pk: Any) -> HttpResponse:
    made = every_eval.record(_graded(request, pk), request.build_absolute_uri)
    return JsonResponse(made, json_dumps_params={"indent": 2, "ensure_ascii": False})


@require_safe
def submission_eval_results(request: HttpRequest, pk: Any) -> HttpResponse:
    return HttpResponse(hub.eval_results(_graded(request, pk), request.build_absolute_uri), content_type=YAML)


@require_safe
def submission_model_index(request: HttpRequest, pk: Any) -> HttpResponse:
    return HttpResponse(hub.model_index(_graded(request, pk), request.build_absolute_uri), content_type=YAML)


def _graded(request: HttpRequest, pk: Any) -> Submission:
    submission = Submission.objects.get_visible(request.user, pk)
    if submission.result is None:
        raise Http404("This submission reports no headline.")
    return submission
