"""How fast condition rows are built and answered: 4,800 questions under 12 conditions.

python -m tests.benchmarks.conditions
"""

from __future__ import annotations

import resource
from itertools import groupby
from time import perf_counter

from evaluation.goldevidence.conditions.conditions import Condition
from evaluation.goldevidence.conditions.perturb import ORDERS
from evaluation.goldevidence.conditions.rows import condition_rows
from evaluation.goldevidence.data.ledger import parse_book
from evaluation.goldevidence.generator.config import GeneratorConfig
from evaluation.goldevidence.generator.episodes import generate_units
from evaluation.goldevidence.grading.choices import Choice, observe_row
from evaluation.goldevidence.grading.decomposition import decompose, decomposition_line
from evaluation.goldevidence.systems.registry import get_system

QUESTIONS = 4800
SYSTEM = "prefer_update_latest"


def main() -> None:
    """Print rows per second of each stage and the peak memory of all."""
    config = GeneratorConfig(state_mode="kv_commentary", episodes=QUESTIONS // 24)
    conditions = [Condition.from_json({"k": k, "order": order}) for k in (2, 4, 8) for order in ORDERS]
    units = list(generate_units(config))
    system = get_system(SYSTEM).build()
    spent = dict.fromkeys(("build", "answer", "observe"), 0.0)
    choices: list[Choice] = []
    for unit in units:
        for book, rows in groupby(unit.rows, key=lambda row: row["book"]):
            times = [perf_counter()]
            shown = list(condition_rows(list(rows), parse_book(book), conditions, 0))
            times.append(perf_counter())
            predictions = [system.predict(row) for row in shown]
            times.append(perf_counter())
            choices += map(observe_row, shown, predictions)
            times.append(perf_counter())
            for stage, start, end in zip(spent, times, times[1:], strict=False):
                spent[stage] += end - start
    for stage, seconds in spent.items():
        print(f"{stage:8} {seconds:6.2f} s  {len(choices) / seconds:10,.0f} rows/s")
    print(f"{len(choices)} condition rows, {SYSTEM}: {decomposition_line(decompose(choices))}")
    print(f"peak memory {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MB")


if __name__ == "__main__":
    main()
