"""The timelines of a version of scenes: every template at every length, some copies of each."""

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
    """Timelines of each track in release format, the same for the same arguments everywhere.

    Args:
        tracks: The names of the tracks.
        templates: Templates of each track.
        lengths: Tokens of other people's business, 0 for none.
        count: Timelines of each template at each length.
        seed: What templates and timelines are drawn from.
        key: The key of their ids; names and values depend on it.

    Returns:
        `templates` × `lengths` × `count` timelines of each track, with ground truth.

    Raises:
        SettingsError: A track has not that many templates.
    """
    for track in tracks:
        pool = pool_of(track, templates, seed)
        for plot in pool[:templates]:
            for length in lengths:
                for copy in range(count):
                    yield tell(plot, pool, length, copy, seed, key)
