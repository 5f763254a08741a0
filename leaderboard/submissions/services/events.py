from __future__ import annotations

from typing import Any

from leaderboard.submissions.models import Event, Submission


def record(submission: Submission, kind: str, *, actor: Any = None, detail: str = "") -> None:
    """Add an event to a submission's history. An `actor` of None means this site. `detail` is cut to 300 characters."""
    Event.objects.create(submission=submission, kind=kind, actor=actor, detail=detail[:300])
