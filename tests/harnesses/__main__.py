"""`make bridges`: grade the same answers by `grade` and by another harness; the results go into docs/python.md.

Run in the environment of the harness, with the wheel installed: only this folder of the checkout is imported.
"""

from __future__ import annotations

import argparse
import importlib
import tempfile
import time
from collections.abc import Mapping
from importlib import metadata
from pathlib import Path
from typing import Any

import goldevidencebench as engine
from goldevidencebench.core import jsonl
from goldevidencebench.foreign import convert

from tests.bridges.page import recorded
from tests.harnesses.replies import replies_to

HARNESSES = {"inspect": "inspect-ai", "lm-eval": "lm-eval", "verifiers": "verifiers"}
PAGE = Path(__file__).resolve().parents[2] / "docs/python.md"
PRESETS = {"smoke": "goldevidence", "decisions_short": "statebench"}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("harness", choices=HARNESSES)
    harness = parser.parse_args().harness
    step = importlib.import_module(f"tests.harnesses.{harness.replace('-', '_')}_steps")
    began, rows = time.monotonic(), []
    for preset, suite in PRESETS.items():
        with tempfile.TemporaryDirectory() as name:
            score, log = step.score(*prepared(Path(name), suite, preset))
            figure, headline = expected(Path(name) / "rows.jsonl", Path(name) / "preds.jsonl")
            assert abs(score - figure) < 1e-12, (score, figure)
            lines = converted(log, Path(name)) if log else "–"
            named = f"{harness} {metadata.version(HARNESSES[harness])}"
            rows.append(f"| {named} | `{preset}` | {score:.6f} | {figure:.6f} | {lines} |\n")
            print(
                f"{time.monotonic() - began:.0f} s: {preset}: {headline} {score:.6f}, and {figure:.6f} by grade"
            )
    PAGE.write_text(recorded(PAGE.read_text(), harness, rows, list(HARNESSES)))


def prepared(folder: Path, suite: str, preset: str) -> tuple[Path, dict[str, str]]:
    """Rows of a preset and replies to them, every third one prose; also written as predictions."""
    rows = folder / "rows.jsonl"
    jsonl.write(rows, engine.generate(suite, preset))
    version = engine.read_version(rows)
    replies = replies_to(version)
    jsonl.write(folder / "preds.jsonl", (line(row, replies[row["id"]]) for row in version))
    return rows, replies


def converted(log: Path, folder: Path) -> str:
    """The number of lines that `convert` makes of a log; asserts that they are the predictions."""
    lines = convert(log, folder / "rows.jsonl").lines
    given = list(jsonl.read(folder / "preds.jsonl"))
    assert sorted(map(jsonl.dumps, map(answer, lines))) == sorted(map(jsonl.dumps, given))
    return f"{len(lines)} of {len(given)}"


def line(row: Any, reply: str) -> Mapping[str, object]:
    if "gold" in row:
        return {"id": row["id"], "output": reply}
    return {"timeline_id": row["timeline"]["id"], "query_idx": row["query_idx"], "response": reply}


def answer(found: Mapping[str, object]) -> Mapping[str, object]:
    """A converted line without its numbers of tokens."""
    return {name: value for name, value in found.items() if name != "tokens_used"}


def expected(rows: Path, predictions: Path) -> tuple[float, str]:
    headline = engine.verdict(engine.read_version(rows).rows[0], "").headline
    figure = engine.grade(rows, predictions).metrics[headline]
    assert figure is not None
    return float(figure), headline


if __name__ == "__main__":
    main()
