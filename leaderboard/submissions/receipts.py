"""Signs each score when it is stored, and again when its version retires and shows exact values."""

from __future__ import annotations

from typing import Any

from django.db import transaction
from django.db.models.signals import post_save
from django.utils import timezone

from evaluation.core.sealing import receipts
from evaluation.core.sealing.commitment import commitment
from leaderboard.benchmarks.models import Version
from leaderboard.benchmarks.sealing.signals import retired
from leaderboard.submissions.models import Receipt, Score, SigningKey


def rotate() -> SigningKey:
    """Make a new key for all further signatures, and sign the scores that have no receipt yet."""
    private, public = receipts.new_key()
    key = SigningKey.objects.create(private=private.hex(), public=public.hex())
    for score in _scores().filter(receipt=None).iterator(100):
        sign(score, key)
    return key


def sign(score: Score, key: SigningKey) -> None:
    envelope = receipts.sign(statement(score), keyid=key.keyid, private=bytes.fromhex(key.private))
    Receipt.objects.update_or_create(score=score, defaults={"envelope": dict(envelope)})


def statement(score: Score) -> dict[str, object]:
    """Return the in-toto statement about a submission's predictions and their score.

    While answers are secret, the hash of the verdicts is keyed, so that readers cannot use it to test guessed answers.
    """
    submission, version = score.submission, score.submission.version
    name = version.headline.name
    low, high = score.interval(name) or (None, None)
    key = version.settings.get("key") if version.commitment else None
    verdicts = (
        commitment(key, score.verdicts_sha256) if key and score.verdicts_sha256 else score.verdicts_sha256
    )
    return {
        "_type": receipts.STATEMENT_TYPE,
        "subject": [{"name": "predictions", "digest": {"sha256": submission.file_sha256}}],
        "predicateType": receipts.PREDICATE_TYPE,
        "predicate": {
            "submission": str(submission.pk),
            "url": submission.get_absolute_url(),
            "system": submission.system.name,
            "version": f"{version.benchmark.slug}/{version.slug}",
            "version_sha256": version.sha256,
            "gold_commitment": version.commitment or None,
            "verdicts": verdicts,
            "verdicts_are_keyed": bool(key),
            "headline": {"name": name, "value": submission.headline_of(score), "low": low, "high": high},
            "metrics": score.metrics,
            "intervals": score.intervals,
            "grader": score.grader,
            "revision": score.revision,
            "statistics": score.statistics,
            "signed_at": timezone.now().isoformat(timespec="seconds"),
        },
    }


def _scores() -> Any:
    return Score.objects.select_related("submission__version__benchmark", "submission__system")


def _sign_again(pk: int) -> None:
    key, score = SigningKey.objects.first(), _scores().filter(pk=pk).first()
    if key is not None and score is not None:
        sign(score, key)


def _on_saved(sender: Any, *, instance: Score, **_: Any) -> None:
    transaction.on_commit(lambda: _sign_again(instance.pk))


def _on_retired(sender: type[Version], *, version_id: int, **_: Any) -> None:
    for pk in Score.objects.filter(submission__version=version_id).values_list("pk", flat=True):
        _sign_again(pk)


def connect() -> None:
    """Connect the signals. Call this after `sealed_figures.connect`, which writes the exact values to sign."""
    post_save.connect(_on_saved, sender=Score, dispatch_uid="scores are signed")
    retired.connect(_on_retired, dispatch_uid="scores of a retired version are signed as they are shown then")
