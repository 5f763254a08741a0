"""Numbers, dates and sentences as shown to readers."""

from __future__ import annotations

import math
import re
from datetime import date, datetime
from typing import Any

from django.utils.formats import date_format
from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe

NOT_REPORTED = "not reported"
MINUS = "−"


def number(value: Any, kind: str = "ratio") -> str:
    """A number as text: ratio (with %), points (percent without %), count or seconds. `NOT_REPORTED` unless finite."""
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
    """True for finite numbers. Templates pass "" for missing values."""
    return isinstance(value, int | float) and math.isfinite(value)


def _percent(value: float) -> str:
    """Percentage with one decimal. Uses more decimals if a value between 0 and 1 would otherwise read 0 or 100."""
    for digits in (1, 2, 3, 4):
        text = f"{100 * value:.{digits}f}"
        if float(text) not in (0.0, 100.0) or value in (0, 1):
            return text
    return f"{abs(100 * value):.1f}" if float(text) == 0 else text


def _seconds(value: float) -> str:
    if abs(value) < 1:
        return f"{value * 1000:.{0 if abs(value) >= 0.01 else 1}f} ms"
    return f"{value:.2f} s" if abs(value) < 100 else f"{value:,.0f} s"


def day(when: date) -> str:
    """A date, or the date of a moment: "25 Nov 2026"."""
    return date_format(when, "DATE_FORMAT")


def minute(when: datetime) -> str:
    """A moment: "25 Nov 2026, 13:20 UTC"."""
    return date_format(when, "DATETIME_FORMAT")


def prose(text: str) -> SafeString:
    """Plain text as HTML, with text between backticks as code."""
    return mark_safe(re.sub(r"`([^`]+)`", r"<code>\1</code>", escape(text)))
