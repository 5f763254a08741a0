"""Signals about placements. Packages that this package may not import can receive them."""

from __future__ import annotations

from django.dispatch import Signal

#: The placements over all rows of a version were recomputed. Sent in the transaction that stores them, with `sender`
#: Version, `version`, and the lists of placements `before` and `after`, without names.
ranked = Signal()
