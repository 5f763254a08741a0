"""The cache of what was computed (placements, matrices of verdicts, estimates) and of the messages that were sent.

Limits (of the API, of sign-in) count in the default cache. Neither can throw the other's entries out.
"""

from __future__ import annotations

from django.core.cache import caches
from django.utils.connection import ConnectionProxy

cache = ConnectionProxy(caches, "results")
