"""Explains which submission of a system its board shows, and how to replace this submission."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from django.urls import reverse

from evaluation.core.terminal.wording import number_of
from leaderboard.accounts import teams
from leaderboard.submissions import quotas
from leaderboard.submissions.models import Submission
from leaderboard.submissions.services import EntriesUsedUpError, entries
from leaderboard.web.formatting import day, number


@dataclass(frozen=True, slots=True)
class Entry:
    """Text for the page of a graded submission: whether the board shows it, and how the submitter can go on."""

    said: str
    why: str = ""
    next_step: str = ""  # for its submitter; empty where nothing more can be submitted
    again: str = ""  # address of the submit form, filled in to submit a new entry
    shown: Submission | None = None  # the submission on the board, if it is another one

    @property
    def is_asked(self) -> bool:
        return bool(self.next_step)


def entry_of(submission: Submission, reader: Any) -> Entry | None:
    """The text for a submission; None if it is a trial or not graded. Only submitters are told a next step."""
    if submission.score_id is None or submission.is_trial:
        return None
    on_board = Submission.objects.on_board(submission.version).filter(system=submission.system_id)
    shown = on_board.select_related("score", "version__benchmark", "system").first()
    mine = teams.acts_for(reader, submission.submitter_id, teams.SUBMITS)
    whose = "your" if mine else "the system’s"
    if shown is not None and shown.pk == submission.pk:
        first = f"it is {whose} first public result"
        how = "it was chosen before its score was known" if shown.declared else first
        as_reference = " among its baselines" if submission.system.reference else ""
        return Entry(f"The leaderboard shows this result{as_reference}, because {how}.")
    said = f"{_why_not(submission)}{_shown_words(shown, whose)}"
    may_stand = submission.is_public and not submission.withdrawn_at and not submission.held_back
    chosen = "Entries are chosen before the score is known." if shown and may_stand else ""
    return Entry(said, chosen, *(_next_step(submission, reader) if mine else ("", "")), shown=shown)


def _why_not(submission: Submission) -> str:
    if submission.withdrawn_at:
        return f"This result was withdrawn on {day(submission.withdrawn_at)}. "
    if not submission.is_public:
        return "This result is private. "
    if submission.mean_id is not None:
        return f"This is {submission.repeats_words}. "
    return ""


def _shown_words(shown: Submission | None, whose: str) -> str:
    if shown is None:
        return "The leaderboard shows no result of the system."
    which = f"entry of {day(shown.created_at)}" if shown.declared else "first public submission"
    if shown.is_mean:
        which = shown.repeats_words
    figure = "" if shown.result is None else f", {number(shown.result)}"
    return f"The leaderboard shows {whose} {which}{figure}."


def _next_step(submission: Submission, user: Any) -> tuple[str, str]:
    """The submitter's next step as a sentence, and the URL of its form, if there is one. Both may be empty."""
    version, system = submission.version, submission.system
    if not version.is_open or submission.source in Submission.OURS:
        return "", ""
    try:
        entries.check(user, version, system)
    except EntriesUsedUpError:
        return "You have used up all entries that an account may choose on this version.", ""
    total = quotas.total_for(user, version, system)
    if total is not None and not total.left:
        return "All uploads to this version are used up.", ""
    left = f" ({total.left} of {number_of(total.limit, 'upload')} left)" if total else ""
    named = {"version": f"{version.benchmark.slug}/{version.slug}", "system": system.pk, "declared": "on"}
    address = f"{reverse('leaderboard:submit')}?{urlencode(named, safe='/')}"
    return f"To show a new result, submit again with “Use on the leaderboard”{left}.", address
