"""Skeletons: what remains of a plot without every act whose removal leaves the gold unchanged, up to renaming."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from hashlib import blake2b

from evaluation.statebench.generator.scenes.acts import Act, Gold, Question, Standing
from evaluation.statebench.generator.scenes.oracle import evaluate

#: An act as a skeleton has it: kind, slot, who, the act taken up, and the first act with the same value.
Bone = tuple[str, int, str, int, int]
Skeleton = tuple[Bone, ...]


def without(acts: Sequence[Act], place: int) -> tuple[Act, ...]:
    """The acts without one of them. What took that one up takes up nothing.

    Args:
        acts: The acts.
        place: The place of the one that is left out.
    """
    return tuple(
        replace(act, ref=None if act.ref == place else act.ref - (act.ref > place))
        if act.ref is not None and act.ref >= place
        else act
        for number, act in enumerate(acts)
        if number != place
    )


def shifted(gold: Gold, place: int) -> Gold | None:
    """A gold as it reads once an act is left out; None where it names that act.

    Args:
        gold: The gold.
        place: The place of the act.
    """
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
    """The acts without every one whose removal leaves the gold unchanged: one by one, until none is left.

    Args:
        acts: The acts in order.
        question: What is asked.
        standing: The rule by which an act settles a value.
        same: Whether the gold before and the one after the removal of the act at a place are the same; by default
            decision, value, evidence and dead acts are.
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
    """The sequence of (kind, slot, who, relation to earlier acts), up to renaming.

    The relation is the act that one takes up, and the first act that carries the same value; -1 for none.

    Args:
        acts: The acts, reduced.
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
    """A stable name of a skeleton: 10 hex digits.

    Args:
        standing: The rule by which its acts settle a value.
        bones: The skeleton.
    """
    parts = [str(standing), *(" ".join(map(str, bone)) for bone in bones)]
    return blake2b("\n".join(parts).encode(), digest_size=5).hexdigest()
