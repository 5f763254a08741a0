"""What looks mistaken in a file that is taken: said to whoever sent it, before and after, and in nobody's way.

The check of the file knows most of it (`evaluation.core.diagnosis`), and that is stored with the submission. Whether
the same file was sent before is asked anew each time, among what everybody may read and what is the sender's own: so it
never tells that somebody else has sent it privately. Nothing here knows an answer.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from django.db.models import Q

from evaluation.core.diagnosis import Finding
from leaderboard.accounts import permissions
from leaderboard.benchmarks.models import Version
from leaderboard.submissions.models import Submission


def same_file(version: Version, sha256: str, user: Any, *, but: Submission | None = None) -> list[Finding]:
    """Whether the same lines were sent for the same version before.

    Args:
        version: What the file answers.
        sha256: Of its lines.
        user: Who sends it. Private submissions of others are not looked at.
        but: The submission that the file became; None before there is one.

    Returns:
        One finding that names the earliest such submission; none where there is no other.
    """
    seen = Q(visibility=Submission.Visibility.PUBLIC) & ~Q(status=Submission.Status.FAILED)
    others = Submission.objects.filter(Q(submitter=user) | seen, version=version, file_sha256=sha256)
    if but is not None:
        others = others.exclude(pk=but.pk).filter(created_at__lte=but.created_at)
    first = others.select_related("system", "submitter").order_by("created_at", "pk").first()
    if first is None:
        return []
    whose = "" if first.submitter_id == user.pk else f" by {first.submitter.get_username()}"
    day = f"{first.created_at:%Y-%m-%d}"
    message = (
        f"The same file was submitted{whose} on {day}, as {first.system.name}: every figure of the two is the same. "
        "Was this the file that was meant?"
    )
    return [Finding("same_file", message)]


def of_submission(submission: Submission, reader: Any) -> list[Finding]:
    """What looks mistaken in the file of a submission.

    Args:
        submission: Any one. A mean of repeats has no file.
        reader: Who asks. It is told to the submitter, and to who may look at private submissions.

    Returns:
        The findings; none for everybody else.
    """
    if submission.is_mean or not may_be_read_by(submission, reader):
        return []
    stored = stored_findings(submission.warnings)
    if submission.source in Submission.OURS:  # made by a run: the same figures are what a repeat is for
        return stored
    return stored + same_file(
        submission.version, submission.file_sha256, submission.submitter, but=submission
    )


def may_be_read_by(submission: Submission, reader: Any) -> bool:
    """Whether the reader is told what looks mistaken in a submission's file.

    Args:
        submission: Any one.
        reader: Who asks.
    """
    return submission.is_open_to(reader, permissions.VIEW_SUBMISSION)


def stored_findings(stored: Sequence[Mapping[str, str]]) -> list[Finding]:
    """Findings as a column of the database has them.

    Args:
        stored: `code` and `message` of each.
    """
    return [Finding(each["code"], each["message"]) for each in stored]
