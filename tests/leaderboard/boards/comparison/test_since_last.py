"""Changes since a system's last submission: which one that is, and what is shown of it."""

from __future__ import annotations

import pytest
from django.urls import reverse

from leaderboard.boards.comparison.since_last import since_last
from leaderboard.submissions.models import Submission
from tests.leaderboard.conftest import RANKED

PRIVATE = Submission.Visibility.PRIVATE


def test_the_first_submission_has_none_before(submit, version, system, user) -> None:
    assert since_last(submit(version, system), user) is None


def test_the_last_one_is_set_beside_this_one(submit, version, system, user) -> None:
    worse, better = submit(version, system, wrong=2), submit(version, system)
    changes = since_last(better, user)
    assert changes is not None
    assert changes.last == worse
    assert changes.change.gap > 0
    assert [(each.pattern, each.count, len(each.rows)) for each in changes.rows] == [
        ("wr", 2, 2),
        ("rw", 0, 0),
    ]


def test_the_nearest_one_before_counts_and_none_after(submit, version, system, user) -> None:
    first, second, third = (submit(version, system, wrong=wrong) for wrong in (3, 2, 1))
    assert since_last(third, user).last == second
    assert since_last(second, user).last == first


def test_a_private_one_is_last_for_its_owner_alone(submit, version, system, user, other) -> None:
    public, private, newest = (
        submit(version, system),
        submit(version, system, wrong=1, visibility=PRIVATE),
        submit(version, system, wrong=2),
    )
    assert since_last(newest, user).last == private
    assert since_last(newest, other).last == public


def test_another_version_and_another_system_are_no_last_one(
    submit, version, make_version, system, user
) -> None:
    from leaderboard.submissions.models import System

    submit(make_version(name="other"), system)
    submit(version, System.objects.create(owner=user, name="Other"))
    assert since_last(submit(version, system), user) is None


def test_an_ungraded_one_says_nothing(submit, version, system, user) -> None:
    submit(version, system)
    assert since_last(submit(version, system, grade=False), user) is None


def test_the_page_says_how_far_and_which_rows(client, submit, version, system, user) -> None:
    submit(version, system, wrong=2)
    newest = submit(version, system)
    client.force_login(user)
    html = " ".join(client.get(newest.get_absolute_url()).content.decode().split())
    assert "Since the last result" in html
    assert "<b>2</b> rows gained</a>" in html
    assert "<b>0</b> rows lost</a>" in html


@pytest.fixture
def sealed(make_version):
    return make_version(name="sealed", sealed=True, generator=RANKED)


def test_of_a_version_that_keeps_its_answers_the_difference_is_that_of_the_shown_figures(
    client, submit, sealed, system, user
) -> None:
    assert sealed.shown_step
    last = submit(sealed, system, wrong=40, declared=True)
    newest = submit(sealed, system, declared=True)
    changes = since_last(newest, user)
    assert changes.rows == []
    assert changes.change.difference.value == pytest.approx(newest.score.headline - last.score.headline)
    client.force_login(user)
    html = " ".join(client.get(newest.get_absolute_url()).content.decode().split())
    assert "differences are computed from the rounded metrics, and rows are not listed" in html
    assert "rows gained" not in html


def test_two_uploads_that_were_not_declared_are_not_set_beside_each_other_and_the_page_says_why(
    client, submit, sealed, system, user
) -> None:
    last, newest = submit(sealed, system, wrong=2), submit(sealed, system)
    client.force_login(user)
    html = " ".join(client.get(newest.get_absolute_url()).content.decode().split())
    assert "these uploads were not declared as entries" in html
    assert "Compare one of them with a declared entry" in html
    assert "Compare the two" not in html
    assert 'id="pictures"' not in html  # an entry that was not declared shows its headline alone
    pair = f"?s={last.pk}&s={newest.pk}"
    page = client.get(f"{reverse('leaderboard:compare')}{pair}")
    assert page.status_code == 400
    assert "these uploads were not declared as entries" in page.content.decode()
    for kind in ("json", "csv", "parquet"):
        assert client.get(reverse("leaderboard:compare_tidy", args=[kind]) + pair).status_code == 404
    for table in ("differences", "conditions", "rows"):
        assert client.get(reverse("leaderboard:compare_export", args=[table]) + pair).status_code == 404
    assert client.get(reverse("leaderboard:compare_figure") + pair).status_code == 404
