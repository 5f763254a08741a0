"""The API under `/api/v1`: what the pages offer, under the same rules, for scripts.

One router a noun. Who may call a route is its `auth` (access.py), how often its `throttle` (throttling.py),
and whatever goes wrong is answered as problem+json (problems.py). CORS stays off: no header lets another
origin in.
"""

from __future__ import annotations

from django.conf import settings

import leaderboard.submissions.api.problems  # noqa: F401 (tells what its exceptions are answered with)
from leaderboard.accounts import api as tokens
from leaderboard.accounts.access import PUBLIC
from leaderboard.benchmarks.api import benchmarks, versions
from leaderboard.boards.api import board, submissions, systems
from leaderboard.conformance import api as conformance
from leaderboard.runs.api import jobs, transcripts
from leaderboard.submissions.api import results, submitting
from leaderboard.submissions.api import versions as of_versions
from leaderboard.web.api import problems
from leaderboard.web.api.bodies import BoundedParser
from leaderboard.web.api.openapi import DocumentedAPI, Renderer
from leaderboard.web.api.throttling import Throttle

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
api.add_router("/versions", of_versions.router)
api.add_router("/submissions", submitting.router)  # with the routes of submissions.py
api.add_router("/submissions", submissions.router)
api.add_router("/submissions", results.router)
api.add_router("/submissions", transcripts.router)
api.add_router("/systems", systems.router)
api.add_router("/leaderboard", board.router)
api.add_router("/conformance", conformance.router)
api.add_router("/runs", jobs.run_router)
api.add_router("/benches", jobs.bench_router)
api.add_router("/tokens", tokens.router)

__all__ = ["api"]
