"""What systems answered to one row, each with what came of it. For readers who may see the answers of its version."""

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
#: Under which names verdicts have what was answered.
FIELDS = ("value", "response", "prediction")
#: Characters of an answer beside the others.
SHORT = 160


@dataclass(frozen=True, slots=True)
class Answered:
    """The answer of one system. `lines` are those of the replay that it cites or chose, the first what went wrong."""

    submission: Submission
    state: str  # right | wrong | none, where nothing was answered
    value: str
    sentence: str
    lines: Sequence[int]
    place: int | None  # on the axis, of the first of the lines
    has_transcript: bool
    is_chosen: bool


@dataclass(frozen=True, slots=True)
class Alike:
    """Systems that gave one answer, of which came the same."""

    answers: Sequence[Answered]

    @property
    def first(self) -> Answered:
        """Any of them: what is said of it holds for all."""
        return self.answers[0]

    @property
    def has_chosen(self) -> bool:
        """Whether one of them is the one whose lines are marked."""
        return any(each.is_chosen for each in self.answers)


@dataclass(frozen=True, slots=True)
class Answers:
    """The answers of a page of systems, and how many systems answered rightly."""

    page: Page[Answered]
    right: int
    total: int
    marks_chosen: bool  # whether the marked answer has a line that is not gold

    @property
    def alike(self) -> list[Alike]:
        """The answers of the page, those that are alike together: wrong ones first, each kind by its best system."""
        groups: dict[tuple[str, ...], list[Answered]] = {}
        for each in self.page.object_list:
            groups.setdefault((each.state, each.value, each.sentence), []).append(each)
        return [
            Alike(group) for group in sorted(groups.values(), key=lambda group: group[0].state == "right")
        ]

    @property
    def chosen(self) -> Answered | None:
        """The one whose lines are marked."""
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
    """What each system of the version's board answered to a row, the best systems first.

    Args:
        version: That the row is of.
        row: The row, with its gold where it is known.
        row_id: Of the question.
        seen: Its timeline.
        user: The reader, who may see the answers of the version.
        chosen: The submission to mark, on whose page of systems one starts; None marks the first that went wrong.
        number: Of the page.
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
    """The submissions by whose answers rows can be chosen: what the board shows of each system, the best first.

    Of a mean, which has no verdicts, its first repeat stands for it.

    Args:
        version: That they are of.
        user: The reader, who may see the answers of the version.
    """
    shown = Submission.objects.on_board(version).visible_to(user).listed().filter(score__isnull=False)
    found: list[Submission] = []
    for each in sorted(shown, key=_headline, reverse=True):
        if each.is_mean:
            repeats = each.members.visible_to(user).listed().filter(score__isnull=False).order_by("repeat")
            found += repeats[:1]
        else:
            found.append(each)
    for each in found:
        each.version = version  # a list leaves out its settings, by which it is known who may read what
    return found


def _headline(submission: Submission) -> float:
    score = submission.score
    return 0.0 if score is None or score.headline is None else score.headline


def _marked(shown: Sequence[Answered], gold: Collection[int], chosen: Submission | None) -> Answered | None:
    """The answer whose lines are marked: of the system that is chosen, else the first that took a wrong line."""
    if chosen is not None:
        return next((each for each in shown if each.submission == chosen), None)
    return next((each for each in shown if each.state == "wrong" and set(each.lines) - set(gold)), None)


class _Reader:
    """Finds the verdict on one row in several files: it mostly stands in the same place."""

    def __init__(self, row_id: str) -> None:
        self._row_id, self._place = row_id, -1

    def __call__(self, submission: Submission) -> Verdict | None:
        """The verdict; None where the file leaves the row out, or is damaged: the other systems still answered."""
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
    """Whether there is a prompt with its reply that the reader may see."""
    try:
        return transcripts.may_be_read_by(submission, user) and bool(transcripts.find(submission, [row_id]))
    except DamagedFileError:
        return False


def _value(verdict: Verdict) -> str:
    """What was answered, short; empty for nothing."""
    fields: Mapping[str, object] = verdict
    value = next((fields[name] for name in FIELDS if fields.get(name) is not None), None)
    text = "" if value is None else str(value)
    return text if len(text) <= SHORT else f"{text[:SHORT]}…"


def _place(seen: Replay | None, lines: Sequence[int]) -> int | None:
    """Where the first of some lines stands on the axis."""
    if seen is None or not lines:
        return None
    marks = (mark for lane in seen.lanes for mark in lane.marks)
    return next((mark.at for mark in marks if mark.line == lines[0]), None)
