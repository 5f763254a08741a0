"""Chooses the initial version and system in the form of a run: those in the URL, else the best fit."""

from __future__ import annotations

from typing import Any

from leaderboard.benchmarks.models import Version
from leaderboard.runs import catalogue
from leaderboard.runs.catalogue import Executor
from leaderboard.runs.models import ModelFile


def picked_version(requested: Any) -> Version | None:
    """The open version with this key or address `benchmark/slug`, or None."""
    versions, text = Version.objects.open(), str(requested or "")
    if "\x00" in text or len(text) > 200:
        return None
    if text.isdecimal():
        return versions.filter(pk=int(text)).first()
    return versions.by_address(text)


def fitting_version(executor: Any, model_file: Any) -> Version | None:
    """The first open version, featured first, that `executor` can answer and whose texts fit the model.

    If there is none, another open version; None if no version is open.
    """
    open_ones = list(Version.objects.open().without_twins().order_by("-featured", "pk"))
    fits = [each for each in open_ones if not executor or str(executor) in catalogue.offered(each)]
    key = str(model_file or "")
    model = ModelFile.objects.filter(pk=int(key)).first() if key.isdecimal() and len(key) < 10 else None
    room = model.context_length if model else 0
    short = (each for each in fits if not room or _longest(each) <= room)
    return next(short, None) or next(iter(fits or open_ones), None) or Version.objects.open().first()


def _longest(version: Version) -> int:
    return max((rung.tokens for rung in version.bound.rungs), default=0)


def executor_of(version: Version | None, requested: Any) -> Executor | None:
    """The requested system, else the first that can answer the version; None if no system can."""
    known = catalogue.offered(version) if version else {}
    return known.get(str(requested)) or next(iter(known.values()), None)
