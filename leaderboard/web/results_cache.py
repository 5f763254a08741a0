"""The cache of computed results (placements, matrices of verdicts, estimates) and sent messages.

Limits (of API and sign-in) count in the default cache. Neither can evict the other's entries.
"""

from __future__ import annotations

from django.core.cache import caches
from django.utils.connection import ConnectionProxy

cache = ConnectionProxy(caches, "results")
