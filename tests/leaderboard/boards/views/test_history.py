"""Every submission that the reader may see, by system, account, version and state."""

from __future__ import annotations

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from leaderboard.submissions import services as submissions
from leaderboard.submissions.models import Submission, System


@pytest.fixture
def cast(version, user, other, submit):
    """A shown, a withdrawn and a private submission of ada, and one of ben."""
    mine = System.objects.create(owner=user, name="Mine")
    made = {
        "shown": submit(version, mine, note="temperature 0"),
        "withdrawn": submit(version, mine, wrong=1),
        "private": submit(version, mine, visibility=Submission.Visibility.PRIVATE),
        "theirs": submit(version, System.objects.create(owner=other, name="Theirs"), wrong=2),
    }
    submissions.withdraw(made["withdrawn"], actor=user)
    return made


def listed(client, cast, **query):
    """The submissions of the cast that the page links."""
    html = client.get(reverse("leaderboard:history"), query).content.decode()
    return {name for name, submission in cast.items() if submission.get_absolute_url() in html}


def test_the_public_sees_withdrawn_and_no_private_submissions(client, cast):
    assert listed(client, cast) == {"shown", "withdrawn", "theirs"}


def test_the_owner_and_staff_see_private_ones(client, cast, user, other, staff):
    for who, seen in ((user, True), (other, False), (staff, True)):
        client.force_login(who)
        assert ("private" in listed(client, cast)) is seen


@pytest.mark.parametrize(
    ("query", "names"),
    [
        ({"system": "ada/mine"}, {"shown", "withdrawn"}),
        ({"account": "ben"}, {"theirs"}),
        ({"status": "withdrawn"}, {"withdrawn"}),
        ({"q": "temperature"}, {"shown"}),
        ({"q": "their"}, {"theirs"}),
        ({"version": "goldevidencebench/tiny", "account": "ada"}, {"shown", "withdrawn"}),
        ({"system": "ada/unknown"}, set()),
    ],
)
def test_it_is_filtered_by_the_address(client, cast, query, names):
    assert listed(client, cast, **query) == names


def test_it_sorts_and_refuses_nonsense_quietly(client, cast):
    html = client.get(reverse("leaderboard:history"), {"sort": "headline"}).content.decode()
    places = [html.index(cast[name].get_absolute_url()) for name in ("theirs", "withdrawn", "shown")]
    assert places == sorted(places)
    assert (
        client.get(reverse("leaderboard:history"), {"version": "x", "page": "y", "sort": "z"}).status_code
        == 200
    )


def test_graded_submissions_can_be_ticked_for_a_comparison(client, cast, version, system, submit):
    waiting = submit(version, system, grade=False)
    html = client.get(reverse("leaderboard:history")).content.decode()
    assert f'form="compare" value="{cast["shown"].pk}"' in html
    assert f'form="compare" value="{waiting.pk}"' not in html


def test_the_number_of_queries_does_not_grow(client, version, user, submit, django_assert_max_num_queries):
    for number in range(6):
        submit(version, System.objects.create(owner=user, name=f"S{number}"))
    with django_assert_max_num_queries(6):
        client.get(reverse("leaderboard:history"))


def test_the_events_of_a_submission_are_told_in_order(client, cast):
    html = client.get(cast["withdrawn"].get_absolute_url()).content.decode()
    places = [html.index(f"<li>{word}") for word in ("Received", "Queued", "Graded", "Withdrawn")]
    assert places == sorted(places)


def test_the_board_says_how_many_attempts_there_were_with_withdrawn_and_private_ones(client, cast, version):
    html = client.get(version.get_board_url()).content.decode()
    assert "3 attempts" in html


def test_a_list_leaves_out_what_only_a_submissions_own_page_shows(client, cast):
    """A field that was left out and is read after all would cost a query per row."""
    with CaptureQueriesContext(connection) as asked:
        client.get(reverse("leaderboard:history"))
    assert len(asked) <= 6
    for large in ("sample", "groups", "unit_scores", "cell_scores", "provenance"):
        assert not [
            query
            for query in asked
            if '"leaderboard_submission"."id"' in query["sql"] and f'"{large}"' in query["sql"]
        ]
