"""Draws a system's badge for a README: one self-contained line of SVG."""

from __future__ import annotations

from django.utils.html import escape

from leaderboard.benchmarks.models import Version
from leaderboard.boards.placements.outcomes import SystemPlacement
from leaderboard.boards.placements.ranking import range_words
from leaderboard.web.formatting import number

HEIGHT, PADDING = 20, 8
LABEL, VALUE, INK = "#33322e", "#855510", "#ffffff"
#: Approximate letter widths of Verdana 11 px; `textLength` makes any font fill exactly this width.
NARROW, USUAL, BROAD = 4.2, 6.7, 9.6


def text_of(standing: SystemPlacement | None) -> str:
    """Text on the right half of a badge: headline and possible ranks, or the reason why there is no rank."""
    if standing is None:
        return "not on the board"
    if standing.apart:  # its figure is not the headline, and a badge has no room to say so
        return f"not ranked: {standing.reason}"
    if standing.rank is None:
        return f"{number(standing.value)} · not ranked: {standing.reason}"
    between = range_words(standing.rank_low, standing.rank_high, gated=standing.gated)
    return f"{number(standing.value)} · rank {between}"


def shield(version: Version, standing: SystemPlacement | None) -> dict[str, object]:
    """The badge in the format of https://shields.io/badges/endpoint-badge."""
    return {
        "schemaVersion": 1,
        "label": version.title,
        "message": text_of(standing),
        "color": VALUE.removeprefix("#"),
        "isError": standing is None,
    }


def draw(version: Version, standing: SystemPlacement | None) -> str:
    """Draw a badge as SVG, with the version on the left and `standing` on the right (None: not on the board)."""
    label, text = version.title, text_of(standing)
    left, right = _width(label) + 2 * PADDING, _width(text) + 2 * PADDING
    words = escape(f"{label}: {text}")
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{left + right}" height="{HEIGHT}" role="img" '
        f'aria-label="{words}">'
        f"<title>{words}</title>"
        f'<clipPath id="r"><rect width="{left + right}" height="{HEIGHT}" rx="3"/></clipPath>'
        f'<g clip-path="url(#r)"><rect width="{left}" height="{HEIGHT}" fill="{LABEL}"/>'
        f'<rect x="{left}" width="{right}" height="{HEIGHT}" fill="{VALUE}"/></g>'
        f'<g fill="{INK}" font-family="Verdana,Geneva,DejaVu Sans,sans-serif" font-size="11">'
        f"{_line(label, PADDING)}{_line(text, left + PADDING)}</g></svg>"
    )


def _line(text: str, x: int) -> str:
    return f'<text x="{x}" y="14" textLength="{_width(text)}">{escape(text)}</text>'


def _width(text: str) -> int:
    return round(sum(NARROW if c in " .,:;'|!()ijlft·" else BROAD if c in "mwMW@%" else USUAL for c in text))
