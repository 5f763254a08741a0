"""One sentence on who can still be the best on a board.

It claims no more than the ranks: one system leads only where its range of ranks is the first alone, and over too few
units nobody does.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from evaluation.core.terminal.wording import number_of
from leaderboard.benchmarks.models import Version
from leaderboard.boards.placements import ranking
from leaderboard.boards.placements.ranking import COMPUTING, CROSSED, NARROWED, Placement

MOST_NAMED = 3  # systems in one sentence; the others are counted
NOBODY = "No language model has been ranked here yet."
ONLY_REFERENCES = "Only reference systems have been graded here yet."
LATE = "Ranks are being computed."


def headline_summary(placements: Sequence[Placement], *, better: str = "higher") -> str:
    """The sentence, for places in board order; empty where there is nothing to say.

    Args:
        placements: Of the whole board.
        better: Which way the headline is better, `higher` or `lower`.
    """
    ranked = [placement for placement in placements if placement.rank is not None]
    why = ranking.why_nobody(placements)
    if why:
        return _nobody(why)
    if not ranked and (apart := [placement for placement in placements if placement.apart]):
        return _nobody_contests(placements, apart)
    if len(ranked) < 2:
        return ""
    first = ranked[0]
    return _leader(first, ranked[1], better) if first.high == 1 else _undecided(ranked)


def of_board(version: Version, placements: Sequence[Placement], *, narrowed: Any = False) -> str:
    """The sentence for a board of a version; empty where there is nothing to say.

    Args:
        version: Whose board it is.
        placements: In board order.
        narrowed: Whether filters leave some systems out. Those may be ranked: it is not said then that nobody is.
    """
    sentence = headline_summary(placements, better=version.headline.better)
    return "" if sentence in (NOBODY, ONLY_REFERENCES) and narrowed else sentence


def _nobody_contests(placements: Sequence[Placement], apart: Sequence[Placement]) -> str:
    """Where nobody has a rank: whether that is for want of a model, or of anybody but references."""
    if any(not placement.reference for placement in apart):
        return NOBODY
    return ONLY_REFERENCES if len(apart) == len(placements) else ""


def _nobody(why: str) -> str:
    """Why nobody has a rank. What filters have done the page says beside them."""
    if why in (NARROWED, CROSSED):
        return ""
    if why == COMPUTING:
        return LATE
    return f"{why[0].upper()}{why[1:]}. Read the figures with their intervals."


def _leader(first: Placement, second: Placement, better: str) -> str:
    where = "above" if better == "higher" else "below"
    far = "" if first.lead is None else f", {first.lead:.3f} {where} {second.name}"
    return f"{first.name} leads: it is ranked apart from all others{far}."


def _undecided(ranked: Sequence[Placement]) -> str:
    best = [placement for placement in ranked if placement.best]
    if len(best) == len(ranked) > MOST_NAMED:
        return f"All {len(ranked):,} ranked systems can still be the best."
    names = [placement.name for placement in best[:MOST_NAMED]]
    more = len(best) - len(names)
    listed = _listed([*names, f"{more:,} more"] if more else names)
    return f"{number_of(len(best), 'system')} can still be the best: {listed}."


def _listed(names: Sequence[str]) -> str:
    """`a and b`, `a, b and c`."""
    return f"{', '.join(names[:-1])} and {names[-1]}"
