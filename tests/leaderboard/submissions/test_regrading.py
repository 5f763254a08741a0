"""A new grader: new revisions, old ones stay, and the board shows what changed."""

from __future__ import annotations

import io

import pytest
from django.core.management import CommandError, call_command
from django.urls import reverse

from evaluation.core import statistics
from leaderboard.benchmarks import storage
from leaderboard.boards.placements import rank_changes
from leaderboard.submissions import regrading
from leaderboard.submissions import services as submissions
from leaderboard.submissions.models import Event, Score, Submission, System
from leaderboard.submissions.services import grading, publishing

NEWER = "goldevidence/strict-99"


@pytest.fixture
def newer_later(version, monkeypatch):
    """Gives the suite's grader a new revision."""
    return lambda: monkeypatch.setattr(type(version.bound), "grader", NEWER)


def command(*args):
    out = io.StringIO()
    call_command("regrade", *args, stdout=out)
    return out.getvalue()


def changes(client, version):
    address = reverse("leaderboard:changes", args=[version.benchmark.slug, version.slug])
    return client.get(address).content.decode()


def test_nothing_is_queued_while_the_grader_is_the_same(version, system, submit):
    submit(version, system)
    assert "ranked: 0 to grade again" in command("--version", "goldevidencebench/ranked")


def test_what_the_present_grader_graded_is_queued_where_that_is_asked_for(version, system, submit):
    made = submit(version, system)
    assert regrading.queue(version) == []
    assert regrading.queue(version, again=True) == [str(made.pk)]


def test_a_score_of_earlier_statistics_says_so_until_it_is_graded_again(client, version, system, submit):
    made = submit(version, system)
    note, pages = "were computed by an earlier method", (made.get_absolute_url(), system.get_absolute_url())
    assert all(note not in client.get(page).content.decode() for page in pages)
    before = dict(made.score.intervals)
    Score.objects.filter(pk=made.score.pk).update(statistics=1, intervals={"exact_acc": [1.0, 1.0]})
    assert all(note in client.get(page).content.decode() for page in pages)
    assert "1 to grade again" in command("--all", "--again", "--no-wait")
    assert submissions.grade(str(made.pk))
    score = Score.objects.get(submission=made)
    assert (score.statistics, score.intervals) == (statistics.VERSION, before)
    assert all(note not in client.get(page).content.decode() for page in pages)


def test_what_an_older_grader_graded_is_queued_and_graded_again(version, system, submit, newer_later):
    made = submit(version, system)
    newer_later()
    assert "ranked: 1 to grade again" in command("--all", "--no-wait")
    made.refresh_from_db()
    assert made.status == Submission.Status.QUEUED
    assert made.shown, "it stays on the board while it waits"
    assert submissions.grade(str(made.pk))
    made.refresh_from_db()
    assert [score.grader for score in made.scores.order_by("revision")][1] == NEWER
    assert made.score.revision == 2
    assert made.events.filter(kind=Event.Kind.REGRADED).count() == 1
    assert "ranked: 0 to grade again" in command("--all")


def test_old_revisions_stay_readable(client, version, system, submit, newer_later):
    made = submit(version, system)
    old = made.score.grader
    newer_later()
    regrading.queue(version)
    submissions.grade(str(made.pk))
    page = client.get(made.get_absolute_url(), {"revision": 1}).content.decode()
    assert f"Graded</span> by {old}" in " ".join(page.split())
    assert NEWER in client.get(made.get_absolute_url()).content.decode()


def test_a_withdrawn_submission_is_graded_again_and_stays_withdrawn(
    version, system, submit, user, newer_later
):
    made = submit(version, system)
    submissions.withdraw(made, actor=user)
    newer_later()
    assert regrading.queue(version) == [str(made.pk)]
    assert submissions.grade(str(made.pk))
    made.refresh_from_db()
    assert (made.status, made.shown) == (Submission.Status.WITHDRAWN, False)


def test_a_regrade_that_fails_leaves_the_old_score_on_the_board(
    version, system, submit, newer_later, monkeypatch
):
    made = submit(version, system)
    newer_later()
    ids = regrading.queue(version)
    monkeypatch.setattr(grading, "MAX_ERRORS", 1)
    monkeypatch.setattr(type(version.bound), "grade", lambda *_: 1 / 0)
    assert not submissions.grade(str(made.pk))
    made.refresh_from_db()
    assert (made.status, made.shown, made.score.revision) == (Submission.Status.GRADED, True, 1)
    assert regrading.progress(ids) == regrading.Progress(total=1, done=1, failed=1)


def test_an_unknown_version_is_refused(version):
    with pytest.raises(CommandError, match="no frozen version"):
        command("--version", "goldevidencebench/none")


@pytest.fixture
def version(ranked_version):
    """A version with enough units for ranks, which a regrading compares."""
    return ranked_version


@pytest.fixture
def swapped(version, user, submit, predictions, newer_later):
    """Two systems that a newer grader judges the other way round, and one that came later."""
    systems = [System.objects.create(owner=user, name=name) for name in ("Up", "Down")]
    made = [submit(version, systems[0], executor="naive"), submit(version, systems[1])]
    newer_later()
    for submission, executor in zip(made, ("ledger", "naive"), strict=True):
        answers = storage.rows(storage.keep(predictions(version, executor)))
        report = version.bound.grade(storage.rows(version.gold_sha256), answers)
        publishing.publish_score(submission, report, verdicts="", seconds=0)
    submit(version, System.objects.create(owner=user, name="Later"))
    return made


def test_a_round_ranks_the_same_submissions_by_both_gradings(version, swapped):
    (result,) = rank_changes.rounds(version)
    assert (result.grader, result.submissions, result.moved) == (NEWER, 2, 2)
    ranks = {change.system.name: (change.before.rank, change.after.rank) for change in result.changes}
    assert ranks == {"Up": (None, 1), "Down": (1, None)}
    assert {change.system.name: round(change.difference, 3) for change in result.changes} == {
        "Up": 1.0,
        "Down": -1.0,
    }


def test_private_and_withdrawn_submissions_take_no_part(version, swapped, user):
    submissions.withdraw(swapped[0], actor=user)
    submissions.set_visibility(swapped[1], Submission.Visibility.PRIVATE, actor=user)
    assert rank_changes.rounds(version) == []


def test_the_page_tells_what_changed_and_links_both_revisions(client, version, swapped):
    page = changes(client, version)
    assert "ranked now" in page
    assert "no longer ranked" in page
    assert f"{swapped[0].get_absolute_url()}?revision=1" in page
    assert f"{swapped[0].get_absolute_url()}?revision=2" in page


def test_a_version_that_was_graded_once_says_so(client, version, system, submit):
    submit(version, system)
    assert "Graded once" in changes(client, version)


def test_a_board_that_was_graded_once_is_not_read_for_its_changes(
    version, system, submit, django_assert_num_queries
):
    submit(version, system)
    with django_assert_num_queries(1) as queries:
        assert rank_changes.rounds(version) == []
    assert [column for column in ("unit_scores", '"metrics"', "groups") if column in queries[0]["sql"]] == []


def test_a_round_reads_the_same_few_queries_and_no_groups(version, swapped, django_assert_num_queries):
    with django_assert_num_queries(6) as queries:
        (result,) = rank_changes.rounds(version)
        assert len(result.changes) == 2
    assert [query for query in queries if "cell_scores" in query["sql"] or '"groups"' in query["sql"]] == []
