"""Link previews for other sites: a sentence, and a picture (card) that `drawing` makes. Both have only public data."""

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
from leaderboard.boards.placements.outcomes import system_placement, why_unranked
from leaderboard.boards.slices import WHOLE
from leaderboard.submissions.models import Submission, System
from leaderboard.submissions.scores.score_tables import Interval
from leaderboard.web.formatting import number

MOST_LINES = 6  # systems on the card of a board
MOST_POINTS = 40  # in the curve of past results
ABOUT = "Benchmarks of long-context state tracking, ranked by evidence."


@dataclass(frozen=True, slots=True)
class Line:
    name: str
    rank: str  # range of ranks; empty without one
    value: float | None
    interval: Interval
    role: str = ""  # of a reference; empty for other systems
    origin: str = ""  # label of `Submission.Origin`; empty for references


@dataclass(frozen=True, slots=True)
class Card:
    eyebrow: str
    title: str
    sentence: str = ""
    label: str = ""  # of the figure
    value: float | None = None
    interval: Interval = None
    place: str = ""
    lines: Sequence[Line] = ()
    results: Sequence[float] = field(default=())  # of the system so far, oldest first
    at: int | None = None  # index of this one in results

    @property
    def figure(self) -> str:
        return "" if self.value is None else number(self.value)


def site_card() -> Card:
    """The card of pages without a card of their own. It shows the featured version, else the oldest."""
    featured = Version.objects.readable().without_twins().order_by("-featured", "pk").first()
    if featured is None:
        return Card("", settings.SITE_NAME, ABOUT)
    return Card(ABOUT, settings.SITE_NAME, f"{featured.title}. {_summary(featured)}", lines=_lines(featured))


def board_card(version: Version) -> Card:
    label = version.headline.label
    return Card(version.benchmark.title, version.title, _summary(version), label=label, lines=_lines(version))


def version_card(version: Version) -> Card:
    return Card(version.benchmark.title, version.title, version_words(version), lines=_lines(version))


def submission_card(submission: Submission) -> Card:
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


def system_card(system: System, shown: Submission | None) -> Card:
    """The card of a system with its public submission `shown`, or if `shown` is None, with only the system's facts."""
    return submission_card(shown) if shown else Card(system.owner.get_username(), system.name, system.facts)


def board_words(version: Version) -> str:
    return " ".join(
        filter(None, (f"{version.benchmark.title}, {version.title}: the board.", _summary(version)))
    )


def version_words(version: Version) -> str:
    size = f"{number_of(version.row_count, 'row')} in {number_of(version.unit_count, version.suite.display.unit)}"
    return f"{size}, frozen under one SHA-256. {version.disclosure.sentence}"


def submission_words(submission: Submission) -> str:
    """Describe a result in a sentence: headline, interval, and rank or the reason why there is none."""
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
    """Describe a system in a sentence: the result of `shown`, or if `shown` is None, its name and description."""
    if shown is None:
        return " · ".join(filter(None, (system.name, system.facts, system.description)))
    return submission_words(shown)


def shown_of(system: System, address: str = "") -> Submission | None:
    """A system's submission on the board `address` (`<benchmark>/<version>`); if empty, its newest on any board."""
    shown = Submission.objects.public().filter(system=system, shown=True).with_names()
    if address:
        benchmark, _, slug = address.partition("/")
        shown = shown.filter(version__benchmark__slug=benchmark, version__slug=slug)
    return shown.order_by("-graded_at", "pk").first()


def _place(submission: Submission) -> str:
    """Possible ranks of a submission or the reason why there is none, with its origin; empty if not graded."""
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
    return headline_summary.board_summary(version, placements.board_placements(version, shown, WHOLE))


def _lines(version: Version) -> list[Line]:
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
    """Key of a submission -> headline as pages show it, of the system's public results on the version, oldest first."""
    graded = Submission.objects.public().filter(
        system_id=submission.system_id, version_id=submission.version_id
    )
    graded = graded.filter(score__isnull=False, mean__isnull=True).order_by("-created_at", "pk")
    newest = list(graded.values_list("pk", "score__headline")[:MOST_POINTS])
    return {key: value for key, value in reversed(newest) if value is not None}
