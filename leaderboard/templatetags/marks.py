"""Figures as text and as marks: small inline SVG with words for a screen reader.

Missing is "not reported", never 0. Colours and strokes are the style sheet's (`static/css/marks.css`);
a mark only carries geometry and words.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from django import template
from django.utils import timezone
from django.utils.html import conditional_escape, format_html, format_html_join
from django.utils.safestring import SafeString, mark_safe

from evaluation.core.suite import Column, Gate
from leaderboard.web.formatting import NOT_REPORTED, _known, number

register = template.Library()
register.filter("number", number)

Steps = Sequence[tuple[str, float | None]]

#: Height in pixels that the steps and the order mark share, so that rows line up.
HEIGHT = 30
STEP_WIDTH, STEP_GAP = 14, 4
DOT_APART, DOT_RADIUS, DOT_MARGIN = 22, 3, 6


# Text


@register.filter
def cell(value: Any) -> str:
    """A cell of a figure's table: text as it is, whole numbers whole, rates with three places."""
    return number(value) if value is None or isinstance(value, float) else str(value)


@register.simple_tag
def interval(low: float | None, high: float | None, kind: str = "ratio") -> str:
    """An interval as text, `0.917–0.963`; empty where there is none.

    Ends that are equal are none: every unit has the same figure, and resampling says nothing of how sure that is.
    """
    if low is None or high is None or not (_known(low) and _known(high)) or low == high:
        return ""
    apart = " to " if min(low, high) < 0 else "–"
    return f"{number(low, kind)}{apart}{number(high, kind)}"


@register.simple_tag
def figure(value: Any, kind: str = "ratio") -> str | SafeString:
    """A figure for a cell: a dash stands for "not reported", and says so."""
    text = number(value, kind)
    return missing() if text == NOT_REPORTED else text


@register.simple_tag
def measure(measures: Mapping[str, Any], column: Column) -> str | SafeString:
    """What a system shows a model (`Suite.measures`), under a column of them."""
    return figure(measures.get(column.name), column.format)


@register.simple_tag
def missing() -> SafeString:
    return format_html(
        '<span class="missing" title="{0}">–<span class="unseen">{0}</span></span>', NOT_REPORTED
    )


@register.filter
def short_hash(text: str) -> str:
    """The ends of a hash, enough to tell two apart: `9f2c…41ab`."""
    return f"{text[:6]}…{text[-4:]}" if len(text) > 12 else text


@register.filter
def ago(when: datetime | None) -> str:
    """How long ago, in the largest unit that fits; a date after four weeks."""
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
    return f"{days} days ago" if days < 28 else f"{when:%-d %b %Y}"


@register.simple_tag
def when(moment: datetime | None) -> SafeString:
    """A `<time>` that reads "2 days ago" and holds the exact moment."""
    if moment is None:
        return missing()
    return format_html(
        '<time datetime="{}" title="{}">{}</time>',
        moment.isoformat(),
        f"{moment:%-d %b %Y, %H:%M} UTC",
        ago(moment),
    )


# Marks


def _svg(kind: str, words: str, body: str, *, width: float | str, height: float) -> SafeString:
    """The picture. `body` is made of numbers and escaped words; `words` are escaped here."""
    label = conditional_escape(words)
    attributes = f'class="mark {kind}" width="{width}" height="{height}" role="img" aria-label="{label}"'
    return mark_safe(f"<svg {attributes}>{body}</svg>")


def _unit(value: float) -> float:
    """Clipped to the scale 0 … 1."""
    return min(1.0, max(0.0, value))


def _words(pairs: Steps) -> str:
    return ", ".join(f"{label} {number(value)}" for label, value in pairs)


@register.simple_tag
def scale_mark(
    value: float | None, low: float | None = None, high: float | None = None, better: str = "higher"
) -> SafeString | str:
    """A bar on the scale 0 … 1 with its interval as a whisker. As wide as its cell.

    Where lower is better the bar is drawn apart from those that ought to be long, and a ring marks 0 as the goal.
    """
    if value is None or not _known(value) or not 0 <= value <= 1:
        return ""
    body = "".join(f'<line class="tick" x1="{x}%" x2="{x}%" y1="4" y2="18"/>' for x in (0, 25, 50, 75, 100))
    body += f'<rect class="bar" x="0" y="8" width="{100 * value:.2f}%" height="6" rx="1"/>'
    body += '<circle class="goal" cx="0" cy="11" r="4"/>' if better == "lower" else ""
    words = number(value) + (", lower is better" if better == "lower" else "")
    if low is not None and high is not None and _known(low) and _known(high) and low != high:
        a, b = 100 * _unit(low), 100 * _unit(high)
        body += f'<line class="whisker" x1="{a:.2f}%" x2="{b:.2f}%" y1="11" y2="11"/>'
        body += "".join(f'<line class="whisker" x1="{x:.2f}%" x2="{x:.2f}%" y1="6" y2="16"/>' for x in (a, b))
        words += f", 95% interval {number(low)} to {number(high)}"
    return _svg("scale" if better == "higher" else "scale lower", words, body, width="100%", height=22)


@register.simple_tag
def steps_mark(steps: Steps | None) -> SafeString:
    """The decomposition: one bar a step before a ghost of the whole; the last one is the overall figure."""
    if not steps or all(value is None for _, value in steps):
        return missing()
    body = "".join(_step(at, *pair, last=at == len(steps) - 1) for at, pair in enumerate(steps))
    width = len(steps) * (STEP_WIDTH + STEP_GAP) - STEP_GAP
    return _svg("steps", _words(steps), body, width=width, height=HEIGHT)


def _step(at: int, label: str, value: float | None, *, last: bool) -> str:
    x, tip = at * (STEP_WIDTH + STEP_GAP), f"{conditional_escape(label)}: {number(value)}"
    ghost = _rect("ghost" if value is not None else "ghost none", x + 0.5, 0.5, STEP_WIDTH - 1, HEIGHT - 1)
    if value is None:
        return f"<g><title>{tip}</title>{ghost}</g>"
    high = max(1.0, HEIGHT * _unit(value))
    bar = _rect("bar overall" if last else "bar", x, HEIGHT - high, STEP_WIDTH, high)
    return f"<g><title>{tip}</title>{ghost}{bar}</g>"


def _rect(css: str, x: float, y: float, width: float, height: float) -> str:
    return f'<rect class="{css}" x="{x}" y="{y:.1f}" width="{width}" height="{height:.1f}" rx="1.5"/>'


@register.simple_tag
def order_mark(order: Steps | None) -> SafeString:
    """The order bias: a joined dot for each place of the gold line; the shuffled one is hollow and apart."""
    order = [(label.replace("_", " "), value) for label, value in order or ()]
    if not order or all(value is None for _, value in order):
        return missing()
    dots = [
        (DOT_MARGIN + at * DOT_APART, None if value is None else _dot_height(value), label, value)
        for at, (label, value) in enumerate(order)
    ]
    width = 2 * DOT_MARGIN + (len(order) - 1) * DOT_APART
    body = "".join(f'<line class="rule" x1="0" x2="{width}" y1="{y}" y2="{y}"/>' for y in (4, HEIGHT - 4))
    joined = [f"{x},{y:.1f}" for x, y, label, _ in dots if y is not None and label != "shuffle"]
    body += f'<polyline points="{" ".join(joined)}"/>' if len(joined) > 1 else ""
    body += "".join(_dot(*dot) for dot in dots)
    return _svg("order", f"Selection rate: {_words(order)}", body, width=width, height=HEIGHT)


def _dot_height(value: float) -> float:
    return HEIGHT - 4 - (HEIGHT - 8) * _unit(value)


def _dot(x: float, y: float | None, label: str, value: float | None) -> str:
    tip = f"<title>{conditional_escape(label)}: {number(value)}</title>"
    if y is None:
        return f'<path class="none" d="M{x - 2.5} {HEIGHT / 2}h5">{tip}</path>'
    hollow = " hollow" if label == "shuffle" else ""
    return f'<circle class="dot{hollow}" cx="{x}" cy="{y:.1f}" r="{DOT_RADIUS}">{tip}</circle>'


GATE_SIGNS = {"pass": "✓", "fail": "✕", "none": "–"}
GATE_WORDS = {"pass": "passed", "fail": "failed", "none": "not judged"}


@register.simple_tag
def gate_mark(gate: Gate) -> SafeString:
    """A gate: its letter and whether it is passed. The whole sentence is the tip."""
    state = gate.state if gate.state in GATE_SIGNS else "none"
    return format_html(
        '<span class="gate {}" title="{}"><b aria-hidden="true">{}</b><i aria-hidden="true">{}</i>'
        '<span class="unseen">{} gate {}. </span></span>',
        state, f"{gate.name}: {gate.help}", gate.letter, GATE_SIGNS[state], gate.name, GATE_WORDS[state],
    )  # fmt: skip


@register.simple_tag
def verified_mark(verified: bool) -> str | SafeString:
    """The seal of a submission that this site ran itself."""
    if not verified:
        return ""
    return mark_safe('<span class="seal" title="Verified: run by this site">◆ <span>verified</span></span>')


# Samples for the legend


@register.simple_tag
def legend_steps() -> SafeString:
    return steps_mark([("evidence shown", 1.0), ("chosen", 0.84), ("chosen and right", 0.7), ("right", 0.76)])


@register.simple_tag
def legend_order() -> SafeString:
    return order_mark([("gold_first", 0.15), ("gold_middle", 0.45), ("gold_last", 0.95), ("shuffle", 0.5)])


@register.simple_tag
def legend_gates(gates: Sequence[Gate] = ()) -> SafeString:
    """A sample of gates, of the version's own letters where it has some: the first passes, the others fail."""
    letters = [(gate.letter, gate.name) for gate in gates] or [("A", "Example"), ("B", "Example")]
    shown = [
        Gate(letter, name, "fail" if at else "pass", "an example of the mark")
        for at, (letter, name) in enumerate(letters)
    ]
    return format_html_join("", "{}", ((gate_mark(gate),) for gate in shown))
