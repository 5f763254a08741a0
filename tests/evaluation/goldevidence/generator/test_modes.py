"""State modes: how values change and flip."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.goldevidence.generator.modes import LARGEST_SET, MODES, managers

VALUES = {
    "kv": r"[a-z]+-\d{4}",
    "kv_commentary": r"[a-z]+-\d{4}",
    "counter": r"\d+",
    "set": r"item\d{4}(,item\d{4})*",
    "relational": r"[a-z]+-\d{3}",
}
faces = st.integers(0, 2**32 - 1)


@pytest.mark.parametrize("name", MODES)
@given(dice=st.lists(st.tuples(faces, faces), min_size=1, max_size=12))
def test_values_keep_their_form_and_every_move_changes_them(name, dice):
    mode, pool, value = MODES[name], managers(14), None
    for a, b in dice:
        moved = mode.move(value, a, b, pool)
        assert re.fullmatch(VALUES[name], moved)
        assert moved != value
        value = moved


@pytest.mark.parametrize("name", MODES)
@given(dice=st.lists(st.tuples(faces, faces), min_size=2, max_size=8))
def test_a_flip_changes_the_derived_answer_too(name, dice):
    mode, pool, value = MODES[name], managers(14), None
    for a, b in dice[1:]:
        value = mode.move(value, a, b, pool)
    assert value is not None
    flipped = mode.flip(value, *dice[0], pool)
    assert flipped != value
    assert re.fullmatch(VALUES[name], flipped)
    if mode.derive:
        assert mode.derive(flipped) != mode.derive(value)


@given(st.lists(st.tuples(faces, faces), min_size=1, max_size=60))
def test_a_set_is_never_empty_never_large_and_always_sorted(dice):
    value = None
    for a, b in dice:
        value = MODES["set"].move(value, a, b, ())
        members = value.split(",")
        assert 1 <= len(members) <= LARGEST_SET
        assert members == sorted(set(members))


def test_two_keys_still_have_two_managers_to_choose_from():
    assert len(set(managers(1))) == 2


def test_managers_have_different_names():
    assert len(set(managers(300))) == 200
