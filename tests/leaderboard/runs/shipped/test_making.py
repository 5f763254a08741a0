"""The maker of shipped runs: it asks the site's rows, continues where it was stopped, and makes nothing twice."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from evaluation.core import jsonl
from leaderboard.benchmarks import freezing, seeding
from leaderboard.benchmarks.sealing import seal
from leaderboard.management.shipped import make
from leaderboard.runs.shipped import SYSTEMS, folders, making

pytestmark = pytest.mark.llama


def lines(folder: Path, name: str = folders.PREDICTIONS) -> list[dict[str, Any]]:
    return list(jsonl.read(folder / name))


def test_a_run_has_a_line_and_a_transcript_for_each_row_and_says_how_it_was_made(
    ship: Callable[..., Path], small: Any
) -> None:
    [folder] = folders.folders(ship(small))
    run = folders.read(folder)
    assert (run.version_sha256, run.rows) == (small.sha256, small.row_count)
    assert (run.rows_sha256, run.documents_sha256) == (small.rows_sha256, small.documents_sha256)
    assert len(lines(folder)) == len(lines(folder, folders.TRANSCRIPTS)) == small.row_count
    assert run.provenance["model"]["file"] == "tiny.gguf"
    assert run.provenance["settings"]["truncation"] == "none"
    assert run.provenance["settings"]["threads"] == 2
    assert run.provenance["command"].endswith("make --system smollm2-135m-q4-0-select-ruled --preset small")
    assert str(folder.parent.parent) not in (folder / folders.RUN).read_text(), "no path of this machine"
    assert sorted(path.name for path in folder.iterdir()) == [
        folders.PREDICTIONS,
        folders.TRANSCRIPTS,
        folders.RUN,
    ]


def test_a_stopped_run_goes_on_with_the_next_row_and_ends_as_one_that_was_never_stopped(
    ship: Callable[..., Path], small: Any
) -> None:
    unbroken = [(line["id"], line.get("value")) for line in lines(next(folders.folders(ship(small))))]
    folder = next(folders.folders(ship(small)))
    (folder / folders.RUN).unlink()

    def soon() -> bool:
        return (folder / making.WORKING).exists() and (folder / making.WORKING).read_bytes().count(b"\n") > 3

    with pytest.raises(making.Stopped):
        ship(small, should_stop=soon)
    saved = (folder / making.WORKING).read_bytes().count(b"\n")
    assert 0 < saved < small.row_count
    said: list[str] = []
    ship(small, tell=said.append)
    assert f"{saved} of {small.row_count} rows answered" in said[0]
    assert [(line["id"], line.get("value")) for line in lines(folder)] == unbroken


def test_what_is_there_is_not_made_again_and_what_is_partial_is(
    ship: Callable[..., Path], small: Any
) -> None:
    said: list[str] = []
    root = ship(small, limit=2)
    [folder] = folders.folders(root)
    assert folders.read(folder).rows == 2
    ship(small)
    assert folders.read(folder).rows == small.row_count
    before = (folder / folders.RUN).read_bytes()
    ship(small, tell=said.append)
    assert "already made" in said[0]
    assert (folder / folders.RUN).read_bytes() == before


@pytest.mark.parametrize("older", [False, True])
def test_another_revision_of_the_grader_makes_no_run_again_and_other_rows_do(
    ship: Callable[..., Path], small: Any, older: bool
) -> None:
    said: list[str] = []
    [folder] = folders.folders(ship(small))
    if older:  # as an earlier release wrote it
        _without_rows(folder)
    small.sha256 = small.sha256 if older else "0" * 64
    before = (folder / folders.RUN).read_bytes()
    ship(small, tell=said.append)
    assert "already made" in said[0]
    assert (folder / folders.RUN).read_bytes() == before
    _answers_other_rows(folder, older)
    ship(small, tell=said.append)
    assert "done in" in said[-1]


def _without_rows(folder: Path) -> None:
    """Change a run so that only the hash of its version names its rows."""
    record = json.loads((folder / folders.RUN).read_text())
    for name in ("rows_sha256", "documents_sha256"):
        del record[name]
    record["identity"] |= {"version": record["version_sha256"]}
    for name in ("rows", "documents"):
        del record["identity"][name]
    (folder / folders.RUN).write_text(json.dumps(record))


def _answers_other_rows(folder: Path, older: bool) -> None:
    record = json.loads((folder / folders.RUN).read_text())
    record["version_sha256" if older else "rows_sha256"] = "f" * 64
    (folder / folders.RUN).write_text(json.dumps(record))


def test_of_a_torn_folder_it_is_said_which_file_is_wrong(ship: Callable[..., Path], small: Any) -> None:
    [folder] = folders.folders(ship(small, limit=1))
    jsonl.write(folder / folders.PREDICTIONS, [{"id": "other"}])
    with pytest.raises(folders.FolderError, match=folders.PREDICTIONS):
        folders.read(folder)
    (folder / folders.PREDICTIONS).write_bytes(b"\x1f\x8b torn")
    with pytest.raises(folders.FolderError, match="cannot be read"):
        folders.read(folder)
    (folder / folders.RUN).write_text(json.dumps({"system": "x"}))
    with pytest.raises(folders.FolderError, match=folders.RUN):
        folders.read(folder)


@pytest.mark.parametrize("trial", [("--limit", "1"), ("--model", "other.gguf")])
def test_a_trial_never_stands_in_the_place_of_what_is_shipped(trial: tuple[str, str]) -> None:
    with pytest.raises(CommandError, match="--out"):
        call_command(make.Command(), *trial)


def test_every_system_runs_over_versions_of_the_demo_and_none_twice() -> None:
    jobs = making.jobs()
    assert len({(job.system.slug, job.suite, job.preset) for job in jobs}) == len(jobs)
    assert {(job.suite, job.preset) for job in jobs} <= set(_demo())
    assert all(len(system.name) <= 80 for system in SYSTEMS)


def _demo() -> list[tuple[str, str]]:
    from evaluation.core.suite import usable

    return [
        (name, preset.replace("_", "-")) for name, suite in usable().items() for preset in suite.display.demo
    ]


@pytest.mark.django_db
@pytest.mark.parametrize(("suite", "preset"), [("goldevidence", "prose-short"), ("statebench", "quick")])
def test_rows_and_hash_of_the_maker_are_those_that_the_demo_freezes(
    monkeypatch: pytest.MonkeyPatch, suite: str, preset: str
) -> None:
    monkeypatch.setattr(seal, "attacked", lambda *_, **__: None)  # part of no hash, and the slowest part
    seeding.presets(suite)
    frozen = seeding.frozen(suite, preset, tell=lambda line: None)
    rehearsed = freezing.rehearse(suite, preset, store=False)
    for name in ("sha256", "rows_sha256", "gold_sha256", "documents_sha256", "row_count"):
        assert getattr(rehearsed, name) == getattr(frozen, name), name
