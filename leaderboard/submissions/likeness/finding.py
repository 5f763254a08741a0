"""After each grading, finds files whose answers, or wrong answers, agree with those of another account.

The order of lines, white space and further fields do not matter. How many wrong answers must agree is explained in
docs/statistics.md, "Answers of another". The later file is reported; a reference system is never reported.
"""

from __future__ import annotations

import hashlib
from contextlib import suppress

import numpy as np
from django.db import transaction
from django.db.models import Exists, OuterRef, Q

from evaluation.core.files import artifacts
from evaluation.core.statistics.overlap import Sketch, overlap, sketch
from evaluation.frames.verdict_file import Where
from leaderboard.benchmarks import storage
from leaderboard.benchmarks.models import Version
from leaderboard.benchmarks.storage import DamagedFileError
from leaderboard.submissions.models import AnswerPrint, Likeness, Submission
from leaderboard.submissions.querysets import SubmissionQuerySet
from leaderboard.submissions.verdicts import files as verdict_files


def make(submission: Submission) -> AnswerPrint:
    """Store hashes of a graded file's answers, by which similar files are found. Raises DamagedFileError."""
    wrong = mistakes(submission)
    fields = {
        "answers_sha256": _sha256(answers(submission)),
        "mistakes": len(wrong),
        "mistake_sketch": sketch(_encoded(f"{row}\0{key}") for row, key in wrong.items()).tobytes(),
    }
    return AnswerPrint.objects.update_or_create(submission=submission, defaults=fields)[0]


def answers(submission: Submission) -> dict[str, str]:
    """Return row id -> normalised answer of the submitted file, without unanswered rows."""
    suite = submission.version.suite
    lines = artifacts.parted(storage.rows(submission.file_sha256), {})
    keys = ((suite.row_id(line), suite.integrity.answer_key(line)) for line in lines)
    return {str(row): key for row, key in keys if key}


def mistakes(submission: Submission) -> dict[str, str]:
    """Return row id -> text that identifies the question and its wrong answer, for rows answered wrongly.

    The text is the same for the same question in another order of lines.
    """
    if submission.score is None:
        return {}
    suite, file = submission.version.suite, verdict_files.opened(submission.score.verdicts_sha256)
    failed = file.select(Where(failure="any"))
    return {str(verdict["id"]): key for verdict in failed if (key := suite.integrity.mistake_key(verdict))}


def sketch_of(kept: bytes | memoryview) -> Sketch:
    return np.frombuffer(kept, dtype=np.uint64)


def _sha256(keys: dict[str, str]) -> str:
    digest = hashlib.sha256()
    for row, key in sorted(keys.items()):
        digest.update(_encoded(f"{row}\0{key}\0"))
    return digest.hexdigest() if keys else ""


def _encoded(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


#: Least share of the wrong answers, and of all others, that a similar file has; least number of wrong questions.
LEAST_SHARE, LEAST_WRONG = 0.9, 10
#: Margin of error for shares estimated from hashes.
DOUBT = 0.05
#: Most files with which a file is compared in full, and so its most likenesses.
MOST = 5
#: Number of files graded by earlier releases that are hashed with each grading.
OLDER_AT_A_TIME = 20
#: Most later files that are compared again when a possible original is graded.
LATER_AT_A_TIME = 50

Kind = Likeness.Kind


def look(submission: Submission) -> None:
    """Compare a graded file with earlier and later files of other accounts. Raises DamagedFileError."""
    make(submission)
    for each in (*_hash_older(submission.version), submission, *_later(submission)):
        _renew(each)


def _hash_older(version: Version) -> list[Submission]:
    """Hash some files that earlier releases graded without hashes, and return their submissions."""
    hashed = []
    for each in _graded(version).filter(answer_print=None)[:OLDER_AT_A_TIME]:
        with suppress(DamagedFileError):
            make(each)
            hashed.append(each)
    return hashed


def _graded(version: Version) -> SubmissionQuerySet:
    graded = Submission.objects.filter(version=version, score__isnull=False)
    files = graded.exclude(source=Submission.Source.MEAN).filter(file_removed_at=None)
    return files.select_related("system", "score", "version__benchmark").order_by(
        "-system__reference", "created_at"
    )


def _renew(submission: Submission) -> None:
    """Replace the stored likenesses of a file. A likeness that is found again keeps its mark as seen by a moderator."""
    found = [] if submission.source in Submission.OURS else _found(submission)
    with transaction.atomic():
        kept = [each.original_id for each in found]
        Likeness.objects.filter(submission=submission).exclude(original__in=kept).delete()
        for each in found:
            fields = {"kind": each.kind, "evidence": each.evidence, "told": each.told}
            Likeness.objects.update_or_create(
                submission=submission, original_id=each.original_id, defaults=fields
            )


def _found(submission: Submission) -> list[Likeness]:
    """Return unsaved likenesses of a file to earlier files of other accounts and to files of reference systems.

    If the file is like a reference system, mistakes that it shares with other systems are left out.
    """
    of_reference = ~Q(system__reference="") & Q(source=Submission.Source.RUN)
    others = _graded(submission.version).filter(Q(created_at__lt=submission.created_at) | of_reference)
    alike = _alike(submission, others, most=MOST)
    found = [likeness for each in alike if (likeness := _compared(submission, each))]
    explained = any(each.original.is_reference for each in found)
    return [
        each
        for each in found
        if not explained or each.original.is_reference or each.kind != Kind.SAME_MISTAKES
    ]


def _later(submission: Submission) -> list[Submission]:
    """Return the files to compare again, because they may resemble this newly graded file."""
    known = Likeness.objects.filter(submission=OuterRef("pk"), original=submission)
    others = _graded(submission.version).filter(~Exists(known)).exclude(source__in=Submission.OURS)
    if not submission.is_reference:
        others = others.filter(created_at__gt=submission.created_at)
    return _alike(submission, others, most=LATER_AT_A_TIME)


def _alike(submission: Submission, others: SubmissionQuerySet, *, most: int) -> list[Submission]:
    """Return files with the same bytes or answers first, then files whose hashes show similar mistakes."""
    printed: AnswerPrint = submission.answer_print
    others = others.exclude(submitter=submission.submitter)
    same = Q(file_sha256=submission.file_sha256)
    if printed.answers_sha256:
        same |= Q(answer_print__answers_sha256=printed.answers_sha256)
    found = list(others.filter(same)[:most])
    return found + _near(printed, others.exclude(same))[: most - len(found)]


def _near(printed: AnswerPrint, others: SubmissionQuerySet) -> list[Submission]:
    """Return files whose hashes show similar mistakes: files of reference systems first, then the most similar."""
    if printed.mistakes < LEAST_WRONG:
        return []
    mine, shares = sketch_of(printed.mistake_sketch), {}
    kept = others.filter(answer_print__mistakes__gte=LEAST_WRONG)
    for pk, wrong, hashes in kept.values_list("pk", "answer_print__mistakes", "answer_print__mistake_sketch"):
        share = overlap(mine, sketch_of(hashes))
        shared = share / (1 + share) * (printed.mistakes + wrong)
        if shared >= (LEAST_SHARE - DOUBT) * min(printed.mistakes, wrong):
            shares[pk] = share
    alike = others.filter(pk__in=sorted(shares, key=lambda pk: -shares[pk])[:LATER_AT_A_TIME])
    return sorted(alike, key=lambda each: (not each.is_reference, -shares[each.pk]))


def _compared(submission: Submission, original: Submission) -> Likeness | None:
    made = Likeness(submission=submission, original=original)
    if submission.file_sha256 == original.file_sha256:
        made.kind, made.evidence = Kind.SAME_FILE, {"sha256": submission.file_sha256}
        return made
    mine, theirs = answers(submission), answers(original)
    same = {row for row, answer in theirs.items() if mine.get(row) == answer}
    different = len(theirs.keys() | mine.keys()) - len(same)
    if not different:
        made.kind, made.evidence = Kind.SAME_ANSWERS, {"rows": len(mine)}
        return made
    wrong = mistakes(original)
    shared, others = wrong.keys() & same, len(theirs.keys() - wrong.keys())
    if len({wrong[row] for row in shared}) < LEAST_WRONG:
        return None
    if len(shared) < LEAST_SHARE * len(wrong) or len(same) - len(shared) < LEAST_SHARE * others:
        return None
    made.kind, made.told = Kind.SAME_MISTAKES, _told_by_rows(original.version, len(wrong), others, different)
    made.evidence = {
        "wrong_answers": len(wrong),
        "wrong_answers_here": len(shared),
        "other_answers": others,
        "other_answers_here": len(same) - len(shared),
    }
    return made


def _told_by_rows(version: Version, wrong: int, others: int, different: int) -> bool:
    """True if telling all readers that two files are alike does not reveal secret answers.

    Then the file is alike whichever rows the `different` answers are in, so that readers learn nothing about single
    rows, only how many answers are wrong, rounded to the version's step.
    """
    if not version.shown_step:
        return True
    step = max(1, round(version.shown_step * version.row_count))
    fewest = min(wrong // step, others // step) * step
    return fewest - different >= LEAST_SHARE * fewest
