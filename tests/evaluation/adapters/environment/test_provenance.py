"""Provenance: the data needed to repeat a run."""

from __future__ import annotations

import subprocess
from pathlib import Path

from evaluation import __version__
from evaluation.adapters.environment.provenance import about, commit, environment, run_environment


def test_the_environment_that_mattered_is_told_without_secrets() -> None:
    told = environment(
        {
            "GOLDEVIDENCEBENCH_RETRIEVAL_K": "4",
            "GOLDEVIDENCEBENCH_API_KEY": "sesame-open",
            "CUDA_VISIBLE_DEVICES": "0",
            "HOME": "/root",
            "GOLDEVIDENCEBENCH_MODEL": "",
        }
    )
    assert told == {
        "CUDA_VISIBLE_DEVICES": "0",
        "GOLDEVIDENCEBENCH_API_KEY": "(hidden)",
        "GOLDEVIDENCEBENCH_RETRIEVAL_K": "4",
    }


def test_a_run_names_the_two_variables_of_the_reference_s_runs(monkeypatch) -> None:
    monkeypatch.delenv("GOLDEVIDENCEBENCH_MODEL", raising=False)
    monkeypatch.setenv("GOLDEVIDENCEBENCH_REQUIRE_CITATIONS", "1")
    env = run_environment()
    assert env["GOLDEVIDENCEBENCH_MODEL"] is None
    assert env["GOLDEVIDENCEBENCH_REQUIRE_CITATIONS"] == "1"


def test_version_commit_machine_and_command_are_told() -> None:
    told = about("goldevidencebench run")
    assert (told["engine"], told["command"]) == (__version__, "goldevidencebench run")
    assert told["commit"] == commit()
    assert {"python", "machine", "system", "environment"} <= told.keys()


def test_the_commit_is_that_of_the_checkout() -> None:
    root = Path(__file__).resolve().parents[4]
    words = ["git", "-C", str(root), "rev-parse", "HEAD"]
    found = (
        subprocess.run(words, capture_output=True, text=True, check=False)
        if (root / ".git").exists()
        else None
    )
    assert commit().rstrip("+") == (found.stdout.strip() if found and not found.returncode else "")
