"""Timelines of fresh seeds that a frozen version contains word for word: `python -m tests.benchmarks.gym.copies`."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice

from evaluation import gym
from evaluation.gym.families import FAMILIES, SCENE, TRACK
from evaluation.statebench.suite import SUITE

SEED = 2**41
#: Of a form of families: timelines of each, and the preset that they are compared with.
COMPARED = {TRACK: (40, "standard"), SCENE: (8, "decisions_short")}


def main() -> None:
    """Print the share of copies in each family, and in all of a form."""
    for form, (count, preset) in COMPARED.items():
        version = SUITE.version(SUITE.presets()[preset].settings)
        frozen = gym.Frozen.from_rows(row for item in version.generate() for row in item.rows)
        names = [name for name, family in FAMILIES.items() if family.form == form]
        copied = {name: _copied(frozen, name, count) for name in names}
        for name, each in copied.items():
            print(f"{name:30} {sum(each):3} of {count}{'  held out' if FAMILIES[name].held_out else ''}")
        every = [one for each in copied.values() for one in each]
        print(
            f"{form}: {sum(every)} of {len(every)} ({sum(every) / len(every):.0%}) are in {preset}\n",
            flush=True,
        )


def _copied(frozen: gym.Frozen, family: str, count: int) -> Sequence[bool]:
    tasks = islice(gym.tasks(SEED, 0.0, [family]), count)
    return [frozen.holds(task.row) or frozen.holds({"messages": task.messages}) for task in tasks]


if __name__ == "__main__":
    main()
