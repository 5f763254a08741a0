"""What a link to the site shows elsewhere: a sentence, and a card of rank range, interval and the results so far.

Only what everybody may read is on a card, and no more than the page itself says. `drawing` makes a picture of one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from django.conf import settings

from evaluation.core.terminal.wording import number_of
from leaderboard.benchmarks.models import Version
from leaderboard.boards import headline_summary
from leaderboard.boards import rows as boards
from leaderboard.boards.placements import placements
from leaderboard.boards.placements.of_submission import system_placement, why_unranked
from leaderboard.boards.slices import WHOLE
from leaderboard.submissions.models import Submission, System
from leaderboard.submissions.scores.score_tables import Interval
from leaderboard.web.formatting import number

MOST_LINES = 6  # systems on the card of a board
MOST_POINTS = 40  # of a line of results
ABOUT = "Benchmarks of long-context state tracking, ranked by evidence."


@dataclass(frozen=True, slots=True)
class Line:
    """A system on the card of a board."""

    name: str
    rank: str  # its range of ranks; empty where it has none
    value: float | None
    interval: Interval
    role: str = ""  # of a reference; empty for what contests the board
    origin: str = ""  # how the result of another system came about, in words


@dataclass(frozen=True, slots=True)
class Card:
    """What is drawn."""

    eyebrow: str
    title: str
    sentence: str = ""
    label: str = ""  # what the figure is
    value: float | None = None
    interval: Interval = None
    place: str = ""
    lines: Sequence[Line] = ()
    results: Sequence[float] = field(default=())  # of the system so far, the oldest first
    at: int | None = None  # which of the results this is; None: none of them

    @property
    def figure(self) -> str:
        """The figure as text; empty where there is none."""
        return "" if self.value is None else number(self.value)


def of_site() -> Card:
    """The card of pages that have no other."""
    featured = Version.objects.readable().without_twins().order_by("-featured", "pk").first()
    if featured is None:
        return Card("", settings.SITE_NAME, ABOUT)
    return Card(ABOUT, settings.SITE_NAME, f"{featured.title}. {_summary(featured)}", lines=_lines(featured))


def of_board(version: Version) -> Card:
    """The board of a version: who can still be the best, and the first systems with their intervals.

    Args:
        version: Any that may be read.
    """
    label = version.headline.label
    return Card(version.benchmark.title, version.title, _summary(version), label=label, lines=_lines(version))


def of_version(version: Version) -> Card:
    """A version: how large it is, and who can know its answers.

    Args:
        version: Any that may be read.
    """
    return Card(version.benchmark.title, version.title, version_words(version), lines=_lines(version))


def of_submission(submission: Submission) -> Card:
    """One result: its figure, the ranks that it may have, and the system's results so far.

    Args:
        submission: A public one, graded or not.
    """
    version = submission.version
    results = {} if submission.result is None else _results(submission)
    return Card(
        f"{version.benchmark.title} · {version.title}",
        submission.system.name,
        submission.system.facts,
        label=version.headline.label,
        value=submission.result,
        interval=submission.result_interval,
        place=_place(submission),
        results=list(results.values()),
        at=list(results).index(submission.pk) if submission.pk in results else None,
    )


def of_system(system: System, shown: Submission | None) -> Card:
    """A system by one of its results.

    Args:
        system: Any that everybody may see.
        shown: The public submission that the card is of; None where it has none.
    """
    return of_submission(shown) if shown else Card(system.owner.get_username(), system.name, system.facts)


def board_words(version: Version) -> str:
    """A board in a sentence or two.

    Args:
        version: Any that may be read.
    """
    return " ".join(
        filter(None, (f"{version.benchmark.title}, {version.title}: the board.", _summary(version)))
    )


def version_words(version: Version) -> str:
    """A version in a sentence or two.

    Args:
        version: Any that may be read.
    """
    size = f"{number_of(version.row_count, 'row')} in {number_of(version.unit_count, version.suite.display.unit)}"
    return f"{size}, frozen under one SHA-256. {version.disclosure.sentence}"


def submission_words(submission: Submission) -> str:
    """A result in a sentence: the figure, its interval, and its place.

    Args:
        submission: Graded or not.
    """
    version, score = submission.version, submission.score
    where = f"on {version.title} ({version.benchmark.title})"
    if score is None or submission.result is None:
        return (
            f"{submission.system.name} {where}: {'no figure yet' if score is None else _place(submission)}."
        )
    ends = submission.result_interval
    between = f" (95% interval {number(ends[0])} to {number(ends[1])})" if ends else ""
    place = _place(submission)
    over = f", {submission.trial_words}" if submission.is_trial else ""
    figure = f"{version.headline.label} {number(submission.result)}{between}{over}"
    return f"{submission.system.name} {where}: {figure}{f', {place}' if place else ''}."


def system_words(system: System, shown: Submission | None) -> str:
    """A system in a sentence: its result on the board that its page shows first.

    Args:
        system: Any.
        shown: The submission that a board shows; None where none does.
    """
    if shown is None:
        return " · ".join(filter(None, (system.name, system.facts, system.description)))
    return submission_words(shown)


def shown_of(system: System, address: str = "") -> Submission | None:
    """The public submission that a system is known by.

    Args:
        system: Whose it is.
        address: `<benchmark>/<version>`; empty for the board that it landed on last.

    Returns:
        One that a board shows; None where no board does, or not that one.
    """
    shown = Submission.objects.public().filter(system=system, shown=True).with_names()
    if address:
        benchmark, _, slug = address.partition("/")
        shown = shown.filter(version__benchmark__slug=benchmark, version__slug=slug)
    return shown.order_by("-graded_at", "pk").first()


def _place(submission: Submission) -> str:
    """The ranks that it may have, or why it has none, and how it came about; empty for what is not graded."""
    if submission.score is None:
        return ""
    origin = submission.origin.label
    if submission.shown:
        at = system_placement(submission.system, submission.version)
        return f"{at.words}, {origin}" if at else ""
    reason = why_unranked(submission)
    return f"{f'not ranked: {reason}' if reason else 'not on the board'}, {origin}"


def _summary(version: Version) -> str:
    shown = Submission.objects.on_board(version)
    return headline_summary.of_board(version, placements.board_placements(version, shown, WHOLE))


def _lines(version: Version) -> list[Line]:
    """The first systems of the board in its order: those that contest it, then references."""
    everybody = placements.board_placements(version, Submission.objects.on_board(version), WHOLE)
    contest = [each for each in everybody if not each.apart]
    first = [*contest, *(each for each in everybody if each.apart and each.reference)][:MOST_LINES]
    rows = boards.rows(version, first)
    return [
        Line(
            row.system.name,
            row.rank_range,
            row.value,
            row.span,
            row.reference,
            "" if row.reference else row.submission.origin.label,
        )
        for row in rows
    ]


def _results(submission: Submission) -> dict[Any, float]:
    """Submission -> headline of the system's public results on the version, the oldest first, as pages show them."""
    graded = Submission.objects.public().filter(
        system_id=submission.system_id, version_id=submission.version_id
    )
    graded = graded.filter(score__isnull=False, mean__isnull=True).order_by("-created_at", "pk")
    newest = list(graded.values_list("pk", "score__headline")[:MOST_POINTS])
    return {key: value for key, value in reversed(newest) if value is not None}
