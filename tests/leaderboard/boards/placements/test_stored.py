"""A board reads back as it was stored."""

from __future__ import annotations

import uuid

from hypothesis import given
from hypothesis import strategies as st

from leaderboard.boards.placements import stored
from leaderboard.boards.placements.ranking import Figure, Placement

RANKS = st.none() | st.integers(1, 2000)
RATES = st.none() | st.floats(0, 1)
FIGURES = st.builds(
    Figure, st.floats(0, 1), st.none() | st.tuples(st.floats(0, 1), st.floats(0, 1)), st.integers(0, 9999)
)
PLACES = st.builds(
    Placement,
    key=st.uuids(),
    rank=RANKS,
    low=RANKS,
    high=RANKS,
    tie=st.booleans(),
    sharing=st.integers(1, 2000),
    group=RANKS,
    best=st.booleans(),
    reason=st.text(max_size=40),
    apart=st.booleans(),
    units=st.integers(0, 500),
    robust=RATES,
    lead=RATES,
    figure=st.none() | FIGURES,
)


@given(st.lists(PLACES, max_size=6))
def test_places_come_back_as_they_were(places):
    assert stored.unpacked(stored.packed(places)) == places


@given(st.lists(st.tuples(st.integers(0, 9), st.text(max_size=3)), max_size=6), st.randoms())
def test_a_fingerprint_is_that_of_the_state_in_any_order(state, random):
    shuffled = random.sample(state, len(state))
    assert stored.fingerprint(shuffled) == stored.fingerprint(state)
    assert stored.fingerprint([*state, "more"]) != stored.fingerprint(state)


def test_only_places_of_this_state_and_part_are_read(version):
    place = Placement(uuid.uuid4(), 1, 1, 1)
    stored.write(version, "", "first", [place])
    assert stored.read(version, "", "first") == [place]
    assert stored.read(version, "", "second") is None
    assert stored.read(version, "notes=with", "first") is None
    stored.write(version, "", "second", [])
    assert stored.read(version, "", "second") == []
    assert not stored.is_fresh(version, "", "first")
    assert version.stored_placements.count() == 1


def test_a_thousand_places_take_little_room():
    places = [Placement(uuid.uuid4(), n, n, n + 40, reason="") for n in range(1000)]
    assert len(stored.packed(places)) < 60_000
