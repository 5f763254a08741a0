"""What a run of this site exchanged with its model: a stored file, found row by row, and gone with its submission."""

from __future__ import annotations

from collections.abc import Collection
from functools import partial
from typing import IO, Any, cast

from django.db import transaction
from django.db.models.signals import post_delete

from evaluation.adapters.transcripts import TranscriptLine
from evaluation.core import jsonl
from evaluation.frames.grouped_file import RowFile, write_by_id
from leaderboard.accounts import permissions
from leaderboard.benchmarks import storage
from leaderboard.benchmarks.disclosure import State
from leaderboard.submissions import verdicts
from leaderboard.submissions.models import Submission
from leaderboard.submissions.verdicts import copies


def why_withheld(submission: Submission, user: Any) -> str:
    """Why a reader may not see transcripts; empty where they may. Who it is asked for may read the submission.

    Of a sealed version nobody may: a reply beside its prompt is a row with its answer. Where a version's answers can be
    had everybody may; where they lie in a file of others, who may have the predictions.

    Args:
        submission: Whose transcripts; there need be none.
        user: The reader, signed in or not.
    """
    version = submission.version
    if version.disclosure.state == State.SEALED:
        return f"{version} keeps its answers, so it shows no prompts and no replies."
    if reason := verdicts.why_withheld(version, user):
        return reason
    if version.disclosure.shows_seeds or submission.is_open_to(user, permissions.DOWNLOAD_PREDICTIONS):
        return ""
    return f"The replies of {version} are shown to who submitted them."


def may_be_read_by(submission: Submission, user: Any) -> bool:
    """Whether there are transcripts that a reader may see.

    Args:
        submission: Whose transcripts.
        user: The reader, signed in or not.
    """
    return bool(submission.transcripts_sha256) and not why_withheld(submission, user)


def find(submission: Submission, row_ids: Collection[str]) -> dict[str, TranscriptLine]:
    """The transcripts of some rows. The first time a copy is made that is read row by row from then on.

    Args:
        submission: Without transcripts none is found.
        row_ids: Of the rows.

    Returns:
        id -> line, of those that are there.

    Raises:
        storage.DamagedFileError: The stored file is missing or changed.
    """
    if not (sha256 := submission.transcripts_sha256):
        return {}
    path, footer = copies.copy_of(sha256) or copies.make(sha256, partial(_copy, sha256))
    return cast(dict[str, TranscriptLine], RowFile(path, footer=footer).find(row_ids))


def _copy(sha256: str, raw: IO[bytes]) -> None:
    lines = (line for line in storage.lines(sha256) if line.strip())
    write_by_id(((jsonl.parse(line)["id"], line.decode()) for line in lines), raw)


def connect() -> None:
    """Have the stored file deleted with the last submission that names it."""
    post_delete.connect(_discard, sender=Submission, dispatch_uid="transcripts")


def _discard(*, instance: Submission, **_: Any) -> None:
    if sha256 := instance.transcripts_sha256:
        transaction.on_commit(partial(_discard_unnamed, sha256))


def _discard_unnamed(sha256: str) -> None:
    if not Submission.objects.filter(transcripts_sha256=sha256).exists():
        storage.discard(sha256)
        copies.forget(sha256)
