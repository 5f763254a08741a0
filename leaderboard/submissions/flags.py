"""Flags: evidence for moderators, found after grading, that answers may not be honest. Scores stay unchanged.

Only staff see flags, and evidence that reveals answers needs the permission `view_gold`. All readers can see if a
file resembles a file of another account (`likeness.wording`).
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

#: An upload with this share of right rows, over at least this many rows, counts as equal to the gold.
NEAR_GOLD, NEAR_GOLD_ROWS = 0.999, 50
#: Right answers to rows that do not show their evidence: from this number and share on they are no guesses.
UNSEEN_ROWS, UNSEEN_SHARE = 5, 0.6
EXAMPLES = 5  # ids named in a flag
#: Flags whose evidence comes from files and public rows only. The evidence of other flags names right or wrong rows.
TELL_NO_GOLD = frozenset({"same_file", "foreign_canary", "canary_in_answer"})
#: Fields of a prediction that may have the answer.
ANSWERS = ("value", "output", "text", "completion", "response")


class Flag(TypedDict):
    code: str
    text: str
    evidence: dict[str, object]


def inspect(submission: Submission) -> list[Flag] | None:
    """Return the flags of a graded submission, or None if a check raised an error, which is logged."""
    try:
        finding.look(submission)
        return [flag for check in CHECKS for flag in check(submission)]
    except Exception:
        log.exception("the intake checks of submission %s failed", submission.pk)
        return None


def shown_to(submission: Submission, reader: Any) -> list[Flag] | None:
    """Return flags without evidence that the reader may not see. Returns None if the reader may not see any flags."""
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
    """Flag right answers and gold citations in rows that do not contain the evidence for the answer."""
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
            "The file cites gold lines in rows that do not show them.",
            rows=f"{len(cited)} of {rows}",
            examples=cited[:EXAMPLES],
        )
    if len(right) >= max(UNSEEN_ROWS, UNSEEN_SHARE * rows):
        yield _flag(
            "answers_unseen_gold",
            "The file has right answers to rows that do not show the line with the answer.",
            rows=f"{len(right)} of {rows}",
            examples=right[:EXAMPLES],
        )


def unshown_citations(submission: Submission) -> Iterator[Flag]:
    """Flag a submission that cites lines which, according to its own file, the model was not shown."""
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
        "The file cites lines that its own lists of shown lines do not contain.",
        rows=f"{len(outside)} of {rows}",
        examples=outside[:EXAMPLES],
    )


def near_gold(submission: Submission) -> Iterator[Flag]:
    """Flag an upload in which practically all answers are right. Results of this site's own runs are not flagged."""
    if submission.verified:
        return
    marks = [correct for correct, _ in _answered(submission).values() if correct is not None]
    if len(marks) >= NEAR_GOLD_ROWS and sum(marks) >= NEAR_GOLD * len(marks):
        yield _flag(
            "near_gold",
            "Practically every answer is right. This may be a deterministic system, or the answers were leaked.",
            rows=f"{sum(marks)} of {len(marks)}",
        )


def _unseen(submission: Submission) -> list[Verdict]:
    """Return the verdicts on rows that are not known to contain the evidence for the answer."""
    if submission.score is None:
        return []
    numbers = [number for number, (_, shown) in _answered(submission).items() if shown is not True]
    return verdict_files.opened(submission.score.verdicts_sha256).at(numbers)


def _answered(submission: Submission) -> dict[int, tuple[bool | None, bool | None]]:
    """Return row number -> (is correct, row shows the evidence for the answer). Unknown values are None."""
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
    """Flag a canary string of another version anywhere in the file, and any canary string in an answer."""
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
            "The file contains the canary of another version, so it answers other rows.",
            canaries=[
                f"{mark} ({names.get(mark, 'no version of this site')}) in {number_of(n, 'row')}"
                for mark, n in foreign.items()
            ],
        )
    if answered:
        yield _flag(
            "canary_in_answer",
            "Answers contain a canary, so the system copied text from rows, or was trained on them.",
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
