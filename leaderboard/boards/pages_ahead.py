"""A worker renders the public pages that changed: the first reader after a write does not wait for them.

What lands asks for a round, and so does the reaper where the state of the site is another one than the last round's,
whoever wrote. However often it is asked for, one task waits, and while grades or placements are on their way the
round waits, for a while: a thousand regrades are a handful of rounds.
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
#: Long enough for the writes of one act to share a round.
DELAY_S = 2
#: While grades come in, pages are rendered this often: each is old with the next grade.
PATIENCE_S = timedelta(minutes=3).total_seconds()
#: A round takes a while; this many pages are some twenty seconds.
MOST_PAGES = 200
SINCE, DONE = "pages-ahead-since", "pages-ahead-done"


def connect() -> None:
    """Listen to what submissions tell."""
    signals.landed.connect(plan, dispatch_uid="pages are rendered ahead")


def plan(**_: Any) -> None:
    """Have the pages rendered soon, once however often it is asked for meanwhile."""
    dispatch.on_commit(_enqueue)


def plan_overdue() -> bool:
    """Have them rendered where something was written since the last round, or time went by. Whether it was."""
    if overdue := bool(ahead.origin()) and (results_cache.cache.get(DONE) != _done() or ahead.is_overdue()):
        _enqueue()
    return overdue


def render() -> int:
    """Render what is not stored as the site is now, unless more is about to change.

    Returns:
        How many pages were rendered.
    """
    dispatch.begun(TASK)
    if not ahead.origin() or _waits():
        return 0
    done, state, rendered = _done(), fingerprint(), 0
    addresses = [ahead.origin() + path for path in islice(paths(), MOST_PAGES)]
    for address in ahead.missing(addresses):
        if fingerprint() != state:  # the rest would be old at once
            plan()
            return rendered
        rendered += keep_ahead(_handler(), address)
    ahead.forget(addresses)
    results_cache.cache.set(DONE, done, None)
    return rendered


def paths() -> Iterator[str]:
    """The pages that most readers come to: the lists, and those of each version, the featured one first."""
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
    """Whether grades or placements are on their way, and the round can wait for them. It is asked for again."""
    on_their_way = DuePlacements.objects.exists() or Submission.objects.pending().exists()
    since = results_cache.cache.get_or_set(SINCE, time.time(), None)
    if on_their_way and time.time() - float(since or 0) < PATIENCE_S:
        plan()
        return True
    results_cache.cache.delete(SINCE)
    return False


def _done() -> str:
    """Names the round that belongs to the present state of the site."""
    return f"{fingerprint()} {ahead.release()} {ahead.origin()}"


def _enqueue() -> None:
    dispatch.enqueue_later(TASK, seconds=DELAY_S)


@cache
def _handler() -> WSGIHandler:
    """The site without its web server, made once in a process."""
    return WSGIHandler()
