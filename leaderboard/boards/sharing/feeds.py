"""Atom feeds of new public results: one feed for all versions, and one feed per version."""

from __future__ import annotations

import hashlib
from datetime import datetime
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.cache import get_conditional_response
from django.utils.feedgenerator import Atom1Feed
from django.utils.text import capfirst

from leaderboard.benchmarks.models import Version
from leaderboard.boards.placements.outcomes import why_unranked
from leaderboard.submissions.models import Submission
from leaderboard.web.formatting import number
from leaderboard.web.generic import Feed
from leaderboard.web.validators import printable

LENGTH = 50  # entries


def results(version: Version | None = None) -> Any:
    """Public graded submissions that boards may show, newest result first. `version` None: of all versions."""
    graded = Submission.objects.for_boards().filter(status=Submission.Status.GRADED, graded_at__isnull=False)
    if version is not None:
        graded = graded.filter(version=version)
    return graded.with_names().order_by("-graded_at", "pk")


class ResultFeed(Feed[Submission, Version | None]):
    feed_type = Atom1Feed

    def __call__(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        response = super().__call__(request, *args, **kwargs)
        response["ETag"] = etag = f'"{hashlib.sha256(response.content).hexdigest()[:32]}"'
        return get_conditional_response(request, etag=etag, response=response) or response

    def get_object(self, request: HttpRequest, benchmark: str = "", version: str = "") -> Version | None:
        return Version.objects.get_readable(benchmark, version) if version else None

    def title(self, version: Version | None) -> str:
        if version is None:
            return "New results"
        return printable(f"New results on {version.title} ({version.benchmark.title})")

    def subtitle(self, version: Version | None) -> str:
        return "Every public submission, once it is graded."

    def link(self, version: Version | None) -> str:
        return version.get_board_url() if version else reverse("leaderboard:board")

    def feed_url(self, version: Version | None) -> str:
        if version is None:
            return reverse("leaderboard:feed")
        return reverse("leaderboard:version_feed", args=[version.benchmark.slug, version.slug])

    def items(self, version: Version | None) -> Any:
        return results(version)[:LENGTH]

    def item_title(self, item: Submission) -> str:
        unranked = ", not ranked" if why_unranked(item) else ""
        result = "" if item.result is None else f": {number(item.result)}"
        return printable(f"{item.system.name}{result} on {item.version.title}{unranked}")

    def item_description(self, item: Submission) -> str:
        headline = item.version.headline
        repeats = f" {capfirst(item.repeats_words)}." if item.repeats_words else ""
        made = _made(item)
        note = f" {item.note}" if item.note else ""
        place = f"{item.version.benchmark.title}, {item.version.title}"
        reason = why_unranked(item)
        unranked = f" Not ranked: {reason}." if reason else ""
        result = "Graded" if item.result is None else f"{headline.label} {number(item.result)}"
        return printable(f"{result} on {place}. {made}{repeats}{unranked}{note}")

    def item_pubdate(self, item: Submission) -> datetime:
        return item.created_at

    def item_updateddate(self, item: Submission) -> datetime:
        return item.score.created_at if item.score else item.created_at

    def item_author_name(self, item: Submission) -> str:
        return printable(item.submitter.get_username())

    def item_categories(self, item: Submission) -> list[str]:
        return [item.version.benchmark.slug, item.version.slug]


def _made(item: Submission) -> str:
    match item.origin:
        case Submission.Origin.VERIFIED:
            return "Verified: run by this site."
        case Submission.Origin.AUTHORS:
            return "Run by the authors of this site."
    return f"Self-reported by {item.submitter.get_username()}."
