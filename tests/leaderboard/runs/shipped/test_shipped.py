"""The runs that come with the source answer the rows that the demo freezes now, whatever grades them."""

from __future__ import annotations

from pathlib import Path

import pytest

from evaluation.core.suite import usable
from leaderboard.benchmarks import freezing
from leaderboard.runs.shipped import SYSTEMS, folders, making

FOLDERS = list(folders.folders())


@pytest.mark.parametrize("folder", FOLDERS, ids=[f"{each.parent.name}/{each.name}" for each in FOLDERS])
def test_a_shipped_run_answers_the_rows_that_the_demo_freezes(folder: Path) -> None:
    run = folders.read(folder)
    frozen = freezing.rehearse(run.suite, run.preset, store=False)
    assert run.rows_sha256
    assert run.answers(frozen), (
        f"{folder} answers other rows than the demo has: a generator or a preset has changed. "
        f"Run make demo-models DEMO_MODELS='--system {run.system} --preset {run.preset}'"
    )
    assert run.rows == frozen.row_count
    assert folder == folders.folder_of(folders.SHIPPED, run.system, run.suite, run.preset)


def test_no_folder_is_of_a_system_or_a_version_that_there_is_not() -> None:
    there = {path for path in folders.SHIPPED.glob("*/*") if path.is_dir()}
    known = {
        folders.folder_of(folders.SHIPPED, job.system.slug, job.suite, job.preset) for job in making.jobs()
    }
    assert there <= known
    assert len({system.slug for system in SYSTEMS}) == len(SYSTEMS)


def test_runs_are_of_boards_of_the_demo() -> None:
    boards = {
        (name, preset.replace("_", "-")) for name, suite in usable().items() for preset in suite.display.demo
    }
    shipped = {(run.suite, run.preset) for run in map(folders.read, FOLDERS)}
    assert shipped
    assert shipped <= boards
