"""Warnings about a file that was sent before: who sees them, and their text."""

from __future__ import annotations

import pytest

from leaderboard.submissions import file_warnings
from leaderboard.submissions import services as submissions
from leaderboard.submissions.models import Submission, System

PRIVATE, PUBLIC = Submission.Visibility.PRIVATE, Submission.Visibility.PUBLIC


@pytest.fixture
def send(version, predictions):
    """Submits the same file for an account."""

    def sent(account, name: str, visibility: str = PUBLIC) -> Submission:
        accepted = submissions.accept(version, predictions(version))
        system = System.objects.get_or_create(owner=account, name=name)[0]
        return submissions.create(accepted, system=system, submitter=account, visibility=visibility)

    return sent


def told(version, predictions, user) -> list[str]:
    return [
        each.message for each in submissions.dry_run(version, predictions(version), sent_by=user).warnings
    ]


def test_a_public_file_of_another_is_named(send, version, predictions, user, other) -> None:
    send(other, "Theirs")
    (message,) = told(version, predictions, user)
    assert message.startswith(f"The same file was submitted by {other.get_username()} on ")
    assert "as Theirs" in message


def test_a_private_file_of_another_does_not_exist(send, version, predictions, user, other) -> None:
    send(other, "Theirs", PRIVATE)
    assert told(version, predictions, user) == []
    mine = send(user, "Mine")
    assert file_warnings.for_submission(mine, user) == []


def test_ones_own_private_file_is_named(send, version, predictions, user) -> None:
    send(user, "Mine", PRIVATE)
    (message,) = told(version, predictions, user)
    assert "as Mine" in message


def test_what_becomes_private_is_not_told_any_more(send, user, other) -> None:
    first, mine = send(other, "Theirs"), send(user, "Mine")
    assert [each.code for each in file_warnings.for_submission(mine, user)] == ["same_file"]
    submissions.set_visibility(first, PRIVATE, actor=other)
    assert file_warnings.for_submission(mine, user) == []


def test_a_moderator_hears_no_more_than_the_submitter(send, user, other, staff) -> None:
    send(other, "Theirs", PRIVATE)
    assert file_warnings.for_submission(send(user, "Mine"), staff) == []


def test_only_its_owner_is_warned_of_a_submission(send, user, other) -> None:
    send(user, "Mine")
    again = send(user, "Again")
    assert file_warnings.for_submission(again, user)
    assert file_warnings.for_submission(again, other) == []


def test_the_first_of_two_is_not_warned_of_the_second(send, user) -> None:
    first = send(user, "Mine")
    send(user, "Again")
    assert file_warnings.for_submission(first, user) == []


def test_the_api_warns_the_sender_alone_before_and_after(
    send, version, predictions, user, ada, anybody, other
) -> None:
    send(other, "Theirs")
    address = f"{version.benchmark.slug}/{version.slug}"
    data = predictions(version).read_bytes()
    checked = ada("POST", f"/versions/{address}/validate", data, kind="application/jsonl").json()
    assert [each["code"] for each in checked["warnings"]] == ["same_file"]
    sent = ada("POST", f"/submissions?version={address}&system=Mine", data, kind="application/jsonl").json()
    assert [each["code"] for each in sent["warnings"]] == ["same_file"]
    one = f"/submissions/{sent['id']}"
    assert [each["code"] for each in ada("GET", one).json()["warnings"]] == ["same_file"]
    assert anybody("GET", one).json()["warnings"] is None
    assert all(each["warnings"] is None for each in ada("GET", "/submissions").json()["items"])


def test_the_api_says_what_a_refused_file_seems_to_be(version, ada) -> None:
    address = f"{version.benchmark.slug}/{version.slug}"
    answer = ada(
        "POST", f"/versions/{address}/validate", b"id,value\nE1,amber\nE2,blue\n", kind="application/jsonl"
    )
    assert answer.status_code == 422
    problem = answer.json()
    assert problem["guess"]["code"] == "read_as"
    assert problem["groups"][0] == {
        "code": "not_json",
        "message": problem["problems"][0]["message"],
        "count": 3,
        "lines": "1–3",
    }
    assert "Read as a table: 0 answers used, 2 for rows that the version does not have." in problem["detail"]


def test_a_byte_order_mark_makes_no_other_file(version, predictions, tmp_path) -> None:
    plain = predictions(version)
    marked = tmp_path / "marked.jsonl"
    marked.write_bytes(b"\xef\xbb\xbf" + plain.read_bytes())
    assert submissions.accept(version, marked).sha256 == submissions.accept(version, plain).sha256


def test_warnings_of_a_sealed_version_are_the_same_for_right_and_for_wrong_answers(
    make_version, predictions, user
) -> None:
    sealed = make_version(name="sealed", sealed=True)
    right = submissions.dry_run(sealed, predictions(sealed), sent_by=user)
    wrong = submissions.dry_run(sealed, predictions(sealed, wrong=3), sent_by=user)
    assert right.warnings == wrong.warnings == []
