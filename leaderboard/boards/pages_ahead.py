"""Renders changed public pages in a worker, so that the first reader after a write does not wait.

A grading requests a round of rendering, and so does the reaper if the site changed since the last round. One task is
queued at a time. The task waits, up to `PATIENCE_S`, while grades or placements are being computed.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from datetime import timedelta
from functools import cache
from itertools import islice
from typing import Any

from django.core.handlers.wsgi import WSGIHandler
from django.urls import reverse

from leaderboard.benchmarks.models import Version
from leaderboard.boards.models import DuePlacements
from leaderboard.boards.views.splits import split_page
from leaderboard.jobs import dispatch
from leaderboard.ready_pages import ahead
from leaderboard.ready_pages.middleware import keep_ahead
from leaderboard.ready_pages.models import fingerprint
from leaderboard.submissions import signals
from leaderboard.submissions.models import Submission
from leaderboard.web import results_cache

TASK = "render_pages"
#: Long enough for the writes of one request to share a round.
DELAY_S = 2
#: While grades come in, pages are rendered this often: the next grade outdates each of them.
PATIENCE_S = timedelta(minutes=3).total_seconds()
#: Bounds a round: this many pages take some twenty seconds.
MOST_PAGES = 200
SINCE, DONE = "pages-ahead-since", "pages-ahead-done"


def connect() -> None:
    signals.landed.connect(plan, dispatch_uid="pages are rendered ahead")


def plan(**_: Any) -> None:
    """Queue a round of rendering soon after the commit. Until the round starts, further requests share it."""
    dispatch.on_commit(_enqueue)


def plan_overdue() -> bool:
    """Queue a round of rendering if the site changed since the last round, or one is overdue. True if it did so."""
    if overdue := bool(ahead.origin()) and (results_cache.cache.get(DONE) != _done() or ahead.is_overdue()):
        _enqueue()
    return overdue


def render() -> int:
    """Render the pages that are not stored in their present state; returns the number of rendered pages.

    Renders nothing while grades or placements are being computed.
    """
    dispatch.begun(TASK)
    if not ahead.origin() or _waits():
        return 0
    done, state, rendered = _done(), fingerprint(), 0
    addresses = [ahead.origin() + path for path in islice(paths(), MOST_PAGES)]
    for address in ahead.missing(addresses):
        if fingerprint() != state:  # the site changed meanwhile: the rest would be outdated
            plan()
            return rendered
        rendered += keep_ahead(_handler(), address)
    ahead.forget(addresses)
    results_cache.cache.set(DONE, done, None)
    return rendered


def paths() -> Iterator[str]:
    """The most visited pages: the lists, and the pages of each version, the featured one first."""
    versions = list(Version.objects.readable().order_by("-featured", "benchmark__position", "-frozen_at"))
    for name in ("front", "board", "versions", "systems", "history", "glossary"):
        yield reverse(f"leaderboard:{name}")
    for version in versions:
        named = {"benchmark": version.benchmark.slug, "version": version.slug}
        yield from (version.get_board_url(), version.get_absolute_url())
        if page := split_page(version):
            yield reverse("leaderboard:board_split", kwargs=named | {"page": page.slug})
        yield reverse("leaderboard:changes", kwargs=named)
        yield reverse("leaderboard:board_figures", kwargs=named)


def _waits() -> bool:
    """True if the round of rendering must wait for grades or placements; then a later round is queued."""
    on_their_way = DuePlacements.objects.exists() or Submission.objects.pending().exists()
    since = results_cache.cache.get_or_set(SINCE, time.time(), None)
    if on_their_way and time.time() - float(since or 0) < PATIENCE_S:
        plan()
        return True
    results_cache.cache.delete(SINCE)
    return False


def _done() -> str:
    return f"{fingerprint()} {ahead.release()} {ahead.origin()}"


def _enqueue() -> None:
    dispatch.enqueue_later(TASK, seconds=DELAY_S)


@cache
def _handler() -> WSGIHandler:
    return WSGIHandler()
