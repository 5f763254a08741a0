"""The gain of learners by four ways of choosing tasks, and from shuffled labels: `python -m tests.benchmarks.gym.arms`.

Each loop has the same number of tasks. The table and the picture of docs/gym.md show these figures; `--write`
updates both. Finished loops are kept in `--folder` and not run again.
"""

from __future__ import annotations

import argparse
import json
import re
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from evaluation.gym import Frozen
from evaluation.gym.learners import LEARNERS
from evaluation.gym.loop.mining import ARMS
from evaluation.gym.loop.running import Loop, LoopSettings, Outcome

DOCS = Path(__file__).parents[3] / "docs"
SEEDS = (2**33 + 11, 2**33 + 12, 2**33 + 13)
UNSEEN = 2**33 + 1_000_000  # by which loops of one seed are judged; written down here after the learners were
ROUNDS, JUDGED = 5, 240
#: Of a round: so few that a learner is not done in the first one. When to abstain takes more to learn.
TASKS = {"selector": 12, "gate": 12, "retriever": 12, "abstain": 80}
MARKS = re.compile(r"(<!-- arms -->\n).*(<!-- end of arms -->)", re.DOTALL)
TITLES = {
    "boundary": "failure boundary",
    "uniform": "uniform",
    "gold_last": "gold last",
    "none": "none",
    "shuffled": "shuffled labels",
}
COLOURS = {
    "boundary": "#1b6ca8",
    "uniform": "#2e8b57",
    "gold_last": "#c0392b",
    "none": "#888",
    "shuffled": "#b8860b",
}


@dataclass(frozen=True)
class Cell:
    """The loops of one learner under one arm, one per seed."""

    learner: str
    arm: str
    outcomes: Sequence[Outcome]

    def mean(self, kind: str, field: str) -> float:
        """The mean over seeds of `before`, `after` or `gain`.

        Args:
            kind: `held_out` or `unseen`.
            field: One of these three names.
        """
        found = [each[kind][field] for each in self.outcomes]  # type: ignore[literal-required]
        return sum(each if isinstance(each, float) else each["rate"] for each in found) / len(found)

    def excluding(self, kind: str) -> int:
        """The number of loops whose interval of the gain is above 0.

        Args:
            kind: `held_out` or `unseen`.
        """
        return sum(each[kind]["low"] > 0 for each in self.outcomes)  # type: ignore[literal-required]

    def curve(self) -> list[float]:
        """Success at the families held out before, and after each round, means over seeds.

        A loop that ended early counts with its last value.
        """
        first = self.mean("held_out", "before")
        curves = [[each["held_out"]["rate"] for each in one["rounds"]] for one in self.outcomes]
        padded = [[*curve, *[(curve or [first])[-1]] * ROUNDS][:ROUNDS] for curve in curves]
        return [first, *(sum(each) / len(each) for each in zip(*padded, strict=True))]


def cells(folder: Path) -> Iterator[Cell]:
    """All learners under all arms.

    Args:
        folder: Folder with the finished loops.
    """
    for learner in LEARNERS:
        for arm in ARMS:
            outcomes = []
            for place, seed in enumerate(SEEDS):
                settings = LoopSettings(
                    learner,
                    seed,
                    UNSEEN + 100 * place,
                    arm,
                    rounds=ROUNDS,
                    tasks=TASKS[learner],
                    unseen=JUDGED,
                )
                outcomes.append(Loop(folder / f"{learner}-{arm}-{place}", settings, Frozen()).run())
            cell = Cell(learner, arm, outcomes)
            print(row(cell), flush=True)
            yield cell


def row(cell: Cell) -> str:
    """A line of the table."""
    held_out = f"{_percent(cell.mean('held_out', 'before'))} → {_percent(cell.mean('held_out', 'after'))}"
    intervals = ", ".join(
        "{gain:+.0f} [{low:+.0f}, {high:+.0f}]".format(
            **{name: 100 * each["held_out"][name] for name in ("gain", "low", "high")}
        )
        for each in cell.outcomes
        if each["held_out"]
    )
    others = f"{_percent(cell.mean('unseen', 'before'))} → {_percent(cell.mean('unseen', 'after'))}"
    return (
        f"| {cell.learner} | {TITLES[cell.arm]} | {held_out} | {intervals} | {cell.excluding('held_out')} | {others} | "
        f"{cell.excluding('unseen')} |"
    )


def table(found: Sequence[Cell]) -> str:
    """The table of the document."""
    head = (
        "| learner | tasks | held out: before → after | gain by seed, points [95%] | beyond | trained on: before → "
        "after | beyond |\n|---|---|---|---|---|---|---|"
    )
    return "\n".join([head, *map(row, found)])


def picture(found: Sequence[Cell]) -> str:
    """Learning curves, one panel per learner, as SVG."""
    wide, high = 240, 190
    learners = list(dict.fromkeys(cell.learner for cell in found))
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {wide * len(learners)} {high + 46}" '
        'font-family="sans-serif" font-size="11" role="img">',
        "<title>Success at families held out, by round and by how tasks are chosen</title>",
        '<rect width="100%" height="100%" fill="#fff"/>',
    ]
    for place, learner in enumerate(learners):
        parts += _panel(wide * place, high, learner, [cell for cell in found if cell.learner == learner])
    for place, arm in enumerate(ARMS):
        x = 40 + 150 * place
        parts.append(f'<path d="M{x} {high + 30}h22" stroke="{COLOURS[arm]}" stroke-width="2"/>')
        parts.append(f'<text x="{x + 28}" y="{high + 34}">{TITLES[arm]}</text>')
    return "\n".join([*parts, "</svg>", ""])


def _panel(left: int, high: int, learner: str, found: Sequence[Cell]) -> Iterator[str]:
    x0, y0, w, h = left + 40, 26, 185, high - 52
    yield f'<text x="{x0}" y="16" font-weight="bold">{learner}</text>'
    for share in (0.0, 0.5, 1.0):
        y = y0 + h * (1 - share)
        yield f'<path d="M{x0} {y:.1f}h{w}" stroke="#ddd"/>'
        yield f'<text x="{x0 - 6}" y="{y + 4:.1f}" text-anchor="end">{share:.0%}</text>'
    for number in range(ROUNDS + 1):
        yield f'<text x="{x0 + w * number / ROUNDS:.1f}" y="{y0 + h + 16}" text-anchor="middle">{number}</text>'
    for cell in found:
        points = " ".join(
            f"{x0 + w * number / ROUNDS:.1f},{y0 + h * (1 - rate):.1f}"
            for number, rate in enumerate(cell.curve())
        )
        yield f'<polyline points="{points}" fill="none" stroke="{COLOURS[cell.arm]}" stroke-width="2"/>'


def _percent(share: float) -> str:
    return f"{share:.1%}"


def write(found: Sequence[Cell]) -> None:
    """Put table and picture into the documentation."""
    (DOCS / "img" / "gym-arms.svg").write_text(picture(found), encoding="utf-8")
    document = DOCS / "gym.md"
    text = document.read_text(encoding="utf-8")
    document.write_text(
        MARKS.sub(lambda match: f"{match[1]}{table(found)}\n{match[2]}", text), encoding="utf-8"
    )


def figures(found: Sequence[Cell]) -> list[Mapping[str, object]]:
    """The figures of all cells as JSON."""
    return [{"learner": cell.learner, "arm": cell.arm, "loops": list(cell.outcomes)} for cell in found]


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true", help="into docs/gym.md and docs/img/gym-arms.svg")
    parser.add_argument(
        "--folder", type=Path, default=Path("build/gym-arms"), help="of the loops (default build/gym-arms)"
    )
    args = parser.parse_args()
    started = time.perf_counter()
    cells_found = list(cells(args.folder))
    (args.folder / "arms.json").write_text(json.dumps(figures(cells_found)), encoding="utf-8")
    if args.write:
        write(cells_found)
    print(f"{time.perf_counter() - started:.0f} s")
