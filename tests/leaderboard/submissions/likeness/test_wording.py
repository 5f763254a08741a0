"""The notices of similar files, and who sees them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.auth.models import Group

from leaderboard.benchmarks.models import Version
from leaderboard.submissions import services as submissions
from leaderboard.submissions.models import Likeness, Submission
from tests.leaderboard.submissions.likeness.conftest import Lines, Send, lines_of, spoilt

PRIVATE, PUBLIC = Submission.Visibility.PRIVATE, Submission.Visibility.PUBLIC
Run = Callable[[Version, str], Submission]


@pytest.fixture
def moderator(db: None, django_user_model: Any) -> Any:
    made = django_user_model.objects.create_user("mo", "mo@example.org", "a long passphrase", is_staff=True)
    made.groups.add(Group.objects.get(name="Moderators"))
    return made


def page(client: Any, submission: Submission, reader: Any = None) -> str:
    client.logout()
    if reader:
        client.force_login(reader)
    text: str = client.get(submission.get_absolute_url()).content.decode()
    return " ".join(text.split())


def answer(client: Any, submission: Submission, reader: Any = None) -> dict[str, Any]:
    client.logout()
    if reader:
        client.force_login(reader)
    told: dict[str, Any] = client.get(f"/api/v1/submissions/{submission.pk}").json()
    return told


def naive(version: Version, *altered: int) -> Lines:
    return spoilt(lines_of(version, "naive"), altered)


def test_every_reader_of_a_copy_is_told_whose_answers_it_holds(
    client: Any, version: Version, user: Any, other: Any, send: Send
) -> None:
    lines = lines_of(version, "ledger")
    first, copied = send(version, user, lines, "First"), send(version, other, lines)
    said = f"This file has the same answers as First by ada, submitted {first.created_at:%-d %b %Y}."
    for reader in (None, user, other):
        assert said in page(client, copied, reader)
        assert "This file has" not in page(client, first, reader)
    assert answer(client, copied)["alike"] == [{"code": "same_file", "message": said}]
    assert answer(client, first)["alike"] == []


def test_flags_show_it_with_its_evidence_to_moderators_only(
    client: Any, version: Version, user: Any, other: Any, moderator: Any, send: Send
) -> None:
    lines = lines_of(version, "ledger")
    first, copied = send(version, user, lines, "First"), send(version, other, lines)
    assert answer(client, copied)["flags"] is None
    (flag,) = answer(client, copied, moderator)["flags"]
    assert flag["code"] == "same_file"
    assert flag["text"].startswith("This file has the same answers as First by ada")
    assert flag["evidence"]["sha256"] == first.file_sha256
    assert "ada (First" in flag["evidence"]["submissions"][0]
    assert [each["flags"] for each in client.get("/api/v1/submissions").json()["items"]] == [[flag], []]


def test_a_private_original_is_named_to_moderators_alone(
    client: Any, version: Version, user: Any, other: Any, moderator: Any, send: Send
) -> None:
    lines = lines_of(version, "ledger")
    first = send(version, user, lines, "First", visibility=PRIVATE)
    copied = send(version, other, lines)
    assert "This file has" not in page(client, copied)
    assert "This file has" not in page(client, copied, other)
    assert answer(client, copied, other)["alike"] == []
    assert "This file has the same answers as First by ada" in page(client, copied, moderator)
    submissions.set_visibility(first, PUBLIC, actor=user)
    assert "This file has the same answers as First by ada" in page(client, copied)


def test_a_reference_system_is_called_one(
    client: Any, ranked_version: Version, user: Any, run_reference: Run, send: Send
) -> None:
    run_reference(ranked_version, "naive")
    copied = send(ranked_version, user, naive(ranked_version, 11))
    said = (
        "This file repeats at least 90% of the wrong answers, and at least 90% of the other answers, of naive, a "
        "reference system that"
    )
    assert said in page(client, copied)


def test_a_mean_says_what_its_repeats_are_like(
    client: Any, version: Version, user: Any, other: Any, send: Send
) -> None:
    lines = lines_of(version, "ledger")
    send(version, user, lines, "First")
    made = [send(version, other, lines, declared=True, repeats=2), send(version, other, lines)]
    mean = Submission.objects.with_names().get(source="mean")
    assert {each.mean_id for each in Submission.objects.filter(pk__in=[one.pk for one in made])} == {mean.pk}
    assert page(client, mean).count("This file has the same answers as First") == 1


def test_a_sealed_version_tells_readers_the_fact_and_no_count(
    client: Any, kept: Version, user: Any, moderator: Any, staff: Any, run_reference: Run, send: Send
) -> None:
    run_reference(kept, "naive")
    copied = send(kept, user, [line | {"note": "mine"} for line in naive(kept)])
    assert copied.likenesses.get().kind == "same_answers"
    counts = {"wrong_answers": 17, "wrong_answers_here": 16, "other_answers": 63, "other_answers_here": 60}
    Likeness.objects.update(kind="same_mistakes", evidence=counts)
    assert "90% of the other answers, of naive" in page(client, copied)
    for reader, is_shown in ((moderator, False), (staff, True)):
        (flag,) = answer(client, copied, reader)["flags"]
        assert ("counted" in flag["evidence"]) is is_shown
        assert (
            "16 of 17 wrong answers and 60 of 63 other answers are the same" in page(client, copied, reader)
        ) is is_shown


def test_a_sealed_version_tells_readers_nothing_that_depends_on_which_rows_are_right(
    client: Any, kept: Version, user: Any, other: Any, moderator: Any, send: Send
) -> None:
    lines = spoilt(lines_of(kept, "ledger"), range(29))
    send(kept, other, lines, "First")
    copied = send(kept, user, spoilt(lines, [50, 60, 70]))
    assert [(each.kind, each.told) for each in copied.likenesses.all()] == [("same_mistakes", False)]
    assert "This file has" not in page(client, copied)
    assert answer(client, copied, user)["alike"] == []
    assert "90% of the other answers, of First by ben" in page(client, copied, moderator)
    kept.retire()
    assert "90% of the other answers, of First by ben" in page(client, copied)
