"""Draws values as text: amounts, dates, people, counts … No value is part of another value."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

from evaluation.core.rng import Stream
from evaluation.statebench.generator.scenes.acts import CARRYING, Form, Plot, Sort
from evaluation.statebench.generator.scenes.legal import BASE
from evaluation.statebench.generator.scenes.oracle import Machine
from evaluation.statebench.generator.scenes.vocabulary import (
    FIRST_NAMES,
    LABELS,
    LAST_NAMES,
    MONTHS,
    PLACES,
    Noun,
)

#: How many of ten further caps lie on the other side of the price.
_ACROSS = 7
_UNIT = 100  # dollars; all amounts are multiples


def person(draw: Stream) -> str:
    return f"{draw.choice(FIRST_NAMES)} {draw.choice(LAST_NAMES)}"


def money(dollars: int) -> str:
    return f"${dollars:,}"


_DRAW: Mapping[str, Callable[[Stream, str], str]] = {
    "money": lambda draw, _: money(_UNIT * (11 + draw.below(980))),
    "date": lambda draw, _: f"{draw.choice(MONTHS)} {1 + draw.below(28)}",
    "person": lambda draw, _: person(draw),
    "percent": lambda draw, _: f"{3 + draw.below(94)}%",
    "count": lambda draw, unit: f"{11 + draw.below(480)} {unit}",
    "duration": lambda draw, unit: f"{3 + draw.below(90)} {unit}",
    "place": lambda draw, _: f"{draw.choice(PLACES)} {2 + draw.below(400)}",
}


def draw_value(draw: Stream, noun: Noun) -> str:
    return _DRAW[noun.kind](draw, noun.unit)


def draw_apart(draw: Stream, noun: Noun, number: int, taken: Iterable[str] = ()) -> list[str]:
    """Draw `number` different values for a noun. None is part of another value or of a text in `taken`."""
    known, made = list(taken), list[str]()
    while len(made) < number:
        value = draw_value(draw, noun)
        if not any(value in other or other in value for other in known):
            known.append(value)
            made.append(value)
    return made


def draw_values(
    plot: Plot, nouns: Sequence[Noun], draw: Stream, taken: Iterable[str]
) -> tuple[dict[int, str], str]:
    """Draw a text for each value of a plot, and the price, which is empty unless the plot is about a cap.

    Texts are returned by the number of the value. No text overlaps a text in `taken`.
    """
    taken, sort = list(taken), plot.question.sort
    if sort is Sort.CAP:
        return _draw_caps(plot, draw, taken)
    values = dict(enumerate(LABELS[plot.matter])) if sort is Sort.LABEL else {}
    carried = dict.fromkeys(act.value for act in plot.acts if act.value is not None)
    for is_base in (False, True):
        numbers = [value for value in carried if (value >= BASE) is is_base]
        if numbers and (is_base or sort is not Sort.LABEL):
            texts = draw_apart(draw, nouns[is_base], len(numbers), [*taken, *values.values()])
            values |= dict(zip(numbers, texts, strict=True))
    return values, ""


def _draw_caps(plot: Plot, draw: Stream, taken: Sequence[str]) -> tuple[dict[int, str], str]:
    """Return the text of each cap (price limit) by its number, and the price to compare with the caps.

    The valid cap is above the price if the price is allowed, else below. The other caps are set so that neither the
    last cap nor a count of caps gives away the answer.
    """
    machine = Machine(plot.standing)
    for number, act in enumerate(plot.acts):
        machine.apply(number, act)
    held = machine.effective(0)
    live = held.value if held is not None else None
    mentioned = [act.value for act in plot.acts if act.kind in CARRYING and act.value is not None]
    price = 40 + draw.below(400)
    within = plot.question.within if plot.question.form is Form.MAY else draw.chance(0.5)
    made: dict[int, str] = {}
    for value in dict.fromkeys(mentioned):
        if value == live:
            is_above = within
        elif live is not None and value == mentioned[-1]:
            is_above = not within
        else:
            is_above = within is not (draw.below(10) < _ACROSS) if live is not None else draw.chance(0.5)
        made[value] = _beside(price, {*taken, *made.values()}, draw, above=is_above)
    return made, money(_UNIT * price)


def _beside(price: int, taken: Collection[str], draw: Stream, *, above: bool) -> str:
    while True:
        share = draw.below(price)
        cap = price + 2 + share if above else price - 2 - share * 2 // 3
        if cap > 0 and (text := money(_UNIT * cap)) not in taken:
            return text
