"""Pages and files to cite and share results: BibTeX, badges, and link previews."""

from __future__ import annotations

import hashlib
from typing import Any

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404
from django.utils.cache import get_conditional_response, patch_cache_control
from django.views.decorators.http import require_safe

from leaderboard.benchmarks.models import Version
from leaderboard.boards.placements import outcomes
from leaderboard.boards.sharing import badges, cards, citations, drawing
from leaderboard.boards.sharing.cards import Card
from leaderboard.boards.views import systems
from leaderboard.submissions.models import Submission, System


@require_safe
def version_bibtex(request: HttpRequest, benchmark: str, version: str) -> HttpResponse:
    frozen = Version.objects.get_readable(benchmark, version)
    text = citations.version_entry(frozen, url=request.build_absolute_uri(frozen.get_absolute_url()))
    return _bibtex(text, f"{frozen.benchmark.slug}-{frozen.slug}")


@require_safe
def submission_bibtex(request: HttpRequest, pk: Any) -> HttpResponse:
    submission = Submission.objects.get_visible(request.user, pk)
    text = citations.submission_entry(
        submission, url=request.build_absolute_uri(submission.get_absolute_url())
    )
    return _bibtex(text, f"{submission.system.slug}-{submission.version.slug}")


def _bibtex(text: str, name: str) -> HttpResponse:
    response = HttpResponse(text, content_type="text/plain; charset=utf-8")
    response["Content-Disposition"] = f'inline; filename="{name}.bib"'
    return response


@require_safe
def system_badge(request: HttpRequest, owner: str, slug: str) -> HttpResponse:
    """Badge with a system's rank on the board `?version=<benchmark>/<version>`, else on that of its newest result."""
    system = systems.named(owner, slug)
    version = _version(system, request.GET.get("version", ""))
    svg = badges.draw(version, outcomes.system_placement(system, version))
    etag = f'"{hashlib.sha256(svg.encode()).hexdigest()[:32]}"'
    response = HttpResponse(svg, content_type="image/svg+xml", headers={"ETag": etag})
    patch_cache_control(response, public=True, max_age=300)
    return get_conditional_response(request, etag=etag, response=response) or response


@require_safe
def system_shield(request: HttpRequest, owner: str, slug: str) -> HttpResponse:
    system = systems.named(owner, slug)
    version = _version(system, request.GET.get("version", ""))
    response = JsonResponse(badges.shield(version, outcomes.system_placement(system, version)))
    patch_cache_control(response, public=True, max_age=300)
    return response


def _version(system: System, address: str) -> Version:
    """The version at `address`. If it is empty, the version of the system's newest result.

    Raises Http404 if the system has no public submission to the version.
    """
    public = Submission.objects.public().filter(system=system).with_names().order_by("-shown", "-graded_at")
    if address:
        benchmark, _, slug = address.partition("/")
        # Filter by the key: with a join SQLite reads the submissions of all systems of the version.
        public = public.filter(version_id=get_object_or_404(Version, benchmark__slug=benchmark, slug=slug).pk)
    submission = public.first()
    if submission is None:
        raise Http404
    return submission.version


@require_safe
def site_card(request: HttpRequest) -> HttpResponse:
    return _picture(cards.site_card())


@require_safe
def board_card(request: HttpRequest, benchmark: str, version: str) -> HttpResponse:
    return _picture(cards.board_card(Version.objects.get_readable(benchmark, version)))


@require_safe
def version_card(request: HttpRequest, benchmark: str, version: str) -> HttpResponse:
    return _picture(cards.version_card(Version.objects.get_readable(benchmark, version)))


@require_safe
def system_card(request: HttpRequest, owner: str, slug: str) -> HttpResponse:
    """Link preview of a system, with its result on `?version=<benchmark>/<version>`, else its newest result."""
    public = System.objects.filter(counts__public__gt=0)
    named = get_object_or_404(public, pk=systems.named(owner, slug).pk)
    return _picture(cards.system_card(named, cards.shown_of(named, request.GET.get("version", ""))))


@require_safe
def submission_card(request: HttpRequest, pk: Any) -> HttpResponse:
    """Link preview of a public submission. Private submissions have none, because it would be visible to others."""
    return _picture(cards.submission_card(get_object_or_404(Submission.objects.public().with_names(), pk=pk)))


def _picture(card: Card) -> HttpResponse:
    return HttpResponse(drawing.png(card, site=settings.SITE_NAME), content_type="image/png")
