"""Scores are signed, keys are rotated, and a receipt is verified offline; a changed one is found."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command

from evaluation.cli import main
from evaluation.core.sealing import receipts as envelopes
from leaderboard.benchmarks.models import Version
from leaderboard.submissions import receipts
from leaderboard.submissions.models import Score, Submission, System

Submit = Callable[..., Submission]


@pytest.fixture
def made(version: Version, system: System, submit: Submit) -> Submission:
    return submit(version, system, wrong=2)


def receipt_of(client: Any, submission: Submission) -> dict[str, Any]:
    answer = client.get(f"/api/v1/submissions/{submission.pk}/receipt")
    assert answer.status_code == 200
    found: dict[str, Any] = answer.json()
    return found


def keys(client: Any) -> dict[str, Any]:
    published: dict[str, Any] = client.get("/.well-known/receipt-keys.json").json()
    return published


def test_a_key_signs_what_is_there_and_what_comes_and_an_older_key_stays_listed(
    made: Submission, client: Any, django_capture_on_commit_callbacks: Any
) -> None:
    assert client.get(f"/api/v1/submissions/{made.pk}/receipt").status_code == 404
    call_command("receipt_key", verbosity=0)
    first = receipt_of(client, made)
    said = envelopes.verify(first, envelopes.read_keys(keys(client)))
    assert said["subject"] == [{"name": "predictions", "digest": {"sha256": made.file_sha256}}]
    assert said["predicate"]["headline"]["value"] == made.result
    assert "Signed receipt" in client.get(made.get_absolute_url()).content.decode()
    receipts.rotate()
    assert receipt_of(client, made) == first
    assert made.score is not None
    with django_capture_on_commit_callbacks(execute=True):
        made.score.save()  # as a regrade does
    second = receipt_of(client, made)
    assert second["signatures"][0]["keyid"] != first["signatures"][0]["keyid"]
    published = envelopes.read_keys(keys(client))
    assert len(published) == 2
    for each in (first, second):
        envelopes.verify(each, published)
        with pytest.raises(envelopes.ReceiptError, match="none of the given keys"):
            envelopes.verify(each, [envelopes.new_key()[1]])


def test_a_sealed_version_s_receipt_tells_what_is_shown_and_no_hash_of_verdicts(
    make_version: Any, system: System, submit: Submit
) -> None:
    version = make_version(sealed=True)
    submission = submit(version, system, wrong=2)
    score = Score.objects.get(submission=submission)
    said: Any = receipts.statement(score)["predicate"]
    assert said["headline"]["value"] == submission.result
    assert said["verdicts_are_keyed"]
    assert score.verdicts_sha256 not in json.dumps(said)


def test_the_command_verifies_offline_and_finds_a_changed_receipt(
    made: Submission, client: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    receipts.rotate()
    (tmp_path / "keys.json").write_text(json.dumps(keys(client)))
    envelope = receipt_of(client, made)
    (tmp_path / "receipt.json").write_text(json.dumps(envelope))
    words = ["receipt", "verify", str(tmp_path / "receipt.json"), "--key", str(tmp_path / "keys.json")]
    assert main(words) == 0
    assert f"{made.result}" in capsys.readouterr().out
    payload = base64.b64decode(envelope["payload"]).replace(f"{made.result}".encode(), b"0.999")
    envelope["payload"] = base64.b64encode(payload).decode()
    (tmp_path / "receipt.json").write_text(json.dumps(envelope))
    assert main(words) == 1
    assert "the receipt was changed" in capsys.readouterr().err
    (tmp_path / "receipt.json").write_text("{")
    assert main(words) == 2
