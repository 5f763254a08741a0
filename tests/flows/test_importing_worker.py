"""A real worker is killed in the middle of an import: the next one freezes the version, once and completely."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from evaluation.core import jsonl
from evaluation.goldevidence.suite import SUITE
from tests.live import LiveSite, kill, wait_for

pytestmark = pytest.mark.worker
SETTINGS = {"generator": {"episodes": 150, "steps": 200, "queries": 8}}
SETUP = """
from pathlib import Path
from leaderboard.jobs import dispatch
from leaderboard.benchmarks import importing
from leaderboard.models import Benchmark, Preset
dispatch.enqueue = lambda *args: None
benchmark = Benchmark.objects.get(suite="goldevidence")
preset = Preset.objects.create(benchmark=benchmark, name="flat", settings=VALUES)
importing.start(preset, Path("FILE"))
"""


def version_in(folder: Path) -> tuple[Any, ...]:
    """Columns of the version, read without Django, to catch a worker at work."""
    with closing(sqlite3.connect(folder / "site.sqlite3")) as database:
        return database.execute(
            "SELECT status, progress_done, rows_sha256, attempts, upload, row_count FROM leaderboard_version"
        ).fetchone()


def test_a_worker_killed_in_mid_import_leaves_nothing_half_done_and_the_next_one_finishes(
    tmp_path: Path,
) -> None:
    file = tmp_path / "flat.jsonl"
    count = jsonl.write(file, (row for item in SUITE.version(SETTINGS).generate() for row in item.rows))
    with LiveSite(tmp_path) as site:
        site.shell(SETUP.replace("VALUES", repr(SETTINGS)).replace("FILE", str(file)))
        first = site.start_worker()
        wait_for(
            lambda: version_in(tmp_path)[:1] == ("freezing",) and version_in(tmp_path)[1] > 0,
            seconds=60, what="the first worker to read", every=0.01,
        )  # fmt: skip
        kill(first)
        status, _, rows, attempts, upload, _ = version_in(tmp_path)
        assert (status, rows, attempts) == ("freezing", "", 1)
        assert (tmp_path / "artifacts" / upload).exists()
        site.start_worker()
        wait_for(lambda: version_in(tmp_path)[0] == "frozen", seconds=90, what="the second worker")
        _, _, rows, attempts, left, row_count = version_in(tmp_path)
        assert (bool(rows), attempts, left, row_count) == (True, 2, "", count)
        assert not (tmp_path / "artifacts" / upload).exists()
        assert "ok" in site.manage("verify_versions")
