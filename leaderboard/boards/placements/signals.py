"""Signals that placements send to the packages above them."""

from __future__ import annotations

from django.dispatch import Signal

#: The places by all rows of a version were computed anew. Sent in the transaction that stores them, with `sender`
#: Version, `version`, and the lists of places `before` and `after`, without names.
ranked = Signal()
