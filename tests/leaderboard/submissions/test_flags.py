"""Intake checks: made while grading, shown to staff, and never blocking."""

from __future__ import annotations

import pytest
from django.urls import reverse

from evaluation.core import jsonl
from leaderboard.benchmarks import expected_ids, public_rows, storage
from leaderboard.benchmarks.rows import reading
from leaderboard.submissions import flags
from leaderboard.submissions import services as submissions
from leaderboard.submissions.models import Submission

DROPPED = {"conditions": [{"k": 2, "drop_prob": 1.0}]}


def codes(submission):
    return [flag["code"] for flag in submission.flags]


def flag(submission, code):
    return next(flag for flag in submission.flags if flag["code"] == code)


@pytest.fixture
def send(tmp_path):
    """Submit and grade given lines."""

    def send(version, system, lines):
        jsonl.write(tmp_path / "lines.jsonl", lines)
        accepted = submissions.accept(version, tmp_path / "lines.jsonl")
        made = submissions.create(accepted, system=system, submitter=system.owner)
        assert submissions.grade(str(made.pk))
        return Submission.objects.with_names().get(pk=made.pk)

    return send


@pytest.fixture
def lines(version):
    """The answers of the ledger baseline, three of them spoilt."""
    runner = version.suite.systems()["ledger"].build()
    answers = [runner.predict(row) for row in reading.rows_of(version)]
    for answer in answers[:3]:
        answer["value"] = "spoilt"
    return answers


def test_an_honest_submission_is_not_flagged(version, system, lines, send):
    assert send(version, system, lines).flags == []


def test_a_faultless_upload_is_flagged_and_a_faultless_run_of_the_site_is_not(
    version, system, submit, monkeypatch
):
    monkeypatch.setattr(flags, "NEAR_GOLD_ROWS", 5)
    assert codes(submit(version, system, reported=True)) == ["near_gold"]
    assert codes(submit(version, system, verified=True)) == []


def test_gold_that_was_never_shown_is_evidence(make_version, system, send, monkeypatch):
    monkeypatch.setattr(flags, "UNSEEN_ROWS", 2)
    dropped = make_version(name="dropped", **DROPPED)
    gold = {row[0]: row for record in storage.rows(dropped.gold_sha256) for row in record["rows"]}
    graded = dropped.bound.grade(storage.rows(dropped.gold_sha256), [])
    answers = [{"id": row["id"], **row["gold"]} for row in graded.rows]
    assert len(gold) == len(answers)
    leaked = send(dropped, system, answers)
    assert {"cites_unseen_gold", "answers_unseen_gold"} <= set(codes(leaked))
    splits = expected_ids.expected_rows(dropped).splits
    examples = flag(leaked, "cites_unseen_gold")["evidence"]["examples"]
    assert "closed_book" not in {splits[name] for name in examples}


def test_abstaining_where_the_evidence_is_missing_is_honest(make_version, system, submit):
    dropped = make_version(name="dropped", **DROPPED)
    sent = codes(submit(dropped, system, executor="prefer_update_latest"))
    assert not {"cites_unseen_gold", "answers_unseen_gold"} & set(sent)


def test_every_public_row_carries_the_canary_of_its_version(version, make_version):
    mark = public_rows.canary_text(version)
    rows = list(reading.rows_of(version))
    assert {row["canary"] for row in rows} == {mark}
    assert version.sample["canary"] == mark
    assert public_rows.canary_text(make_version(name="another", seeds=[9])) != mark


def test_another_versions_canary_is_flagged_wherever_it_stands(version, make_version, system, lines, send):
    foreign = public_rows.canary_text(make_version(name="another", seeds=[9]))
    lines[0]["comment"] = f"made of {foreign}"
    sent = send(version, system, lines)
    assert codes(sent) == ["foreign_canary"]
    assert "goldevidencebench/another" in flag(sent, "foreign_canary")["evidence"]["canaries"][0]


def test_its_own_canary_is_flagged_inside_an_answer_only(version, system, lines, send):
    lines[0]["comment"] = public_rows.canary_text(version)
    assert send(version, system, lines).flags == []
    lines[1]["value"] = f"it says {public_rows.canary_text(version)}"
    sent = send(version, system, lines)
    assert codes(sent) == ["canary_in_answer"]
    assert flag(sent, "canary_in_answer")["evidence"]["examples"] == [lines[1]["id"]]


def test_a_check_that_fails_does_not_stop_the_grading(version, system, submit, monkeypatch):
    def broken(submission):
        raise ZeroDivisionError

    monkeypatch.setattr(flags, "CHECKS", (broken,))
    sent = submit(version, system, reported=True)
    assert sent.status == Submission.Status.GRADED
    assert sent.flags == []


def test_only_staff_see_flags(client, version, system, user, other, staff, submit, monkeypatch):
    monkeypatch.setattr(flags, "NEAR_GOLD_ROWS", 5)
    page = submit(version, system, reported=True).get_absolute_url()
    for who, seen in ((None, False), (user, False), (other, False), (staff, True)):
        client.logout()
        if who:
            client.force_login(who)
        assert ("Intake checks" in client.get(page).content.decode()) is seen


def test_the_admin_lists_and_filters_flagged_submissions(admin_client, version, system, submit, monkeypatch):
    plain = submit(version, system, wrong=2, reported=True)
    monkeypatch.setattr(flags, "NEAR_GOLD_ROWS", 5)
    flagged = submit(version, system, reported=True)
    address = reverse("admin:leaderboard_submission_changelist")
    page = admin_client.get(address, {"flagged": "yes"}).content.decode()
    assert "near_gold" in page
    assert str(flagged.pk) in page
    assert str(plain.pk) not in page
    assert str(plain.pk) in admin_client.get(address, {"flagged": "no"}).content.decode()
