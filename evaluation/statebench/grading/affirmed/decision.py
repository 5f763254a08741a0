"""Determines the decision of a response: yes, no, unclear, both, or none."""

from __future__ import annotations

from collections.abc import Sequence

from evaluation.statebench.grading.affirmed.marks import Kind
from evaluation.statebench.grading.affirmed.reading import YIELDS, Force, Item, Reading

YES, NO, UNCLEAR, BOTH = "yes", "no", "unclear", "both"
_SAYS: dict[Kind, str] = {
    Kind.YES: YES,
    Kind.NO: NO,
    Kind.SO: YES,
    Kind.CAN: YES,
    Kind.NOT_SO: NO,
    Kind.CANNOT: NO,
    Kind.UNKNOWN: UNCLEAR,
    Kind.REFUSES: UNCLEAR,
}
_TURNED = {YES: NO, NO: YES}
_EXPLICIT = frozenset({Kind.YES, Kind.NO})
_WEAK = frozenset({Kind.CAN, Kind.CANNOT})


def decide(reading: Reading) -> str | None:
    """Return the decision of a response, else None. An explicit yes or no has priority over implied decisions."""
    said = [item for item in reading.items if item.decides is not None]
    explicit = {_SAYS[item.decides] for item in _standing(said) if item.decides in _EXPLICIT}
    if explicit:
        return BOTH if len(explicit) > 1 else explicit.pop()
    implied = _implied(said)
    unknown = [item for item in said if is_unclear(item)]
    if unknown and not (implied and _turns(reading, unknown[0].start, implied[-1][0])):
        return UNCLEAR
    labels = {label for _, label in implied}
    if len(labels) < 2:
        return labels.pop() if labels else None
    return implied[-1][1] if _turns(reading, implied[0][0], implied[-1][0]) else BOTH


def is_unclear(item: Item) -> bool:
    """True if the item states that the answer is unknown or withheld."""
    return item.decides in (Kind.UNKNOWN, Kind.REFUSES) and item.force in (Force.AFFIRMED, *YIELDS)


def refuses(reading: Reading) -> bool:
    return any(
        item.decides is Kind.REFUSES and item.force in (Force.AFFIRMED, Force.PAST) for item in reading.items
    )


def _standing(items: Sequence[Item]) -> list[Item]:
    affirmed = [item for item in items if item.force is Force.AFFIRMED]
    return affirmed or [item for item in items if item.force in YIELDS]


def _implied(said: Sequence[Item]) -> list[tuple[int, str]]:
    implying = [item for item in said if item.decides in _SAYS and _SAYS[item.decides] != UNCLEAR]
    strong = {item.clause for item in implying if item.decides not in _WEAK}
    kept = [item for item in implying if item.decides not in _WEAK or item.clause not in strong]
    told = [(item, label) for item in kept if (label := _label(item)) is not None]
    present = [pair for pair in told if pair[0].force not in YIELDS]
    loud = [pair for pair in present or told if pair[0].decides not in _WEAK]
    return [(item.start, label) for item, label in loud or present or told]


def _label(item: Item) -> str | None:
    assert item.decides is not None
    label = _SAYS[item.decides]
    if item.force is Force.DENIED:
        return _TURNED[label] if item.decides not in _WEAK or item.decides is Kind.CAN else label
    return label if item.force in (Force.AFFIRMED, *YIELDS) else None


def _turns(reading: Reading, first: int, last: int) -> bool:
    return any(first < at < last for at in reading.contrasts)
