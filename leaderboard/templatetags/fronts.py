"""Small charts of the front page: intervals, ticks of a board, and tiles. Each fills the width of its cell."""

from __future__ import annotations

from collections.abc import Sequence

from django import template
from django.utils.html import conditional_escape
from django.utils.safestring import SafeString, mark_safe

from leaderboard.boards.front.cards import dollars, price
from leaderboard.boards.front.contest import Speck
from leaderboard.boards.front.standings import Board
from leaderboard.boards.rows import BoardRow
from leaderboard.submissions.models import Submission
from leaderboard.web.formatting import number

register = template.Library()

HEIGHT = 24
TILE_WIDTH, TILE_HEIGHT = 132, 44


def _x(share: float) -> str:
    return f"{100 * min(1.0, max(0.0, share)):.2f}%"


def _svg(kind: str, words: str, body: str) -> SafeString:
    label = conditional_escape(words)
    return mark_safe(
        f'<svg class="{kind}" width="100%" height="{HEIGHT}" role="img" aria-label="{label}">{body}</svg>'
    )


def _guessing(guessing: float | None) -> str:
    if not guessing:
        return ""
    x = _x(guessing)
    return f'<rect class="guess" width="{x}" height="100%"/><line class="guess-edge" x1="{x}" x2="{x}" y2="100%"/>'


@register.simple_tag
def interval_mark(row: BoardRow, guessing: float | None) -> SafeString | str:
    """Chart of a row's score as a tick on its interval, with a band for scores that guessing reaches."""
    if row.value is None:
        return ""
    body, words = _guessing(guessing), number(row.value)
    if row.low is not None and row.high is not None and row.low < row.high:
        claim = " claim" if row.submission.origin == Submission.Origin.REPORTED else ""
        width = _x(row.high - row.low)
        body += f'<rect class="ends{claim}" x="{_x(row.low)}" y="7" width="{width}" height="10" rx="2"/>'
        words += f", 95% interval {number(row.low)} to {number(row.high)}"
    tick = '<rect class="value" x="-1.5" width="3" height="16" rx="1.5"/>'
    body += f'<svg x="{_x(row.value)}" y="4" overflow="visible">{tick}</svg>'
    return _svg("whisk", f"{words}, from 0 to 100%", body)


@register.simple_tag
def ticks_mark(board: Board) -> SafeString | str:
    """Models of a board on a scale from 0 to 100%: a dot for the first ranked model, ticks for other models."""
    known = [(each, each.entrant.value) for each in board.standings if each.entrant.value is not None]
    if not known:
        return ""
    leader, ticks = board.leader, ""
    for each, value in known:
        if each is not leader:
            ticks += f'<line class="tick" x1="{_x(value)}" x2="{_x(value)}" y1="6" y2="18"/>'
    dots = "".join(
        f'<circle class="first" cx="{_x(value)}" cy="12" r="4"/>' for each, value in known if each is leader
    )
    words = ", ".join(f"{each.entrant.title} {number(value)}" for each, value in known[:8])
    more = f" and {len(known) - 8} more" if len(known) > 8 else ""
    base = '<line class="base" x2="100%" y1="21" y2="21"/>'
    return _svg("strip", f"{words}{more}", _guessing(board.guessing) + base + ticks + dots)


@register.simple_tag
def tile_mark(look: str, specks: Sequence[Speck]) -> SafeString | str:
    """The small chart of a tile. Hidden from screen readers, because the text is beside it."""
    if not specks:
        return ""
    drawn = "".join(_speck(look, each, len(specks)) for each in sorted(specks, key=lambda each: each.named))
    view = f'viewBox="0 0 {TILE_WIDTH} {TILE_HEIGHT}" width="{TILE_WIDTH}" height="{TILE_HEIGHT}"'
    return mark_safe(f'<svg class="mini" {view} aria-hidden="true">{drawn}</svg>')


def _speck(look: str, speck: Speck, count: int) -> str:
    css, x = ' class="named"' if speck.named else "", 4 + speck.x * (TILE_WIDTH - 8)
    if look == "dots":
        y, radius = TILE_HEIGHT - 4 - speck.y * (TILE_HEIGHT - 8), 4.5 if speck.named else 3
        return f'<circle{css} cx="{x:.1f}" cy="{y:.1f}" r="{radius}"/>'
    if look == "ticks":
        width, top, height = 4 if speck.named else 2, 10, TILE_HEIGHT - 18.0
    else:
        width, height = min(max(TILE_WIDTH // count - 3, 2), 14), max(speck.y * (TILE_HEIGHT - 4), 1.5)
        top = TILE_HEIGHT - round(height)
    return f'<rect{css} x="{x - width / 2:.1f}" y="{top}" width="{width}" height="{height:.1f}"/>'


@register.filter
def price_of(submission: Submission) -> str:
    """Dollars per 1,000 questions; empty if prices or tokens are unknown."""
    cost = dollars(submission)
    return "" if cost is None else price(cost)
