"""Who stands first on a board, and what that does not say: one sentence.

It claims no more than the figures carry. An interval of the two first is one comparison of two that were chosen for
being first, so the sentence says that it is not adjusted; and over few units it says nothing of who leads.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from evaluation.core.statistics import ENOUGH_UNITS, Difference
from evaluation.core.terminal.wording import number_of
from leaderboard.benchmarks.models import Version
from leaderboard.boards.placements.ranking import Placement
from leaderboard.submissions.services import headline_of

MOST_NAMED = 3
NOBODY = "No language model has been ranked here yet."
UNADJUSTED = "one comparison, not adjusted for how the two were chosen"


def headline_summary(placings: Sequence[Placement], *, unit: str, better: str = "higher") -> str:
    """The sentence, for places in board order; empty where there is nothing to say.

    Args:
        placings: of the whole board.
        unit: what intervals resample, as a reader calls one ("episode").
        better: which way the headline is better.
    """
    ranked = [placing for placing in placings if placing.rank is not None]
    if not ranked and any(placing.apart for placing in placings):
        return NOBODY
    if len(ranked) < 2:
        return ""
    units = max(placing.units for placing in ranked)
    if 0 < units < ENOUGH_UNITS:
        words = number_of(units, f"{unit} is", f"{unit}s are")
        return f"{words} too few to say who leads: read the figures, not the ranks."
    first = [placing for placing in ranked if placing.rank == 1]
    return _tied(first, ranked) if len(first) > 1 else _first_two(ranked[0], ranked[1], better, unit)


def of_board(version: Version, placings: Sequence[Placement], *, narrowed: Any = False) -> str:
    """The same for a board of a version. Where it is `narrowed` to some systems, others may be ranked."""
    engine = version.suite
    sentence = headline_summary(placings, unit=engine.unit, better=headline_of(engine).better)
    return "" if sentence == NOBODY and narrowed else sentence


def _tied(first: Sequence[Placement], ranked: Sequence[Placement]) -> str:
    if len(first) == len(ranked) > MOST_NAMED:
        who = f"All {len(ranked):,} ranked systems"
    else:
        names = [placing.name for placing in first[:MOST_NAMED]]
        more = len(first) - len(names)
        who = _listed([*names, f"{more:,} more"] if more else names)
    return f"{who} share rank 1: this board does not show which of them is best."


def _first_two(first: Placement, second: Placement, better: str, unit: str) -> str:
    leader, follower, lead = first.name, second.name, first.lead
    if lead is None:
        return f"{leader} is ranked first, {follower} second."
    breaker = f"the tie breaker puts {leader} first{_rates(first, second)}."
    if not lead.excludes_zero:
        return f"The scores of {leader} and {follower} do not show which is better ({_interval(lead)}): {breaker}"
    if (lead.value > 0) == (better == "higher"):
        return f"{leader} is first, {_ahead(lead, follower, unit)} ({UNADJUSTED})."
    return (
        f"{follower} scores better than {leader} ({_interval(lead)}); the intervals of both differences from the best "
        f"score include 0, and {breaker}"
    )


def _listed(names: Sequence[str]) -> str:
    """`a and b`, `a, b and c`."""
    return f"{', '.join(names[:-1])} and {names[-1]}"


def _ahead(lead: Difference, follower: str, unit: str) -> str:
    """How far the first is from the second, as sizes: where lower is better, first means below."""
    where = "above" if lead.value > 0 else "below"
    low, high = sorted((abs(lead.low), abs(lead.high)))
    if low == high:  # resampling says nothing of how sure that is
        return f"{abs(lead.value):.3f} {where} {follower}, by the same in every {unit}"
    return f"{abs(lead.value):.3f} {where} {follower}: 95% interval {low:.3f} to {high:.3f}, which excludes 0"


def _interval(lead: Difference) -> str:
    text = f"difference {lead.value:.3f}"
    if lead.low != lead.high:
        text += f", 95% interval {lead.low:.3f} to {lead.high:.3f}"
    return text.replace("-", "\N{MINUS SIGN}")


def _rates(first: Placement, second: Placement) -> str:
    if first.robust is None or second.robust is None:
        return ""
    return f" ({first.robust:.3f} against {second.robust:.3f})"
