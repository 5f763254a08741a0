"""Skeletons: plots reduced to the acts that the gold depends on, without names and values."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from hashlib import blake2b

from evaluation.statebench.generator.scenes.acts import Act, Gold, Question, Standing
from evaluation.statebench.generator.scenes.oracle import evaluate

#: (kind, slot, actor, index of the act taken up, index of the first act with the same value)
Bone = tuple[str, int, str, int, int]
Skeleton = tuple[Bone, ...]


def without(acts: Sequence[Act], place: int) -> tuple[Act, ...]:
    """Remove the act at index `place`. References to the act become None, and other references are renumbered."""
    return tuple(
        replace(act, ref=None if act.ref == place else act.ref - (act.ref > place))
        if act.ref is not None and act.ref >= place
        else act
        for number, act in enumerate(acts)
        if number != place
    )


def shifted(gold: Gold, place: int) -> Gold | None:
    """Adjust the gold to the removal of the act at index `place`. Returns None if the gold refers to this act."""
    if place in gold.because or place in gold.dead:
        return None
    because, dead = (tuple(each - (each > place) for each in part) for part in (gold.because, gold.dead))
    return replace(gold, because=because, dead=dead)


def reduce(
    acts: Sequence[Act],
    question: Question,
    standing: Standing,
    same: Callable[[Gold, Gold, int], bool] | None = None,
) -> tuple[Act, ...]:
    """Remove the acts on which the gold does not depend.

    `same(before, after, index)` decides whether the gold is unchanged after removing the act at `index`. By default,
    both must be equal.
    """
    same = same or (lambda before, after, place: shifted(before, place) == after)
    kept, gold = tuple(acts), evaluate(acts, question, standing)
    place = 0
    while place < len(kept):
        fewer = without(kept, place)
        after = evaluate(fewer, question, standing)
        if same(gold, after, place):
            kept, gold, place = fewer, after, 0
        else:
            place += 1
    return kept


def skeleton(acts: Sequence[Act]) -> Skeleton:
    """Reduce each act to its kind, slot, role, the index of its reference, and the first act with its value.

    Indices are -1 for an act without reference or value.
    """
    firsts: dict[int, int] = {}
    return tuple(
        (
            act.kind,
            act.slot,
            act.who,
            -1 if act.ref is None else act.ref,
            -1 if act.value is None else firsts.setdefault(act.value, place),
        )
        for place, act in enumerate(acts)
    )


def name_of(standing: Standing, bones: Skeleton) -> str:
    """Return a stable name of a skeleton: 10 hexadecimal digits."""
    parts = [str(standing), *(" ".join(map(str, bone)) for bone in bones)]
    return blake2b("\n".join(parts).encode(), digest_size=5).hexdigest()
