"""Places are kept in the cache, and never outlive their board."""

from __future__ import annotations

import pytest

from leaderboard.boards import rows as boards
from leaderboard.boards.placements import placements
from leaderboard.boards.slices import WHOLE
from leaderboard.submissions import services as submissions
from leaderboard.submissions.models import Submission, System


@pytest.fixture
def pair(version, user, submit):
    """Two systems, each with a better submission (shown) and a worse one; sums of two ids are equal."""
    first, second = (System.objects.create(owner=user, name=name) for name in ("First", "Second"))
    better, worse = submit(version, first), submit(version, first, wrong=3)
    other_worse, other_better = (
        submit(version, second, wrong=4),
        submit(version, second, wrong=1, declared=True),
    )
    last = submit(version, System.objects.create(owner=user, name="Last"))
    assert better.score_id + other_better.score_id == worse.score_id + other_worse.score_id
    assert last.score_id > other_better.score_id
    return better, other_better


def test_a_board_of_other_submissions_with_the_same_sum_of_ids_is_another_board(client, version, pair, user):
    address = version.get_board_url()
    assert all(str(made.pk) in client.get(address).content.decode() for made in pair)
    for made in pair:
        submissions.set_visibility(made, "private", actor=user)
    page = client.get(address).content.decode()
    assert [str(made.pk) for made in pair if str(made.pk) in page] == []


def test_a_submission_that_left_the_board_gets_no_kept_place(version, system, submit):
    made = submit(version, system)
    kept = placements.board_placements(version, Submission.objects.on_board(version), WHOLE)
    assert [row.submission for row in boards.rows(version, kept)] == [made]
    Submission.objects.filter(pk=made.pk).update(shown=False)
    assert boards.rows(version, kept) == []


def test_a_regrade_by_the_same_grader_changes_the_places(version, system, submit, django_assert_num_queries):
    made = submit(version, system)
    shown = Submission.objects.on_board(version)
    placements.board_placements(version, shown, WHOLE)
    with django_assert_num_queries(1):
        placements.board_placements(version, shown, WHOLE)
    submissions.regrade(made)
    assert submissions.grade(str(made.pk))
    with django_assert_num_queries(3):  # the state, the figures, the guessing line
        placements.board_placements(version, shown, WHOLE)
