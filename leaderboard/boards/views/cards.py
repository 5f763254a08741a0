"""Cards that other sites show beside a link: pictures of what everybody may read."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.views.decorators.http import require_safe

from leaderboard.benchmarks.models import Version
from leaderboard.boards.sharing import cards, drawing
from leaderboard.boards.sharing.cards import Card
from leaderboard.boards.views import systems
from leaderboard.submissions.models import Submission, System


@require_safe
def site(request: HttpRequest) -> HttpResponse:
    return _picture(cards.of_site())


@require_safe
def board(request: HttpRequest, benchmark: str, version: str) -> HttpResponse:
    return _picture(cards.of_board(Version.objects.get_readable(benchmark, version)))


@require_safe
def version(request: HttpRequest, benchmark: str, version: str) -> HttpResponse:
    return _picture(cards.of_version(Version.objects.get_readable(benchmark, version)))


@require_safe
def system(request: HttpRequest, owner: str, slug: str) -> HttpResponse:
    """By the board of `?version=<benchmark>/<version>`, or the one that it landed on last."""
    everybodys = System.objects.filter(counts__public__gt=0)
    named = get_object_or_404(everybodys, pk=systems.named(owner, slug).pk)
    return _picture(cards.of_system(named, cards.shown_of(named, request.GET.get("version", ""))))


@require_safe
def submission(request: HttpRequest, pk: Any) -> HttpResponse:
    """A private one has no card, for whoever asks: who shows a link, shows it to others."""
    return _picture(cards.of_submission(get_object_or_404(Submission.objects.public().with_names(), pk=pk)))


def _picture(card: Card) -> HttpResponse:
    return HttpResponse(drawing.png(card, site=settings.SITE_NAME), content_type="image/png")
