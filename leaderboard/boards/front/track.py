"""Who is shown to keep track in the longest texts."""

from __future__ import annotations

from collections.abc import Sequence

from evaluation.core.statistics import KEEP
from evaluation.core.terminal.wording import noun, number_of
from leaderboard.boards.front.contest import Card, Contest, sentence_of_gates, sentence_of_rivals
from leaderboard.boards.lengths.figures import Lengths, Point, tokens_label
from leaderboard.submissions.models import Submission


def keeps_track_the_longest(contest: Contest) -> Card | None:
    """The longest effective length of a board.

    Args:
        contest: A board.

    Returns:
        The card; None where no system is shown to hold at any length, or none of the others to fall short.
    """
    answered = {key: lengths for key, lengths in contest.lengths.items() if lengths.effective is not None}
    known = [(each, answered[each.key]) for each in contest.contesting if each.key in answered]
    named = {each.key for each in contest.above}
    longest = max((lengths.effective or 0 for each, lengths in known if each.key in named), default=0)
    rivals = sum(may_hold(lengths, longest, contest.guesses) for _, lengths in known)
    if not longest or rivals == len(known):
        return None
    first = next(each for each, lengths in known if lengths.effective == longest and each.key in named)
    submission = contest.submissions[first.key]
    return Card(
        "Keeps track the longest",
        submission.system.name,
        f"at least {tokens_label(longest)} tokens",
        _said(submission, rivals - 1, len(known) - rivals),
        url=submission.system.get_absolute_url(),
        origin=submission.origin.label,
    )


def may_hold(lengths: Lengths, tokens: int, guesses: Sequence[float]) -> bool:
    """Whether a system may hold in texts as long: no interval shows that it fell short by then.

    Args:
        lengths: What it shows.
        tokens: How long.
        guesses: What guessing reaches at each length: a system below it reads nothing.
    """
    points = [pair for pair in zip(lengths.points, guesses, strict=True) if pair[0].tokens <= tokens]
    return not any(_falls_short(point, guess) for point, guess in points)


def _falls_short(point: Point, guess: float) -> bool:
    """Whether intervals show that a length is not kept, or is below guessing."""
    if point.rate is None or (point.ratio_interval is not None and point.ratio_interval[1] < KEEP):
        return True
    return point.interval is not None and point.interval[1] < guess


def _said(submission: Submission, others: int, failed: int) -> str:
    shown = f"{number_of(failed, 'other system')} {noun(failed, 'is', 'are')} shown to lose track by then."
    return " ".join(filter(None, (sentence_of_rivals(others), shown, sentence_of_gates(submission))))
