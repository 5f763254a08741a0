"""Intake checks: findings for moderators with their evidence. Never a verdict, never blocking.

Made after grading and shown to staff only; evidence that reveals answers needs the permission `view_gold`.
Likenesses with files of other accounts are also told to every reader (`likeness.wording`).
"""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any, TypedDict

from evaluation.core import jsonl
from evaluation.core.records import Verdict
from evaluation.core.terminal.wording import number_of
from leaderboard.accounts import permissions
from leaderboard.benchmarks import disclosure, public_rows, storage
from leaderboard.benchmarks.models import Version
from leaderboard.submissions.likeness import finding, wording
from leaderboard.submissions.models import Submission
from leaderboard.submissions.verdicts import files as verdict_files

log = logging.getLogger(__name__)

#: Share of right rows, over at least this many rows, from which an upload equals the gold.
NEAR_GOLD, NEAR_GOLD_ROWS = 0.999, 50
#: Right answers without their evidence: this many, in this share, are not guesses.
UNSEEN_ROWS, UNSEEN_SHARE = 5, 0.6
EXAMPLES = 5  # ids named in a flag
#: Flags with evidence from files and public rows only. Evidence of all others names right or wrong rows.
TELL_NO_GOLD = frozenset({"same_file", "foreign_canary", "canary_in_answer"})
#: Fields of a prediction that may hold the answer.
ANSWERS = ("value", "output", "text", "completion", "response")


class Flag(TypedDict):
    code: str
    text: str
    evidence: dict[str, object]


def inspect(submission: Submission) -> list[Flag] | None:
    """The findings in a graded submission. None if a check fails, which is logged."""
    try:
        finding.look(submission)
        return [flag for check in CHECKS for flag in check(submission)]
    except Exception:
        log.exception("the intake checks of submission %s failed", submission.pk)
        return None


def shown_to(submission: Submission, reader: Any) -> list[Flag] | None:
    """Flags and present likenesses, evidence only with `view_gold`; None for readers without the right."""
    if not permissions.may(reader, permissions.VIEW_SUBMISSION):
        return None
    alike = wording.readable(submission, reader)
    again = {each.kind for each in alike}  # earlier releases stored `same_file` as a flag
    made = [flag for flag in submission.flags if flag["code"] not in again]
    if not disclosure.shows_answers(submission.version, reader):
        made = [flag if flag["code"] in TELL_NO_GOLD else flag | {"evidence": {}} for flag in made]
    for kind in dict.fromkeys(each.kind for each in alike):
        of_kind = [each for each in alike if each.kind == kind]
        text = " ".join(map(wording.sentence, of_kind))
        made.append(_flag(kind, text, **wording.evidence(of_kind, submission.version, reader)))
    return made


def unseen_gold(submission: Submission) -> Iterator[Flag]:
    """Right or cited answers in rows that do not show their evidence."""
    rows, right, cited = 0, [], []
    for verdict in _unseen(submission):
        if (unseen := submission.version.suite.integrity.unseen(verdict)) is None:
            continue
        rows += 1
        if unseen.cited:
            cited.append(verdict["id"])
        if unseen.right:
            right.append(verdict["id"])
    if cited:
        yield _flag(
            "cites_unseen_gold",
            "It cites gold lines in rows that did not show them.",
            rows=f"{len(cited)} of {rows}",
            examples=cited[:EXAMPLES],
        )
    if len(right) >= max(UNSEEN_ROWS, UNSEEN_SHARE * rows):
        yield _flag(
            "answers_unseen_gold",
            "It answers rows rightly that did not show the line which establishes the answer.",
            rows=f"{len(right)} of {rows}",
            examples=right[:EXAMPLES],
        )


def unshown_citations(submission: Submission) -> Iterator[Flag]:
    """Citations of lines that, by the file's own account, the answerer was not shown."""
    metric = submission.version.suite.integrity.unshown_citations
    if submission.score is None or not submission.score.metrics.get(metric):
        return
    rows, outside = 0, []
    for verdict in verdict_files.opened(submission.score.verdicts_sha256):
        figure = verdict.get("figures", {}).get(metric)
        rows += figure is not None
        if figure:
            outside.append(verdict["id"])
    yield _flag(
        "cites_unshown",
        "It cites lines that, by its own account, its answering model was not shown.",
        rows=f"{len(outside)} of {rows}",
        examples=outside[:EXAMPLES],
    )


def near_gold(submission: Submission) -> Iterator[Flag]:
    """An upload that is practically equal to the gold."""
    if submission.verified:
        return
    marks = [correct for correct, _ in _answered(submission).values() if correct is not None]
    if len(marks) >= NEAR_GOLD_ROWS and sum(marks) >= NEAR_GOLD * len(marks):
        yield _flag(
            "near_gold",
            "Practically every row equals the gold. A deterministic system can do that; so can a leaked key.",
            rows=f"{sum(marks)} of {len(marks)}",
        )


def _unseen(submission: Submission) -> list[Verdict]:
    """Verdicts of rows that do not show their evidence, or do not say so."""
    if submission.score is None:
        return []
    numbers = [number for number, (_, shown) in _answered(submission).items() if shown is not True]
    return verdict_files.opened(submission.score.verdicts_sha256).at(numbers)


def _answered(submission: Submission) -> dict[int, tuple[bool | None, bool | None]]:
    """Row -> (correct, evidence shown), in splits that the file covers."""
    if submission.score is None:
        return {}
    file = verdict_files.opened(submission.score.verdicts_sha256)
    columns = file.columns(["split", "correct", "gold_shown"]).values()
    return {
        number: (correct, shown)
        for number, (split, correct, shown) in enumerate(zip(*columns, strict=True))
        if split in submission.conditions
    }


def canaries(submission: Submission) -> Iterator[Flag]:
    """Canaries in the file: another version's anywhere, any version's in an answer."""
    own = public_rows.canary_text(submission.version)
    foreign: Counter[str] = Counter()
    answered: list[str] = []
    for line in storage.lines(submission.file_sha256):
        if public_rows.PREFIX.encode() not in line:
            continue
        foreign.update({mark.decode() for mark in public_rows.PATTERN.findall(line)} - {own})
        data = jsonl.parse(line)
        if any(public_rows.PREFIX in str(data.get(field, "")) for field in ANSWERS):
            answered.append(str(submission.version.suite.row_id(data)))
    if foreign:
        names = _versions()
        yield _flag(
            "foreign_canary",
            "It contains the canary of another version: it answers other rows.",
            canaries=[
                f"{mark} ({names.get(mark, 'no version of this site')}) in {number_of(n, 'row')}"
                for mark, n in foreign.items()
            ],
        )
    if answered:
        yield _flag(
            "canary_in_answer",
            "Answers repeat a canary: the rows, or their canary, were copied or learnt.",
            rows=len(answered),
            examples=answered[:EXAMPLES],
        )


def _versions() -> dict[str, str]:
    return {
        public_rows.canary_text(version): f"{version.benchmark.slug}/{version.slug}"
        for version in Version.objects.readable()
    }


def _flag(code: str, text: str, **evidence: Any) -> Flag:
    return {"code": code, "text": text, "evidence": evidence}


CHECKS: tuple[Callable[[Submission], Iterator[Flag]], ...] = (
    unseen_gold,
    unshown_citations,
    near_gold,
    canaries,
)
