"""Shipped runs on boards: loaded as any file, marked, replaced by newer ones, left out if they do not fit."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from io import StringIO
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from django.core.management import call_command
from django.test import Client

from evaluation.core import jsonl
from leaderboard.benchmarks import freezing, seeding
from leaderboard.benchmarks.models import Preset, Version
from leaderboard.benchmarks.rows import reading
from leaderboard.management.commands import demo
from leaderboard.management.shipped import load
from leaderboard.runs.shipped import folders, loading
from leaderboard.submissions.models import Submission
from tests.leaderboard.callers import Caller

pytestmark = pytest.mark.llama


def change(folder: Path, **values: Any) -> None:
    path = folder / folders.RUN
    path.write_text(json.dumps(json.loads(path.read_text()) | values))


def taken_in(version: Any, root: Path) -> tuple[list[Submission], list[str]]:
    said: list[str] = []
    return loading.load(version, tell=said.append, root=root), said


def test_a_shipped_run_is_graded_here_and_marked_on_every_page(
    ship: Callable[..., Path], small: Any, client: Client, anybody: Caller
) -> None:
    [made], said = taken_in(small, ship(small))
    assert said == ["  shipped: SmolLM2-135M-Instruct · llama_cpp · ruled@1 · mode=select, calibrate=false"]
    submission = Submission.objects.with_names().get(pk=made.pk)
    assert submission.score is not None
    assert (submission.source, submission.verified, submission.shown) == ("shipped", False, True)
    assert submission.submitter.get_username() == "site"
    assert submission.system.reference == ""
    page = client.get(submission.get_absolute_url()).content.decode()
    board = client.get(small.get_board_url()).content.decode()
    for text in (page, board):
        assert ">run by the authors</span>" in text
        assert "◆ <span>verified</span></span>" not in text.partition('class="legend')[0]
    assert "python -m leaderboard.management.shipped make --system smollm2-135m-q4-0-select-ruled" in page
    assert "Run once by the authors of this site." in page
    assert anybody("GET", f"/submissions/{submission.pk}").json()["source"] == "shipped"


def test_prompt_and_reply_of_a_row_can_be_read_as_those_of_a_run(
    ship: Callable[..., Path], small: Any, client: Client, anybody: Caller
) -> None:
    [submission], _ = taken_in(small, ship(small))
    row = next(reading.rows_of(small))
    got = anybody("GET", f"/submissions/{submission.pk}/transcript?row={row['id']}").json()
    assert got["prompt_problem"] == ""
    assert got["reply"]
    text = client.get(f"{submission.get_absolute_url()}transcript/?id={row['id']}").content.decode()
    assert "The hash of the rebuilt prompt equals the hash of the prompt that was sent" in text


def test_timelines_are_taken_as_rows_are(
    ship: Callable[..., Path], make_version: Any, anybody: Caller
) -> None:
    version = make_version("statebench", "states", tracks=["supersession"], count=2)
    [submission], _ = taken_in(version, ship(version, "smollm2-135m-transcript-replay"))
    assert submission.row_count == version.row_count
    asked = f"/submissions/{submission.pk}/transcript?row={next(reading.rows_of(version))['id']}%230"
    assert anybody("GET", asked).json()["prompt_problem"] == ""


def test_what_was_taken_is_not_taken_again_and_a_newer_run_replaces_it(
    ship: Callable[..., Path], small: Any
) -> None:
    root = ship(small)
    [first], _ = taken_in(small, root)
    assert taken_in(small, root) == ([], [])
    [folder] = folders.folders(root)
    change(folder, made_at="2999-01-01T00:00:00+00:00")
    [second], _ = taken_in(small, root)
    first.refresh_from_db()
    second.refresh_from_db()
    assert (first.status, first.shown) == (Submission.Status.WITHDRAWN, False)
    assert (second.status, second.shown) == (Submission.Status.GRADED, True)
    assert first.system == second.system
    change(folder, made_at="2001-01-01T00:00:00+00:00")
    assert taken_in(small, root) == ([], []), "an older release brings no older run back"


def test_a_newer_run_that_cannot_be_graded_replaces_nothing(
    ship: Callable[..., Path], small: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = ship(small)
    [first], _ = taken_in(small, root)
    change(next(folders.folders(root)), made_at="2999-01-01T00:00:00+00:00")
    # As a fault of grading leaves it.
    failed = {"status": Submission.Status.FAILED, "error": "no room"}
    monkeypatch.setattr(
        loading.runs, "grade_here", lambda made: Submission.objects.filter(pk=made.pk).update(**failed)
    )
    taken, [line] = taken_in(small, root)
    assert not taken
    assert "could not be graded: no room" in line
    first.refresh_from_db()
    assert (first.status, first.shown) == (Submission.Status.GRADED, True)


@pytest.mark.parametrize("changed", ["rows_sha256", "documents_sha256"])
def test_a_run_over_other_rows_or_texts_is_not_taken_and_says_so(
    ship: Callable[..., Path], small: Any, changed: str
) -> None:
    root = ship(small)
    change(next(folders.folders(root)), **{changed: "0" * 64})
    taken, [line] = taken_in(small, root)
    assert not taken
    assert "not submitted" in line
    assert "make demo-models" in line
    assert not Submission.objects.exists()


def refrozen_by(grader: str, version: Version, monkeypatch: pytest.MonkeyPatch) -> Version:
    """The same preset frozen anew by a site whose grader has another revision."""
    monkeypatch.setattr(type(version.bound), "grader", grader)
    made = freezing.start(preset=version.preset, open_demo=True, wake_worker=False)
    assert freezing.freeze(made.pk)
    return Version.objects.select_related("benchmark", "preset").get(pk=made.pk)


def test_another_revision_of_the_grader_takes_a_run_and_grades_it_anew(
    ship: Callable[..., Path], small: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = ship(small)
    revised = refrozen_by("goldevidence/strict-999/reference-1", small, monkeypatch)
    assert revised.sha256 != small.sha256
    [submission], said = taken_in(revised, root)
    assert said == ["  shipped: SmolLM2-135M-Instruct · llama_cpp · ruled@1 · mode=select, calibrate=false"]
    assert submission.score is not None
    assert submission.score.grader == "goldevidence/strict-999/reference-1"


def test_a_run_of_an_older_release_names_the_version_alone_and_is_taken_by_that(
    ship: Callable[..., Path], small: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = ship(small)
    change(next(folders.folders(root)), rows_sha256="", documents_sha256="")
    revised = refrozen_by("goldevidence/strict-999/reference-1", small, monkeypatch)
    taken, [line] = taken_in(revised, root)
    assert (taken, "not submitted" in line) == ([], True)
    monkeypatch.undo()
    assert len(taken_in(small, root)[0]) == 1


@contextmanager
def in_this_process() -> Iterator[Any]:
    """A pool that does its work when the result is asked for."""
    yield SimpleNamespace(submit=lambda work, *args: SimpleNamespace(result=lambda: work(*args)))


@pytest.mark.parametrize(
    ("suite", "preset", "changes"),
    [
        ("statebench", "quick", {"tracks": ["supersession"]}),
        ("goldevidence", "prose-short", {"seeds": [77]}),
    ],
)
def test_where_rows_changed_the_demo_goes_on_and_its_board_says_that_no_model_is_there_yet(
    db: None,
    client: Client,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    suite: str,
    preset: str,
    changes: dict[str, Any],
) -> None:
    seeding.presets()
    chosen = Preset.objects.get(benchmark__suite=suite, name=preset)
    chosen.settings |= changes  # as a release whose generator makes other rows
    chosen.save()
    monkeypatch.setattr(seeding, "demo_versions", lambda: [(suite, preset)])
    monkeypatch.setattr(demo.conformance, "own_is_current", lambda: True)
    monkeypatch.setattr(demo, "build_engine", lambda: "no setuptools")
    monkeypatch.setattr(demo.beside, "processes", in_this_process)  # others do not see the test's database
    call_command("demo", "--no-serve")
    output = capsys.readouterr().out
    told = [line for line in output.splitlines() if "not submitted" in line]
    shipped = [folder for folder in folders.folders() if folder.name == f"{suite}-{preset}"]
    assert len(told) == len(shipped)  # none of a board whose runs are still to be made anew
    assert shipped or suite == "goldevidence"
    assert all(any(str(folder) in line for line in told) for folder in shipped)
    assert "because its wheel was not built: no setuptools" in output
    assert "Ready after" in output
    version = Version.objects.get(preset=chosen, twin_of=None)
    assert version.runs.filter(status="finished").exists()
    assert "No model yet" in client.get(version.get_board_url()).content.decode()


def test_runs_are_taken_in_the_order_of_the_table(ship: Callable[..., Path], small: Any) -> None:
    ship(small)
    root = ship(small, "smollm2-135m-q4-0-select-bare", machine={})
    taken, _ = taken_in(small, root)
    assert [each.system.harness.rpartition(", ")[2] for each in taken] == ["told the rules", "told no rules"]


@pytest.mark.parametrize("fault", ["torn", "partial", "unknown"])
def test_a_damaged_folder_is_not_taken_and_stops_nothing(
    ship: Callable[..., Path], small: Any, fault: str
) -> None:
    root = ship(small, limit=1 if fault == "partial" else None)
    [folder] = folders.folders(root)
    if fault == "torn":
        jsonl.write(folder / folders.PREDICTIONS, [])
    if fault == "unknown":
        change(folder, system="gpt-7")
    taken, [line] = taken_in(small, root)
    assert not taken
    assert line.startswith("  not submitted: ")
    assert not Submission.objects.exists()


def test_the_command_takes_what_fits_and_says_how_many(ship: Callable[..., Path], small: Any) -> None:
    root, out = ship(small), StringIO()
    for _ in range(2):
        call_command(load.Command(stdout=out), "--from", str(root))
    assert out.getvalue().splitlines()[-2:] == ["1 run submitted.", "There are no new runs."]
