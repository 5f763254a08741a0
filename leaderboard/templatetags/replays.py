"""Events of a timeline as shapes that can be distinguished without colour."""

from __future__ import annotations

import json
from typing import Any

from django import template
from django.utils.html import format_html
from django.utils.safestring import SafeString

register = template.Library()

#: Radius of looks that are circles; others are paths around 0.
CIRCLES = {"write": "4", "hollow": "3.5", "faint": "1.75", "ask": "5"}
PATHS = {
    "clear": "M-3.5 -3.5h7v7h-7z",
    "claim": "M0 -4.5L4.5 0L0 4.5L-4.5 0z",
    "order": "M0 -5L5 4H-5z",
}
#: y coordinate of the line of a lane.
LINE = 17


@register.simple_tag
def mark_shape(x: str, look: str, *, is_crowded: bool = False) -> SafeString:
    """SVG shape of an event, centred at `x` percent of the width. `is_crowded` draws a simple stroke instead."""
    if is_crowded:
        return format_html(
            '<line class="stroke" x1="{0}" x2="{0}" y1="{1}" y2="{2}"/>', x, LINE - 4, LINE + 4
        )
    if look in PATHS:
        shape = '<svg x="{}" y="{}" overflow="visible"><path d="{}"/></svg>'
        return format_html(shape, x, LINE, PATHS[look])
    return format_html('<circle cx="{}" cy="{}" r="{}"/>', x, LINE, CIRCLES.get(look, "3.5"))


@register.simple_tag
def legend_shape(look: str) -> SafeString:
    """The shape of an event for a legend."""
    if look == "stroke":
        return format_html(
            '<svg class="shape stroke" viewBox="-6 -6 12 12" width="12" height="12" aria-hidden="true">{}</svg>',
            format_html('<path d="{}"/>', "M-3 -4v8M0 -4v8M3 -4v8"),
        )
    shape = format_html('<path d="{}"/>', PATHS[look]) if look in PATHS else None
    circle = format_html('<circle r="{}"/>', CIRCLES.get(look, "3.5"))
    return format_html(
        '<svg class="shape {}" viewBox="-6 -6 12 12" width="12" height="12" aria-hidden="true">{}</svg>',
        look,
        shape or circle,
    )


@register.filter
def as_json(value: Any) -> str:
    """JSON of a value, for an HTML attribute that a script reads."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
