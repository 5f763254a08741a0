"""Readers of scenes that misunderstand something: `python -m tests.benchmarks.scene_readers [versions]`.

Each answers every template of `decisions` under other seeds, both copies alike. Prints its accuracy, its standard
deviation over seeds, the half width of its intervals (about 1.96 of these expected), and in how many versions the
interval holds the mean of all.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from evaluation.core.statistics import rate_intervals
from evaluation.statebench.generator.scenes.acts import SILENT, Act, Kind, Plot, Standing
from evaluation.statebench.generator.scenes.oracle import evaluate
from evaluation.statebench.generator.scenes.plots import version_templates
from evaluation.statebench.presets import PRESETS

Misread = Callable[[Act], Act | None]
_TAKEN_BACK = frozenset(
    {Kind.WITHDRAW, Kind.ROLLBACK, Kind.WITHDRAW_IT, Kind.RELEASE, Kind.REOPEN, Kind.FAULT}
)
_TAKEN_FOR_TRUE = frozenset({Kind.PROPOSE, Kind.HEARSAY, Kind.RECALL, Kind.CLAIM, Kind.SUPPOSE, Kind.LATE})


def _believes(act: Act) -> Act:
    return replace(act, kind=Kind.SET) if act.kind in _TAKEN_FOR_TRUE else act


READERS: dict[str, tuple[Misread, Standing | None]] = {
    "forgets the time": (lambda act: None if act.kind in SILENT else act, None),
    "takes nothing back": (lambda act: None if act.kind in _TAKEN_BACK else act, None),
    "believes what is said": (_believes, None),
    "obeys everybody": (lambda act: act, Standing.PLAIN),
}


def is_right(plot: Plot, misread: Misread, standing: Standing | None) -> bool:
    """True if a reader comes to the gold's decision and value.

    Args:
        plot: The template.
        misread: How the reader misreads an act; None: the reader overlooks it.
        standing: The rule of standing that the reader follows; None: that of the plot.
    """
    kept = [(place, read) for place, act in enumerate(plot.acts) if (read := misread(act)) is not None]
    places = {place: number for number, (place, _) in enumerate(kept)}
    acts = [replace(act, ref=None if act.ref is None else places.get(act.ref)) for _, act in kept]
    gold = evaluate(acts, plot.question, standing or plot.standing)
    return (gold.decision, gold.value) == (plot.gold.decision, plot.gold.value)


def main(versions: int = 20) -> None:
    """Print the table of all readers.

    Args:
        versions: Number of seeds.
    """
    chosen = PRESETS["decisions"]
    strata = np.repeat(np.arange(len(chosen.tracks)), chosen.templates)
    drawn: list[Sequence[Plot]] = [
        list(version_templates(chosen.tracks, chosen.templates, 20_000 + seed)) for seed in range(versions)
    ]
    print("reader                  accuracy  sd over seeds  ±  covered")
    for name, (misread, standing) in READERS.items():
        right = np.array(
            [[is_right(plot, misread, standing) for plot in plots] for plots in drawn], dtype=float
        )
        sums = np.stack([right * chosen.count, np.full_like(right, chosen.count)], axis=-1)
        found = rate_intervals(sums, strata)
        rates, mean = right.mean(axis=1), right.mean()
        wide = np.mean([(each.high - each.low) / 2 for each in found if each])
        covered = np.mean([each.low <= mean <= each.high for each in found if each])
        print(f"{name:24}{mean:.3f}     {rates.std(ddof=1):.3f}          {wide:.3f}  {covered:.2f}")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
