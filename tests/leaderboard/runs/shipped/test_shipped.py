"""Shipped runs answer the rows that the demo freezes now, whatever grades them."""

from __future__ import annotations

import pytest

from evaluation.core.suite import usable
from leaderboard.benchmarks import freezing
from leaderboard.runs.shipped import SYSTEMS, folders, making

FOLDERS = list(folders.folders())
VERSIONS = sorted({folder.name for folder in FOLDERS})


@pytest.mark.parametrize("version", VERSIONS)
def test_the_shipped_runs_answer_the_rows_that_the_demo_freezes(version: str) -> None:
    """All runs of a version at once: freezing takes seconds."""
    runs = {folder: folders.read(folder) for folder in FOLDERS if folder.name == version}
    [(suite, preset)] = {(run.suite, run.preset) for run in runs.values()}
    frozen = freezing.rehearse(suite, preset, store=False)
    for folder, run in runs.items():
        assert run.rows_sha256
        assert run.answers(frozen), (
            f"{folder} answers other rows than the demo has: a generator or a preset has changed. "
            f"Run make demo-models DEMO_MODELS='--system {run.system} --preset {run.preset}'"
        )
        assert run.rows == frozen.row_count
        assert folder == folders.folder_of(folders.SHIPPED, run.system, run.suite, run.preset)


def test_each_run_that_the_table_lists_is_there_and_no_other() -> None:
    there = {path for path in folders.SHIPPED.glob("*/*") if path.is_dir()}
    known = {
        folders.folder_of(folders.SHIPPED, job.system.slug, job.suite, job.preset) for job in making.jobs()
    }
    assert there == known == set(FOLDERS), "python -m leaderboard.management.shipped make: a run is not whole"
    assert len({system.slug for system in SYSTEMS}) == len(SYSTEMS)


def test_runs_are_of_boards_of_the_demo() -> None:
    boards = {
        (name, preset.replace("_", "-")) for name, suite in usable().items() for preset in suite.display.demo
    }
    shipped = {(run.suite, run.preset) for run in map(folders.read, FOLDERS)}
    assert shipped
    assert shipped <= boards
