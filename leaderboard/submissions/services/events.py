"""The history of a submission."""

from __future__ import annotations

from typing import Any

from leaderboard.submissions.models import Event, Submission


def record(submission: Submission, kind: str, *, actor: Any = None, detail: str = "") -> None:
    """Add an event to a submission's history.

    Args:
        submission: Whose history.
        kind: One of `Event.Kind`.
        actor: The account that did it; None: this site.
        detail: What a reader may want to know of it, cut at 300 characters.
    """
    Event.objects.create(submission=submission, kind=kind, actor=actor, detail=detail[:300])
