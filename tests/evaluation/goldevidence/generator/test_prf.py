"""The generator's random numbers."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from evaluation.goldevidence.generator.prf import FACES, below, draw, threshold


def test_the_same_names_roll_the_same_faces_on_every_machine():
    assert list(draw("episode", 7, rows=2, faces=2)) == [
        (51_283_119, 231_695_218),
        (2_758_303_916, 2_686_388_416),
    ]


def test_a_longer_roll_begins_with_the_shorter():
    assert list(draw("x", rows=3, faces=4))[:2] == list(draw("x", rows=2, faces=4))


def test_names_are_kept_apart():
    assert list(draw("a", "bc", rows=1, faces=1)) != list(draw("ab", "c", rows=1, faces=1))


@given(st.integers(0, FACES - 1), st.integers(1, 10_000))
def test_below_stays_below(face, n):
    assert 0 <= below(face, n) < n


def test_every_face_is_below_the_threshold_of_certainty_and_none_below_that_of_never():
    assert threshold(1.0) == FACES
    assert threshold(0.0) == 0
