"""Checks entailment: whether an answer follows from the lines that it cites."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from evaluation.goldevidence.data.case import Case
from evaluation.goldevidence.data.deeds import counts
from evaluation.goldevidence.data.families import entailed
from evaluation.goldevidence.data.ledger import Line
from evaluation.goldevidence.data.rubrics import Rubric


def entails(
    case: Case,
    value: str | None,
    cited: Sequence[Line | None],
    *,
    latest_only: bool,
    establishes: Callable[[str], bool],
) -> bool:
    """True if the cited lines imply the value (None: that there is no value). A line that was not shown is None.

    `latest_only` is for `reports`: only the latest cited entry of each key is read. `establishes` tells whether an
    operation changes state.
    """
    if case.family:
        return entailed(case.op, case.asks, value, cited, gold=case.gold, golds=len(case.gold_ids))
    if case.op == "reports":
        lines = [line for line in cited if line is not None]
        told = _reports(case, lines, establishes if latest_only else None)
        return len(lines) == len(cited) and value == told
    latest: Line | None = None
    for line in cited:
        if line is None:
            return False
        if line[2] == case.key and establishes(line[1]) and (latest is None or line[0] >= latest[0]):
            latest = line
    return value == (None if latest is None else answer(case, latest[3]))


def establisher(case: Case, rules: Rubric) -> Callable[[str], bool]:
    """Return a function that tells whether a line with a given operation (SET, NOTE, …) can establish an answer."""
    return counts if case.family else rules.establishes


def answer(case: Case, held: str | None) -> str | None:
    """Answer a case's question, given the value `held` of its key. Returns None if no answer follows."""
    if held is None:
        return None
    if case.mode == "counter":
        if not is_integer(held):
            return None
        held = str(int(held))
    match case.op:
        case None:
            return held.strip() or None
        case "parity":
            return ("even", "odd")[int(held) % 2] if is_integer(held) else None
        case "color":
            return held.split("-")[0].strip() or None
        case "count":
            return str(sum(1 for member in held.split(",") if member))
        case _:
            return held.strip() or None


def _reports(case: Case, entries: Sequence[Line], establishes: Callable[[str], bool] | None) -> str | None:
    """Return the sorted keys that report to the manager, joined by commas; None if there are none.

    Without `establishes` all entries count, else the latest of each key that establishes a value.
    """
    if case.manager is None:
        return None
    if establishes is not None:
        state: dict[Any, Line] = {}
        for line in entries:
            if establishes(line[1]) and (line[2] not in state or line[0] >= state[line[2]][0]):
                state[line[2]] = line
        entries = list(state.values())
    return ",".join(sorted(key for _, _, key, value in entries if value == case.manager)) or None


def is_integer(text: str) -> bool:
    try:
        int(text)
    except ValueError:
        return False
    return True
