"""Whether episodes of some settings can be told at several lengths."""

from __future__ import annotations

from typing import NamedTuple

from evaluation.goldevidence.generator.config import GeneratorConfig
from evaluation.goldevidence.generator.ladder.room import updates_asked_for, updates_that_fit
from evaluation.goldevidence.generator.ladder.rungs import rung_name
from evaluation.goldevidence.generator.ladder.settings import Ladder
from evaluation.goldevidence.generator.modes import MODES

#: Ladders came with it: twins that differ in half of their answers.
LADDER_REVISION = 2


class Problem(NamedTuple):
    """Why settings are refused: the field to change, and a sentence that follows its name."""

    field: str
    message: str


def problem_of(ladder: Ladder, config: GeneratorConfig, mode: str) -> Problem | None:
    """What episodes of several lengths cannot have, and whether the shortest text holds their updates.

    Args:
        ladder: The lengths.
        config: The settings of the generator.
        mode: The state mode, which may be another than theirs.

    Returns:
        What is wrong first; None where they can be told.
    """
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
            "must be 0 under a ladder: depths say where the last updates are.",
        )
    if config.is_difficult:
        return Problem(
            "generator.wording",
            "and the other difficulties cannot go with a ladder: its padding is in the published form.",
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
