"""Signals that submissions send to the packages above them."""

from __future__ import annotations

from django.dispatch import Signal

#: What the board of a version shows may have changed: a grade landed, or a submission was published or withdrawn.
#: Sent within the transaction, with `sender` Submission and `version_id`.
landed = Signal()
