"""Timelines of a version of scenes: every template at every length, several copies of each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from evaluation.core.sealing.keyed_ids import OPEN_KEY
from evaluation.statebench.generator.scenes.plots import pool_of
from evaluation.statebench.generator.scenes.telling import tell
from evaluation.statebench.records import Timeline


def generate(
    tracks: Sequence[str],
    templates: int,
    lengths: Sequence[int],
    count: int,
    seed: int,
    key: str = OPEN_KEY,
) -> Iterator[Timeline]:
    """Timelines of each track in release format, deterministic in the arguments.

    Args:
        tracks: Names of the tracks.
        templates: Templates per track.
        lengths: Tokens of unrelated talk, 0 for none.
        count: Timelines per template and length.
        seed: Seed of templates and timelines.
        key: Key of the ids; names and values depend on it.

    Returns:
        `templates` × `lengths` × `count` timelines of each track, with ground truth.

    Raises:
        SettingsError: A track has fewer templates.
    """
    for track in tracks:
        pool = pool_of(track, templates, seed)
        for plot in pool[:templates]:
            for length in lengths:
                for copy in range(count):
                    yield tell(plot, pool, length, copy, seed, key)
