"""The weekly mail about a board that an account follows: new results, and the systems that can still be the best."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from django.core.cache import caches
from django.utils import timezone

from leaderboard.benchmarks.models import Version
from leaderboard.boards.placements import placements
from leaderboard.boards.sharing import feeds
from leaderboard.boards.slices import WHOLE
from leaderboard.notices import mailing
from leaderboard.notices.models import Follow
from leaderboard.submissions.models import Submission
from leaderboard.web.formatting import number

EVERY = timedelta(days=7)
#: How often the periodic work looks for digests that are due, and how many it writes then.
LOOK_EVERY_S, BATCH = 3600, 200
MOST_RESULTS, MOST_NAMES = 10, 3


def send_when_due() -> int:
    """Call `send_due`, at most once an hour. Returns the number of mails."""
    if not mailing.is_possible():
        return 0
    return send_due() if caches["results"].add("digests", 1, LOOK_EVERY_S) else 0


def send_due() -> int:
    """Send the digests that are due and return their number. A week without results has no digest."""
    due = Follow.objects.filter(told_at__lte=timezone.now() - EVERY, user__is_active=True)
    follows = list(due.select_related("version__benchmark").order_by("told_at")[:BATCH])
    return sum(_send(follow) for follow in follows)


def _send(follow: Follow) -> bool:
    now, version = timezone.now(), follow.version
    # Claimed first: a process that dies after this line loses a digest, but sends none twice.
    claimed = Follow.objects.filter(pk=follow.pk, told_at=follow.told_at).update(told_at=now)
    address = mailing.address_of(follow.user_id)
    if not claimed or not address or not (told := digest(version, follow.told_at)):
        return False
    subject, ends = f"{version.title}: the week on the board", [f"{mailing.DIGEST}{version.pk}"]
    mailing.message(follow.user_id, address, subject, "leaderboard/mail/digest.txt", told, ends=ends).send()
    return True


def digest(version: Version, since: datetime) -> dict[str, Any]:
    """Template context of the digest's mail; empty if no result was graded after `since`."""
    new = feeds.results(version).filter(graded_at__gt=since)
    if not (count := new.count()):
        return {}
    board = placements.board_placements(version, Submission.objects.on_board(version), WHOLE)
    best = [place.name for place in board if place.best and place.rank is not None]
    return {
        "title": version.title,
        "count": count,
        "results": [_line(submission) for submission in new[:MOST_RESULTS]],
        "more": max(count - MOST_RESULTS, 0),
        "best": best[:MOST_NAMES],
        "tied": max(len(best) - MOST_NAMES, 0),
        "board": mailing.whole(version.get_board_url()),
    }


def _line(submission: Submission) -> str:
    figure = "" if submission.result is None else f", {number(submission.result)}"
    return f"{submission.system.name}{figure}"
