"""Sentences for readers, and evidence for moderators, about files that resemble a file of another account."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from django.db import transaction
from django.db.models import Prefetch, prefetch_related_objects
from django.db.models.functions import Now

from evaluation.core.diagnosis import Finding
from leaderboard.accounts import audit, permissions
from leaderboard.benchmarks.models import Version
from leaderboard.submissions.likeness.finding import LEAST_SHARE
from leaderboard.submissions.models import Likeness, Submission
from leaderboard.web.formatting import day, minute

_JOINED = Likeness.objects.select_related("original__system", "original__submitter")
#: For lists of submissions that show likenesses.
WITH_LIKENESSES = Prefetch("likenesses", _JOINED)


def readable(submission: Submission, reader: Any) -> list[Likeness]:
    """Return the likenesses that the reader may see. An average of repeats has the likenesses of its repeats."""
    found = _JOINED.filter(submission__mean=submission) if submission.is_mean else _of_file(submission)
    tells_all = not submission.version.shown_step or permissions.may(reader, permissions.VIEW_SUBMISSION)
    return [each for each in found if each.original.may_be_read_by(reader) and (each.told or tells_all)]


def _of_file(submission: Submission) -> Iterable[Likeness]:
    prefetch_related_objects([submission], WITH_LIKENESSES)  # no query if the list has prefetched
    return submission.likenesses.all()


def findings(likenesses: Sequence[Likeness]) -> list[Finding]:
    """Return the likenesses as findings for all readers, without numbers and rows."""
    said: dict[str, str] = {}  # deduplicated: repeats resemble the same file
    for kind in dict.fromkeys(each.kind for each in likenesses):
        of_kind = [each for each in likenesses if each.kind == kind]
        references = [each for each in of_kind if each.original.is_reference]
        several = len({each.original_id for each in references}) > 1 and kind == Likeness.Kind.SAME_ANSWERS
        rest = [each for each in of_kind if each not in references] if several else of_kind
        said |= {_as_several(references): kind} if several else {}
        said |= {sentence(each): kind for each in rest}
    return [Finding(kind, text) for text, kind in said.items()]


def _as_several(references: Sequence[Likeness]) -> str:
    names = list(dict.fromkeys(each.original.system.name for each in references))
    return f"This file has the same answers as the reference systems {', '.join(names[:-1])} and {names[-1]}."


def sentence(likeness: Likeness) -> str:
    """Return a sentence that names the kind of likeness, and the system and submitter of the original file."""
    original, sent = likeness.original, day(likeness.original.created_at)
    if original.is_reference:
        whose = f"{original.system.name}, a reference system that this site ran on {sent}"
    else:
        whose = f"{original.system.name} by {original.submitter.get_username()}, submitted {sent}"
    if likeness.kind == Likeness.Kind.SAME_MISTAKES:
        return (
            f"This file repeats at least {LEAST_SHARE:.0%} of the wrong answers, and at least {LEAST_SHARE:.0%} of "
            f"the other answers, of {whose}."
        )
    return f"This file has the same answers as {whose}."


def evidence(alike: Sequence[Likeness], version: Version, reader: Any) -> dict[str, object]:
    """Return original submissions and numbers of equal answers. Numbers that reveal gold need `view_gold`."""
    of_gold = alike[0].kind == Likeness.Kind.SAME_MISTAKES
    if of_gold and version.shown_step and not permissions.may(reader, permissions.VIEW_GOLD):
        counts: dict[str, object] = {}
    elif of_gold:
        counts = {"counted": [counted(each) for each in alike]}
    else:
        counts = alike[0].evidence
    return counts | {"submissions": [_named(each.original) for each in alike]}


def counted(likeness: Likeness) -> str:
    found = likeness.evidence
    wrong = f"{found['wrong_answers_here']:,} of {found['wrong_answers']:,} wrong answers"
    return f"{wrong} and {found['other_answers_here']:,} of {found['other_answers']:,} other answers are the same"


def _named(original: Submission) -> str:
    sent = minute(original.created_at)
    return f"{str(original.pk)[:8]} by {original.submitter.get_username()} ({original.system}), {sent}"


@transaction.atomic
def mark_seen(submission: Submission, *, actor: Any) -> int:
    """Mark the likenesses of a submission as seen by a moderator. Returns how many were not marked before."""
    new = Likeness.objects.filter(submission=submission, seen_at=None)
    seen = new.update(seen_at=Now(), seen_by=actor)
    if seen:
        audit.record("look at", submission)
    return seen
