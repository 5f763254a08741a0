"""Measures order bias: the effect of the gold line's position. Conditions of a family differ only in their order."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from evaluation.core.metric import Families, Reducer
from evaluation.core.statistics import FloatArray
from evaluation.goldevidence.conditions.perturb import GOLD_AT

if TYPE_CHECKING:
    from evaluation.goldevidence.conditions.conditions import Condition

#: Orders that fix the place of the gold line.
POSITIONS = frozenset({"gold_first", "gold_middle", "gold_last", *GOLD_AT})


def worst_order(conditions: Sequence[Condition], *, complete: bool = False) -> Reducer:
    """Return a function from rates by condition (last axis) to the lowest rate of any order.

    If `complete`, the result is NaN if the rate of any order is missing: it may be the worst, and leaving it out must
    not raise a rank.
    """
    members = order_members(conditions, [condition.name for condition in conditions])

    def reduce(rates: FloatArray, labels: Sequence[str]) -> FloatArray:
        if complete and members:
            if not set(members) <= set(labels):  # a trial asked no row under one condition
                return np.full(rates.shape[:-1], np.nan)
            lowest: FloatArray = rates[..., [labels.index(name) for name in members]].min(axis=-1)
            return lowest
        low, _ = _ends(conditions, rates, labels)
        worst: FloatArray = np.fmin.reduce(low, axis=-1, initial=np.nan)
        return worst

    return reduce


def order_spread(conditions: Sequence[Condition]) -> Reducer:
    """Return a function from rates by condition (last axis) to the largest difference within a family."""

    def reduce(rates: FloatArray, labels: Sequence[str]) -> FloatArray:
        low, high = _ends(conditions, rates, labels)
        widest: FloatArray = np.fmax.reduce(high - low, axis=-1, initial=np.nan)
        return widest

    return reduce


def order_families(conditions: Sequence[Condition]) -> Families:
    """Return a function that groups condition labels by family. Each group is a list of indices into the labels."""

    def families(labels: Sequence[str]) -> list[list[int]]:
        return list(_families(conditions, labels).values())

    return families


def order_members(conditions: Sequence[Condition], labels: Sequence[str]) -> list[str]:
    """Return the `labels` whose family has at least two conditions, so that there is an order to compare."""
    families = _families(conditions, labels).values()
    return [labels[place] for places in families if len(places) > 1 for place in places]


def _families(conditions: Sequence[Condition], labels: Sequence[str]) -> dict[str, list[int]]:
    families: dict[str, list[int]] = {}
    for condition in conditions:
        if condition.order in POSITIONS and condition.name in labels:
            families.setdefault(family(condition), []).append(labels.index(condition.name))
    return families


def _ends(
    conditions: Sequence[Condition], rates: FloatArray, labels: Sequence[str]
) -> tuple[FloatArray, FloatArray]:
    """Return the lowest and the highest rate of each family (last axis), or NaN if fewer than two rates are known."""
    families = _families(conditions, labels)
    ends = np.full((2, *rates.shape[:-1], len(families)), np.nan)
    for number, places in enumerate(families.values()):
        family_rates = rates[..., places]
        known = np.count_nonzero(~np.isnan(family_rates), axis=-1) > 1
        ends[0, ..., number] = np.where(known, np.fmin.reduce(family_rates, axis=-1), np.nan)
        ends[1, ..., number] = np.where(known, np.fmax.reduce(family_rates, axis=-1), np.nan)
    return ends[0], ends[1]


def family(condition: Condition) -> str:
    settings = condition.as_json().items()
    return " ".join(f"{name}={value}" for name, value in settings if name not in ("name", "order"))
