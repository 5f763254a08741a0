"""Check that templates of scenes are minimal and distinct: `python -m tests.benchmarks.templates [preset] [seed …]`.

Each act of each template is removed once and the oracle asked again: the gold must change. Then skeletons are counted,
track by track: without their question, and reduced to the acts that the answer needs (the core). Exit code 1 for under
20 skeletons in a track, under 300 in all, or an act that changes nothing.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterable, Iterator

from evaluation.statebench.generator.scenes.acts import Plot
from evaluation.statebench.generator.scenes.oracle import evaluate
from evaluation.statebench.generator.scenes.plots import core_of, version_templates
from evaluation.statebench.generator.scenes.skeletons import reduce, shifted, skeleton, without
from evaluation.statebench.presets import PRESETS

PER_TRACK, IN_ALL = 20, 300


def fillers(plot: Plot) -> list[int]:
    """The places of acts whose removal leaves the gold unchanged."""
    return [
        place
        for place in range(len(plot.acts))
        if shifted(plot.gold, place) == evaluate(without(plot.acts, place), plot.question, plot.standing)
    ]


def problems(plots: Iterable[Plot]) -> Iterator[str]:
    """The reasons why plots are not valid templates."""
    known = list(plots)
    for plot in known:
        if plot.gold != evaluate(plot.acts, plot.question, plot.standing):
            yield f"{plot.track} {plot.name}: its gold is not the oracle's"
        if fillers(plot) or reduce(plot.acts, plot.question, plot.standing) != plot.acts:
            yield f"{plot.track} {plot.name}: acts {fillers(plot)} change nothing"
    for track, number in Counter(track for track, _ in _distinct(known)).items():
        if number < PER_TRACK:
            yield f"{track}: {number} skeletons"
    if (number := len({bones for _, bones in _distinct(known)})) < IN_ALL:
        yield f"{number} skeletons in all"


def _distinct(plots: Iterable[Plot]) -> set[tuple[str, object]]:
    return {(plot.track, (plot.standing, skeleton(plot.acts))) for plot in plots}


def main(preset: str = "decisions", *seeds: str) -> int:
    """Print the counts of a preset's templates, under its own seed or others."""
    chosen, status = PRESETS[preset], 0
    for seed in map(int, seeds or (str(chosen.seed),)):
        plots = list(version_templates(chosen.tracks, chosen.templates, seed))
        print(f"seed {seed}: {len(plots)} templates\n{'track':26} skeletons  cores  decisions")
        for track in chosen.tracks:
            own = [plot for plot in plots if plot.track == track]
            cores = {(plot.gold.decision, skeleton(core_of(plot))) for plot in own}
            decisions = dict(sorted(Counter(str(plot.gold.decision) for plot in own).items()))
            print(f"{track:26} {len(_distinct(own)):9}  {len(cores):5}  {decisions}")
        print(f"{'all, over tracks':26} {len({bones for _, bones in _distinct(plots)}):9}")
        for problem in problems(plots):
            status = 1
            print(problem)
    return status


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
