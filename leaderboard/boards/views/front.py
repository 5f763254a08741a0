"""The front page: what is measured, an example to answer oneself, what the boards show, and the boards; all
the words of the site on one page.
"""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_safe

from evaluation.core.suite import usable
from leaderboard.benchmarks.models import Benchmark
from leaderboard.boards.front import cards, page
from leaderboard.boards.front.terms import TERMS
from leaderboard.boards.views.board import boards_to_choose

#: What the board was asked for when it stood at this address. Such addresses lead to it.
OF_BOARD = frozenset("sort view page kind verified q references section budget condition notes track".split())


@require_safe
def front(request: HttpRequest) -> HttpResponse:
    if OF_BOARD & set(request.GET):
        return redirect(f"{reverse('leaderboard:board')}?{request.GET.urlencode()}")
    versions = sorted(boards_to_choose(), key=lambda version: not version.featured)
    context = {
        "benchmarks": page.introduced(versions, request.GET.dict()),
        "cards": cards.cards_of(versions),
        "versions": versions,
    }
    return render(request, "leaderboard/front.html", context)


@require_safe
def glossary(request: HttpRequest) -> HttpResponse:
    benchmarks = Benchmark.objects.filter(suite__in=usable())
    return render(request, "leaderboard/glossary.html", {"terms": TERMS, "benchmarks": benchmarks})
