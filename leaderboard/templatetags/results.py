"""What boards know of one submission: its pictures, its curve by length, and what changed since the last one."""

from __future__ import annotations

from typing import Any

from django import template

from evaluation.core.plugin import Bars, Buckets, Curves, Lines, Waterfall
from leaderboard.boards import charts
from leaderboard.boards.charts.figure import Figure, Subject, figure_url
from leaderboard.boards.comparison import since_last as comparing
from leaderboard.boards.lengths import computing, maps
from leaderboard.boards.lengths.figures import Lengths, Point, points_of_groups
from leaderboard.boards.lengths.maps import DepthMap
from leaderboard.submissions.models import Score, Submission

register = template.Library()

#: Pictures of one score. Others set the system beside its other results, which is what its own page is for.
OF_A_SCORE = (Waterfall, Bars, Buckets, Curves, Lines)


@register.simple_tag
def submission_figures(submission: Submission, score: Score | None) -> list[tuple[Figure, str]]:
    """The pictures of a submission with their addresses; none of an earlier revision, or where few figures show."""
    if score is None or score.pk != submission.score_id or not score.by_split:
        return []
    subject = Subject(system=submission.system, version=submission.version, submission=submission)
    plots = [plot for plot in submission.version.suite.display.plots if isinstance(plot, OF_A_SCORE)]
    drawn = (charts.draw(plot.name, subject) for plot in plots)
    return [(each, figure_url(each, submission)) for each in drawn if not each.irrelevant and not each.empty]


@register.simple_tag
def submission_lengths(submission: Submission, score: Score | None) -> Lengths | None:
    """How far the system holds by this submission, where a board shows it; else None."""
    if score is None or score.pk != submission.score_id or not submission.shown:
        return None
    return computing.of_board(submission.version).get(submission.pk)


@register.simple_tag
def submission_points(submission: Submission, score: Score | None) -> list[Point]:
    """The curve by length of any score that shows more than its first figures; empty without lengths."""
    return points_of_groups(submission.version, score.groups) if score and score.by_split else []


@register.simple_tag
def submission_depths(submission: Submission, score: Score | None) -> DepthMap | None:
    """The accuracy by length and depth; None where the version has none of it."""
    return maps.depth_map(submission.version, score.groups) if score and score.by_split else None


@register.simple_tag
def origin_words(submission: Submission) -> str:
    """How the result came about, in a sentence, and that it is not ranked where that is why."""
    match submission.origin:
        case Submission.Origin.VERIFIED:
            return "Verified: this site ran the system."
        case Submission.Origin.AUTHORS:
            return "Run by the authors of this site: the answers came with its source and were graded here."
    told = "Self-reported: the answers were uploaded, and this site did not run the system."
    if submission.version.disclosure.ranks_uploads:
        return told
    return f"{told} The answers of this version are public, so self-reported results have no rank."


@register.simple_tag
def since_last(submission: Submission, reader: Any) -> comparing.SinceLast | None:
    """The submission beside the last one of its system that the reader may see."""
    return comparing.since_last(submission, reader)
