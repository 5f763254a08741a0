"""Board data on a submission's page: placement, charts, curve by length, and guessing lines."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

from django import template

from evaluation.core.plugin import Bars, Buckets, Curves, Lines, Waterfall
from leaderboard.benchmarks.models import Version
from leaderboard.boards import charts
from leaderboard.boards.charts.figure import Figure, Subject, figure_url
from leaderboard.boards.comparison.since_last import since_last
from leaderboard.boards.guessing import Guessing, guessings_of
from leaderboard.boards.lengths import computing, maps
from leaderboard.boards.lengths.figures import Lengths, Point, points_of_groups
from leaderboard.boards.lengths.maps import DepthMap
from leaderboard.boards.part_leaders import PartFigures, part_figures
from leaderboard.boards.placements import placements
from leaderboard.boards.placements.entry import entry_of
from leaderboard.boards.placements.outcomes import SubmissionPlacement, submission_placements
from leaderboard.boards.references import GUESSING, ORACLE, ReferenceLine
from leaderboard.boards.scaled import bounds_of
from leaderboard.boards.slices import WHOLE
from leaderboard.submissions.models import Score, Submission
from leaderboard.submissions.scores.groupings import Group, Grouping
from leaderboard.submissions.scores.score_tables import gates_of

register = template.Library()
register.simple_tag(since_last)
register.simple_tag(entry_of, name="board_entry")

#: Charts of one score. Others compare several results of a system, and belong to the system's page.
OF_A_SCORE = (Waterfall, Bars, Buckets, Curves, Lines)


@register.simple_tag
def submission_figures(submission: Submission, score: Score | None) -> list[tuple[Figure, str]]:
    """(Chart, URL) of each chart of a score; empty if a newer score replaced it, or if only its headline is shown."""
    if score is None or score.pk != submission.score_id or not score.by_split:
        return []
    subject = Subject(system=submission.system, version=submission.version, submission=submission)
    plots = [plot for plot in submission.version.suite.display.plots if isinstance(plot, OF_A_SCORE)]
    drawn = (charts.draw(plot.name, subject) for plot in plots)
    return [(each, figure_url(each, submission)) for each in drawn if not each.irrelevant and not each.empty]


@register.simple_tag
def submission_lengths(submission: Submission, score: Score | None) -> Lengths | None:
    """The results by length of a submission that is on a board; None for other submissions."""
    if score is None or score.pk != submission.score_id or not submission.shown:
        return None
    return computing.board_lengths(submission.version).get(submission.pk)


@register.simple_tag
def submission_points(submission: Submission, score: Score | None) -> list[Point]:
    """The curve of a score by text length; empty without lengths, or if only the headline is shown."""
    return points_of_groups(submission.version, score.groups) if score and score.by_split else []


@register.simple_tag
def submission_depths(submission: Submission, score: Score | None) -> DepthMap | None:
    """The accuracy by length and depth; None if the score has no depths, or if only its headline is shown."""
    return maps.depth_map(submission.version, score.groups) if score and score.by_split else None


@register.simple_tag
def origin_words(submission: Submission) -> str:
    """Text that says who ran the system of a result. For an upload, it also says if uploads have no rank."""
    match submission.origin:
        case Submission.Origin.VERIFIED:
            return "Verified: this site ran the system."
        case Submission.Origin.AUTHORS:
            return "Run by the authors of this site: the answers came with its source and were graded here."
    words = "Self-reported: the file was uploaded, and this site did not run the system."
    if submission.version.disclosure.ranks_uploads:
        return words
    return f"{words} The answers of this version are public, so self-reported results have no rank."


class ComparedGroups(NamedTuple):
    """Groups of a result's rows, each with the board's values for comparison, or None if the board has none."""

    lines: list[tuple[Group, PartFigures | None]]
    has_boards: bool
    has_leaders: bool


@register.simple_tag
def compared_groups(submission: Submission, grouping: Grouping) -> ComparedGroups:
    """Groups of a result's rows, with the guessing line and the best ranked system for each group."""
    columns = {group.name: group.column for group in grouping.groups}
    found = part_figures(submission.version, grouping.name, columns)
    lines = [(group, found.get(group.name)) for group in grouping.groups]
    has_leaders = any(board is not None and board.leader is not None for _, board in lines)
    return ComparedGroups(lines, has_boards=bool(found), has_leaders=has_leaders)


@register.filter
def share_of(count: int, whole: int) -> float | None:
    return count / whole if whole else None


@register.simple_tag
def result_lines(version: Version) -> list[ReferenceLine]:
    """Reference lines for the scale of a result: guessing, and the best oracle (a program that knows the answers)."""
    bounds = bounds_of(version, WHOLE)
    lines = [ReferenceLine(GUESSING, bounds.guessing.name, bounds.guessing.value)] if bounds.guessing else []
    lines += [ReferenceLine(ORACLE, ORACLE, bounds.ceiling)] if bounds.ceiling is not None else []
    return [line for line in lines if 0 <= line.value <= 1]


@register.simple_tag
def submission_placement(submission: Submission, score: Score | None) -> SubmissionPlacement:
    """The placement of a submission, with the requirements judged by the score on the page."""
    placement = submission_placements([submission])[submission.pk]
    return replace(placement, gates=gates_of(submission, score))


@register.simple_tag
def guessing_lines(version: Version) -> list[tuple[str, Guessing]]:
    """(Label, guessing line) of each board of a version: the whole board first, then the boards of its parts."""
    parts = placements.ranked_parts(version)
    lines = zip(parts, guessings_of(version, parts), strict=True)
    named = [(", ".join(part.labels) or "Whole board", line) for part, line in lines]
    return [(label, line) for label, line in named if line] if named[0][1] else []
