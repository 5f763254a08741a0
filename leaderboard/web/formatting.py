"""Numbers and sentences as readers see them."""

from __future__ import annotations

import math
import re
from typing import Any

from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe

NOT_REPORTED = "not reported"


MINUS = "−"


def number(value: Any, kind: str = "ratio") -> str:
    """A figure as text.

    Args:
        value: The figure, seconds for the kind `seconds`; anything else than a finite number is not reported.
        kind: A column's format: ratio (shown as per cent), points (a difference of ratios), count or seconds.

    Returns:
        The text, with a true minus sign; `NOT_REPORTED` where there is no figure.
    """
    if not _known(value):
        return NOT_REPORTED
    match kind:
        case "count":
            text = f"{value:,.0f}" if value == int(value) or abs(value) >= 100 else f"{value:,.1f}"
        case "seconds":
            text = _seconds(value)
        case "points":
            text = _percent(value)
        case _:
            text = f"{_percent(value)}%"
    return text.replace("-", MINUS)


def _known(value: Any) -> bool:
    """Whether there is a figure at all. A template passes "" for what it does not find."""
    return isinstance(value, int | float) and math.isfinite(value)


def _percent(value: float) -> str:
    """One decimal, and more where one would claim a round 0 or 100 that was not reached."""
    for digits in (1, 2, 3, 4):
        text = f"{100 * value:.{digits}f}"
        if float(text) not in (0.0, 100.0) or value in (0, 1):
            return text
    return f"{abs(100 * value):.1f}" if float(text) == 0 else text


def _seconds(value: float) -> str:
    if abs(value) < 1:
        return f"{value * 1000:.{0 if abs(value) >= 0.01 else 1}f} ms"
    return f"{value:.2f} s" if abs(value) < 100 else f"{value:,.0f} s"


def prose(text: str) -> SafeString:
    """A sentence as HTML, what stands between backticks as code.

    Args:
        text: Plain text.
    """
    return mark_safe(re.sub(r"`([^`]+)`", r"<code>\1</code>", escape(text)))
