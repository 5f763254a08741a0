"""Twins of a ladder: the latest updates of half of the tags that are asked about, with other values in all lengths."""

from __future__ import annotations

from collections.abc import Sequence

from evaluation.goldevidence.generator.ladder.layout import Episode
from evaluation.goldevidence.generator.prf import draw
from evaluation.goldevidence.generator.queries import Draft
from evaluation.goldevidence.generator.twins import DRAWS, Flip, flipped_keys


def flips(episode: Episode, drafted: Sequence[Draft], names: tuple[object, ...]) -> list[Flip]:
    """The entries to flip, as `twins.choose_half` chooses them; `place` is the number of an anchor.

    Args:
        episode: The base.
        drafted: What is asked about.
        names: What the episode's dice are drawn by.

    Returns:
        The flips, in the order of the questions.
    """
    keys = list(flipped_keys(drafted))
    dice = list(draw(*names, "flips", rows=DRAWS * len(keys), faces=2))
    return [_flip(episode, key, dice[DRAWS * n : DRAWS * (n + 1)]) for n, key in enumerate(keys)]


def _flip(episode: Episode, key: str, dice: Sequence[tuple[int, ...]]) -> Flip:
    """A value that no line of the padding behind the update claims, as far as a few draws find one."""
    log = episode.writer.log
    entry = log.state[key]
    place = episode.place_of(entry.uid)
    claimed = [line.text for gap in episode.gaps[place:] for line in gap.lines if line.claims == key]
    later = "\n".join(claimed)
    value = ""
    for a, b in dice:
        if entry.value is None:
            value = log.mode.move(None, a, b, log.pool)
        else:
            value = log.mode.flip(entry.value, a, b, log.pool)
        if f"{key} = {value}" not in later:
            break
    return Flip(place, entry._replace(op="SET", value=value))
