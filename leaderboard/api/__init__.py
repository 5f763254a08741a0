"""The HTTP API under `/api/v1`, with which scripts do what the site's pages offer, under the same rules.

One router per noun. A route's `auth` (access.py) decides who may call it, its `throttle` (throttling.py) how
often. All errors are problem+json (problems.py). CORS headers let pages of other origins read public data.
"""

from __future__ import annotations

from urllib.parse import urlsplit

from django.conf import settings

import leaderboard.submissions.api.problems  # noqa: F401 (tells what its exceptions are answered with)
from evaluation import __version__
from leaderboard.accounts import api as tokens
from leaderboard.accounts.access import PUBLIC
from leaderboard.benchmarks.api import benchmarks, versions
from leaderboard.boards.api import board, reproduction, submissions, systems
from leaderboard.conformance import api as conformance
from leaderboard.notices import api as webhooks
from leaderboard.runs.api import jobs, transcripts
from leaderboard.submissions.api import results, submitting
from leaderboard.submissions.api import versions as of_versions
from leaderboard.web.api import problems
from leaderboard.web.api.bodies import BoundedParser
from leaderboard.web.api.openapi import DocumentedAPI, Renderer
from leaderboard.web.api.throttling import Throttle

_SITE = urlsplit(settings.SITE_URL)
_ORIGIN = f"{_SITE.scheme}://{_SITE.netloc}" if _SITE.netloc else ""
api = DocumentedAPI(
    title=f"{settings.SITE_NAME} API",
    version=__version__,
    description="Scripts can do here what people do on the site's pages. `docs/api.md` has an example script.",
    urls_namespace="api",
    servers=[{"url": _ORIGIN or "/", "description": f"{settings.SITE_NAME}; the paths begin with /api/v1"}],
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
api.add_router("/submissions", reproduction.of_submissions)
api.add_router("/leaderboard", board.router)
api.add_router("/leaderboard", reproduction.of_boards)
api.add_router("/conformance", conformance.router)
api.add_router("/runs", jobs.run_router)
api.add_router("/benches", jobs.bench_router)
api.add_router("/tokens", tokens.router)
api.add_router("/webhooks", webhooks.router)

__all__ = ["api"]
