"""The front page, the about page and the glossary."""

from __future__ import annotations

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_safe

from evaluation.core.suite import usable
from leaderboard.benchmarks.models import Benchmark
from leaderboard.boards.front import page
from leaderboard.boards.front.terms import TERMS
from leaderboard.boards.views.board import boards_to_choose

#: Parameters of the board, which used to be at this address: old links are redirected.
OF_BOARD = frozenset("sort view page kind verified q references section budget condition notes track".split())


@require_safe
def front(request: HttpRequest) -> HttpResponse:
    if OF_BOARD & set(request.GET):
        return redirect(f"{reverse('leaderboard:board')}?{request.GET.urlencode()}")
    versions = sorted(boards_to_choose().select_related("preset"), key=lambda version: not version.featured)
    shown = page.front(versions, request.GET.dict())
    return render(request, "leaderboard/front.html", {"front": shown, "versions": versions})


@require_safe
def about(request: HttpRequest) -> HttpResponse:
    contact = settings.CONTACT
    address = f"mailto:{contact}" if "@" in contact and "/" not in contact else contact
    context = {"versions": boards_to_choose(), "contact": contact, "contact_address": address}
    return render(request, "leaderboard/about.html", context)


@require_safe
def glossary(request: HttpRequest) -> HttpResponse:
    benchmarks = Benchmark.objects.filter(suite__in=usable())
    return render(request, "leaderboard/glossary.html", {"terms": TERMS, "benchmarks": benchmarks})
