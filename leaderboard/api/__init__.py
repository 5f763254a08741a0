"""The API under `/api/v1`: what the pages offer, under the same rules, for scripts.

One router a noun. Who may call a route is its `auth` (access.py), how often its `throttle` (throttling.py),
and whatever goes wrong is answered as problem+json (problems.py). CORS stays off: no header lets another
origin in.
"""

from __future__ import annotations

from django.conf import settings

from leaderboard.api import (
    benchmarks,
    board,
    conformance,
    problems,
    results,
    runs,
    submitting,
    systems,
    tokens,
    versions,
)
from leaderboard.api.access import PUBLIC
from leaderboard.api.bodies import BoundedParser
from leaderboard.api.openapi import DocumentedAPI
from leaderboard.api.rendering import Renderer
from leaderboard.api.throttling import Throttle

api = DocumentedAPI(
    title=f"{settings.SITE_NAME} API",
    version="1",
    description="What the pages offer, for scripts. `docs/api.md` has a script to start from.",
    urls_namespace="api",
    docs_url=None,
    renderer=Renderer(),
    parser=BoundedParser(),
    auth=PUBLIC,
    throttle=Throttle("read"),
)
problems.register(api)
api.add_router("/benchmarks", benchmarks.router)
api.add_router("/versions", versions.router)
api.add_router("/submissions", submitting.router)  # with the routes of submissions.py
api.add_router("/submissions", results.router)
api.add_router("/systems", systems.router)
api.add_router("/leaderboard", board.router)
api.add_router("/conformance", conformance.router)
api.add_router("/runs", runs.router)
api.add_router("/tokens", tokens.router)

__all__ = ["api"]
