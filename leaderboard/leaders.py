"""Who leads a board, by how much, and whether the difference is real: one sentence."""

from __future__ import annotations

from collections.abc import Sequence

from evaluation.statistics import Difference
from leaderboard.ranking import Placing

MOST_NAMED = 3


def sentence(placings: Sequence[Placing]) -> str:
    """The sentence, for places in board order; empty where fewer than two systems are ranked."""
    ranked = [placing for placing in placings if placing.rank is not None]
    if len(ranked) < 2:
        return ""
    first = [placing for placing in ranked if placing.rank == 1]
    if len(first) > 1:
        if len(first) == len(ranked) > MOST_NAMED:
            return f"No test tells the {len(ranked):,} ranked systems apart."
        names = [placing.name for placing in first[:MOST_NAMED]]
        more = len(first) - len(names)
        return f"{_listed([*names, f'{more:,} more'] if more else names)} share the lead: no test tells them apart."
    leader, follower = (placing.name for placing in ranked[:2])
    lead = ranked[0].lead
    if lead is None:
        return f"{leader} leads before {follower}."
    if lead.low <= 0 <= lead.high:
        return (
            f"{leader} and {follower} cannot be told apart by score ({_by(lead)}); the tie breaker puts {leader} first"
            f"{_rates(*ranked[:2])}."
        )
    return f"{leader} leads {follower} by {_by(lead)}: the difference is real."


def _listed(names: Sequence[str]) -> str:
    """`a and b`, `a, b and c`."""
    return f"{', '.join(names[:-1])} and {names[-1]}"


def _by(lead: Difference) -> str:
    low, high = sorted((abs(lead.low), abs(lead.high))) if lead.low * lead.high > 0 else (lead.low, lead.high)
    value = abs(lead.value) if lead.low * lead.high > 0 else lead.value
    return f"{value:.3f}, 95% interval {low:.3f} to {high:.3f}".replace("-", "\N{MINUS SIGN}")


def _rates(first: Placing, second: Placing) -> str:
    if first.robust is None or second.robust is None:
        return ""
    return f" ({first.robust:.3f} against {second.robust:.3f})"
