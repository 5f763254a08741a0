"""Files that programs request: robots.txt, the site map, favicon.ico, security.txt, public keys."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.templatetags.static import static
from django.urls import reverse
from django.utils import timezone
from django.utils.functional import cached_property
from django.views.decorators.http import require_safe
from django.views.generic import RedirectView

from leaderboard.benchmarks.models import Version
from leaderboard.submissions.models import SigningKey, Submission, SubmissionCount, System
from leaderboard.web.generic import Paginator, Sitemap

#: Public pages without parameters, each with its own content.
PAGES = (
    "front",
    "board",
    "versions",
    "systems",
    "history",
    "conformance",
    "gym",
    "order_bias",
    "compare",
    "docs",
    "about",
    "glossary",
    "anchors",
    "api_docs",
)
#: URLs that need an account or are not pages, and boards in another order, which are duplicates.
CLOSED = (
    "/admin/",
    "/accounts/",
    "/account/",
    "/api/",
    "/runs/",
    "/models/",
    "/benches/",
    "/gym/new/",
    "/submit/",
    "/compare/?",
    "/search/",
    "/*?*sort=",
)
#: Addresses for dataset engines: rows, and versions in the API. The longest rule counts (RFC 9309).
OPEN = ("/api/v1/versions",)


class Pages(Sitemap[str]):
    def items(self) -> list[str]:
        return list(PAGES)

    def location(self, item: str) -> str:
        return reverse(f"leaderboard:{item}")


class Versions(Sitemap[Version]):
    """Section of the site map: pages of versions. Boards are a separate section."""

    def items(self) -> Any:
        return Version.objects.readable().select_related("benchmark").order_by("pk")

    def lastmod(self, item: Version) -> datetime | None:
        return item.frozen_at


class Boards(Versions):
    """Section of the site map: pages of boards. They have no date, because each result changes them."""

    lastmod = None  # type: ignore[assignment]

    def location(self, item: Version) -> str:
        return item.get_board_url()


class Charts(Boards):
    def location(self, item: Version) -> str:
        return reverse("leaderboard:board_figures", args=[item.benchmark.slug, item.slug])


class Systems(Sitemap[System]):
    def items(self) -> Any:
        return System.objects.filter(counts__public__gt=0).select_related("owner").order_by("pk")


class _Counted(Paginator[Submission]):
    """Paginator of public submissions, which takes their number from stored counts instead of counting."""

    @cached_property
    def count(self) -> int:
        public = SubmissionCount.objects.readable().filter(visibility=Submission.Visibility.PUBLIC)
        return public.exclude(status=Submission.Status.FAILED).total()


class Submissions(Sitemap[Submission]):
    def items(self) -> Any:
        return Submission.objects.public().readable().only("pk", "graded_at").order_by("-created_at", "pk")

    def lastmod(self, item: Submission) -> datetime | None:
        return item.graded_at

    @property
    def paginator(self) -> Paginator[Submission]:
        return _Counted(self.items(), self.limit)

    def get_latest_lastmod(self) -> None:
        """Returns no date for the section, because finding the newest submission would read all of them."""
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
    closed = [f"Disallow: {path}" for path in CLOSED]
    lines = ["User-agent: *", *closed, *(f"Allow: {path}" for path in OPEN), "", f"Sitemap: {where}", ""]
    return HttpResponse("\n".join(lines), content_type="text/plain; charset=utf-8")


class Icon(RedirectView):
    """Redirects `/favicon.ico`, which browsers request even if a page declares another icon."""

    def get_redirect_url(self, *args: Any, **kwargs: Any) -> str:
        return static("img/favicon.ico")


@require_safe
def receipt_keys(request: HttpRequest) -> HttpResponse:
    """Current and former public keys that verify receipts of scores, newest first."""
    keys = SigningKey.objects.all()
    listed = [
        {"keyid": key.keyid, "algorithm": "Ed25519", "public": key.public, "created_at": key.created_at}
        for key in keys
    ]
    return JsonResponse({"keys": listed})


@require_safe
def security(request: HttpRequest) -> HttpResponse:
    """security.txt (RFC 9116), which says where to report a vulnerability. 404 unless the setting CONTACT is set."""
    if not settings.CONTACT:
        raise Http404
    contact = settings.CONTACT if "://" in settings.CONTACT else f"mailto:{settings.CONTACT}"
    expires = timezone.now().replace(microsecond=0) + timedelta(days=180)
    text = f"Contact: {contact}\nExpires: {expires.isoformat()}\nPreferred-Languages: en\n"
    return HttpResponse(text, content_type="text/plain; charset=utf-8")
