"""Signals that versions send to the packages above them."""

from __future__ import annotations

from django.dispatch import Signal

#: The answers of a version are kept no longer. Sent with `sender` Version and `version_id`.
retired = Signal()
