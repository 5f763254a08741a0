"""How fast episodes are generated: `python -m tests.benchmarks.generate`.

Prints rows/s and CPU time as a whole process, start of Python included, and in process. With `REFERENCE` its `generate`
runs in turn with ours: by the same options, and against rows of ours as large as its own (its lines are longer).
"""

from __future__ import annotations

import tempfile
import time
from pathlib import Path

from evaluation import goldevidence
from tests.benchmarks.reference import in_turn, told

ROWS_PER_EPISODE = 24
#: Both write 24 rows an episode; 285 steps of ours are as many bytes as 220 of the reference's.
LIKE = {"the same options": 220, "the same bytes": 285}


def in_process(episodes: int) -> float:
    """Rows per second of iterating over `goldevidence.generate`."""
    started = time.perf_counter()
    rows = sum(1 for _ in goldevidence.generate({"episodes": episodes}))
    return rows / (time.perf_counter() - started)


def whole_process(episodes: int, steps: int, folder: str) -> str:
    """Time `generate --out`, and the reference's if there is one; print the megabytes written as well."""
    ours, theirs = Path(folder, "ours.jsonl"), Path(folder, "theirs.jsonl")
    shared = ["generate", "--episodes", str(episodes)]
    text = told(
        episodes * ROWS_PER_EPISODE,
        *in_turn([*shared, "--steps", str(steps), "--out", str(ours)], [*shared, "--out", str(theirs)]),
    )
    written = " and ".join(f"{path.stat().st_size / 1e6:.0f}" for path in (ours, theirs) if path.exists())
    for path in (ours, theirs):
        path.unlink(missing_ok=True)
    return f"{text}, {written} MB"


def main(sizes: tuple[int, ...] = (200, 800)) -> None:
    """Print the table.

    Args:
        sizes: Numbers of episodes.
    """
    with tempfile.TemporaryDirectory() as folder:
        for episodes in sizes:
            for name, steps in LIKE.items():
                rows = episodes * ROWS_PER_EPISODE
                print(
                    f"written, {rows:6d} rows, {name}: {whole_process(episodes, steps, folder)}", flush=True
                )
    for episodes in sizes:
        speed = max(in_process(episodes) for _ in range(3))
        print(f"in process, {episodes * ROWS_PER_EPISODE:6d} rows: {speed:8,.0f} rows/s")


if __name__ == "__main__":
    main()
