"""Contexts of a newer revision: older runs say so, and are run again in place."""

from __future__ import annotations

from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from evaluation.statebench.strategies import STRATEGIES
from leaderboard.benchmarks import seeding
from leaderboard.benchmarks.models import Version
from leaderboard.runs import provenance, rerunning
from leaderboard.runs import services as runs
from leaderboard.runs.model_job import JobError
from leaderboard.runs.models import Run
from leaderboard.submissions import regrading
from leaderboard.submissions import services as submissions
from leaderboard.submissions.models import Event, Submission

pytestmark = pytest.mark.django_db


@pytest.fixture
def quick(make_version: Any) -> Version:
    """A version over which two strategies ran, as this release runs them."""
    version = make_version("statebench", "quick", tracks=["supersession"], count=2)
    for name in ("no_memory", "state_based"):
        run = runs.start(version=version, executor=name, started_by=seeding.site_user(), wake_worker=False)
        runs.execute(str(run.pk), grade_now=True)
    return version


@pytest.fixture
def old(quick: Version) -> Run:
    """The run of `state_based`, by a release that recorded no revision of contexts."""
    run = Run.objects.select_related("submission__score").get(executor="state_based")
    assert run.submission is not None
    for row in (run, run.submission):
        assert row.provenance.pop("contexts") == STRATEGIES["state_based"].contexts == "state_based/5"
        row.save()
    return run


def rerun(*words: str) -> str:
    out = StringIO()
    call_command("rerun", *words, stdout=out)
    return out.getvalue()


def test_a_result_says_which_revision_built_its_contexts(quick: Version, old: Run, client: Any) -> None:
    origin = provenance.lines(old.submission.provenance, quick.suite)
    assert ("Contexts", "revision 1; this site has revision 5 now", False) in origin
    page = client.get(old.submission.get_absolute_url()).content.decode()
    assert "revision 1; this site has revision 5 now" in page
    other = Submission.objects.get(system__name="no_memory")
    assert ("Contexts", "revision 1", False) in provenance.lines(other.provenance, quick.suite)
    assert provenance.contexts(quick.suite, {"executor": "ledger"}) is None
    settings = {"executor": "llama_cpp", "settings": {"strategy": "state_based"}}
    adapter = provenance.contexts(quick.suite, settings)
    assert adapter is not None
    assert adapter.is_outdated


def test_only_what_an_older_revision_made_is_run_again(quick: Version, old: Run) -> None:
    assert rerunning.outdated([quick]) == [old]
    output = rerun("--version", f"{quick.benchmark.slug}/{quick.slug}")
    assert "1 run with older contexts: 1 repeated, 0 skipped" in output
    new = Run.objects.exclude(pk=old.pk).get(executor="state_based")
    assert new.submission is not None
    assert new.submission.provenance["contexts"] == "state_based/5"
    assert new.submission.score is not None
    assert {row["contexts"] for row in new.submission.score.measures} == {"state_based/5"}
    assert new.system == old.system
    shown = Submission.objects.on_board(quick).get(system=old.system)
    assert shown == new.submission
    old.submission.refresh_from_db()
    assert old.submission.withdrawn_at is not None
    assert old.submission.events.filter(kind=Event.Kind.WITHDRAWN).exists()
    assert rerun("--all") == "0 runs with older contexts: 0 repeated, 0 skipped\n"


def test_a_private_result_is_run_again_privately(quick: Version, old: Run) -> None:
    submissions.set_visibility(old.submission, Submission.Visibility.PRIVATE, actor=None)
    rerun("--all")
    new = Run.objects.exclude(pk=old.pk).get(executor="state_based")
    assert new.submission.visibility == Submission.Visibility.PRIVATE


def test_a_regrade_keeps_the_curves_of_the_contexts_that_were_answered_with(quick: Version, old: Run) -> None:
    old.submission.score.measures = [{"budget": 16, "coverage": 0.5}]
    old.submission.score.save()
    assert str(old.submission.pk) in regrading.queue(quick, again=True)
    assert submissions.grade(str(old.submission.pk))
    old.submission.refresh_from_db()
    assert old.submission.score.measures == [{"budget": 16, "coverage": 0.5}]


def test_a_dry_run_changes_nothing(quick: Version, old: Run) -> None:
    assert "0 repeated, 1 skipped" in rerun("--all", "--dry-run")
    assert rerunning.outdated([quick]) == [old]


def test_what_needs_a_model_or_a_closed_version_is_named_and_left(quick: Version, old: Run) -> None:
    Run.objects.filter(pk=old.pk).update(executor="adapter:llama_cpp", settings={"strategy": "state_based"})
    assert "0 repeated, 1 skipped" in rerun("--all")
    old.refresh_from_db()
    assert rerunning.why_not_here(old).startswith("it needs its model; run: python manage.py run_model ")
    Version.objects.filter(pk=quick.pk).update(status=Version.Status.RETIRED)
    old = Run.objects.get(pk=old.pk)
    assert rerunning.why_not_here(old) == "its version accepts no more results"


def test_a_run_that_fails_again_leaves_the_old_result_and_is_told(
    quick: Version, old: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: Any, **__: Any) -> Any:
        raise JobError("the disk is full")

    monkeypatch.setattr("leaderboard.runs.execution.answer", fail)
    with pytest.raises(CommandError, match="1 run failed again; old results stay"):
        rerun("--all")
    assert Submission.objects.on_board(quick).get(system=old.system) == old.submission


def test_an_unknown_version_is_refused() -> None:
    with pytest.raises(CommandError, match="There is no frozen version"):
        rerun("--version", "statebench/nothing")
