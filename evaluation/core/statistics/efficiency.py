"""Cost of a run: tokens, passes and time for each query, and accuracy against tokens."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from typing import NamedTuple

POINTS = 5  # of a curve: quintiles, as accuracy over few rows is mostly luck


class Costed(NamedTuple):
    """One query: its tokens, and for each metric whether the answer is right, or None if the query is not counted."""

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
    """Costs of a run, in total and per query, under the names that the original GoldEvidenceBench uses.

    Arguments are totals over all queries: `passes` counts calls of a model; `wall`, `prefill` and `decode` are seconds.
    Without a model, `prefill` and `decode` are None and left out.
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
    """Accuracy against tokens: queries sorted by tokens, in at most `points` parts of about equal size.

    Each point (in ascending order) has `tokens_per_query`, `n`, and for each metric the share of right answers.
    """
    listed = sorted(queries, key=lambda query: query.tokens)
    parts: dict[int, list[Costed]] = {}
    before = 0
    for _, group in groupby(listed, key=lambda query: query.tokens):
        # queries with equal tokens stay together, so there may be fewer points
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
