"""The cache of computed results and sent messages. Rate limits use another cache, so that neither evicts the other."""

from __future__ import annotations

from django.core.cache import caches
from django.utils.connection import ConnectionProxy

cache = ConnectionProxy(caches, "results")
