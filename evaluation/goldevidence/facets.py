"""How the rows of a version divide: by condition, by whether a NOTE competes with the answer, and by family."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from evaluation.core.suite import Facet
from evaluation.goldevidence.generator.ladder.rungs import rung_tokens
from evaluation.goldevidence.generator.modes import MODES
from evaluation.goldevidence.grading.scope import WITH_NOTES, WITHOUT_NOTES
from evaluation.goldevidence.protocols import Protocol

#: What a board says of the rows with the whole text.
WHOLE = {Protocol.CLOSED: "Whole book", Protocol.OPEN: "Whole log", Protocol.BUILD: "Built book"}
FAMILY_LABELS = {
    "aggregate": "Aggregate",
    "chain": "Chain",
    "nth": "N-th update",
    "authority": "Authority in time",
    "meaning": "Meaning",
}
NOTES = ((WITH_NOTES, "NOTE about the key"), (WITHOUT_NOTES, "No NOTE about it"))


def facets(
    state_modes: Iterable[str],
    splits: Iterable[str],
    *,
    whole: str = "",
    labels: Mapping[str, str] | None = None,
) -> list[Facet]:
    """The parts of a version in the order of `scope.Cell`: notes, condition.

    There is nothing to choose where no mode writes NOTE lines, or where every row has the same condition.

    Args:
        state_modes: The state modes of its episodes.
        splits: The names of its conditions.
        whole: What a board shows without a choice, where the headline is no rate of the whole book or of all rows.
        labels: What the conditions are called; one that is left out has its name.

    Returns:
        Two facets, with no values where there is nothing to choose.
    """
    names = list(splits)
    noted = any(MODES[mode].notes for mode in state_modes)
    protocol = next((each for each in Protocol if each.split_name in names), None)
    is_default = protocol is not None and not whole
    default = protocol.split_name if protocol is not None and is_default else ""
    whole = whole or (WHOLE[protocol] if protocol is not None else "All conditions")
    called = {**(labels or {}), **{each.split_name: WHOLE[each] for each in Protocol}}
    others = tuple((name, called.get(name, name)) for name in names if name != default)
    return [
        _of_notes(noted),
        Facet("condition", "Condition", whole, others if len(names) > 1 else (), default),
    ]


def of_lengths(
    state_modes: Iterable[str], splits: Iterable[str], families: Sequence[str] = ()
) -> list[Facet]:
    """The same of a ladder, whose conditions are its lengths.

    Args:
        state_modes: The state modes of its episodes.
        splits: The names of its rungs.
        families: Those of its questions; empty: it has none.

    Returns:
        Two facets, and a third where there are families; the lengths ascend, and all of them count without a choice.
    """
    names = sorted(splits, key=lambda name: rung_tokens(name) or 0)
    lengths = tuple((name, f"{name} tokens") for name in names)
    return [
        _of_notes(any(MODES[mode].notes for mode in state_modes)),
        Facet("condition", "Length", "All lengths", lengths if len(names) > 1 else ()),
        *([_of_families(families)] if families else []),
    ]


def _of_families(families: Sequence[str]) -> Facet:
    named = tuple((name, FAMILY_LABELS[name]) for name in families)
    return Facet("family", "Family", "All families", named if len(named) > 1 else ())


def _of_notes(noted: bool) -> Facet:
    return Facet("notes", "NOTE lines", "With and without NOTEs", NOTES if noted else ())
