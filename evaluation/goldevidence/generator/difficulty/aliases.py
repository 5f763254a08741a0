"""Other names of tags: `tag.07 is also called the harbour gauge`."""

from __future__ import annotations

import re
from collections.abc import Sequence

from evaluation.goldevidence.generator.difficulty.dice import throw
from evaluation.goldevidence.generator.difficulty.wording import Alias
from evaluation.goldevidence.generator.prf import below, threshold

WHICH = (
    "harbour", "north", "east", "south", "west", "upper", "lower", "inner", "outer", "brass", "copper", "green",
    "grey", "white", "old", "new", "spare", "main", "tidal", "river", "island", "customs", "market", "station",
)  # fmt: skip
WHAT = (
    "gauge", "valve", "pump", "buoy", "crane", "lock", "meter", "winch", "bell", "lamp", "tank", "gate", "mast",
    "pier", "hatch", "boiler", "dial", "siren", "rudder", "beacon",
)  # fmt: skip
NAMES = tuple(f"the {which} {what}" for which in WHICH for what in WHAT)
NAME = re.compile(r"the [a-z]+ [a-z]+")
#: Names are told in the first part of an episode, so that most lines may use them.
TOLD_BEFORE = 0.4


def draw_aliases(keys: Sequence[str], steps: int, rate: float, salt: bytes) -> dict[str, Alias]:
    """The other names of an episode's tags, each with the step in which it is told.

    Args:
        keys: The tags.
        steps: Steps of the episode.
        rate: Share of tags that have another name; at most as many as there are names.
        salt: Of the episode.
    """
    limit, free = threshold(rate), list(NAMES)
    aliases: dict[str, Alias] = {}
    for key in keys:
        face, which, when, *_ = throw(salt, "alias", key)
        if face < limit and free:
            name = free.pop(below(which, len(free)))
            aliases[key] = Alias(name, 1 + below(when, max(1, int(steps * TOLD_BEFORE))))
    return aliases
