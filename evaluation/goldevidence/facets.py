"""How the rows of a version divide: by condition, and by whether a NOTE competes with the answer."""

from __future__ import annotations

from collections.abc import Iterable

from evaluation.core.suite import Facet
from evaluation.goldevidence.data.case import CLOSED_BOOK
from evaluation.goldevidence.generator.modes import MODES
from evaluation.goldevidence.grading.scope import WITH_NOTES, WITHOUT_NOTES

NOTES = ((WITH_NOTES, "NOTE about the key"), (WITHOUT_NOTES, "No NOTE about it"))


def facets(state_modes: Iterable[str], conditions: Iterable[str]) -> list[Facet]:
    """The parts of a version in the order of `scope.Cell`: notes, condition.

    There is nothing to choose where no mode writes NOTE lines, or where every row has the same condition.
    """
    names = list(conditions)
    noted = any(MODES[mode].notes for mode in state_modes)
    whole, default = ("Whole book", CLOSED_BOOK) if CLOSED_BOOK in names else ("All conditions", "")
    others = tuple((name, name) for name in names if name != default)
    return [
        Facet("notes", "NOTE lines", "With and without NOTEs", NOTES if noted else ()),
        Facet("condition", "Condition", whole, others if len(names) > 1 else (), default),
    ]
