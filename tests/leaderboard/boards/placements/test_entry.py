"""The page of a result says which submission the board shows, and how to change it."""

from __future__ import annotations

from typing import Any

import pytest
from django.contrib.auth.models import AnonymousUser

from leaderboard.boards.placements.entry import Entry, entry_of
from leaderboard.submissions import services as submissions
from leaderboard.submissions.models import Submission


def told(made: Submission, reader: Any) -> Entry:
    entry = entry_of(Submission.objects.get(pk=made.pk), reader)
    assert entry is not None
    return entry


def test_the_first_public_one_is_shown_and_a_later_one_says_how_it_would_be(
    client, version, system, user, submit
) -> None:
    first, later = submit(version, system, wrong=2), submit(version, system)
    assert (
        told(first, user).said == "The leaderboard shows this result, because it is your first public result."
    )
    assert told(first, AnonymousUser()).said.endswith("because it is the system’s first public result.")
    entry = told(later, user)
    assert entry.shown == first
    assert entry.said == f"The leaderboard shows your first public submission, {first.score.headline:.1%}."
    assert entry.why == "Entries are chosen before the score is known."
    assert entry.next_step == "To show a new result, submit again with “Use on the leaderboard”."
    client.force_login(user)
    assert "Submit again</a>" in client.get(later.get_absolute_url()).content.decode()
    form = client.get(entry.again).context["form"]
    assert form["version"].value() == version.pk
    assert form["system"].value() == str(system.pk)
    assert form["declared"].value() == "on"


def test_others_are_told_no_next_step(version, system, other, submit) -> None:
    submit(version, system, wrong=2)
    entry = told(submit(version, system), other)
    assert (entry.next_step, entry.again) == ("", "")


def test_an_entry_is_named_by_its_day(version, system, user, submit) -> None:
    first, entry = submit(version, system), submit(version, system, wrong=2, declared=True)
    assert told(entry, user).said.endswith("because it was chosen before its score was known.")
    assert f"your entry of {entry.created_at:%-d %b %Y}, " in told(first, user).said


def test_withdrawn_and_private_ones_say_so(version, system, user, submit) -> None:
    made, private = submit(version, system), submit(version, system, visibility="private")
    assert told(private, user).said.startswith("This result is private. The leaderboard shows your first")
    submissions.withdraw(made, actor=user)
    assert told(made, user).said.startswith("This result was withdrawn on ")
    assert (
        told(private, user).said == "This result is private. The leaderboard shows no result of the system."
    )


def test_a_retired_version_has_no_next_step(version, system, user, submit) -> None:
    submit(version, system)
    later = submit(version, system)
    version.retire()
    entry = told(later, user)
    assert entry.shown is not None
    assert not entry.is_asked


def test_a_repeat_leads_to_the_mean(version, system, user, submit) -> None:
    repeat, _ = (submit(version, system, declared=True, repeats=2) for _ in range(2))
    said = told(repeat, user).said
    assert said.startswith("This is repeat 1 of 2. The leaderboard shows your mean of 2 repeats, ")


@pytest.mark.parametrize("grade", [False])
def test_before_it_is_graded_nothing_is_said(version, system, user, submit, grade) -> None:
    assert entry_of(submit(version, system, grade=grade), user) is None


def test_a_version_that_keeps_its_answers_says_what_is_left(make_version, system, user, submit) -> None:
    sealed = make_version(name="sealed", sealed=True)
    submit(sealed, system)
    later = submit(sealed, system)
    assert "uploads left)" in told(later, user).next_step
    for _ in range(2):
        submit(sealed, system, declared=True)
    entry = told(later, user)
    assert entry.next_step == "You have used up all entries that an account may choose on this version."
    assert entry.again == ""
