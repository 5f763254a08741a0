"""Near values: those that differ from another one in a single character."""

from __future__ import annotations

from evaluation.goldevidence.generator.prf import below

#: The low bits of a die decide whether a value is near; the high ones, which are independent, pick the value.
LOW_BITS = 16


def is_near(die: int, rate: float) -> bool:
    """Whether the next value of a key stands near the one before.

    Args:
        die: Uniform in [0, 2**32).
        rate: How often it does.
    """
    return (die & ((1 << LOW_BITS) - 1)) < rate * (1 << LOW_BITS)


def near(value: str, a: int, b: int) -> str:
    """A value with one digit exchanged; the value itself where it has none, or where that would write a member twice.

    The first digit of a plain number stays above 0, and the members of a set stay sorted.

    Args:
        value: A value of any mode.
        a: A die, uniform in [0, 2**32): the place.
        b: A second die: the digit.
    """
    places = [place for place, character in enumerate(value) if character.isdigit()]
    if not places:
        return value
    place = places[below(a, len(places))]
    digits = [digit for digit in "0123456789" if digit != value[place]]
    if (place == 0 and len(value) > 1) or value[:place] == "-":
        digits = [digit for digit in digits if digit != "0"]
    changed = f"{value[:place]}{digits[below(b, len(digits))]}{value[place + 1 :]}"
    members = changed.split(",")
    return ",".join(sorted(members)) if len(set(members)) == len(members) else value
