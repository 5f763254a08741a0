"""Scores by family of attackers that see one row: `python -m tests.benchmarks.families [preset …]`.

Prints, for each preset of families, the value and the exact answer (value and citations) of every floor and shortcut in
each family, on the seeds of the preset.
"""

from __future__ import annotations

import sys
from typing import Any

from evaluation.attacks.plan import plan_of
from evaluation.attacks.running import sealed_lines, twin_examples
from evaluation.goldevidence.data.families import FAMILIES
from evaluation.goldevidence.presets import PRESETS
from evaluation.goldevidence.suite import SUITE

NAMES = ("deep_short", "deep")


def main(names: list[str]) -> None:
    """Print a table for each preset.

    Args:
        names: Names of the presets.
    """
    for name in names:
        version = SUITE.version(PRESETS[name].as_json())
        plan = plan_of(version)
        assert plan is not None
        examples, items = list(twin_examples(SUITE, plan.twin)), list(version.generate())
        lines, _ = sealed_lines(SUITE, items, version.shared_texts)
        print(f"| `{name}`, value / exact | {' | '.join(FAMILIES)} | all |")
        print(f"|---|{'---|' * (len(FAMILIES) + 1)}")
        for attacker in plan.attackers:
            if attacker.role == "parser":
                continue
            answers = attacker.build(examples)
            report = version.grade(
                [item.gold for item in items], [each for line in lines for each in answers(line)]
            )
            groups = [report.groups["family"][family]["metrics"] for family in FAMILIES]
            print(f"| {attacker.label} | {' | '.join(map(_cell, [*groups, report.metrics]))} |", flush=True)


def _cell(metrics: Any) -> str:
    return f"{metrics['value_acc']:.3f} / {metrics['exact_acc']:.3f}"


if __name__ == "__main__":
    main(sys.argv[1:] or list(NAMES))
