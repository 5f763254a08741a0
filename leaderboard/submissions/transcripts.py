"""Finds the transcripts of a run by row, decides who may read them, and deletes unused transcripts."""

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
    """Return the reason why the user may not see a submission's transcripts. Empty if they may.

    On a sealed version, transcripts are hidden from all readers, because they contain rows with answers. If answers
    are public or can be generated, all readers may see them. Otherwise a reader must be allowed to download the
    predictions.
    """
    version = submission.version
    if version.disclosure.state == State.SEALED:
        return f"{version} is sealed, so its prompts and replies are not shown."
    if reason := verdicts.why_withheld(version, user):
        return reason
    if version.disclosure.shows_seeds or submission.is_open_to(user, permissions.DOWNLOAD_PREDICTIONS):
        return ""
    return f"Prompts and replies on {version} are shown to the submitter only."


def may_be_read_by(submission: Submission, user: Any) -> bool:
    """True if the submission has transcripts and the reader may see them."""
    return bool(submission.transcripts_sha256) and not why_withheld(submission, user)


def find(submission: Submission, row_ids: Collection[str]) -> dict[str, TranscriptLine]:
    """Return the transcript of each row, from a local copy made at first use. Raises storage.DamagedFileError."""
    if not (sha256 := submission.transcripts_sha256):
        return {}
    path, footer = copies.copy_of(sha256) or copies.make(sha256, partial(_copy, sha256))
    return cast(dict[str, TranscriptLine], RowFile(path, footer=footer).find(row_ids))


def _copy(sha256: str, raw: IO[bytes]) -> None:
    lines = (line for line in storage.lines(sha256) if line.strip())
    write_by_id(((jsonl.parse(line)["id"], line.decode()) for line in lines), raw)


def connect() -> None:
    """Connect the signal that deletes stored transcripts once no submission uses them."""
    post_delete.connect(_discard, sender=Submission, dispatch_uid="transcripts")


def _discard(*, instance: Submission, **_: Any) -> None:
    if sha256 := instance.transcripts_sha256:
        transaction.on_commit(partial(_discard_unnamed, sha256))


def _discard_unnamed(sha256: str) -> None:
    if not Submission.objects.filter(transcripts_sha256=sha256).exists():
        storage.discard(sha256)
        copies.forget(sha256)
