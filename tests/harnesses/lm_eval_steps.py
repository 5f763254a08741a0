"""lm-evaluation-harness validates the folder that `goldevidencebench bridge` wrote, runs it and scores it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import lm_eval
from lm_eval.api.instance import Instance
from lm_eval.api.model import LM
from lm_eval.tasks import TaskManager


class Fixed(LM):
    """A model of fixed replies."""

    def __init__(self, replies: dict[str, str]) -> None:
        super().__init__()
        self.replies = replies

    def generate_until(self, requests: list[Instance], *_: Any, **__: Any) -> list[str]:
        return [self.replies[request.doc["id"]] for request in requests]

    def loglikelihood(self, requests: list[Instance], *_: Any, **__: Any) -> list[Any]:
        raise NotImplementedError

    def loglikelihood_rolling(self, requests: list[Instance], *_: Any, **__: Any) -> list[Any]:
        raise NotImplementedError


def score(rows: Path, replies: dict[str, str]) -> tuple[float, Path]:
    """The mean of the task's metric, and the samples as --log_samples writes them."""
    folder, programs = rows.parent / "task", Path(sys.executable).parent
    words = ["bridge", "lm-eval", "--version", str(rows), "--out", str(folder)]
    said = subprocess.run(
        [str(programs / "goldevidencebench"), *words], capture_output=True, text=True, check=True
    )
    name = said.stdout.split("task ")[1].split(".")[0]
    checked = [str(programs / "lm-eval"), "validate", "--tasks", name, "--include_path", str(folder)]
    assert "valid" in subprocess.run(checked, capture_output=True, text=True, check=True).stdout
    found = lm_eval.simple_evaluate(
        model=Fixed(replies),
        tasks=[name],
        task_manager=TaskManager(include_path=str(folder), include_defaults=False),
        log_samples=True,
    )
    log = rows.parent / "samples_ours.jsonl"
    with log.open("w") as out:
        out.writelines(json.dumps(sample, default=str) + "\n" for sample in found["samples"][name])
    return float(found["results"][name]["score,none"]), log
