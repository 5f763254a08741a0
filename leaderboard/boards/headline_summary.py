"""One sentence on who is best on a board: of the systems that meet all requirements, and who scores higher without.

It claims no more than the ranks: one system leads only where its range of ranks is the first alone, over too few units
none does, and what is not above guessing is not named.
"""

from __future__ import annotations

from collections.abc import Sequence

from evaluation.core.terminal.wording import noun, number_of
from leaderboard.benchmarks.models import Version
from leaderboard.boards.placements import ranking
from leaderboard.boards.placements.ranking import COMPUTING, CROSSED, SELF_REPORTED, Placement
from leaderboard.web.formatting import number

MOST_NAMED = 3  # systems in one sentence; the others are counted
NO_MODEL = "No model yet."
ONLY_REFERENCES = "No model yet: only reference systems have been graded here."
ONLY_REPORTED = "No model yet: only reference systems and self-reported results, which are not ranked here."
NONE_ABOVE = "No system is above guessing."
LATE = "Ranks are not computed yet."


def headline_summary(placements: Sequence[Placement], *, better: str = "higher") -> str:
    """The sentence, for places in board order; empty where there is nothing to say.

    Args:
        placements: Of the whole board.
        better: Which way the headline is better, `higher` or `lower`.
    """
    if why := ranking.why_nobody(placements):
        return _no_ranks(why)
    ranked = [placement for placement in placements if placement.rank is not None]
    if not ranked:
        return _none_ranked(placements)
    meeting = [placement for placement in ranked if not placement.gated]
    if len(meeting) == len(ranked):
        return _of_all(ranked, better) or _only(placements, ranked[0])
    if not meeting:
        return f"No system meets all requirements. The highest score is that of {ranked[0].name}."
    return _of_meeting(ranked, meeting)


def of_board(version: Version, placements: Sequence[Placement]) -> str:
    """The sentence for a board of a version; empty where there is nothing to say.

    Args:
        version: Whose board it is.
        placements: In board order.
    """
    return headline_summary(placements, better=version.headline.better)


def _no_ranks(why: str) -> str:
    """Why the board has no ranks."""
    if why == CROSSED:
        return ""
    if why == COMPUTING:
        return LATE
    return f"{why[0].upper()}{why[1:]}. Read the figures with their intervals."


def _none_ranked(placements: Sequence[Placement]) -> str:
    """Why no system has a rank, where that is no reason of the board's."""
    if any(not placement.above for placement in placements):
        return NONE_ABOVE
    if any(not placement.apart for placement in placements):
        return ""
    if any(placement.reason == SELF_REPORTED for placement in placements):
        return ONLY_REPORTED
    if any(not placement.reference for placement in placements):
        return NO_MODEL
    return ONLY_REFERENCES if placements else ""


def _of_all(ranked: Sequence[Placement], better: str) -> str:
    """Who leads, or who can still be the best; empty for one alone."""
    if len(ranked) == 1:
        return ""
    return _leader(ranked[0], ranked[1], better) if ranked[0].high == 1 else _undecided(ranked)


def _only(placements: Sequence[Placement], only: Placement) -> str:
    below = any(not placement.above for placement in placements)
    return f"{only.name} is the only {'system above guessing' if below else 'ranked system'}."


def _of_meeting(ranked: Sequence[Placement], meeting: Sequence[Placement]) -> str:
    """The best of those that meet all requirements, and who scores higher without meeting them."""
    first = meeting[0]
    level = [placement for placement in meeting if ranking.are_tied(first, placement)]
    if len(level) == 1:
        best = f"{first.name} is the best that meets all requirements."
    else:
        best = f"{_named(level)} are tied as the best that meet all requirements."
    higher = ranked[: ranked.index(first)]
    if not higher:
        return best
    return f"{best} {_named(higher)} {noun(len(higher), 'scores', 'score')} higher without meeting them."


def _leader(first: Placement, second: Placement, better: str) -> str:
    where = "above" if better == "higher" else "below"
    far = "" if first.lead is None else f", {number(first.lead, 'points')} points {where} {second.name}"
    return f"{first.name} leads: it is ranked apart from all others{far}."


def _undecided(ranked: Sequence[Placement]) -> str:
    best = [placement for placement in ranked if placement.best]
    if len(best) == len(ranked) > MOST_NAMED:
        return f"All {len(ranked):,} ranked systems can still be the best."
    return f"{number_of(len(best), 'system')} can still be the best: {_named(best)}."


def _named(placements: Sequence[Placement]) -> str:
    """`a`, `a and b`, `a, b and 3 more`."""
    names = [placement.name for placement in placements[:MOST_NAMED]]
    if more := len(placements) - len(names):
        names.append(f"{more:,} more")
    return " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))
