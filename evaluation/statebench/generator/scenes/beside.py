"""Mixes a decoy into a plot: another template of the same track, about an object that no question is about.

Some words are typical of undecided matters ("no longer", "undone") and would reveal the answer if a timeline had only
its plot. So an undecided plot gets a decided decoy with the same form of question, and vice versa. The gold is
unaffected, because a decoy has its own slots, values and task scope.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from evaluation.core.rng import Stream
from evaluation.statebench.generator.scenes.acts import ABOUT_IT, Act, Decision, Kind, Plot

#: The first slot of a decoy, and the number of its first value.
DECOY_SLOT, DECOY_VALUE = 5, 1_000
#: Attempts per decoy, each with other names and words.
_ROUNDS = 8
#: Acts that affect the acts after them: plots with these are told one after the other.
_APART = ABOUT_IT | {Kind.FOCUS, Kind.RESUME, Kind.ENTER}


def decoys(plot: Plot, pool: Sequence[Plot], draw: Stream) -> list[Plot]:
    """List the decoys to try for a plot, those with the same form of question first.

    They are decided if the plot is undecided, and undecided if it is decided.
    """
    is_open, in_drill = plot.gold.decision is Decision.UNCLEAR, _is_in_drill(plot)
    others = [
        each
        for each in pool
        if (each.gold.decision is Decision.UNCLEAR) is not is_open and not (in_drill and _is_in_drill(each))
    ]
    draw.shuffle(others)
    alike = [each for each in others if each.question.form is plot.question.form]
    return [*alike * _ROUNDS, *(each for each in others * _ROUNDS if each not in alike)]


def beside(plot: Plot, decoy: Plot, draw: Stream) -> Plot:
    """Interleave the acts of a plot and of a decoy. Both keep their order, and the indices in the gold are adjusted."""
    turns = _turns(plot, decoy, draw)
    places = {side: [place for place, turn in enumerate(turns) if turn is side] for side in (False, True)}
    own, others = iter(plot.acts), iter(decoy.acts)
    acts = tuple(
        _moved(next(others), places[True], DECOY_SLOT, DECOY_VALUE)
        if turn
        else _moved(next(own), places[False])
        for turn in turns
    )
    because, dead = (tuple(places[False][n] for n in part) for part in (plot.gold.because, plot.gold.dead))
    return replace(plot, acts=acts, gold=replace(plot.gold, because=because, dead=dead))


def _turns(plot: Plot, decoy: Plot, draw: Stream) -> list[bool]:
    own, others = [False] * len(plot.acts), [True] * len(decoy.acts)
    if any(act.kind in _APART for act in (*plot.acts, *decoy.acts)):
        # Within a drill of the other plot, an act might seem to hold there only, or to end the other's drill.
        is_last = _is_in_drill(decoy) or (not _is_in_drill(plot) and draw.chance(0.5))
        return [*own, *others] if is_last else [*others, *own]
    turns = [*own, *others]
    draw.shuffle(turns)
    return turns


def _is_in_drill(plot: Plot) -> bool:
    places = [act.kind for act in plot.acts if act.kind in (Kind.ENTER, Kind.LEAVE)]
    return places[-1:] == [Kind.ENTER]


def _moved(act: Act, places: Sequence[int], slot: int = 0, value: int = 0) -> Act:
    return replace(
        act,
        slot=act.slot + slot,
        value=None if act.value is None else act.value + value,
        ref=None if act.ref is None else places[act.ref],
    )
