"""Answers of systems to a row with verdicts, for readers who may see the correct answers."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, cast

from django.core.paginator import Page, Paginator

from evaluation.core.plugin import Replay
from evaluation.core.records import Row, Verdict
from evaluation.frames.verdict_file import VerdictFile
from leaderboard.benchmarks.models import Version
from leaderboard.benchmarks.storage import DamagedFileError
from leaderboard.submissions import transcripts
from leaderboard.submissions.models import Submission
from leaderboard.submissions.verdicts import files

PAGE_SIZE = 25  # systems, one verdict file each
#: Fields of a verdict that may have the answer.
FIELDS = ("value", "response", "prediction")
#: Maximum characters of a shown answer.
SHORT = 160


@dataclass(frozen=True, slots=True)
class Answered:
    """A system's answer to a row. `lines` are the numbers of the lines that the answer refers to."""

    submission: Submission
    state: str  # right | wrong | none (unanswered)
    value: str
    sentence: str
    lines: Sequence[int]
    place: int | None  # of the first line on the axis
    has_transcript: bool
    is_chosen: bool


@dataclass(frozen=True, slots=True)
class Alike:
    """Systems with the same answer and verdict."""

    answers: Sequence[Answered]

    @property
    def first(self) -> Answered:
        return self.answers[0]

    @property
    def has_chosen(self) -> bool:
        return any(each.is_chosen for each in self.answers)


@dataclass(frozen=True, slots=True)
class Answers:
    """A page of answers to a row, and the number of systems that answered correctly."""

    page: Page[Answered]
    right: int
    total: int
    marks_chosen: bool  # the marked answer has a line that is not gold

    @property
    def alike(self) -> list[Alike]:
        """Group the answers of this page that are equal and have the same verdict, wrong groups first."""
        groups: dict[tuple[str, ...], list[Answered]] = {}
        for each in self.page.object_list:
            groups.setdefault((each.state, each.value, each.sentence), []).append(each)
        return [
            Alike(group) for group in sorted(groups.values(), key=lambda group: group[0].state == "right")
        ]

    @property
    def chosen(self) -> Answered | None:
        return next((each for each in self.page.object_list if each.is_chosen), None)


def answers(
    version: Version,
    row: Row,
    row_id: str,
    seen: Replay | None,
    *,
    user: Any,
    chosen: Submission | None,
    number: Any,
) -> Answers:
    """Return a page of answers to a row, best systems first.

    Args:
        seen: Timeline of the row; None: the row has no timeline.
        number: Page number; None: the page with the answer of `chosen`.
    """
    listed = submissions_of(version, user)
    if chosen is not None and chosen not in listed:
        listed = [chosen, *listed]
    read = _Reader(row_id)
    verdicts = {each.pk: read(each) for each in listed}
    told_by = [each for each in listed if verdicts[each.pk]]
    if number is None and chosen in told_by:
        number = told_by.index(chosen) // PAGE_SIZE + 1
    page: Page[Any] = Paginator(told_by, PAGE_SIZE).get_page(number)
    shown = [_answered(each, row, seen, cast(Verdict, verdicts[each.pk]), user) for each in page.object_list]
    gold = seen.gold if seen else frozenset[int]()
    marked = _marked(shown, gold, chosen)
    page.object_list = [replace(each, is_chosen=each is marked) for each in shown]
    marks = marked is not None and not set(marked.lines) <= set(gold)
    told = [verdict for verdict in verdicts.values() if verdict is not None]
    return Answers(page, sum(not verdict.get("failure") for verdict in told), len(told), marks)


def submissions_of(version: Version, user: Any) -> list[Submission]:
    """Return the submissions of the board, best first. A mean of repeats is replaced by its first repeat."""
    shown = Submission.objects.on_board(version).visible_to(user).listed().filter(score__isnull=False)
    found: list[Submission] = []
    for each in sorted(shown, key=_headline, reverse=True):
        if each.is_mean:
            repeats = each.members.visible_to(user).listed().filter(score__isnull=False).order_by("repeat")
            found += repeats[:1]
        else:
            found.append(each)
    for each in found:
        each.version = version  # lists defer its settings, which decide who may read what
    return found


def _headline(submission: Submission) -> float:
    score = submission.score
    return 0.0 if score is None or score.headline is None else score.headline


def _marked(shown: Sequence[Answered], gold: Collection[int], chosen: Submission | None) -> Answered | None:
    if chosen is not None:
        return next((each for each in shown if each.submission == chosen), None)
    return next((each for each in shown if each.state == "wrong" and set(each.lines) - set(gold)), None)


class _Reader:
    """A callable that returns the verdict on one row of a submission, or None if there is no verdict."""

    def __init__(self, row_id: str) -> None:
        self._row_id, self._place = row_id, -1

    def __call__(self, submission: Submission) -> Verdict | None:
        try:
            return self._find(files.opened(submission.score.verdicts_sha256))  # type: ignore[union-attr]
        except DamagedFileError:
            return None

    def _find(self, file: VerdictFile) -> Verdict | None:
        if 0 <= self._place < len(file):
            verdict = file.at([self._place])[0]
            if verdict["id"] == self._row_id:
                return verdict
        ids = file.columns(["id"])["id"]
        if self._row_id not in ids:
            return None
        self._place = ids.index(self._row_id)
        return file.at([self._place])[0]


def _answered(submission: Submission, row: Row, seen: Replay | None, verdict: Verdict, user: Any) -> Answered:
    account = submission.version.suite.replays.account(row, seen, verdict)
    value = _value(verdict)
    failure = verdict.get("failure")
    return Answered(
        submission=submission,
        state="wrong" if failure else "right",
        value=value,
        sentence=account.sentence,
        lines=account.lines,
        place=_place(seen, account.lines),
        has_transcript=_has_transcript(submission, str(verdict["id"]), user),
        is_chosen=False,
    )


def _has_transcript(submission: Submission, row_id: str, user: Any) -> bool:
    try:
        return transcripts.may_be_read_by(submission, user) and bool(transcripts.find(submission, [row_id]))
    except DamagedFileError:
        return False


def _value(verdict: Verdict) -> str:
    fields: Mapping[str, object] = verdict
    value = next((fields[name] for name in FIELDS if fields.get(name) is not None), None)
    text = "" if value is None else str(value)
    return text if len(text) <= SHORT else f"{text[:SHORT]}…"


def _place(seen: Replay | None, lines: Sequence[int]) -> int | None:
    if seen is None or not lines:
        return None
    marks = (mark for lane in seen.lanes for mark in lane.marks)
    return next((mark.at for mark in marks if mark.line == lines[0]), None)
