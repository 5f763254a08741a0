"""Results to cite and to share: BibTeX, badges, and pictures that other sites show beside a link."""

from __future__ import annotations

import hashlib
from typing import Any

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.utils.cache import get_conditional_response, patch_cache_control
from django.views.decorators.http import require_safe

from leaderboard.benchmarks.models import Version
from leaderboard.boards.placements import of_submission
from leaderboard.boards.sharing import badges, cards, citations, drawing
from leaderboard.boards.sharing.cards import Card
from leaderboard.boards.views import systems
from leaderboard.submissions.models import Submission, System


@require_safe
def version_bibtex(request: HttpRequest, benchmark: str, version: str) -> HttpResponse:
    frozen = Version.objects.get_readable(benchmark, version)
    text = citations.of_version(
        frozen, url=request.build_absolute_uri(frozen.get_absolute_url()), publisher=settings.SITE_NAME
    )
    return _bibtex(text, f"{frozen.benchmark.slug}-{frozen.slug}")


@require_safe
def submission_bibtex(request: HttpRequest, pk: Any) -> HttpResponse:
    submission = Submission.objects.get_visible(request.user, pk)
    text = citations.of_submission(
        submission,
        url=request.build_absolute_uri(submission.get_absolute_url()),
        publisher=settings.SITE_NAME,
    )
    return _bibtex(text, f"{submission.system.slug}-{submission.version.slug}")


def _bibtex(text: str, name: str) -> HttpResponse:
    response = HttpResponse(text, content_type="text/plain; charset=utf-8")
    response["Content-Disposition"] = f'inline; filename="{name}.bib"'
    return response


@require_safe
def system_badge(request: HttpRequest, owner: str, slug: str) -> HttpResponse:
    """Where a system stands on the board of `?version=<benchmark>/<version>`, or where it was graded last."""
    system = systems.named(owner, slug)
    version = _version(system, request.GET.get("version", ""))
    svg = badges.draw(version, of_submission.system_placement(system, version))
    etag = f'"{hashlib.sha256(svg.encode()).hexdigest()[:32]}"'
    response = HttpResponse(svg, content_type="image/svg+xml", headers={"ETag": etag})
    patch_cache_control(response, public=True, max_age=300)
    return get_conditional_response(request, etag=etag, response=response) or response


def _version(system: System, address: str) -> Version:
    """The version of this address, where the system has something public; else a 404 that tells nothing."""
    public = Submission.objects.public().filter(system=system).with_names().order_by("-shown", "-graded_at")
    if address:
        benchmark, _, slug = address.partition("/")
        public = public.filter(version__benchmark__slug=benchmark, version__slug=slug)
    submission = public.first()
    if submission is None:
        raise Http404
    return submission.version


@require_safe
def site_card(request: HttpRequest) -> HttpResponse:
    return _picture(cards.of_site())


@require_safe
def board_card(request: HttpRequest, benchmark: str, version: str) -> HttpResponse:
    return _picture(cards.of_board(Version.objects.get_readable(benchmark, version)))


@require_safe
def version_card(request: HttpRequest, benchmark: str, version: str) -> HttpResponse:
    return _picture(cards.of_version(Version.objects.get_readable(benchmark, version)))


@require_safe
def system_card(request: HttpRequest, owner: str, slug: str) -> HttpResponse:
    """By the board of `?version=<benchmark>/<version>`, or the one that it landed on last."""
    everybodys = System.objects.filter(counts__public__gt=0)
    named = get_object_or_404(everybodys, pk=systems.named(owner, slug).pk)
    return _picture(cards.of_system(named, cards.shown_of(named, request.GET.get("version", ""))))


@require_safe
def submission_card(request: HttpRequest, pk: Any) -> HttpResponse:
    """A private one has no card, for whoever asks: who shows a link, shows it to others."""
    return _picture(cards.of_submission(get_object_or_404(Submission.objects.public().with_names(), pk=pk)))


def _picture(card: Card) -> HttpResponse:
    return HttpResponse(drawing.png(card, site=settings.SITE_NAME), content_type="image/png")
