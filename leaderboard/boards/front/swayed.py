"""Who is least swayed by the order in which evidence is shown."""

from __future__ import annotations

from typing import Any, NamedTuple

from evaluation.core.metric import Metric
from evaluation.core.terminal.wording import noun, number_of
from leaderboard.boards.figures.data import spread_metric
from leaderboard.boards.front.contest import Card, Contest, sentence_of_gates, sentence_of_rivals
from leaderboard.submissions.models import Score, Submission
from leaderboard.submissions.scores.score_tables import interval


class Spread(NamedTuple):
    """How far a system's rate moves between orders."""

    submission: Submission
    low: float
    high: float


def least_swayed(contest: Contest) -> Card | None:
    """The lowest bound on how far a rate moves with the order.

    Args:
        contest: A board.

    Returns:
        The card; None where the suite has no such figure, where fewer than two systems report it and choose better
        than chance in every order, or where no interval tells anybody apart.
    """
    metric = spread_metric(contest.version)
    if metric is None:
        return None
    found = (_spread(contest, contest.submissions[each.key], metric) for each in contest.above)
    spreads = sorted((each for each in found if each), key=lambda each: (each.high, each.low))
    if len(spreads) < 2:
        return None
    first, rivals = spreads[0], [each for each in spreads[1:] if each.low <= spreads[0].high]
    if len(rivals) == len(spreads) - 1:
        return None
    return Card(
        "Least swayed by order",
        first.submission.system.name,
        f"moves by at most {first.high:.2f}",
        _said(first.submission, len(rivals), len(spreads) - 1 - len(rivals)),
        url=first.submission.system.get_absolute_url(),
        origin=first.submission.origin.label,
    )


def _spread(contest: Contest, submission: Submission, metric: Metric) -> Spread | None:
    score = submission.score
    ends = interval(score.intervals, metric.name) if score else None
    if score is None or ends is None or not _beats_chance(contest, score):
        return None
    return Spread(submission, *ends)


def _beats_chance(contest: Contest, score: Score) -> bool:
    """Whether every order is chosen in better than at random: who guesses is not swayed either."""
    dots = contest.version.suite.display.dots
    chance: Any = score.metrics.get(dots.chance) if dots else None
    known = [value for _, value in score.spread if value is not None]
    return len(known) > 1 and chance is not None and min(known) > float(chance)


def _said(submission: Submission, others: int, more: int) -> str:
    said = (
        "Between the places where the evidence stands, as 95% intervals show.",
        sentence_of_rivals(others),
        f"{number_of(more, 'other system')} {noun(more, 'moves', 'move')} more.",
        sentence_of_gates(submission),
    )
    return " ".join(filter(None, said))
