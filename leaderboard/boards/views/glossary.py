"""All the words of the site on one page: those of every board, and those of each benchmark with its figures."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from evaluation.core.suite import usable
from leaderboard.benchmarks.models import Benchmark
from leaderboard.boards.front.terms import TERMS


@require_safe
def glossary(request: HttpRequest) -> HttpResponse:
    benchmarks = Benchmark.objects.filter(suite__in=usable())
    return render(request, "leaderboard/glossary.html", {"terms": TERMS, "benchmarks": benchmarks})
