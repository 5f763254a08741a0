"""Groups rows into buckets by recency, for example by the number of words after the answering update."""

from __future__ import annotations

from bisect import bisect_right
from functools import lru_cache

EDGES: dict[str, tuple[int, ...]] = {
    "tokens_since_update": (200, 400, 800, 1600),
    "distractors_since_update": (2, 4, 8, 16),
    "writes_to_key": (1, 2, 4, 8),
}


def labels(name: str) -> list[str]:
    """Return the labels of the buckets in order: `0-199`, …, `1600+`. The last bucket is unbounded."""
    edges = EDGES[name]
    below = [
        f"{low}-{high - 1}" if high - low > 1 else str(low)
        for low, high in zip((0, *edges[:-1]), edges, strict=True)
    ]
    return [*below, f"{edges[-1]}+"]


LABELS = {name: labels(name) for name in EDGES}


@lru_cache(maxsize=8192)  # three calls per row, with few different values
def bucket(name: str, value: int | None) -> str:
    """Return the label of the bucket that contains a value; empty for None. `name` is a key of EDGES."""
    return "" if value is None else LABELS[name][bisect_right(EDGES[name], value)]
