"""API of benchmarks and their metrics."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from django.http import HttpRequest
from django.shortcuts import get_object_or_404
from ninja import Router

from leaderboard.benchmarks.models import Benchmark
from leaderboard.benchmarks.schemas import BenchmarkOut
from leaderboard.web.api.fields import Slug

router = Router(tags=["Benchmarks"])


@router.get("", response=list[BenchmarkOut], summary="List the benchmarks")
def list_benchmarks(request: HttpRequest) -> Any:
    """List the benchmarks with their metrics and the schema of their settings."""
    return [_shown(benchmark) for benchmark in Benchmark.objects.all()]


@router.get("/{benchmark}", response=BenchmarkOut, summary="A benchmark and its metrics")
def get_benchmark(request: HttpRequest, benchmark: Slug) -> Any:
    """Return a benchmark with its metrics and the JSON schema of its settings."""
    return _shown(get_object_or_404(Benchmark, slug=benchmark))


def _shown(benchmark: Benchmark) -> dict[str, object]:
    usual = benchmark.usual
    return {
        "slug": benchmark.slug,
        "title": benchmark.title,
        "summary": benchmark.summary,
        "grader": usual.grader,
        "columns": [asdict(column) for column in usual.columns],
        "settings_schema": usual.suite.settings.model_json_schema(),
    }
