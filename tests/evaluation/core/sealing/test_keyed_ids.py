"""Ids reveal nothing, can be made again with the key, and never collide."""

from __future__ import annotations

import hashlib
import hmac
import json

from hypothesis import assume, given
from hypothesis import strategies as st

from evaluation.core.sealing import keyed_ids

KEY = "5e" * 32
PARTS = st.tuples(st.text(max_size=8), st.text(max_size=8), st.text(max_size=8))


def row_id(parts: tuple[str, str, str], key: str = KEY) -> str:
    unit, question, split = parts
    return keyed_ids.row_id(key, unit=unit, question=question, split=split)


@given(PARTS, PARTS)
def test_two_rows_have_two_ids_however_their_parts_are_cut(first, second) -> None:
    assume(first != second)
    assert row_id(first) != row_id(second)


def test_parts_do_not_run_into_each_other() -> None:
    assert (
        len(
            {
                row_id(("ab", "c", "")),
                row_id(("a", "bc", "")),
                row_id(("a", "b", "c")),
                row_id(("", "abc", "")),
            }
        )
        == 4
    )


@given(PARTS)
def test_another_key_gives_another_id(parts) -> None:
    assert row_id(parts) != row_id(parts, keyed_ids.OPEN_KEY)


def test_with_the_key_an_id_is_made_again_by_common_tools() -> None:
    message = json.dumps(["row", "7:E0001T", "Q003", "k4-gold_last"], separators=(",", ":")).encode()
    digest = hmac.new(bytes.fromhex(KEY), message, hashlib.sha256).hexdigest()
    assert row_id(("7:E0001T", "Q003", "k4-gold_last")) == f"r{digest[:12]}"


def test_kinds_of_things_with_one_name_have_different_ids() -> None:
    ids = {keyed_ids.unit_id(KEY, unit="7:E0001", kind=kind) for kind in ("unit", "episode")}
    assert len(ids) == 2
    assert all(map(keyed_ids.is_keyed, ids))


def test_ids_of_another_form_are_told() -> None:
    for text in (
        "E0001-Q001",
        "G7-causality-00001",
        "r3F9A0C1D27BE",
        "r3f9a0c1d27b",
        "r3f9a0c1d27be@k4",
        None,
        7,
    ):
        assert not keyed_ids.is_keyed(text)
    assert keyed_ids.is_keyed("r3f9a0c1d27be")
    assert keyed_ids.is_keyed("u3f9a0c1d27be")


def test_a_drawn_key_is_a_key_and_never_the_same() -> None:
    keys = {keyed_ids.new_key() for _ in range(20)}
    assert len(keys) == 20
    assert all(map(keyed_ids.is_key, keys))
    assert keyed_ids.is_key(keyed_ids.OPEN_KEY)


def test_the_open_key_is_named_and_others_are_shown() -> None:
    assert keyed_ids.describe_key(keyed_ids.OPEN_KEY) == "64 zeros (public)"
    key = keyed_ids.new_key()
    assert keyed_ids.describe_key(key) == key
