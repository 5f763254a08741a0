"""The `<head>` of a page for link previews and search engines: title, description, address, card."""

from __future__ import annotations

from urllib.parse import urlencode

from django import template
from django.http import HttpRequest
from django.template import Context, Node, NodeList
from django.template.base import Parser, Token
from django.urls import reverse
from django.utils.safestring import mark_safe

from leaderboard.benchmarks.models import Version
from leaderboard.boards.sharing import cards
from leaderboard.submissions.models import Submission, System

register = template.Library()
register.simple_tag(cards.board_words)
register.simple_tag(cards.submission_words)

#: Query parameters that change the content of a page; others only filter or sort.
OTHER_PAGES = ("s", "version", "view", "revision", "page")


class _Captured(Node):
    """Stores the rendered content, on one line, in a variable. The content is already escaped, so it is marked safe."""

    def __init__(self, name: str, nodelist: NodeList) -> None:
        self.name, self.nodelist = name, nodelist

    def render(self, context: Context) -> str:
        context[self.name] = mark_safe(" ".join(self.nodelist.render(context).split()))
        return ""


@register.tag
def captured(parser: Parser, token: Token) -> Node:
    """Store a block to show it twice: `{% captured page_title %}{% block title %}…{% endblock %}{% endcaptured %}`."""
    _, name = token.split_contents()
    nodelist = parser.parse(("endcaptured",))
    parser.delete_first_token()
    return _Captured(name, nodelist)


@register.simple_tag(takes_context=True)
def canonical_url(context: Context) -> str:
    """The URL of this page without query parameters for filters and sorting, which show the same content."""
    request: HttpRequest = context["request"]
    asked = ((name, value) for name in OTHER_PAGES for value in request.GET.getlist(name))
    kept = [(name, value) for name, value in asked if value and (name, value) != ("page", "1")]
    return request.build_absolute_uri(f"{request.path}?{urlencode(kept, safe='/')}" if kept else request.path)


@register.simple_tag
def version_words(version: Version) -> str:
    return f"{version.benchmark.title}, {version.title}: {cards.version_words(version)}"


@register.simple_tag
def system_words(system: System) -> str:
    return cards.system_words(system, cards.shown_of(system))


@register.simple_tag
def submission_card(submission: Submission) -> str:
    """URL of the preview image of a submission; for a private submission, the image of the site."""
    if not submission.is_public or submission.status == Submission.Status.FAILED:
        return reverse("leaderboard:site_card")
    return reverse("leaderboard:submission_card", args=[submission.pk])
