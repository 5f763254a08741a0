"""The submission of a system on a board: the one declared before it was graded, else the first public one."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from leaderboard.submissions import services as submissions
from leaderboard.submissions.models import Event, Submission
from leaderboard.submissions.services import publishing
from tests.leaderboard.boards.whole import board_rows


def shown() -> Submission | None:
    return Submission.objects.filter(shown=True).first()


def test_a_better_one_does_not_take_the_place_of_the_first(version, system, submit):
    first, better = submit(version, system, wrong=3), submit(version, system)
    assert better.score.headline > first.score.headline
    assert shown() == first
    assert [(row.attempts, row.entry) for row in board_rows(version)] == [(2, "first")]


def test_one_that_was_declared_takes_it_whatever_it_scores(version, system, submit):
    submit(version, system)
    worse = submit(version, system, wrong=3, declared=True)
    assert shown() == worse
    submit(version, system)
    assert shown() == worse
    assert [(row.attempts, row.entry) for row in board_rows(version)] == [(3, "declared")]
    assert worse.events.filter(kind=Event.Kind.DECLARED).exists()


def test_the_place_is_kept_until_the_declared_one_is_graded(version, system, submit):
    first, declared = submit(version, system), submit(version, system, declared=True, grade=False)
    assert shown() == first
    submissions.grade(str(declared.pk))
    assert shown() == declared


def test_where_the_first_is_withdrawn_the_next_stands_and_the_board_says_that_it_was_chosen(
    version, system, submit
):
    first, second = submit(version, system, wrong=3), submit(version, system)
    submissions.withdraw(first, actor=system.owner)
    assert shown() == second
    assert [(row.attempts, row.entry) for row in board_rows(version)] == [(2, "chosen")]
    submissions.set_visibility(second, "private", actor=system.owner)
    assert shown() is None


def test_hiding_a_declared_one_leaves_one_that_counts_as_chosen(version, system, submit):
    good, bad = submit(version, system, declared=True), submit(version, system, wrong=3, declared=True)
    assert shown() == bad
    submissions.set_visibility(bad, "private", actor=system.owner)
    assert shown() == good
    assert [row.entry for row in board_rows(version)] == ["chosen"]


def test_what_was_tried_in_private_first_is_counted_and_said(version, system, submit):
    submit(version, system, visibility="private", wrong=3)
    public = submit(version, system)
    assert shown() == public
    assert [(row.attempts, row.entry) for row in board_rows(version)] == [(2, "chosen")]


def test_an_entry_is_public_from_the_start(version, system, submit):
    with pytest.raises(submissions.PrivateEntryError, match="public from the start"):
        submit(version, system, visibility="private", declared=True)


ATTEMPTS = st.lists(
    st.tuples(st.floats(0, 1), st.booleans(), st.booleans(), st.booleans()), min_size=1, max_size=6
)


@given(ATTEMPTS)
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_no_figure_decides_which_submission_is_shown(version, system, submit, attempts):
    """Figures are changed after the choice, which stays."""
    made = list(Submission.objects.filter(system=system).order_by("created_at"))
    while len(made) < len(attempts):
        made.append(submit(version, system))
    unused = made[len(attempts) :]
    Submission.objects.filter(pk__in=[each.pk for each in unused]).update(
        visibility="private", declared=False
    )
    for each, (_, declared, public, _) in zip(made, attempts, strict=False):
        visibility = "public" if public else "private"
        Submission.objects.filter(pk=each.pk).update(declared=declared, visibility=visibility)
    publishing.choose_shown(version, system)
    before = shown()
    for each, (figure, *_) in zip(made, attempts, strict=False):
        type(each.score).objects.filter(pk=each.score_id).update(headline=figure)
    publishing.choose_shown(version, system)
    assert shown() == before
