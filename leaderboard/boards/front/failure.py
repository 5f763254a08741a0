"""Timeline of a wrong answer in which one of the best models of a board cites an outdated or invalid line."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from django.contrib.auth.models import AnonymousUser

from evaluation.core.plugin import Replay
from evaluation.core.plugin.replay import Mark
from evaluation.core.records import Verdict
from evaluation.core.terminal.wording import noun
from leaderboard.benchmarks import disclosure
from leaderboard.benchmarks.models import Version
from leaderboard.benchmarks.storage import DamagedFileError
from leaderboard.boards.front.standings import Board
from leaderboard.submissions.models import Submission
from leaderboard.submissions.rows import drawing, store
from leaderboard.submissions.scores.score_tables import label
from leaderboard.submissions.verdicts import files
from leaderboard.web.results_cache import cache

KEEP_SECONDS = 24 * 3600
#: Models tried, wrong answers tried of each, and lanes of the chart.
MODELS, ANSWERS, LANES = 3, 12, 4
#: Larger versions take seconds to search.
MOST_ROWS = 5000


@dataclass(frozen=True, slots=True)
class Note:
    """The label of a mark on the timeline of a wrong answer."""

    x: str
    anchor: str
    role: str  # cited or gold
    text: str


@dataclass(frozen=True, slots=True)
class Failure:
    submission: Submission
    row_id: str
    sentence: str
    share: str  # share of this kind among the model's wrong answers, in a sentence
    picture: drawing.Picture
    notes: tuple[Note, ...]
    axis: str

    @property
    def words(self) -> str:
        """Text alternative of the timeline."""
        return "; ".join(note.text for note in self.notes)


def failure_of(board: Board) -> Failure | None:
    """The first public wrong answer of a board's best models that cites a wrong line; None if there is none."""
    version = board.version
    if version.row_count > MOST_ROWS or not disclosure.shows_answers(version, AnonymousUser()):
        return None
    keys = [each.placement.key for each in board.counting[:MODELS]]
    loaded = Submission.objects.filter(pk__in=keys).select_related("system__owner", "score").in_bulk()
    found = (_submission_failure(version, loaded[key]) for key in keys if key in loaded)
    return next((failure for failure in found if failure), None)


def _submission_failure(version: Version, submission: Submission) -> Failure | None:
    submission.version = version
    key = f"front-failure:{submission.pk}:{submission.score_id}"
    row_id: str | None = cache.get(key)
    try:
        if row_id is None:
            failures = (_failure(version, submission, verdict) for verdict in _wrong(submission))
            found = next((each for each in failures if each), None)
            cache.set(key, found.row_id if found else "", KEEP_SECONDS)
            return found
        verdict = next(iter(_wrong(submission, row_id)), None) if row_id else None
        return _failure(version, submission, verdict) if verdict else None
    except DamagedFileError:  # staff are told elsewhere; visitors just see no example
        return None


def _wrong(submission: Submission, only: str = "") -> Iterator[Verdict]:
    if submission.score is None or not submission.score.verdicts_sha256:
        return iter(())
    file = files.opened(submission.score.verdicts_sha256)
    columns = file.columns(["id", "failure"])
    pairs = enumerate(zip(columns["id"], columns["failure"], strict=True))
    places = (at for at, (row_id, failure) in pairs if failure and only in ("", row_id))
    return (file.at([at])[0] for at in islice(places, ANSWERS))


def _failure(version: Version, submission: Submission, verdict: Verdict) -> Failure | None:
    row_id = str(verdict["id"])
    read = store.read(version, row_id, answers=True)
    if read is None or read[1] is None:
        return None
    row, seen = read[0], read[1]
    account = version.suite.replays.account(row, seen, verdict)
    marks = {mark.line: mark for lane in seen.asked for mark in lane.marks}
    cited = next((marks[line] for line in account.lines if line in marks and line not in seen.gold), None)
    gold = next((marks[line] for line in sorted(seen.gold, reverse=True) if line in marks), None)
    if cited is None or gold is None or cited.value is None or gold.value is None:
        return None
    lanes = drawing.shown_lanes(seen, account.lines)[0]
    lanes = (lanes + [lane for lane in seen.lanes if lane not in lanes])[:LANES]
    return Failure(
        submission=submission,
        row_id=row_id,
        sentence=account.sentence,
        share=_share(submission, str(verdict.get("failure"))),
        picture=drawing.picture(seen, lanes, step=seen.last, cited=frozenset(account.lines)),
        notes=(_note(seen, cited, "cited"), _note(seen, gold, "gold")),
        axis=seen.axis,
    )


def _note(seen: Replay, mark: Mark, role: str) -> Note:
    share = (mark.at - seen.first) / max(seen.last - seen.first, 1)
    word = "cited" if role == "cited" else "valid from"
    anchor = "start" if share < 0.3 else "end" if share > 0.7 else "middle"
    return Note(f"{100 * share:.1f}%", anchor, role, f"{word}: {seen.axis} {mark.at}, {mark.value}")


def _share(submission: Submission, code: str) -> str:
    """Sentence such as "62 of its 100 wrong answers are of this kind: stale value."; empty if counts are not stored."""
    counts = submission.score.failures if submission.score else {}
    alike, wrong = counts.get(code, 0), sum(counts.values())
    if not alike:
        return ""
    of = f"{alike:,} of its {wrong:,} wrong {noun(wrong, 'answer')}"
    return f"{of} {noun(alike, 'is', 'are')} of this kind: {label(code).lower()}."
