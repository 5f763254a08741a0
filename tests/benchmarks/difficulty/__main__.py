"""The effect of each difficulty on a parser's score: `python -m tests.benchmarks.difficulty [units]`.

Prints the table of docs/benchmarks.md: exact answers of programs that understand nothing, of the same episodes under
each difficulty alone, and under all at once. Fails if the oracle (`ledger`) is wrong anywhere.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

from evaluation.attacks.goldevidence.registry import ATTACKERS, OF_OTHER_FORMS
from evaluation.attacks.plan import Attacker, PublicLine
from evaluation.core.suite import Item
from evaluation.goldevidence.presets import PRESETS
from evaluation.goldevidence.suite import SUITE
from evaluation.goldevidence.systems.registry import get_system

UNITS = 100
PLAIN: dict[str, Any] = {
    "aliases": 0,
    "indirect_rate": 0,
    "near_values": 0,
    "wording": "published",
    "book_ledger": True,
}
PROSE: dict[str, Any] = {"wording": "prose", "book_ledger": False}
DIFFICULTIES: dict[str, dict[str, Any]] = {
    "none": {},
    "other names for half of the tags (`aliases: 0.5`)": {"aliases": 0.5},
    "indirect keys wherever one fits (`indirect_rate: 1`)": {"indirect_rate": 1.0},
    "near values (`near_values: 0.8`)": {"near_values": 0.8},
    "unsorted ledger (`unsorted_ledger`)": {"unsorted_ledger": True},
    "no ledger section (`book_ledger: false`)": {"book_ledger": False},
    "prose (`wording: prose`)": PROSE,
    "prose, names, near values, a quarter indirect (preset `prose`)": PROSE
    | {"aliases": 0.3, "indirect_rate": 0.25, "near_values": 0.5},
}
KNOWN = ATTACKERS | OF_OTHER_FORMS
#: Those that learn nothing from a twin: what is measured is the form of the text.
CHOSEN = ("last_line", "template_reader", "last_mention", "keyword_reader", "pack_reader")


def exact_of(attacker: Attacker, items: Sequence[Item], chosen: Any) -> float:
    """The rate of exact answers of an attacker."""
    answers = attacker.build(())
    rows = [SUITE.public_row(row) for item in items for row in item.rows]
    predictions = [line for number, row in enumerate(rows) for line in answers(PublicLine(row, number, 0))]
    return float(SUITE.version(chosen).grade((item.gold for item in items), predictions).metrics["exact_acc"])


def exact_of_oracle(items: Sequence[Item], chosen: Any) -> float:
    """The rate of exact answers of the reference system `ledger`."""
    oracle: Any = get_system("ledger").build()
    predictions = [oracle.predict(SUITE.public_row(row)) for item in items for row in item.rows]
    return float(SUITE.version(chosen).grade((item.gold for item in items), predictions).metrics["exact_acc"])


def main(units: int) -> None:
    """Print the table."""
    preset = PRESETS["prose"]
    episodes = max(1, units // (len(preset.state_modes) * len(preset.seeds)))
    names = [*(KNOWN[name].label.lower() for name in CHOSEN), "oracle"]
    print(f"| difficulty | {' | '.join(names)} |\n|---|{'---|' * len(names)}", flush=True)
    failed = []
    for difficulty, changes in DIFFICULTIES.items():
        generator = preset.generator.having(**PLAIN | changes | {"episodes": episodes})
        chosen = preset.having(generator=generator, attack_limits=()).as_json()
        items = list(SUITE.version(chosen).generate())
        figures = [exact_of(KNOWN[name], items, chosen) for name in CHOSEN]
        figures.append(exact_of_oracle(items, chosen))
        print(f"| {difficulty} | {' | '.join(f'{figure:.3f}' for figure in figures)} |", flush=True)
        if figures[-1] < 1:
            failed.append(difficulty)
    if failed:
        sys.exit(f"the oracle is wrong under: {', '.join(failed)}")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else UNITS)
