"""Who is shown to keep track in the longest texts."""

from __future__ import annotations

from evaluation.core.statistics import KEEP
from evaluation.core.terminal.wording import noun, number_of
from leaderboard.boards.front.contest import Card, Contest, sentence_of_rivals
from leaderboard.boards.lengths.figures import Lengths, tokens_label


def keeps_track_the_longest(contest: Contest) -> Card | None:
    """The longest effective length of a board.

    Args:
        contest: A board.

    Returns:
        The card; None where no system is shown to hold at any length, or only all of them can.
    """
    known = [(each, contest.lengths[each.key]) for each in contest.ranked if each.key in contest.lengths]
    longest = max((lengths.effective or 0 for _, lengths in known), default=0)
    rivals = [each for each, lengths in known if may_hold(lengths, longest)]
    if not longest or len(known) < len(contest.ranked) or len(rivals) == len(known):
        return None
    first = next(each for each, lengths in known if lengths.effective == longest)
    system = contest.submissions[first.key].system
    return Card(
        "Keeps track the longest",
        system.name,
        f"at least {tokens_label(longest)} tokens",
        _said(len(rivals) - 1, len(known) - len(rivals)),
        url=system.get_absolute_url(),
    )


def may_hold(lengths: Lengths, tokens: int) -> bool:
    """Whether a system may hold in texts as long: no interval shows that it fell short by then.

    Args:
        lengths: What it shows.
        tokens: How long.
    """
    short = (
        point.rate is None or (point.ratio_interval is not None and point.ratio_interval[1] < KEEP)
        for point in lengths.points
        if point.tokens <= tokens
    )
    return not any(short)


def _said(others: int, failed: int) -> str:
    shown = f"{number_of(failed, 'other')} {noun(failed, 'is', 'are')} shown to lose track by then."
    return f"{sentence_of_rivals(others)} {shown}" if others else shown
