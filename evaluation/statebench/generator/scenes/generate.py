"""Generates the timelines of a version of scenes: several copies of every template at every length."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from evaluation.core.sealing.keyed_ids import OPEN_KEY
from evaluation.statebench.generator.scenes.plots import pool_of
from evaluation.statebench.generator.scenes.telling import tell
from evaluation.statebench.records import Timeline


def generate(
    tracks: Sequence[str], templates: int, lengths: Sequence[int], count: int, seed: int, key: str = OPEN_KEY
) -> Iterator[Timeline]:
    """Yield `templates` × `lengths` × `count` timelines of each track with ground truth.

    `lengths` are numbers of tokens of unrelated talk, 0 for none. The arguments determine the timelines; ids, names
    and values depend on `key`. Raises SettingsError if a track has fewer templates.
    """
    for track in tracks:
        pool = pool_of(track, templates, seed)
        for plot in pool[:templates]:
            for length in lengths:
                for copy in range(count):
                    yield tell(plot, pool, length, copy, seed, key)
