"""Signals for packages that `leaderboard.submissions` may not import."""

from __future__ import annotations

from django.dispatch import Signal

#: The board of a version may have changed: by a grade, publication or withdrawal. Sent within the transaction, with
#: `sender` Submission and `version_id`.
landed = Signal()
