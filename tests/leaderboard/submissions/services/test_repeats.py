"""Entries of k repeats: declared together, scored together, and none dropped for its figures."""

from __future__ import annotations

import pytest

from leaderboard.runs.model_job import JobError
from leaderboard.submissions import services as submissions
from leaderboard.submissions.models import Event, Submission
from leaderboard.submissions.services import repeats
from tests.leaderboard.boards.whole import board_rows


def shown() -> Submission | None:
    return Submission.objects.filter(shown=True).first()


@pytest.fixture
def declare(version, system, submit):
    """Submit a repeat; `wrong` answers are spoilt."""

    def send(wrong=0, of=3, **fields):
        return submit(version, system, wrong=wrong, declared=True, repeats=of, **fields)

    return send


def test_the_board_shows_the_mean_once_all_repeats_are_graded(version, system, submit, declare):
    before = submit(version, system, wrong=2)
    first, second = declare(), declare(wrong=3)
    assert first.mean == second.mean
    assert (first.repeat, second.repeat) == (1, 2)
    assert shown() == before
    assert Submission.objects.get(pk=first.mean_id).repeats_words == "2 of 3 repeats graded"
    third = declare(wrong=6)
    mean = shown()
    assert mean == third.mean
    headlines = [each.score.headline for each in (first, second, third)]
    assert len(set(headlines)) == 3
    assert mean.score.headline == pytest.approx(sum(headlines) / 3)
    assert mean.repeats_words == "mean of 3 repeats"
    (row,) = board_rows(version)
    assert row.value == mean.score.headline
    assert (row.attempts, row.entry, row.score.repeats) == (4, "declared", 3)
    assert row.low < row.value < row.high


def test_the_next_public_submissions_are_repeats_whatever_they_say(version, system, submit, declare):
    first = declare()
    private = submit(version, system, wrong=4, visibility="private")
    second, third, fourth = (submit(version, system, wrong=wrong) for wrong in (1, 2, 0))
    assert private.mean is None
    assert [each.repeat for each in (first, second, third, fourth)] == [1, 2, 3, 0]
    assert fourth.mean is None
    assert shown() == first.mean


def test_a_later_entry_takes_the_place_of_repeats(version, system, submit, declare):
    for wrong in (0, 3):
        declare(wrong=wrong, of=2)
    assert shown().is_mean
    later = submit(version, system, wrong=5, declared=True)
    assert shown() == later
    again = [declare(wrong=wrong, of=2) for wrong in (1, 2)]
    assert shown() == again[0].mean


def test_an_entry_that_was_replaced_takes_no_more_repeats(version, system, submit, declare):
    first = declare()
    later = submit(version, system, wrong=5, declared=True)
    follow = submit(version, system)
    assert follow.mean is None
    assert shown() == later
    assert first.mean.members.count() == 1


def test_a_repeat_that_failed_is_repeated_and_one_with_a_figure_is_not(version, system, declare):
    first, failed = declare(), declare(wrong=2, grade=False)
    Submission.objects.filter(pk=failed.pk).update(status=Submission.Status.FAILED)
    second, third = declare(wrong=3), declare(wrong=6)
    assert [each.repeat for each in (first, second, third)] == [1, 2, 3]
    failed.refresh_from_db()
    assert (failed.mean, failed.repeat, failed.declared) == (None, 0, False)
    assert failed.events.filter(kind=Event.Kind.FAILED).exists()
    assert shown() == first.mean


def test_to_withdraw_a_repeat_withdraws_the_mean(version, system, submit, declare):
    before = submit(version, system, wrong=2)
    members = [declare(wrong=wrong, of=2) for wrong in (0, 3)]
    submissions.withdraw(members[1], actor=system.owner)
    mean = Submission.objects.get(pk=members[0].mean_id)
    assert mean.status == Submission.Status.WITHDRAWN
    assert shown() == before, "the repeat that is left does not stand alone"
    assert mean.events.filter(kind=Event.Kind.WITHDRAWN, detail="repeat 2 was withdrawn").exists()


def test_to_hide_a_repeat_hides_the_mean_until_it_is_public_again(version, system, declare):
    members = [declare(wrong=wrong, of=2) for wrong in (0, 3)]
    submissions.set_visibility(members[0], "private", actor=system.owner)
    assert shown() is None
    submissions.set_visibility(members[0], "public", actor=system.owner)
    mean = shown()
    assert mean.is_mean
    submissions.set_visibility(mean, "private", actor=system.owner)
    assert set(mean.members.values_list("visibility", flat=True)) == {"private"}
    assert shown() is None


def test_a_repeat_that_is_withdrawn_ends_the_entry_before_it_is_complete(version, system, submit, declare):
    first = declare()
    submissions.withdraw(first, actor=system.owner)
    follow = submit(version, system)
    assert follow.mean is None
    assert shown() == follow


def test_repeats_are_an_entry_and_between_two_and_ten(version, system, submit):
    with pytest.raises(submissions.RepeatsError, match="entry"):
        submit(version, system, repeats=3)
    for count in (0, 11):
        with pytest.raises(submissions.RepeatsError, match="2 and 10"):
            submit(version, system, repeats=count, declared=True)
    assert not Submission.objects.exists()


def test_a_mean_is_graded_again_by_its_repeats(version, system, declare, monkeypatch):
    members = [declare(wrong=wrong, of=2) for wrong in (0, 3)]
    mean = shown()
    before = mean.score.headline
    monkeypatch.setattr(type(version.bound), "grader", "another-grader")
    submissions.regrade(mean)
    assert mean.status != Submission.Status.QUEUED
    submissions.grade(str(members[0].pk))
    assert Submission.objects.get(pk=mean.pk).scores.count() == 1, (
        "one repeat has another grader than the other"
    )
    submissions.grade(str(members[1].pk))
    mean = Submission.objects.select_related("score").get(pk=mean.pk)
    assert next(score.grader for score in mean.scores.all()) == "another-grader"
    assert mean.score.revision == 2
    assert mean.score.headline == pytest.approx(before)


def test_places_of_runs_are_kept_until_a_run_fails(version, system, user):
    from leaderboard.runs.models import Run

    mean = repeats.declare(version=version, system=system, submitter=user, repeats=2)
    run = Run.objects.create(
        version=version, system=system, started_by=user, executor="x", mean=mean, repeat=1
    )
    assert repeats.free_places(mean) == [2]
    Run.objects.filter(pk=run.pk).update(status=Run.Status.FAILED)
    assert repeats.free_places(mean) == [1, 2]


def test_runs_of_an_entry_take_its_places_and_what_failed_is_run_again(version, user, django_user_model):
    from leaderboard.runs import services as runs
    from leaderboard.runs.models import Run

    options = {
        "version": version,
        "executor": "ledger",
        "started_by": user,
        "repeats": 2,
        "wake_worker": False,
    }
    first, second = runs.start_repeats(**options, declared=True)
    assert (first.repeat, second.repeat, first.mean, first.system) == (1, 2, second.mean, second.system)
    assert runs.execute(str(first.pk), grade_now=True)
    assert shown() is None
    Run.objects.filter(pk=second.pk).update(status=Run.Status.FAILED)
    (again,) = runs.start_repeats(**options, declared=True)
    assert (again.repeat, again.mean) == (2, first.mean)
    assert runs.execute(str(again.pk), grade_now=True)
    mean = shown()
    assert mean == first.mean
    assert mean.verified
    assert mean.score.run_sds["exact_acc"] == 0
    with pytest.raises(JobError, match="entry"):
        runs.start_repeats(**options, declared=False)
    with pytest.raises(JobError, match="row limit"):
        runs.start_repeats(**options, declared=True, row_limit=2)


def test_pages_and_api_show_one_mean(client, version, declare):
    members = [declare(wrong=wrong, of=2) for wrong in (0, 3)]
    mean = shown()
    board = client.get(version.get_board_url()).content.decode()
    assert "mean of 2 repeats" in board
    (item,) = client.get(f"/api/v1/leaderboard/goldevidencebench/{version.slug}").json()["items"]
    assert (item["headline"], item["repeats"]) == (mean.score.headline, 2)
    assert item["run_sd"] == mean.run_sd > 0
    of_repeat = client.get(f"/api/v1/submissions/{members[1].pk}").json()
    assert (of_repeat["repeat"], of_repeat["repeats"], of_repeat["mean"]) == (2, 2, str(mean.pk))
    of_mean = client.get(f"/api/v1/submissions/{mean.pk}").json()
    assert (of_mean["source"], of_mean["headline"]["value"]) == ("mean", mean.score.headline)
    assert client.get(f"/api/v1/submissions/{mean.pk}/rows").status_code == 409
    assert "repeat 2 of 2" in client.get(members[1].get_absolute_url()).content.decode()
    page = client.get(mean.get_absolute_url()).content.decode()
    assert "two runs are too few" in page.lower()
    assert client.get(f"{mean.get_absolute_url()}rows/").status_code == 302


def test_compare_reads_the_repeats_of_a_mean(version, system, other, submit, declare):
    from leaderboard.boards.comparison.comparison import Comparison
    from leaderboard.submissions.models import System

    rival = submit(version, System.objects.create(owner=other, name="Rival"), wrong=2)
    for wrong in (0, 4):
        declare(wrong=wrong, of=2)
    mean = Submission.objects.with_names().get(pk=shown().pk)
    comparison = Comparison(version, [mean, rival])
    assert comparison.headline.cells[0].value == mean.score.headline
    assert comparison.headline.cells[1].difference.value == pytest.approx(
        rival.score.headline - mean.score.headline
    )
    shares = set(comparison.verdict_matrix.correct[0].tolist())
    assert 0.5 in shares
