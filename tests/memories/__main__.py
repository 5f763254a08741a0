"""`make memories`: the contents of memory libraries' contexts, beside our strategies'; into docs/memories.md."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, cast

from evaluation.statebench.memory import find_memory
from evaluation.statebench.presets import PRESETS
from evaluation.statebench.records import Timeline
from evaluation.statebench.strategies.measure import ALL, measure_memory
from evaluation.statebench.suite import SUITE

PAGE = Path(__file__).parents[2] / "docs/memories.md"
BEGIN, END = "<!-- begin: make memories -->\n", "<!-- end: make memories -->"
MEMORIES = {
    "Mem0": "tests.memories.mem0_memory:Mem0Memory",
    "LangGraph": "tests.memories.langgraph_memory:LangGraphMemory",
    "`rag_transcript`": "rag_transcript",
    "`transcript_replay`": "transcript_replay",
    "`state_based`": "state_based",
}
SETS: dict[str, Sequence[int]] = {"decisions_short": (128, 512), "quick": (32, 128)}  # preset -> budgets
HEADING = (
    "| budget | memory | live facts shown | dead facts shown | constraints shown | phrases to mention | tokens "
    "| ingest | context |\n| ---: | --- | --- | --- | --- | --- | ---: | ---: | ---: |\n"
)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", nargs="+", choices=list(SETS), default=list(SETS), help="presets")
    parser.add_argument("--write", action="store_true", help="write the tables into docs/memories.md")
    args = parser.parse_args()
    parts = [f"{''.join(table(preset))}\n" for preset in args.only]
    print("\n".join(parts))
    if args.write:
        before, _, rest = PAGE.read_text().partition(BEGIN)
        PAGE.write_text(before + BEGIN + "\n".join(parts) + END + rest.partition(END)[2])


def table(preset: str) -> Iterator[str]:
    """The figures of a preset, by budget and memory."""
    items = SUITE.version(PRESETS[preset].as_json()).generate()
    timelines = [cast(Timeline, row) for item in items for row in item.rows]
    rows = {
        (row["budget"], name): row
        for name, where in MEMORIES.items()
        for row in measure_memory(timelines, name, find_memory(where), SETS[preset])
        if row["track"] == ALL
    }
    queries = next(iter(rows.values()))["queries"]
    yield f"Preset `{preset}` ({len(timelines)} timelines, {queries} queries):\n\n{HEADING}"
    for budget in SETS[preset]:
        yield from (line(rows[budget, name]) for name in MEMORIES)


def line(row: Mapping[str, Any]) -> str:
    """A row of the table, rates with their 95% intervals."""
    rates = [_rate(row, name) for name in ("live_values", "dead_values", "constraints", "coverage")]
    times = (f"{row['tokens_mean']:.1f}", f"{row['ingest_s']:.3f} s", f"{1000 * row['context_s']:.1f} ms")
    return f"| {row['budget']} | {row['memory']} | {' | '.join([*rates, *times])} |\n"


def _rate(row: Mapping[str, Any], name: str) -> str:
    if row[name] is None:
        return "–"
    ends = (row[f"{name}_low"], row[f"{name}_high"])
    return f"{row[name]:.3f}" + ("" if None in ends else f" ({ends[0]:.3f}–{ends[1]:.3f})")


if __name__ == "__main__":
    main()
