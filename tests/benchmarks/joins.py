"""The gain of reading all rows together: `python -m tests.benchmarks.joins [preset …] [--before]`.

Prints, for each preset whose answers are kept, the best guess or shortcut, which see one row at a time, and what every
joiner reaches, over the version at its full size; with `--before` as the generator wrote it before texts were disguised
(revision 2, and the published orders of candidates). Fails if a joiner of a present preset is above its ceiling.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator, Mapping
from typing import Any

from evaluation.attacks.goldevidence.registry import JOINERS
from evaluation.attacks.report import SINGLE, AttackOutcome, AttackReport
from evaluation.goldevidence.presets import PRESETS
from evaluation.goldevidence.suite import SUITE
from tests.evaluation.attacking import attacked

SEALED = [name for name, each in PRESETS.items() if not each.public_gold]
METRICS = ("exact_acc", "selection_rate")
#: Orders as they were, for those that each place has now.
FORMER = {
    "gold_at_1": "gold_first",
    "gold_at_2": "gold_middle",
    "gold_at_3": "shuffle",
    "gold_at_4": "gold_last",
}


def settings_of(name: str, *, before: bool) -> dict[str, Any]:
    """The settings of a preset.

    Args:
        name: Name of the preset.
        before: Whether to take the settings from before texts were disguised.
    """
    chosen = PRESETS[name].as_json()
    if before:
        chosen["generator"] |= {"revision": 2}
        chosen["conditions"] = [_former(each) for each in chosen["conditions"]]
    return chosen


def _former(condition: Mapping[str, Any]) -> dict[str, Any]:
    order = FORMER.get(condition["order"], condition["order"])
    return {**condition, "order": order}


def reached(report: AttackReport, metric: str) -> Iterator[tuple[AttackOutcome, float, float]]:
    """Every attacker with its figure and the lower end of its interval."""
    for each in report["attackers"]:
        for score in each["scores"]:
            if score["metric"] == metric:
                yield each, score["value"], score["low"]


def main(names: list[str], *, before: bool) -> int:
    """Print the table; 1 if a joiner of a present preset is above its ceiling, else 0."""
    print(f"| preset | figure | one row at a time | {' | '.join(JOINERS)} |")
    print(f"|---|---|---|{'---|' * len(JOINERS)}")
    above = []
    for name in names:
        started = time.process_time()
        report = attacked(SUITE, settings_of(name, before=before))
        for metric in METRICS:
            figures = {each["name"]: value for each, value, _ in reached(report, metric)}
            if not figures:
                continue
            best = max(value for each, value, _ in reached(report, metric) if each["role"] in SINGLE)
            cells = (f"{figures[joiner]:.3f}" if joiner in figures else "" for joiner in JOINERS)
            print(f"| `{name}` | {metric} | {best:.3f} | {' | '.join(cells)} |", flush=True)
        print(f"{name}: {time.process_time() - started:.1f} s of CPU", file=sys.stderr, flush=True)
        above += [name for each in report["attackers"] if each["role"] == "join"
                  and any(score["above"] for score in each["scores"])]  # fmt: skip
    if above and not before:
        print(f"joined: {', '.join(dict.fromkeys(above))}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(
        main([name for name in sys.argv[1:] if name in PRESETS] or SEALED, before="--before" in sys.argv)
    )
