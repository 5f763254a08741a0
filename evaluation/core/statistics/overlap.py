"""Overlap of two sets, `|A ∩ B| / |A ∪ B|`, estimated from a few of their hashes."""

from __future__ import annotations

import hashlib
import heapq
from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

#: Hashes in a sketch. The overlap of larger sets is estimated: .9 with a standard error of .009.
KEPT = 1024
Sketch = NDArray[np.uint64]


def sketch(items: Iterable[bytes]) -> Sketch:
    """The `KEPT` smallest hashes of the distinct items, ascending, or all hashes if there are fewer.

    Args:
        items: Elements of the set; duplicates count once.
    """
    hashes = {int.from_bytes(hashlib.blake2b(item, digest_size=8).digest()) for item in items}
    return np.array(heapq.nsmallest(KEPT, hashes), dtype=np.uint64)


def overlap(a: Sketch, b: Sketch) -> float:
    """The overlap of two sets, exact if both sketches have all hashes of their set. Two empty sets have overlap 0.

    Args:
        a: Sketch of one set.
        b: Sketch of the other set.

    Source: Broder, "On the resemblance and containment of documents" (1997): the smallest hashes of the union are a
    random sample of it.
    """
    either = np.union1d(a, b)
    if len(a) == KEPT or len(b) == KEPT:
        either = either[:KEPT]
    if not len(either):
        return 0.0
    both = np.intersect1d(np.intersect1d(a, b, assume_unique=True), either, assume_unique=True)
    return len(both) / len(either)
