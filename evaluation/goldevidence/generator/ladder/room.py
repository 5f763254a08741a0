"""Computes how many updates a text of a given length can contain."""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

from evaluation.core.tokens import digit_tokens
from evaluation.goldevidence.data.ledger import Entry
from evaluation.goldevidence.generator.config import GeneratorConfig
from evaluation.goldevidence.generator.difficulty.wording import PUBLISHED
from evaluation.goldevidence.generator.ladder.design import most_updates
from evaluation.goldevidence.generator.ladder.rungs import rung_name
from evaluation.goldevidence.generator.ladder.settings import Ladder
from evaluation.goldevidence.generator.modes import COLORS, LARGEST_SET, MODES, STARS

#: Largest share of the shortest text for updates and headings: their places can be kept only with padding between them.
SHARE = 0.5
HEADING = 8  # tokens of `\n### Segment 12`
#: Mode -> its longest value.
_VALUES = {
    "kv": f"{max(COLORS, key=len)}-0000",
    "kv_commentary": f"{max(COLORS, key=len)}-0000",
    "counter": "100",
    "set": ",".join(["item0000"] * LARGEST_SET),
    "relational": f"{max(STARS, key=len)}-000",
}
#: First revision with ladders, in which twins differ in half of their answers.
LADDER_REVISION = 2


@cache
def entry_tokens(mode: str) -> int:
    line, _, _ = PUBLISHED.update(Entry("U0A0A0A", 100, "SET", "tag.00", _VALUES[mode]))
    return digit_tokens(f"{line}\n")


def updates_that_fit(ladder: Ladder, mode: str, chapters: int) -> int:
    return max(0, int((SHARE * ladder.lengths[0] - HEADING * chapters) // entry_tokens(mode)))


def updates_asked_for(ladder: Ladder, keys: int, note_rate: float) -> int:
    """Return the largest number of ledger lines that an episode can have. `note_rate`: share of NOTEs, or 0."""
    updates = most_updates(ladder, keys)
    return updates + notes_beside(note_rate, updates)


def notes_beside(rate: float, updates: int) -> int:
    """Return the number of NOTEs to add to `updates` updates. `rate`: share of NOTEs in all lines, at most 0.9."""
    return round(updates * rate / (1 - min(rate, 0.9))) if rate else 0


class Problem(NamedTuple):
    """A setting that is refused, and the reason as words that follow the setting's name."""

    field: str
    message: str


def problem_of(ladder: Ladder, config: GeneratorConfig, mode: str) -> Problem | None:
    """Return the first setting that a ladder does not allow; None if all fit. `mode` may differ from the config's."""
    if config.revision < LADDER_REVISION:
        return Problem("generator.revision", f"must be {LADDER_REVISION} under a ladder.")
    if config.queries > config.keys:
        return Problem(
            "generator.queries",
            f"must not exceed keys ({config.keys}) under a ladder: it asks about each tag once.",
        )
    if config.tail_distractor_steps:
        return Problem(
            "generator.tail_distractor_steps",
            "must be 0 under a ladder: depths set the positions of the last updates.",
        )
    if config.is_difficult:
        return Problem(
            "generator.wording",
            "and the other difficulties cannot be combined with a ladder: its padding is in the published form.",
        )
    if MODES[mode].derive is None and config.derived_query_rate:
        return Problem(
            "generator.derived_query_rate",
            f"must be 0 under a ladder with the mode {mode}: an answer of several lines has no depth.",
        )
    needed = updates_asked_for(ladder, config.keys, config.note_rate if MODES[mode].notes else 0.0)
    if needed <= (fit := updates_that_fit(ladder, mode, config.chapters)):
        return None
    return Problem(
        "ladder.lengths",
        f"{rung_name(ladder.lengths[0])} tokens hold {fit} updates of the mode {mode}, and an episode has up to "
        f"{needed}: use fewer tags, writes or notes, or a longer shortest length.",
    )
