"""Rows of one question are joined only if texts share ids or words; a disguise leaves nothing to join."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evaluation.attacks.goldevidence.joining.links import FEWEST, Forest, Groups, linked
from evaluation.attacks.goldevidence.joining.notes import KEPT, FileNotes, sketch
from evaluation.attacks.running import sealed_lines
from evaluation.goldevidence.presets import PRESETS
from evaluation.goldevidence.suite import SUITE
from tests.evaluation.attacks.goldevidence.test_registry import small

SEALED = [name for name, each in PRESETS.items() if not each.public_gold]


def notes_of(chosen: dict[str, Any]) -> tuple[FileNotes, dict[str, int]]:
    """Notes of a version's public file, and the unit of each row."""
    version = SUITE.version(chosen)
    lines, gold = sealed_lines(SUITE, version.generate(), version.shared_texts)
    notes = FileNotes()
    for line in lines:
        notes.see(line)
    return notes, {row["id"]: unit for row, unit in gold}


def joined(notes: FileNotes, groups: Groups, units: dict[str, int]) -> tuple[int, int]:
    """How many rows have a relative in their group that has another text or candidates; and the number of rows."""
    found = 0
    for members in groups:
        shown = [(units[row.id], number if row.has_candidates else f"text {row.text}")
                 for number, row in ((n, notes.rows[n]) for n in members)]  # fmt: skip
        texts = Counter(unit for unit, _ in set(shown))
        found += sum(texts[unit] > 1 for unit, _ in shown)
    return found, len(notes.rows)


@pytest.mark.parametrize("name", SEALED)
def test_no_row_of_a_present_preset_is_joined_with_a_relative(name: str) -> None:
    notes, units = notes_of(small(name))
    for groups in (notes.by_ids, notes.by_overlap):
        found, rows = joined(notes, groups, units)
        assert found <= 0.02 * rows + 2


@pytest.mark.parametrize("name", ["standard_short", "ladder_short", "authority_short", "k_curve"])
def test_before_texts_were_disguised_nearly_every_row_was(name: str) -> None:
    chosen = small(name)
    chosen["generator"] |= {"revision": 2}
    notes, units = notes_of(chosen)
    ids, words = (joined(notes, groups, units) for groups in (notes.by_ids, notes.by_overlap))
    reports = sum(not row.mine for row in notes.rows)  # they ask for no tag
    assert ids[0] >= 0.95 * (ids[1] - reports)
    assert words[0] >= 0.9 * words[1]
    for members in notes.by_ids:
        assert len({units[notes.rows[number].id] for number in members}) == 1


@given(st.lists(st.tuples(st.integers(0, 30), st.integers(0, 30)), max_size=60))
def test_groups_are_what_pairs_connect(pairs: list[tuple[int, int]]) -> None:
    forest, groups = Forest(31), [{number} for number in range(31)]
    for one, other in pairs:
        forest.join(one, other)
        together = groups[one] | groups[other]
        for number in together:
            groups[number] = together
    for one in range(31):
        for other in range(31):
            assert (forest.root(one) == forest.root(other)) == (other in groups[one])


@given(st.integers(8, 120), st.integers(1, 8), st.integers(0, 5))
@settings(deadline=None, max_examples=30)
def test_a_text_that_holds_another_is_linked_with_it_and_a_stranger_with_none(
    lines: int, longer: int, seed: int
) -> None:
    def words(name: str, count: int) -> set[bytes]:
        return {f"{seed} {name} {number}".encode() for number in range(count)}

    short = words("short", lines)
    padded = short | words("padding", lines * longer)
    strangers = [sketch(words(f"stranger {number}", lines * longer)) for number in range(3)]
    sketches = [sketch(short), *strangers, sketch(padded)]
    pairs = list(linked(sketches, 4))
    shared = np.intersect1d(sketches[0], sketches[-1])
    assert pairs == ([(0, 4)] if len(shared) >= FEWEST else [])
    assert len(shared) >= FEWEST or lines * longer > KEPT


def test_what_many_share_links_none_of_them() -> None:
    common = [f"common {number}".encode() for number in range(50)]
    sketches = [sketch([*common, f"own {number}".encode()]) for number in range(20)]
    assert list(linked(sketches, 12)) == []
    assert list(linked(sketches[:1], 12)) == []
    assert list(linked([sketch([]), sketch([])], 12)) == []
