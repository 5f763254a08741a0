"""What crawlers ask for: robots.txt, the site map of all public pages, and the icon by its old name."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.templatetags.static import static
from django.urls import reverse
from django.utils.functional import cached_property
from django.views.decorators.http import require_safe
from django.views.generic import RedirectView

from leaderboard.benchmarks.models import Version
from leaderboard.submissions.models import Submission, SubmissionCount, System
from leaderboard.web.generic import Paginator, Sitemap

#: Pages of nobody's own, and of which each is another.
PAGES = (
    "front",
    "board",
    "versions",
    "systems",
    "history",
    "conformance",
    "compare",
    "docs",
    "glossary",
    "anchors",
    "api_docs",
)
#: What needs an account, or is no page. Boards under filters are the same boards again.
CLOSED = (
    "/admin/",
    "/accounts/",
    "/account/",
    "/api/",
    "/runs/",
    "/models/",
    "/benches/",
    "/submit/",
    "/compare/?",
    "/*?*sort=",
)


class Pages(Sitemap[str]):
    """The pages that stand alone."""

    def items(self) -> list[str]:
        return list(PAGES)

    def location(self, item: str) -> str:
        return reverse(f"leaderboard:{item}")


class Versions(Sitemap[Version]):
    """Versions; their boards are a section of their own."""

    def items(self) -> Any:
        return Version.objects.readable().select_related("benchmark").order_by("pk")

    def lastmod(self, item: Version) -> datetime | None:
        return item.frozen_at


class Boards(Versions):
    """Boards, which change as results come in: no date is told."""

    lastmod = None  # type: ignore[assignment]

    def location(self, item: Version) -> str:
        return item.get_board_url()


class Charts(Boards):
    """The figures of each board."""

    def location(self, item: Version) -> str:
        return reverse("leaderboard:board_figures", args=[item.benchmark.slug, item.slug])


class Systems(Sitemap[System]):
    """Systems with a public submission."""

    def items(self) -> Any:
        return System.objects.filter(counts__public__gt=0).select_related("owner").order_by("pk")


class _Counted(Paginator[Submission]):
    """Pages of public submissions, whose number is kept and not counted."""

    @cached_property
    def count(self) -> int:
        public = SubmissionCount.objects.readable().filter(visibility=Submission.Visibility.PUBLIC)
        return public.exclude(status=Submission.Status.FAILED).total()


class Submissions(Sitemap[Submission]):
    """Public submissions, newest first."""

    def items(self) -> Any:
        return Submission.objects.public().readable().only("pk", "graded_at").order_by("-created_at", "pk")

    def lastmod(self, item: Submission) -> datetime | None:
        return item.graded_at

    @property
    def paginator(self) -> Paginator[Submission]:
        return _Counted(self.items(), self.limit)

    def get_latest_lastmod(self) -> None:
        """None: the newest of all would be looked for among all of them."""
        return


SITEMAPS = {
    "pages": Pages,
    "boards": Boards,
    "charts": Charts,
    "versions": Versions,
    "systems": Systems,
    "submissions": Submissions,
}


@require_safe
def robots(request: HttpRequest) -> HttpResponse:
    where = request.build_absolute_uri(reverse("leaderboard:sitemap"))
    lines = ["User-agent: *", *(f"Disallow: {path}" for path in CLOSED), "", f"Sitemap: {where}", ""]
    return HttpResponse("\n".join(lines), content_type="text/plain; charset=utf-8")


class Icon(RedirectView):
    """`/favicon.ico`, which is asked for whatever a page says."""

    def get_redirect_url(self, *args: Any, **kwargs: Any) -> str:
        return static("img/favicon.ico")
