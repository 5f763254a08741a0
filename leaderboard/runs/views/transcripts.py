"""Transcripts of a run: a page per row, and a download of all."""

from __future__ import annotations

import json
from typing import Any

from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import render
from django.views.decorators.http import require_safe

from leaderboard.benchmarks import downloads
from leaderboard.runs import prompts
from leaderboard.submissions import transcripts
from leaderboard.submissions.models import Submission


@require_safe
def transcript(request: HttpRequest, pk: Any) -> HttpResponse:
    submission, row_id = _readable(request, pk), request.GET.get("id", "")
    line = transcripts.find(submission, {row_id}).get(row_id)
    if line is None:
        raise Http404
    prompt = prompts.shown_prompt(submission, line)
    context = {
        "submission": submission,
        "version": submission.version,
        "line": line,
        "prompt": prompt,
        "prediction": json.dumps(line["prediction"], indent=2, ensure_ascii=False)
        if "prediction" in line
        else "",
        "not_shown": "" if prompt else prompts.NOT_SHOWN,
    }
    return render(request, "leaderboard/submission_transcript.html", context)


@require_safe
def transcript_lines(request: HttpRequest, pk: Any) -> HttpResponseBase:
    submission = _readable(request, pk)
    name = f"{submission.system.slug}-{submission.version.slug}.transcripts.jsonl.gz"
    return downloads.send(request, submission.transcripts_sha256, name=name, private=True)


def _readable(request: HttpRequest, pk: Any) -> Submission:
    submission = Submission.objects.get_visible(request.user, pk)
    if reason := transcripts.why_withheld(submission, request.user):
        raise PermissionDenied(reason)
    if not submission.transcripts_sha256:
        raise Http404
    return submission
