"""A binary log that Inspect itself wrote goes to a live site by the command, and gets the score of `grade`.

`make bridges` installs Inspect with the engine's wheel in an environment of its own.
"""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.leaderboard.conftest import TINY
from tests.live import ROOT, LiveSite

PROGRAMS = ROOT / "build/bridges-inspect/bin"
VERSION = "goldevidencebench/tiny"
#: Its gold is published: here, too, the log is graded.
SETTINGS = TINY | {"public_gold": True}
SEED = f"""
from django.contrib.auth import get_user_model
from leaderboard.benchmarks import freezing
from leaderboard.models import ApiToken, Benchmark, Preset
benchmark = Benchmark.objects.get(suite="goldevidence")
preset = Preset.objects.create(benchmark=benchmark, name="tiny", settings={SETTINGS!r})
assert freezing.freeze(freezing.start(preset=preset, open_demo=True, wake_worker=False).pk)
ada = get_user_model().objects.create_user("ada")
print(ApiToken.objects.issue(user=ada, name="log", scopes=["read", "submit"])[1])
"""


class Reader:
    """A user with Inspect, in a folder and with a token for the site."""

    def __init__(self, folder: Path, site: LiveSite, token: str) -> None:
        self.folder = folder
        own = {"GOLDEVIDENCEBENCH_URL": site.url, "GOLDEVIDENCEBENCH_TOKEN": token, "HOME": str(folder)}
        self.env = {**os.environ, **own, "PYTHONPATH": ""}

    def types(self, *words: str | Path, cwd: Path | None = None) -> str:
        """The output of a command, which must succeed."""
        program, *others = map(str, words)
        done = subprocess.run(
            [PROGRAMS / program, *others],
            cwd=cwd or self.folder,
            env=self.env,
            capture_output=True,
            text=True,
            timeout=120,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout


@pytest.fixture
def reader(tmp_path: Path) -> Iterator[Reader]:
    with LiveSite(tmp_path) as site:
        token = site.shell(SEED).splitlines()[-1]
        site.start_worker()
        site.start_web()
        yield Reader(tmp_path, site, token)


@pytest.mark.skipif(not (PROGRAMS / "goldevidencebench").exists(), reason="make bridges installs Inspect")
@pytest.mark.worker
@pytest.mark.xdist_group("live")
def test_a_log_is_valid_converted_and_graded_by_the_site_as_inspect_and_grade_score_it(
    reader: Reader,
) -> None:
    reader.types("goldevidencebench", "download", VERSION, "--out", "rows.jsonl.gz")
    written = reader.types(
        "python", "-m", "tests.harnesses.inspect_steps", reader.folder / "rows.jsonl.gz", cwd=ROOT
    )
    mean, log = json.loads(written.splitlines()[-1])
    assert 0 < mean < 1
    assert log.endswith(".eval")
    data = ("--data", "rows.jsonl.gz")
    reader.types("goldevidencebench", "validate", *data, "--pred", log)
    reader.types("goldevidencebench", "convert", log, *data, "--out", "preds.jsonl")
    reader.types(
        "goldevidencebench", "grade", *data, "--pred", "preds.jsonl", "--results-json", "graded.json"
    )
    graded = json.loads((reader.folder / "graded.json").read_text())
    sent = ("submit", VERSION, log, "--system", "From Inspect", "--allow-unanswered", "--wait", "--json")
    submission = json.loads(reader.types("goldevidencebench", *sent))
    assert submission["status"] == "graded"
    assert [submission["headline"]["value"], graded["metrics"]["exact_acc"]] == pytest.approx(
        [mean, mean], abs=1e-12
    )
