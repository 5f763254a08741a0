"""The fields of the files that the command line writes, from a real run of every command that writes one."""

from __future__ import annotations

import contextlib
import csv
import io
import json
import re
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

#: The commands, in an order in which each finds what it reads.
COMMANDS = (
    "generate --preset smoke --episodes 3 --out rows.jsonl",
    "run --data rows.jsonl --out predictions.jsonl --results-json run.json",
    "grade --data rows.jsonl --pred predictions.jsonl --results-json grade.json --rows-out verdicts.jsonl",
    "model --adapter ledger --data rows.jsonl --out answers.jsonl --results-json model.json",
    "generate --preset build --episodes 1 --queries 1 --steps 30 --out build.jsonl",
    "model --adapter log_to_book --data build.jsonl --out built.jsonl",
    "selector export --data rows.jsonl --out examples.jsonl",
    "selector train --data examples.jsonl --out linear.json",
    "run --data rows.jsonl --out naive.jsonl --baseline naive",
    "mistakes --data rows.jsonl --pred naive.jsonl --out mistakes.jsonl",
    "mistakes --data rows.jsonl --pred naive.jsonl --out preferences.jsonl --format preferences",
    "mistakes --data rows.jsonl --pred naive.jsonl --out triplets.jsonl --format triplets",
    "mistakes --data rows.jsonl --pred naive.jsonl --out abstain.jsonl --format abstain",
    "sweep run --out sweep --episodes 1 --queries 2 --steps-list 30 --k-list 3 --systems ledger",
    "state generate --count 1 --out timelines.jsonl",
    "state answer --timelines timelines.jsonl --out responses.jsonl",
    "state grade --timelines timelines.jsonl --responses responses.jsonl --results-json state-grade.json",
    "state compare --timelines timelines.jsonl --strategies state_based --results-json compare.json",
    "state compare --timelines timelines.jsonl --memory no_memory --results-json memories.json",
    "state compare --timelines timelines.jsonl --judges responses.jsonl --results-json judges.json",
    "state export --timelines timelines.jsonl --out released.jsonl",
    "state conformance --results-json conformance.json",
)
#: Commands that print JSON lines.
PRINTED = {
    "context.jsonl": "state context --timelines timelines.jsonl --json",
    "recalled.jsonl": "state context --timelines timelines.jsonl --memory state_based --json",
    "detect.jsonl": "state detect --timelines timelines.jsonl",
}
#: What is left of the sweep's folder, whose sub-folders are called by the settings.
SWEPT = ("sweep/combined.json", "sweep/summary.json", "sweep/summary.csv", "sweep/decomposition.csv")
#: Where keys are data and no words, and what stands for them: groups of rows, tracks, values of an environment.
DATA = (
    (re.compile(r"\.groups\.\w+\.[^.]+"), ".groups.*.*"),
    (re.compile(r"\.(tracks|environment)\.[^.]+"), r".\1.*"),
)


def words() -> set[str]:
    """`file .field.field`, a line each, and for tables `file column`."""
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        for command in COMMANDS:
            _run(command)
        for name, command in PRINTED.items():
            Path(name).write_text(_run(command))
        files = sorted(path for path in Path().iterdir() if path.is_file()) + [Path(name) for name in SWEPT]
        return {f"{path} {field}" for path in files for field in _fields_of(path)}


def _run(command: str) -> str:
    """Run a command of the engine; its output."""
    from evaluation.cli import main

    printed = io.StringIO()
    with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(io.StringIO()):
        code = main(command.split())
    assert code == 0, f"{command} ended with {code}: {printed.getvalue()}"
    return printed.getvalue()


def _fields_of(path: Path) -> Iterator[str]:
    text = path.read_text()
    if path.suffix == ".csv":
        yield from next(csv.reader(io.StringIO(text)))
        return
    values = [json.loads(text)] if path.suffix == ".json" else map(json.loads, text.splitlines())
    for value in values:
        yield from map(_without_data, _fields(value, ""))


def _without_data(field: str) -> str:
    for pattern, instead in DATA:
        field = pattern.sub(instead, field)
    return field


def _fields(value: Any, at: str) -> Iterator[str]:
    if isinstance(value, dict):
        for name, inner in value.items():
            yield f"{at}.{name}"
            yield from _fields(inner, f"{at}.{name}")
    elif isinstance(value, list):
        for inner in value:
            yield from _fields(inner, f"{at}[]")
