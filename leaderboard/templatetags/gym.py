"""Learning curves of gym loops as inline SVG styled by `results.css`, and the finding in a sentence."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from django import template
from django.utils.html import conditional_escape
from django.utils.safestring import SafeString, mark_safe

from evaluation.gym.loop.report import KINDS
from leaderboard.runs.gym.forms import ARMS
from leaderboard.runs.gym.models import GymLoop
from leaderboard.runs.gym.story import Rate, Story
from leaderboard.runs.model_job import JobStatus
from leaderboard.templatetags.marks import interval
from leaderboard.web.formatting import number

register = template.Library()

WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 340, 190, 34, 66, 14, 36
MOST_TICKS = 8
LEAST_GAP = 13  # pixels between two words at the end of lines


class Point(NamedTuple):
    """A rate after a number of rounds, with its interval."""

    x: int
    rate: float
    low: float
    high: float


@register.simple_tag
def loop_curve(loop: GymLoop) -> SafeString:
    """Chart of the success rate on held-out task families and the difficulty of the training tasks, by round."""
    points = curve_of(loop)
    last = max(points[-1].x if points else 0, 1)
    levels = [(each["number"], each["level"]) for each in loop.rounds if each["level"] is not None]
    body = _grid() + _ticks(last) + _levels(levels, last) + _line(points, last) + _ends(points, levels)
    return _svg(body, _words_of(points, levels))


def curve_of(loop: GymLoop) -> list[Point]:
    """The points of a loop's curve. The first point is before training."""
    start = loop.outcome.get("start")
    rates = [(0, start)] if start else []
    rates += [(each["number"], each["held_out"]) for each in loop.rounds]
    return [Point(x, each["rate"], each["low"], each["high"]) for x, each in rates]


def _words_of(points: Sequence[Point], levels: Sequence[tuple[int, float]] = ()) -> str:
    named = dict(levels)
    said = [
        f"{f'round {each.x}' if each.x else 'untrained'}{f' (level {named[each.x]:g})' if each.x in named else ''} "
        f"{number(each.rate)} ({interval(each.low, each.high)})"
        for each in points
    ]
    return f"Success on held-out families: {', '.join(said)}" if said else "No result yet"


@register.simple_tag
def loop_finding(loop: GymLoop) -> str:
    """The finding of a loop in a sentence, as far as supported by the intervals."""
    gained = loop.outcome.get("held_out")
    if gained:
        return _gain(gained)
    if loop.rounds:
        last = loop.rounds[-1]["held_out"]
        so_far = f"{number(last['rate'])} ({interval(last['low'], last['high'])})"
        return f"{so_far} on families the learner never trained on, after round {len(loop.rounds)}."
    return "No result yet." if loop.status != JobStatus.FAILED else "The loop failed during its first round."


def _gain(gained: Mapping[str, Any]) -> str:
    before, after = number(gained["before"]["rate"]), number(gained["after"]["rate"])
    points = f"{100 * gained['low']:+.1f} to {100 * gained['high']:+.1f} points".replace("-", "−")
    if gained["low"] > 0:
        return f"Improved: {before} → {after} on families the learner never trained on ({points})."
    if gained["high"] < 0:
        return f"Got worse: {before} → {after} on families the learner never trained on ({points})."
    return f"No significant change: {before} → {after} on families the learner never trained on ({points})."


@register.simple_tag
def loop_of(made: Mapping[str, Any]) -> GymLoop | None:
    """The loop that trained the model file of a result, from the result's provenance; None if no loop did."""
    model = made.get("model") or {}
    if model.get("kind") != "learner":
        return None
    return GymLoop.objects.filter(model_file__sha256=model["sha256"]).first()


@register.filter
def arm_words(loop: GymLoop) -> str:
    return ARMS.get(loop.settings.get("arm", ""), "")


@register.filter
def gains(loop: GymLoop) -> list[tuple[str, Any]]:
    """Titles and gains of the kinds of unseen tasks, without kinds whose gain is unknown."""
    return [(title, loop.outcome[name]) for name, title in KINDS.items() if loop.outcome.get(name)]


@register.simple_tag
def places_picture(places: Sequence[Rate]) -> SafeString:
    """Bar chart of the success rate by position of the correct candidate. A dashed line shows the rate of guessing."""
    room = (WIDTH - LEFT - RIGHT) / len(places)
    body, said = _grid() + _guessing(1 / len(places)), []
    for place, each in enumerate(places, 1):
        x, y = LEFT + (place - 0.5) * room, _up(each["rate"])
        css = "bar low" if each["rate"] < 1 / len(places) else "bar"
        body += f'<rect class="{css}" x="{x - 18:.1f}" y="{y:.1f}" width="36" height="{_up(0) - y:.1f}"/>'
        if "low" in each:
            body += f'<path class="whisker" d="M{x:.1f} {_up(each["low"]):.1f}V{_up(each["high"]):.1f}"/>'
        body += _text(x, HEIGHT - BOTTOM + 15, str(place), "middle")
        said.append(f"at position {place} {_rate_words(each)}")
    body += _text(
        (LEFT + WIDTH - RIGHT) / 2, HEIGHT - 5, f"position of the right line among {len(places)}", "middle"
    )
    return _svg(body, f"Right answers by the position of the right line: {', '.join(said)}")


@register.simple_tag
def unmaking_picture(told: Story) -> SafeString:
    points = [
        Point(x, rate["rate"], rate.get("low", rate["rate"]), rate.get("high", rate["rate"]))
        for x, rate in told["path"]
    ]
    last, guessing = points[-1].x, 1 / len(told["unmade"])
    body = _grid() + _guessing(guessing) + _ticks(last, told["path_unit"]) + _line(points, last)
    body += _text(WIDTH - RIGHT + 6, _up(points[-1].rate) + 4, "worst", "start", "axis name")
    body += _text(WIDTH - RIGHT + 6, _up(points[-1].rate) + 17, "order", "start", "axis name")
    said = ", ".join(f"after {x} {_rate_words(rate)}" for x, rate in told["path"])
    return _svg(body, f"Right answers in the worst order, by {told['path_unit']}: {said}")


def _rate_words(rate: Rate) -> str:
    ends = f" ({interval(rate['low'], rate['high'])})" if "low" in rate else ""
    return f"{number(rate['rate'])}{ends}"


def _guessing(rate: float) -> str:
    line = f'<path class="guessing" d="M{LEFT} {_up(rate):.1f}H{WIDTH - RIGHT}"/>'
    return line + _text(WIDTH - RIGHT + 6, _up(rate) + 4, "guessing", "start")


def _svg(body: str, words: str) -> SafeString:
    return mark_safe(
        f'<svg class="gym-curve" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}" role="img">'
        f"<title>{conditional_escape(words)}</title>{body}</svg>"
    )


def _across(x: float, last: int) -> float:
    return LEFT + x * (WIDTH - LEFT - RIGHT) / last


def _up(rate: float) -> float:
    return HEIGHT - BOTTOM - rate * (HEIGHT - TOP - BOTTOM)


def _grid() -> str:
    lines = "".join(f"M{LEFT} {_up(rate):.1f}H{WIDTH - RIGHT}" for rate in (0, 0.5, 1))
    texts = "".join(_text(LEFT - 6, _up(rate) + 4, f"{rate:.0%}", "end") for rate in (0, 0.5, 1))
    return f'<path class="grid" d="{lines}"/>{texts}'


def _ticks(last: int, unit: str = "rounds of training") -> str:
    each = max(-(-last // MOST_TICKS), 1)
    each = (
        -(-each // 100) * 100 if each > 100 else each
    )  # long runs count steps, which read better in hundreds
    marks = "".join(
        _text(_across(x, last), HEIGHT - BOTTOM + 15, str(x), "middle") for x in range(0, last + 1, each)
    )
    return marks + _text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 5, unit, "middle")


def _text(x: float, y: float, text: str, anchor: str, css: str = "axis") -> str:
    return f'<text class="{css}" x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{conditional_escape(text)}</text>'


def _levels(levels: Sequence[tuple[int, float]], last: int) -> str:
    """SVG path with a step for each round at the height of its level; round n extends from n - 1 to n."""
    if not levels:
        return ""
    path = "".join(
        f"{'M' if not place else 'L'}{_across(x - 1, last):.1f} {_up(level):.1f}H{_across(x, last):.1f}"
        for place, (x, level) in enumerate(levels)
    )
    return f'<path class="level" d="{path}"/>'


def _line(points: Sequence[Point], last: int) -> str:
    if not points:
        return ""
    places = [(_across(each.x, last), each) for each in points]
    above = [f"{x:.1f},{_up(each.high):.1f}" for x, each in places]
    below = [f"{x:.1f},{_up(each.low):.1f}" for x, each in reversed(places)]
    line = " ".join(f"{x:.1f},{_up(each.rate):.1f}" for x, each in places)
    dots = "".join(f"M{x:.1f} {_up(each.rate):.1f}h0" for x, each in places)
    band = f'<polygon class="band" points="{" ".join(above + below)}"/>' if len(places) > 1 else ""
    return f'{band}<polyline class="curve" points="{line}"/><path class="dots" d="{dots}"/>'


def _ends(points: Sequence[Point], levels: Sequence[tuple[int, float]]) -> str:
    if not points:
        return ""
    x, y = WIDTH - RIGHT + 6, _up(points[-1].rate) + 4
    named = _text(x, y, "held out", "start", "axis name")
    if levels:
        below = _up(levels[-1][1]) + 4
        if abs(below - y) < LEAST_GAP:
            below = y + LEAST_GAP
        named += _text(x, below, "level", "start")
    return named
