"""The real readers of Croissant, the Hub and Every Eval Ever accept the site's files (`make bridges` installs them)."""

from __future__ import annotations

import io
import subprocess
import zipfile
from pathlib import Path

import pytest
from django.urls import reverse

from leaderboard.submissions.models import System

ROOT = Path(__file__).resolve().parents[3]
PYTHON = ROOT / "build/bridges-records/bin/python"
VERSION = ["goldevidencebench", "tiny"]


@pytest.mark.skipif(not PYTHON.exists(), reason="make bridges installs the readers")
@pytest.mark.parametrize("hub_id", ["ada/tiny-1", ""])
def test_the_readers_of_other_projects_accept_all_files(client, version, system, submit, tmp_path, hub_id):
    System.objects.filter(pk=system.pk).update(hub_id=hub_id, weights="open", price_in=0.5)
    submission = submit(version, system, wrong=1)
    names = {
        "croissant.json": ("version_croissant", VERSION),
        "rows.parquet": ("version_table", VERSION),
        "eval_results.yaml": ("submission_eval_results", [submission.pk]),
        "model-index.yaml": ("submission_model_index", [submission.pk]),
    }
    for name, (address, arguments) in names.items():
        response = client.get(reverse(f"leaderboard:{address}", args=arguments))
        content = response.streaming_content if response.streaming else [response.content]
        (tmp_path / name).write_bytes(b"".join(content))
    packed = client.get(reverse("leaderboard:board_records", args=VERSION)).content
    with zipfile.ZipFile(io.BytesIO(packed)) as records:
        records.extractall(tmp_path / "records")
    steps = [PYTHON, ROOT / "tests/harnesses/records_steps.py", tmp_path]
    done = subprocess.run(steps, capture_output=True, text=True)
    print(done.stdout)
    assert done.returncode == 0, done.stderr
