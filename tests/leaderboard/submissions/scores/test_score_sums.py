"""The sums by unit of every rate, as stored with a score."""

from __future__ import annotations

import struct
import zlib

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from evaluation.core.statistics import UnitSums
from leaderboard.submissions.scores import score_sums

NUMBERS = st.one_of(
    st.integers(0, 70_000).map(float),
    st.floats(allow_nan=False, allow_infinity=False),
    st.sampled_from([0.1, 1 / 3, 0.5, -1.0]),
)


@st.composite
def reports(draw: st.DrawFn) -> dict[str, UnitSums]:
    """The sums of some metrics over the same units."""
    units = draw(st.integers(0, 6))
    codes = draw(st.none() | arrays.arrays(np.int64, units, elements=st.integers(0, 3)))
    sums = {}
    for name in draw(st.lists(st.text(min_size=1, max_size=8), unique=True, max_size=4)):
        parts = tuple(draw(st.lists(st.text(max_size=8), unique=True, min_size=1, max_size=3)))
        sums[name] = UnitSums(
            parts, draw(arrays.arrays(np.float64, (units, len(parts), 2), elements=NUMBERS)), codes
        )
    return sums


def same(actual: dict[str, UnitSums], expected: dict[str, UnitSums]) -> None:
    assert list(actual) == list(expected)
    for name, (parts, sums, codes) in expected.items():
        assert actual[name].parts == parts
        np.testing.assert_array_equal(actual[name].strata, codes)
        assert actual[name].sums.dtype == np.float64
        np.testing.assert_array_equal(actual[name].sums, sums)


@given(reports())
def test_what_is_packed_is_read_as_it_was(sums: dict[str, UnitSums]) -> None:
    data = score_sums.packed(sums)
    assert data
    same(score_sums.read(data), sums)
    expected = next((each.strata for each in sums.values()), None)
    np.testing.assert_array_equal(score_sums.strata(data), expected)


@given(reports())
def test_a_rate_of_one_part_is_over_the_sum_of_its_weights(sums: dict[str, UnitSums]) -> None:
    of_one_part = {name: each.sums[:, 0, 1].copy() for name, each in sums.items() if len(each.parts) == 1}
    with np.errstate(over="ignore", invalid="ignore"):  # some of these weights are near the largest number
        over = score_sums.denominators(score_sums.packed(sums))
        expected = {name: weights.sum() for name, weights in of_one_part.items()}
    assert over.keys() == expected.keys()
    for name, weight in over.items():
        np.testing.assert_array_equal(weight, expected[name])


def test_a_score_of_an_earlier_release_keeps_none() -> None:
    assert score_sums.read(b"") == {}
    assert score_sums.denominators(b"") == {}
    assert score_sums.strata(b"") is None


def test_the_first_form_is_read_as_one_stratum() -> None:
    header = b'{"units":2,"kinds":["|u1"],"metrics":{"rate":[["all",0,0]]}}'
    data = zlib.compress(struct.pack("<4sBI", b"sums", 1, len(header)) + header + b"\x03\x04")
    same(score_sums.read(data), {"rate": UnitSums(("all",), np.array([[[3.0, 3.0]], [[4.0, 4.0]]]))})
    assert score_sums.strata(data) is None


def test_equal_arrays_are_kept_once_and_in_the_narrowest_kind() -> None:
    counts = np.ones(5000)
    shared = {f"rate {n}": UnitSums(("all",), np.stack([counts, counts], 1)[:, None]) for n in range(40)}
    raw = zlib.decompress(score_sums.packed(shared))
    assert len(raw) < 5000 + 2000
    wide = {"rate": UnitSums(("all",), np.stack([counts / 3, counts], 1)[:, None])}
    assert len(zlib.decompress(score_sums.packed(wide))) > 9 * 5000
    same(score_sums.read(score_sums.packed(wide)), wide)


def test_another_form_is_refused_and_not_misread() -> None:
    data = zlib.compress(struct.pack("<4sBI", b"sums", 3, 2) + b"{}")
    for read in (score_sums.read, score_sums.strata, score_sums.denominators):
        with pytest.raises(score_sums.UnreadableSumsError, match="have format 3"):
            read(data)
