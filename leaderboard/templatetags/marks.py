"""Metrics as text and as small inline SVG charts with text for screen readers. A missing value is never shown as 0."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from django import template
from django.utils import timezone
from django.utils.html import conditional_escape, format_html, format_html_join
from django.utils.safestring import SafeString, mark_safe

from evaluation.core.plugin import Mark
from evaluation.core.suite import Gate
from leaderboard.boards.measured import MeasuredCell
from leaderboard.boards.references import GUESSING, ReferenceLine, labels
from leaderboard.submissions.models import Submission
from leaderboard.web.formatting import NOT_REPORTED, _known, day, minute, number

register = template.Library()
register.filter("number", number)

Steps = Sequence[tuple[str, float | None]]

#: Height in pixels that the steps and the order mark share, so that rows line up.
HEIGHT = 30
STEP_WIDTH, STEP_GAP = 14, 4
#: A sign for each origin of a result (`Submission.Origin`), distinct by shape.
ORIGIN_SIGNS = {"verified": "◆", "run_by_authors": "◈", "self_reported": "◇"}
ORIGIN_CLASSES = {"verified": "seal", "run_by_authors": "seal authors", "self_reported": "seal reported"}
DOT_APART, DOT_RADIUS, DOT_MARGIN = 22, 3, 6


# Text


@register.filter
def cell(value: Any) -> str:
    """Text of a cell in a chart's table: text unchanged, integers as integers, rates in percent."""
    return number(value) if value is None or isinstance(value, float) else str(value)


@register.simple_tag
def interval(low: float | None, high: float | None, kind: str = "ratio") -> str:
    """An interval as text, such as `91.7–96.3` or `at least 95.6%`; empty if it is unknown or has no width."""
    if low is None or high is None or not (_known(low) and _known(high)) or low == high:
        return ""
    if kind == "ratio" and (low == 0 or high == 1) and (low, high) != (0, 1):
        return f"at most {number(high, kind)}" if low == 0 else f"at least {number(low, kind)}"
    apart = " to " if min(low, high) < 0 else "–"
    plain = "points" if kind == "ratio" else kind
    return f"{number(low, plain)}{apart}{number(high, plain)}"


@register.simple_tag
def figure(value: Any, kind: str = "ratio") -> str | SafeString:
    """Text of a metric for a table cell. A missing value is a dash with "not reported" for screen readers."""
    text = number(value, kind)
    return missing() if text == NOT_REPORTED else text


@register.filter
def cell_interval(cell: MeasuredCell) -> str:
    return interval(cell.low, cell.high, cell.column.format)


@register.simple_tag
def missing() -> SafeString:
    return format_html('<span class="missing">–<span class="unseen">{}</span></span>', NOT_REPORTED)


@register.filter
def short_hash(text: str) -> str:
    """A hash shortened to its two ends: `9f2c…41ab`."""
    return f"{text[:6]}…{text[-4:]}" if len(text) > 12 else text


@register.filter
def ago(when: datetime | None) -> str:
    """Time since a moment, in the largest unit that fits; the date if older than four weeks."""
    if when is None:
        return ""
    seconds = (timezone.now() - when).total_seconds()
    if seconds < 60:
        return "just now"
    if seconds < 3600:
        return f"{seconds // 60:.0f} min ago"
    if seconds < 86_400:
        return f"{seconds // 3600:.0f} h ago"
    days = int(seconds // 86_400)
    if days == 1:
        return "yesterday"
    return f"{days} days ago" if days < 28 else day(when)


@register.simple_tag
def when(moment: datetime | None) -> SafeString:
    """A `<time>` element that reads "2 days ago" and contains the exact moment."""
    if moment is None:
        return missing()
    return format_html(
        '<time datetime="{}" title="{}">{}</time>',
        moment.isoformat(),
        minute(moment),
        ago(moment),
    )


@register.simple_tag
def dollars(value: float | None) -> SafeString | str:
    """A price in dollars: `$92.40`, `$0.14`, and below a cent two significant digits."""
    if value is None:
        return missing()
    return f"${value:,.2f}" if value >= 0.01 or value == 0 else f"${value:.2g}"


# Marks


def _svg(kind: str, words: str, body: str, *, width: float | str, height: float) -> SafeString:
    """The SVG element. `body` is trusted markup; `words` are escaped here and become the title and tooltip."""
    attributes = f'class="mark {kind}" width="{width}" height="{height}" role="img"'
    return mark_safe(f"<svg {attributes}><title>{conditional_escape(words)}</title>{body}</svg>")


def _unit(value: float) -> float:
    return min(1.0, max(0.0, value))


def _words(pairs: Steps) -> str:
    return ", ".join(f"{label} {number(value)}" for label, value in pairs)


@register.simple_tag
def scale_mark(
    value: float | None,
    low: float | None = None,
    high: float | None = None,
    better: str = "higher",
    lines: Any = False,
    claimed: bool = False,
) -> SafeString | str:
    """A tick for the value and a bar for its interval, on a scale from 0 to 1. Fills the width of its cell.

    If lower is better, a ring marks the goal 0. With `lines`, the shapes that `reference_labels` defines are drawn
    behind. `claimed` makes the bar dashed.
    """
    if value is None or not _known(value) or not 0 <= value <= 1:
        return ""
    body = '<use href="#reference-lines"/>' if lines else ""
    body += '<circle class="goal" cx="0" cy="11" r="4"/>' if better == "lower" else ""
    words = number(value) + (", lower is better" if better == "lower" else "")
    if low is not None and high is not None and _known(low) and _known(high) and low != high:
        a, b = 100 * _unit(low), 100 * _unit(high)
        css = "bar claimed" if claimed else "bar"
        body += f'<rect class="{css}" x="{a:.2f}%" y="6" width="{b - a:.2f}%" height="10" rx="2"/>'
        words += f", 95% interval {number(low)} to {number(high)}"
    x = f"{100 * value:.2f}%"
    body += f'<line class="tick" x1="{x}" x2="{x}" y1="3" y2="19"/>'
    return _svg("scale" if better == "higher" else "scale lower", words, body, width="100%", height=22)


def _reference_line(line: ReferenceLine, top: float, bottom: float) -> str:
    x = line.position
    return f'<line class="reference {line.role}" x1="{x}" x2="{x}" y1="{top:g}" y2="{bottom:g}"/>'


def _guessing_band(line: ReferenceLine, better: str) -> str:
    if line.role != GUESSING:
        return ""
    x, share = ("0", line.value) if better == "higher" else (line.position, 1 - line.value)
    return f'<rect class="guess" x="{x}" y="-60" width="{100 * share:.2f}%" height="142"/>'


@register.simple_tag
def reference_labels(lines: Sequence[ReferenceLine], better: str = "higher") -> SafeString | str:
    """Names of the reference lines above a column of scales, and their shapes, which every cell reuses."""
    if not lines:
        return ""
    body = _reference_names(lines)
    drawn = "".join(_guessing_band(line, better) for line in lines)
    drawn += "".join(_reference_line(line, -60, 82) for line in lines)
    body += f'<defs><g id="reference-lines">{drawn}</g></defs>'
    return _svg("scale labels", _reference_words(lines), body, width="100%", height=18)


@register.simple_tag
def reference_key(lines: Sequence[ReferenceLine]) -> SafeString | str:
    """Names of the reference lines, for boards shown without a table head, as on a phone. Defines no shapes."""
    if not lines:
        return ""
    return _svg("scale labels", _reference_words(lines), _reference_names(lines), width="100%", height=18)


def _reference_names(lines: Sequence[ReferenceLine]) -> str:
    names = "".join(
        f'<text class="reference" x="{line.position}" y="9" text-anchor="{line.anchor}">{text}</text>'
        for line, text in labels(lines)
    )
    return names + "".join(_reference_line(line, 12, 18) for line in lines)


def _reference_words(lines: Sequence[ReferenceLine]) -> str:
    named = ", ".join(f"{line.role} ({line.name}) {number(line.value)}" for line in lines)
    return f"Lines: {named}"


@register.simple_tag
def steps_mark(steps: Steps | None) -> SafeString:
    """Bar chart of the steps that lead to a score, one bar per step. The last bar is the score."""
    if not steps or all(value is None for _, value in steps):
        return missing()
    body = _paths(_steps(steps))
    width = len(steps) * (STEP_WIDTH + STEP_GAP) - STEP_GAP
    return _svg("steps", _words(steps), body, width=width, height=HEIGHT)


@register.simple_tag
def chain(metrics: Mapping[str, float | None], mark: Mark) -> str:
    """The values of a chart's steps as text: `found 33.9% → chosen 100.0% → right 33.9%`. Empty if none is known."""
    steps = [(word, metrics.get(name)) for name, word in mark.chain.items()]
    said = (f"{word} {number(value)}" for word, value in steps)
    return " → ".join(said) if any(_known(value) for _, value in steps) else ""


@register.simple_tag
def explained(metrics: Mapping[str, float | None], mark: Mark) -> str:
    """The text of `chain`, followed by a further metric in parentheses if its value is known."""
    name, said = mark.beside
    value = metrics.get(name)
    return chain(metrics, mark) + (f" ({said}: {number(value)})" if _known(value) else "")


def _steps(steps: Steps) -> dict[str, str]:
    paths = {"ghost": "", "ghost none": "", "bar": "", "bar overall": ""}
    for at, (_, value) in enumerate(steps):
        x = at * (STEP_WIDTH + STEP_GAP)
        paths["ghost" if value is not None else "ghost none"] += _box(
            x + 0.5, 0.5, STEP_WIDTH - 1, HEIGHT - 1
        )
        if value is not None:
            high = max(1.0, HEIGHT * _unit(value))
            is_last = at == len(steps) - 1
            paths["bar overall" if is_last else "bar"] += _box(x, HEIGHT - high, STEP_WIDTH, high)
    return paths


def _box(x: float, y: float, width: float, height: float) -> str:
    return f"M{x:g} {y:.4g}h{width:g}v{height:.4g}h{-width:g}z"


def _paths(paths: Mapping[str, str]) -> str:
    """One `<path>` element per CSS class, to keep boards with many rows small."""
    return "".join(f'<path class="{css}" d="{outline}"/>' for css, outline in paths.items() if outline)


@register.simple_tag
def order_mark(
    order: Steps | None, mark: Mark | None = None, metrics: Mapping[str, float | None] | None = None
) -> SafeString:
    """Chart of order bias: a dot for the success rate at each position of the correct item, a line for guessing."""
    order = [(label.replace("_", " "), value) for label, value in order or ()]
    if not order or all(value is None for _, value in order):
        return missing()
    apart = mark.apart.replace("_", " ") if mark else ""
    width = 2 * DOT_MARGIN + (len(order) - 1) * DOT_APART
    body = f'<path class="rule" d="M0 4h{width}M0 {HEIGHT - 4}h{width}"/>' + _dots(order, apart)
    words = f"{mark.figure}: {_words(order)}" if mark and mark.figure else _words(order)
    chance = (metrics or {}).get(mark.chance) if mark and mark.chance else None
    if chance is not None:
        body += f'<path class="chance" d="M0 {_dot_height(chance):.4g}h{width}"/>'
        words += f"; by chance {number(chance)}"
    return _svg("order", words, body, width=width, height=HEIGHT)


def _dot_height(value: float) -> float:
    return HEIGHT - 4 - (HEIGHT - 8) * _unit(value)


def _dots(order: Steps, apart: str) -> str:
    """The dots and the line that joins them. A dot is a zero-length stroke with round ends."""
    paths, joined = {"dot": "", "dot hollow": "", "none": ""}, []
    for at, (label, value) in enumerate(order):
        x = DOT_MARGIN + at * DOT_APART
        if value is None:
            paths["none"] += f"M{x - 2.5} {HEIGHT / 2}h5"
        elif label == apart:
            paths["dot hollow"] += _ring(x, _dot_height(value))
        else:
            paths["dot"] += f"M{x} {_dot_height(value):.4g}h0"
            joined.append(f"{x},{_dot_height(value):.4g}")
    line = f'<polyline points="{" ".join(joined)}"/>' if len(joined) > 1 else ""
    return line + _paths(paths)


def _ring(x: float, y: float) -> str:
    r = DOT_RADIUS
    return f"M{x - r} {y:.4g}a{r} {r} 0 1 0 {2 * r} 0a{r} {r} 0 1 0 {-2 * r} 0z"


GATE_SIGNS = {"pass": "✓", "fail": "✕", "undecided": "?", "none": "–"}
GATE_WORDS = {"pass": "met", "fail": "not met", "undecided": "undecided", "none": "not judged"}


@register.simple_tag
def gate_mark(gate: Gate) -> SafeString:
    """A requirement as text, and whether it is met. Legend and submission page explain the requirement."""
    state = gate.state if gate.state in GATE_SIGNS else "none"
    return format_html(
        '<span class="gate {}"><b aria-hidden="true">{}</b><i aria-hidden="true">{}</i>'
        '<span class="unseen">Requirement “{}”: {}. </span></span>',
        state, gate.said, GATE_SIGNS[state], gate.said, GATE_WORDS[state],
    )  # fmt: skip


@register.simple_tag
def requirements(gates: Sequence[Gate]) -> SafeString:
    """The requirements that a row does not meet or that are undecided, else `meets all`; a dash if none was tested."""
    judged = [gate for gate in gates if gate.state in ("pass", "fail", "undecided")]
    if not judged:
        return missing()
    open_ones = [gate for gate in judged if gate.state != "pass"]
    if not open_ones:
        return mark_safe('<span class="met"><i aria-hidden="true">✓</i> meets all</span>')
    lines = (
        (gate.state, GATE_SIGNS[gate.state], gate.failure or f"{gate.said}: {GATE_WORDS[gate.state]}")
        for gate in open_ones
    )
    return format_html_join("", '<span class="requirement {}"><i aria-hidden="true">{}</i> {}</span>', lines)


@register.filter
def gate_words(gate: Gate) -> str:
    """State of a requirement: `met`, `not met`, `undecided`."""
    return GATE_WORDS.get(gate.state, GATE_WORDS["none"])


@register.simple_tag
def verified_mark(verified: bool) -> str | SafeString:
    if not verified:
        return ""
    return mark_safe('<span class="seal">◆ <span>verified</span></span>')


@register.simple_tag
def origin_mark(submission: Submission) -> SafeString:
    return legend_origin(submission.origin)


@register.simple_tag
def legend_origin(origin: str) -> SafeString:
    return format_html(
        '<span class="{}"><i aria-hidden="true">{}</i> <span>{}</span></span>',
        ORIGIN_CLASSES[origin], ORIGIN_SIGNS[origin], Submission.Origin(origin).label,
    )  # fmt: skip


@register.simple_tag
def legend_gates(gates: Sequence[Gate] = ()) -> SafeString:
    """Requirements to show in a legend, with invented results: only the first is met. Without `gates`, samples."""
    letters = [(gate.letter, gate.said) for gate in gates] or [("A", "Example"), ("B", "Another")]
    shown = [
        Gate(letter, name, "fail" if at else "pass", "an example of the mark")
        for at, (letter, name) in enumerate(letters)
    ]
    return format_html_join("", "{}", ((gate_mark(gate),) for gate in shown))
