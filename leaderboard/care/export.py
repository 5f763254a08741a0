"""Streams all data of an account as a zip that is written while it is sent, without disk space or a job."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Iterator
from typing import IO, Any, cast

from django.core.serializers.json import DjangoJSONEncoder
from django.db.models import QuerySet

from leaderboard.accounts.models import StaffAct
from leaderboard.benchmarks import storage
from leaderboard.notices.models import NoticeSettings
from leaderboard.runs.models import Run
from leaderboard.submissions.models import Submission, System

#: Personal columns. Hashes of passwords and tokens are excluded.
_PROFILE = ("username", "email", "first_name", "last_name", "date_joined", "last_login", "is_staff")
_SUBMISSION = (
    "id", "source", "verified", "visibility", "status", "note", "file_name", "file_sha256", "file_bytes", "row_count",
    "conditions", "efficiency", "row_states", "provenance", "declared", "repeats", "repeat", "mean_id", "created_at",
    "graded_at", "withdrawn_at", "error",
)  # fmt: skip
_RUN = (
    "id",
    "executor",
    "settings",
    "status",
    "created_at",
    "started_at",
    "finished_at",
    "submission_id",
    "error",
)
_ACT = ("at", "via", "act", "kind", "object_id", "object_name", "before", "after")
_CHUNK = 1 << 20


class _Sink:
    """File object that buffers the zip's output until it is sent."""

    def __init__(self) -> None:
        self._parts: list[bytes] = []

    def write(self, data: bytes) -> int:
        self._parts.append(bytes(data))
        return len(data)

    def flush(self) -> None:
        """Required by `ZipFile`."""

    def taken(self) -> bytes:
        data = b"".join(self._parts)
        self._parts.clear()
        return data


def zipped(user: Any) -> Iterator[bytes]:
    """Yield chunks of the zip, with profile, systems, submissions with predictions, runs and actions as staff."""
    sink = _Sink()
    with zipfile.ZipFile(cast(IO[bytes], sink), "w", zipfile.ZIP_STORED) as packed:
        for name, content in _documents(user).items():
            packed.writestr(name, json.dumps(content, cls=DjangoJSONEncoder, indent=1, ensure_ascii=False))
            yield sink.taken()
        missing = []
        for submission in _with_files(user).iterator(200):
            for name, sha256 in _files(submission):
                try:
                    yield from _packed(packed, sink, name, sha256)
                except storage.DamagedFileError as error:
                    missing.append(f"{name}: {error}\n")
        if missing:
            packed.writestr("missing.txt", "".join(missing))
    yield sink.taken()


def _packed(packed: zipfile.ZipFile, sink: _Sink, name: str, sha256: str) -> Iterator[bytes]:
    with storage.open_packed(sha256) as source, packed.open(name, "w", force_zip64=True) as target:
        while chunk := source.read(_CHUNK):
            target.write(chunk)
            yield sink.taken()


def _with_files(user: Any) -> QuerySet[Submission]:
    return Submission.objects.filter(submitter=user).order_by("created_at", "pk")


def _files(submission: Submission) -> Iterator[tuple[str, str]]:
    """Yield the name in the zip and the SHA-256 of each stored file, except files that retention removed."""
    for what, sha256 in (
        ("predictions", "" if submission.file_removed_at else submission.file_sha256),
        ("transcripts", submission.transcripts_sha256),
    ):
        if sha256:
            yield f"submissions/{submission.pk}.{what}.jsonl.gz", sha256


def _documents(user: Any) -> dict[str, object]:
    return {
        "account.json": {name: getattr(user, name) for name in _PROFILE}
        | {
            "groups": list(user.groups.values_list("name", flat=True)),
            "addresses": list(user.emailaddress_set.values("email", "verified", "primary")),
            "sign_ins": list(user.socialaccount_set.values("provider", "uid", "date_joined", "extra_data")),
            "teams": list(user.memberships.values("team__account__username", "role", "since")),
            "former_names": list(user.former_names.values("name", "since", "reason")),
            "tokens": list(
                user.api_tokens.values("name", "scopes", "created_at", "expires_at", "last_used_at")
            ),
        },
        "systems.json": [_system(system) for system in System.objects.filter(owner=user).order_by("pk")],
        "submissions.json": [
            _submission(submission)
            for submission in _with_files(user).select_related("score", "system", "version__benchmark")
        ],
        "runs.json": list(Run.objects.filter(started_by=user).order_by("created_at").values(*_RUN)),
        "notices.json": {
            "by_mail": NoticeSettings.for_user(user).by_mail,
            "webhooks": list(user.webhooks.values("url", "events", "created_at", "last_at", "last_answer")),
            "follows": [f"{each.version}" for each in user.follows.select_related("version__benchmark")],
        },
        "acts.json": list(StaffAct.objects.filter(account=user.pk).order_by("at").values(*_ACT)),
    }


def _system(system: System) -> dict[str, object]:
    left_out = ("id", "owner", "settings")
    return {
        field.name: getattr(system, field.name) for field in system._meta.fields if field.name not in left_out
    }


def _submission(submission: Submission) -> dict[str, object]:
    # Figures as on pages: those of a sealed version are rounded.
    score, version = submission.score, submission.version
    shown = (
        {"grader": score.grader, "metrics": score.metrics, "intervals": score.intervals} if score else None
    )
    return {name: getattr(submission, name) for name in _SUBMISSION} | {
        "system": submission.system.slug,
        "version": f"{version.benchmark.slug}/{version.slug}",
        "headline": submission.result,
        "score": shown,
    }
