"""What a run cost: tokens, passes and time a query, and accuracy against tokens."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from typing import NamedTuple

POINTS = 5  # of a curve: quintiles, as few rows a point make its accuracy a matter of luck


class Costed(NamedTuple):
    """One query: the tokens that it took, and whether it was answered rightly, by figure; None is not counted."""

    tokens: float
    right: Mapping[str, bool | int | None]


def figures(
    tokens: int,
    passes: int,
    wall: float,
    rows: int,
    prefill: float | None = None,
    decode: float | None = None,
) -> dict[str, float]:
    """What the reference's runs say of their cost, under its names; of a model the parts of its time besides.

    Args:
        tokens: Of all queries.
        passes: How often the rows were gone through, or a model was called.
        wall: Seconds of all queries.
        rows: How many queries there were.
        prefill: Seconds of it in which prompts were read; None where no model did.
        decode: Seconds of it in which answers were written.

    Returns:
        Figures by name, in tokens and seconds.
    """
    count = max(rows, 1)
    parts = {
        name: seconds
        for name, seconds in (("prefill_s", prefill), ("decode_s", decode))
        if seconds is not None
    }
    return {
        "tokens": tokens,
        "tokens_per_q": tokens / count,
        "passes": passes,
        "wall_s": wall,
        "wall_s_per_q": wall / count,
        **parts,
        **{f"{name}_per_q": seconds / count for name, seconds in parts.items()},
    }


def curve(queries: Iterable[Costed], points: int = POINTS) -> list[dict[str, float | None]]:
    """Accuracy against tokens: queries by what they took, in parts of about as many.

    Queries that took the same are never parted, so that there may be fewer points.

    Args:
        queries: Those of a run.
        points: How many there are at most.

    Returns:
        Of each point, from few tokens to many: `tokens_per_query`, `n`, and each figure as a share of what it counts.
    """
    listed = sorted(queries, key=lambda query: query.tokens)
    parts: dict[int, list[Costed]] = {}
    before = 0
    for _, group in groupby(listed, key=lambda query: query.tokens):
        same = list(group)
        middle = before + (len(same) - 1) / 2
        parts.setdefault(int(middle * points / len(listed)), []).extend(same)
        before += len(same)
    return [_point(part) for part in parts.values()]


def _point(part: Sequence[Costed]) -> dict[str, float | None]:
    shares = {}
    for name in part[0].right:
        counted = [right for query in part if (right := query.right.get(name)) is not None]
        shares[name] = sum(map(int, counted)) / len(counted) if counted else None
    tokens = sum(query.tokens for query in part) / len(part)
    return {"tokens_per_query": tokens, "n": len(part), **shares}
