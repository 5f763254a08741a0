"""Page of published results on GoldEvidenceBench beside our reproductions, with a list of other benchmarks."""

from __future__ import annotations

from functools import cache
from itertools import groupby

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from evaluation.goldevidence.experiments.anchors import compare, counted, external
from evaluation.goldevidence.experiments.anchors.comparing import Status
from evaluation.goldevidence.experiments.anchors.rendering import NOT_COMPARABLE


@require_safe
def anchors(request: HttpRequest) -> HttpResponse:
    return render(request, "leaderboard/anchors.html", _context())


@cache
def _context() -> dict[str, object]:
    # Cached: the data comes with the engine's release.
    tables = compare()
    counts = counted(tables)
    return {
        "tables": tables,
        "statuses": [(status, counts.get(status, 0)) for status in Status],
        "row_count": sum(counts.values()),
        "not_comparable": NOT_COMPARABLE,
        "kinds": [(kind, list(members)) for kind, members in groupby(external(), key=lambda each: each.kind)],
        "external_count": len(external()),
    }
