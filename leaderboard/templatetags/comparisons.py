"""Differences between compared systems, and patterns of right and wrong answers, as text and small charts."""

from __future__ import annotations

from collections.abc import Sequence

from django import template
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from evaluation.core.statistics import Contrast
from leaderboard.boards.comparison.comparison import LETTERS, Cell, Comparison, Contender, Line
from leaderboard.boards.placements import placements
from leaderboard.templatetags.marks import interval
from leaderboard.web.formatting import number

register = template.Library()

WORDS = {"r": "right", "w": "wrong", "-": "not answered"}
SIGNS = {"r": "✓", "w": "✕", "-": "–"}
VERDICTS = {
    "better": "better than A, the interval excludes 0",
    "worse": "worse than A, the interval excludes 0",
    "level": "not shown to differ from A, the interval includes 0",
}
#: Verdicts without an interval: every unit has the same difference.
VERDICTS_ALIKE = {
    "better": "better than A, by the same amount in every unit",
    "worse": "worse than A, by the same amount in every unit",
    "level": "not shown to differ from A",
}
#: How the board ranks the two, adjusted for all pairs of the board; the verdicts above are not adjusted.
ON_BOARD = {
    "better": "The board, which adjusts for all pairs, ranks this system above A.",
    "worse": "The board, which adjusts for all pairs, ranks this system below A.",
    "tied": "The board, which adjusts for all pairs, ranks the two as tied.",
}
#: Half the width of a difference mark in pixels, and its height.
REACH, HEIGHT = 44, 14


@register.filter
def signed(value: float | None, kind: str = "ratio") -> str:
    """A difference with its sign, rates in points: `+8.3`, `−1.2`, `0.0`."""
    if value is None:
        return ""
    text = number(value, "points" if kind == "ratio" else kind)
    return f"+{text}" if value > 0 else text


@register.filter
def p_text(p: float) -> str:
    """`p = 0.034`, or `p < 0.001` below that."""
    return "p < 0.001" if p < 0.001 else f"p = {p:.3f}"


@register.filter
def verdict_words(cell: Cell) -> str:
    words = VERDICTS if cell.range else VERDICTS | VERDICTS_ALIKE
    return words.get(cell.verdict, "")


@register.simple_tag
def board_words(comparison: Comparison, other: Contender) -> str:
    """How the board ranks a contender relative to the first contender; empty unless both are ranked."""
    first = comparison.contenders[0].submission
    return ON_BOARD.get(placements.apart(comparison.version, other.submission.pk, first.pk) or "", "")


@register.simple_tag
def difference_range(cell: Cell, kind: str = "ratio") -> str:
    """The interval and the p-value of a difference; omits unknown values."""
    between = interval(*cell.range, kind) if cell.range else "same difference in every unit"
    return ", ".join([between, *([] if cell.p is None else [p_text(cell.p)])])


@register.simple_tag
def difference_words(cell: Cell) -> str:
    """A difference in points with interval and p-value: `+8.3, 1.2–15.0, p = 0.021`."""
    return f"{signed(cell.difference.value)}, {difference_range(cell)}" if cell.difference else ""


@register.simple_tag
def reach(lines: Sequence[Line]) -> float:
    """Half-width of the scale that a table's charts share: the largest absolute end of any interval."""
    rates = [line for line in lines if line.column.format == "ratio"]
    differences = [cell.difference for line in rates for cell in line.cells if cell.difference]
    return max((max(abs(each.low), abs(each.high)) for each in differences), default=0.0) or 1.0


@register.simple_tag
def difference_mark(difference: Contrast | None, reach: float, verdict: str = "") -> SafeString | str:
    """A difference as a whisker chart around zero. Hidden from screen readers, because the text is beside it."""
    if difference is None:
        return ""
    ends = (difference.low, difference.value, difference.high)
    low, value, high = (f"{REACH * max(-1.0, min(1.0, end / reach)):.1f}" for end in ends)
    width = 2 * REACH + 8
    return format_html(
        '<svg class="mark difference {}" width="{}" height="{}" viewBox="{} 0 {} {}" aria-hidden="true">'
        '<line class="zero" x1="0" x2="0" y1="0" y2="{}"/>'
        '<line class="whisker" x1="{}" x2="{}" y1="7" y2="7"/><circle cx="{}" cy="7" r="3.5"/></svg>',
        *(verdict, width, HEIGHT, -width / 2, width, HEIGHT),
        *(HEIGHT, low, high, value),
    )


@register.simple_tag
def contender_head(contender: Contender) -> SafeString:
    name = contender.submission.system.name
    return format_html(
        '<span class="letter {}">{}</span> <span class="name">{}</span>',
        contender.letter.lower(), contender.letter, name,
    )  # fmt: skip


@register.simple_tag
def pattern_mark(pattern: str) -> SafeString:
    """The pattern `rw` as `A ✓ B ✕`, with text for screen readers."""
    pairs = list(zip(LETTERS, pattern, strict=False))
    signs = format_html_join(
        "",
        '<span class="sign {}"><b>{}</b>{}</span>',
        ((WORDS[s].split()[0], letter, SIGNS[s]) for letter, s in pairs),
    )
    words = ", ".join(f"{letter} {WORDS[s]}" for letter, s in pairs)
    return format_html(
        '<span class="pattern" aria-hidden="true">{}</span><span class="unseen">{}</span>', signs, words
    )
