"""Prompt sets side by side: `python -m tests.benchmarks.prompts [FOLDER] [--whole]`, all answered by SmolLM2-135M.

Rows of four candidates, once with the line that answers and once without it, and rows with a whole book and with a
whole log of at most a thousand tokens. Prints shares with their 95% intervals over episodes as tables of
docs/models.md, and leaves predictions in FOLDER if one is named. `--whole` asks about whole texts only. Takes half an
hour of one core.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, cast

import numpy as np

from evaluation.core.statistics import rate_limits
from evaluation.goldevidence.adapters.llama_cpp import LlamaSettings, create_adapter
from evaluation.goldevidence.presets import Settings
from evaluation.goldevidence.records import EpisodeRow
from evaluation.goldevidence.suite import SUITE
from tests.smollm2 import model_path

EPISODES = 5  # of each of two modes
LINES = {"k": 4, "order": "shuffle", "exact": True, "other_keys": 1, "notes": 1}
VERSION = {
    "protocol": "closed",
    "generator": {
        "steps": 28, "keys": 6, "queries": 3, "chapters": 2, "twins": False, "revision": 2, "clear_rate": 0.1,
        "note_rate": 0.3, "distractor_rate": 0.3, "derived_query_rate": 0.2,
    },
    "state_modes": ["kv", "kv_commentary"],
    "distractor_profiles": ["instruction"],
}  # fmt: skip
#: Of whole texts: a prompt is the text, and a model of 135M reads some hundred tokens a second.
WHOLE = {"steps": 14, "keys": 4, "episodes": 2}
CONDITIONS = [LINES | {"name": "there"}, LINES | {"name": "dropped", "drop_prob": 1.0}]
#: (set, worked examples)
PROMPTS = (("standard@2", 0), ("ruled@1", 0), ("bare@1", 0), ("ruled@1", 5))
COMMON: Mapping[str, Any] = {"context": 4096, "threads": 1, "max_value_chars": 40, "truncation": "none"}


class Asked(NamedTuple):
    """Rows of one kind with their gold, and the episode number of each."""

    rows: list[EpisodeRow]
    gold: list[Mapping[str, Any]]
    units: list[int]


def asked(conditions: Sequence[Mapping[str, Any]] = (), protocol: str = "closed") -> Asked:
    """The rows of a version: those of its conditions if it has some, else those with the whole text."""
    size = {"episodes": EPISODES} if conditions else WHOLE
    generator = cast(dict[str, Any], VERSION["generator"]) | size
    settings = VERSION | {"generator": generator, "conditions": [*conditions], "protocol": protocol}
    made = Asked([], [], [])
    for unit, item in enumerate(SUITE.version(Settings.from_json(settings).as_json()).generate()):
        for row in cast(list[Any], item.rows):
            if bool(conditions) == (row.get("candidates") is not None):
                made.rows.append(SUITE.public_row(row))
                made.gold.append(row["gold"] | {"condition": row["meta"].get("condition", "")})
                made.units.append(unit)
    return made


def answers(kind: Asked, prompt: str, shots: int, mode: str, protocol: str) -> list[Mapping[str, Any]]:
    """The replies of the model under a prompt, in the order of the rows."""
    settings = LlamaSettings(model=model_path(), prompt=prompt, shots=shots, mode=mode, **COMMON)
    adapter = create_adapter(settings)
    try:
        said = {
            row["id"]: answer.output
            for batch in adapter.batches(kind.rows)
            for row, answer in zip(batch, adapter.predict_batch(batch, protocol=protocol), strict=True)
        }
    finally:
        adapter.close()
    return [said[row["id"]] for row in kind.rows]


def share(kind: Asked, right: Sequence[bool], of: Sequence[bool]) -> str:
    """A share of some rows with its interval over episodes: `12 of 60, .11–.33`."""
    sums = np.zeros((max(kind.units) + 1, 2))
    for unit, hit, counted in zip(kind.units, right, of, strict=True):
        sums[unit] += (hit and counted, counted)
    low, high = (float(end[0]) for end in rate_limits(sums[None]))
    return f"{int(sums[:, 0].sum())} of {int(sums[:, 1].sum())}, {low:.2f}–{high:.2f}"


def candidates_line(kind: Asked, said: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """Cells of a table: gold line cited and all right, if it is shown; none chosen if it is shown, and if it is not."""
    there = [gold["condition"] == "there" for gold in kind.gold]
    cited = [
        each.get("support_ids") == gold["support_ids"] for each, gold in zip(said, kind.gold, strict=True)
    ]
    exact = [
        hit and each.get("value") == gold["value"]
        for hit, each, gold in zip(cited, said, kind.gold, strict=True)
    ]
    none = [each.get("support_ids") == [] and each.get("value") is None for each in said]
    for hits, of in ((cited, there), (exact, there), (none, there), (none, [not each for each in there])):
        yield share(kind, hits, of)


def whole_line(kind: Asked, said: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """Cells of a table: gold line cited, and all right, over the rows with a whole text."""
    every = [True] * len(kind.rows)
    pairs = list(zip(said, kind.gold, strict=True))
    cited = [each.get("support_ids") == gold["support_ids"] for each, gold in pairs]
    yield share(kind, cited, every)
    yield share(kind, [each.get("value") == gold["value"] for each, gold in pairs], every)


def main(folder: Path | None, *, only_whole: bool) -> None:
    """Print a line for each prompt and kind of row as soon as it is known."""
    lines = asked(CONDITIONS)
    kinds = [
        ("select", "lines", lines, "closed_book", candidates_line),
        ("answer", "lines", lines, "closed_book", candidates_line),
        ("answer", "log", asked(protocol="open"), "open_book", whole_line),
        ("answer", "book", asked(), "closed_book", whole_line),
    ]
    for mode, text, kind, protocol, line in kinds[2:] if only_whole else kinds:
        for prompt, shots in PROMPTS:
            if shots and mode == "answer":
                continue  # the examples are of a choice among four lines
            started = time.perf_counter()
            said = answers(kind, prompt, shots, mode, protocol)
            seconds = round(time.perf_counter() - started)
            told = " | ".join(line(kind, said))
            print(f"| {mode} | {text} | {prompt} | {shots} | {told} | {seconds} s |", flush=True)
            if folder is not None:
                name = f"{mode}-{text}-{prompt}-{shots}.json"
                (folder / name).write_text(json.dumps(list(zip(said, kind.gold, kind.units, strict=True))))


if __name__ == "__main__":
    named = [each for each in sys.argv[1:] if not each.startswith("-")]
    main(Path(named[0]) if named else None, only_whole="--whole" in sys.argv)
