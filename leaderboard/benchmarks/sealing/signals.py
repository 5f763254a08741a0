"""Signals about versions. Packages that this package may not import can receive them."""

from __future__ import annotations

from django.dispatch import Signal

#: A version was frozen and can be read. Sent in the transaction of the freeze, with `sender` Version and `version`.
frozen = Signal()
#: A version has retired, so that its answers are public. Sent with `sender` Version and `version_id`.
retired = Signal()
