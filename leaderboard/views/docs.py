"""How to take part, on one page."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from leaderboard.models import Version


@require_safe
def docs(request: HttpRequest) -> HttpResponse:
    return render(request, "leaderboard/docs.html", {"version": Version.objects.open().first()})
