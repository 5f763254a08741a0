"""What our timelines are about. Nothing here is taken from the released data."""

from __future__ import annotations

from evaluation.core.rng import Stream

DOMAINS = ("project", "sales", "procurement", "hr", "support")
PEOPLE = (
    "Amara",
    "Bastian",
    "Chiara",
    "Dmitri",
    "Elif",
    "Farid",
    "Greta",
    "Hugo",
    "Ines",
    "Joon",
    "Katya",
    "Luis",
)
TITLES = ("Project Manager", "Account Executive", "Buyer", "Team Lead", "Support Agent", "Operations Manager")
ORGANIZATIONS = ("Alder Works", "Bluefin Foods", "Cobalt Rail", "Dunlin Air", "Ember Labs", "Fjord Energy")
GOODS = (
    "forklift",
    "badge printers",
    "training room",
    "cold store",
    "welding robot",
    "payroll tool",
    "lab bench",
)
PROJECTS = ("Marlin", "Osprey", "Quartz", "Tundra", "Velvet", "Willow", "Zephyr")
PARTNERS = ("Halden", "Norfield", "Pelikan", "Sorrel", "Tarn", "Umber")
CITIES = ("Bergen", "Lyon", "Malaga", "Ostrava", "Pisa", "Tartu", "Utrecht")
MONTHS = ("March", "April", "May", "June", "July", "August", "September")
WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday")
SMALL_TALK = (
    "The coffee machine on the third floor works again.",
    "I will be in the other building this afternoon.",
    "Thanks for the notes from yesterday's call.",
    "The visitors' badges are at the front desk.",
)


def money(draw: Stream, *, low: int = 4, high: int = 90) -> str:
    """An amount like "$37,000".

    Args:
        draw: The random stream.
        low: The least amount, in thousands.
        high: The amount that it stays below, in thousands.
    """
    return f"${low + draw.below(high - low)},000"


def other_money(draw: Stream, not_this: str) -> str:
    """Another amount, none part of the other's digits.

    Args:
        draw: The random stream.
        not_this: The first amount.
    """
    return different(draw, not_this, lambda: money(draw))


def date(draw: Stream) -> str:
    """A date like "June 14"; two digits, so that none is part of another."""
    return f"{draw.choice(MONTHS)} {10 + draw.below(19)}"


def different(draw: Stream, not_this: str, make: object) -> str:
    """Draw until something else comes, at most a few times; the lists are long enough for that to end.

    Args:
        draw: The random stream.
        not_this: What may not come.
        make: Draws one.
    """
    assert callable(make)
    while True:
        value = str(make())
        if value != not_this:
            return value


def two(draw: Stream, items: tuple[str, ...]) -> tuple[str, str]:
    """Two different items.

    Args:
        draw: The random stream.
        items: What to choose from.

    Returns:
        The items, in the order drawn.
    """
    first = draw.choice(items)
    return first, different(draw, first, lambda: draw.choice(items))
