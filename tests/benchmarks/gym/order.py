"""Order bias trained in and out, with the gym's selector: `python -m tests.benchmarks.gym.order --write`.

The selector is trained on tasks whose right line stands last, then on its own mistakes on shuffled lines. After each
step it answers rows like those of the preset `order_bias_short`, from other seeds. `--write` writes the figures that
the site's page draws.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, cast

from evaluation.core.records import Prediction, Row
from evaluation.core.suite import SuiteVersion, get_suite
from evaluation.goldevidence.adapters.rules import answer_from_line, asked
from evaluation.goldevidence.conditions.rows import shown_entries
from evaluation.goldevidence.mistakes.record import line_shown
from evaluation.goldevidence.records import EpisodeRow
from evaluation.gym.learners import get_learner
from evaluation.gym.learners.base import Learner, Line, entry_of
from evaluation.gym.learners.network import Network
from evaluation.gym.loop.exports import lines_of_form
from evaluation.gym.loop.mining import GOLD_LAST, answered_by, mine, tasks_at

STORY = Path(__file__).parents[3] / "leaderboard" / "runs" / "gym" / "order_bias.json"
COMMAND = "python -m tests.benchmarks.gym.order --write"
SEED = 2**33 + 21
#: Of the rows that it is judged by; written down after learner and steps were.
JUDGED = tuple(2**31 + 100 + number for number in range(10))
BIASED_BY, ROUNDS, TASKS, LEVEL = 60, 5, 8, 0.6
PLACES = 4


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--write", action="store_true", help=f"write {STORY.name}, which the page draws")
    args = parser.parse_args(arguments)
    story = training_steps()
    for step in story["steps"]:
        shown = " ".join(f"{place['rate']:.1%}" for place in step["places"])
        print(
            f"{step['mistakes']} mistakes: worst order {step['worst']['rate']:.1%}; right line at 1, 2, …: {shown}"
        )
    if args.write:
        STORY.write_text(json.dumps(story, indent=1) + "\n", encoding="utf-8")


def training_steps() -> dict[str, Any]:
    """The steps of training, each with its figures; the first step is biased."""
    learner, judge = get_learner("selector"), Judge()
    network = learner.start(SEED)
    lines = list(_lines(learner, network, SEED, BIASED_BY, GOLD_LAST))
    network = network.trained(learner.examples(lines))
    biased = len(lines)
    steps = [judge.step(learner, network, 0)]
    for number in range(1, ROUNDS + 1):
        lines += _lines(learner, network, SEED + number, TASKS, "boundary", mistakes=True)
        network = network.trained(learner.examples(lines))
        steps.append(judge.step(learner, network, len(lines) - biased))
    return {
        "who": f"A selector of {sum(each.size for each in network.weights)} weights",
        "biased_by": biased,
        "tasks": TASKS,
        "command": COMMAND,
        "rows": judge.rows_asked,
        "guessing": 1 / PLACES,
        "steps": steps,
    }


def _lines(
    learner: Learner, network: Network, seed: int, tasks: int, arm: str, *, mistakes: bool = False
) -> Iterator[Line]:
    """Training examples of mined tasks; with `mistakes`, only of wrong answers."""
    drawn = islice(tasks_at(learner, LEVEL, seed, arm=arm), tasks)
    for each in mine(drawn, answered_by(learner, network), learner.success):
        if not mistakes or each.success == 0:
            yield from lines_of_form(learner.form, each)


class Judge:
    """Rows of the order board, from other seeds."""

    def __init__(self) -> None:
        suite = get_suite("goldevidence")
        settings = {**suite.presets()["order_bias_short"].settings, "seeds": list(JUDGED)}
        self._version: SuiteVersion = suite.version(settings)
        items = list(self._version.generate())
        self._records = [item.gold for item in items]
        self._rows: list[Row] = [row for item in items for row in item.rows]
        self.rows_asked = sum("candidates" in row for row in self._rows)

    def step(self, learner: Learner, network: Network, mistakes: int) -> dict[str, Any]:
        """Figures of a network.

        Args:
            learner: The learner that uses the network.
            network: The network to evaluate.
            mistakes: The number of its own mistakes it was trained on.
        """
        said = [
            {"id": row["id"], **_answer(learner, network, cast(EpisodeRow, row))}
            for row in self._rows
            if "candidates" in row
        ]
        report = self._version.grade(self._records, cast(list[Prediction], said))
        groups = report.groups["condition"]
        places = [groups[f"k{PLACES}-gold_at_{place}-shuffled"] for place in range(1, PLACES + 1)]
        return {
            "mistakes": mistakes,
            "worst": _rate(report.metrics, report.intervals, "worst_order_selection_rate"),
            "places": [_rate(each["metrics"], each["intervals"], "selection_rate") for each in places],
        }


def _answer(learner: Learner, network: Network, row: EpisodeRow) -> Mapping[str, Any]:
    lines = [line_shown(entry) for entry in shown_entries(row)]
    chosen = learner.chosen(network, lines, asked(row).key)
    return answer_from_line(row, None if chosen is None else entry_of(chosen))


def _rate(metrics: Mapping[str, Any], intervals: Mapping[str, Any], name: str) -> dict[str, float]:
    low, high = (intervals.get(name) or (metrics[name], metrics[name]))[:2]
    return {"rate": round(metrics[name], 4), "low": round(low, 4), "high": round(high, 4)}


if __name__ == "__main__":
    main()
