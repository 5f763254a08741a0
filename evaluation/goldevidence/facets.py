"""Facets by which the rows of a version can be filtered: condition, presence of a NOTE about the key, and family."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from evaluation.core.suite import Facet
from evaluation.goldevidence.generator.ladder.rungs import rung_tokens
from evaluation.goldevidence.generator.modes import MODES
from evaluation.goldevidence.grading.scope import WITH_NOTES, WITHOUT_NOTES
from evaluation.goldevidence.protocols import Protocol

#: Protocol -> label of its rows with the whole text.
WHOLE = {Protocol.CLOSED: "Whole book", Protocol.OPEN: "Whole log", Protocol.BUILD: "Built book"}
FAMILY_LABELS = {
    "aggregate": "Aggregate",
    "chain": "Chain",
    "nth": "N-th update",
    "authority": "Authority in time",
    "meaning": "Meaning",
}
NOTES = ((WITH_NOTES, "NOTE about the key"), (WITHOUT_NOTES, "No NOTE about the key"))


def facets(
    state_modes: Iterable[str],
    splits: Iterable[str],
    *,
    whole: str = "",
    labels: Mapping[str, str] | None = None,
) -> list[Facet]:
    """Return the facets of a version in the order of `scope.Cell`: notes, condition.

    A facet without a choice (no mode writes NOTEs, or only one condition) has no values. `whole` is the label of the
    condition facet's default choice. `labels` maps conditions to labels; default: their names.
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
        _notes_facet(noted),
        Facet("condition", "Condition", whole, others if len(names) > 1 else (), default),
    ]


def of_lengths(
    state_modes: Iterable[str], splits: Iterable[str], families: Sequence[str] = ()
) -> list[Facet]:
    """Return the facets of a version whose texts have several lengths: notes, length, and families if there are any."""
    names = sorted(splits, key=lambda name: rung_tokens(name) or 0)
    lengths = tuple((name, f"{name} tokens") for name in names)
    return [
        _notes_facet(any(MODES[mode].notes for mode in state_modes)),
        Facet("condition", "Length", "All lengths", lengths if len(names) > 1 else ()),
        *([_family_facet(families)] if families else []),
    ]


def _family_facet(families: Sequence[str]) -> Facet:
    named = tuple((name, FAMILY_LABELS[name]) for name in families)
    return Facet("family", "Family", "All families", named if len(named) > 1 else ())


def _notes_facet(noted: bool) -> Facet:
    return Facet("notes", "NOTE lines", "Any NOTEs", NOTES if noted else ())
