"""Renamings: bijections that keep what questions are about, and can be undone."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.goldevidence.data.ledger import Entry
from evaluation.goldevidence.generator.difficulty.wording import FAKE_UID
from evaluation.goldevidence.generator.modes import COLORS, MODES, STARS
from evaluation.goldevidence.generator.queries import Query, answer
from evaluation.goldevidence.generator.renaming import Renaming, Renamings, renamed_steps, salt_named

salts = st.integers(0, 2**64 - 1).map(lambda number: number.to_bytes(8))
digits = st.integers(0, 9999).map("{:04d}".format)
colors = st.builds("{}-{}".format, st.sampled_from(COLORS), digits)
values = {
    "kv": colors,
    "kv_commentary": colors,
    "counter": st.integers(0, 400).map(str),
    "set": st.lists(digits, min_size=1, max_size=6, unique=True).map(
        lambda items: ",".join(sorted(f"item{item}" for item in items))
    ),
    "relational": st.builds("{}-{:03d}".format, st.sampled_from(STARS), st.integers(0, 999)),
}
valued = st.sampled_from(sorted(values)).flatmap(lambda mode: st.tuples(st.just(mode), values[mode]))


@given(salt=salts, valued=valued)
def test_a_value_comes_back(salt: bytes, valued: tuple[str, str]) -> None:
    mode, value = valued
    renaming = Renaming(salt, mode)
    renamed = renaming.value(value)
    assert renaming.answer_before(renamed) == value
    derived = MODES[mode].derived_op
    if derived != "reports":
        query = Query("tag.00", derived)
        told = answer(query, renamed)
        assert told is not None
        assert renaming.answer(answer(query, value) or "", derived) == told
        assert renaming.answer_before(told, derived) == answer(query, value)


@given(salt=salts, number=st.integers(0, 999), uid=st.integers(1, 2**24 - 1))
def test_tags_and_ids_come_back_and_odd_tags_stay_odd(salt: bytes, number: int, uid: int) -> None:
    renaming = Renaming(salt, "kv")
    key, line = f"tag.{number:02d}", f"U{uid:06X}"
    assert renaming.tag_before(renaming.tag(key)) == key
    assert int(renaming.tag(key)[4:]) % 2 == number % 2
    assert renaming.uid_before(renaming.uid(line)) == line
    assert renaming.uid(line) != FAKE_UID


@given(salt=salts, keys=st.lists(st.integers(0, 99), min_size=1, unique=True))
def test_tags_that_report_to_a_manager_come_back_sorted(salt: bytes, keys: list[int]) -> None:
    renaming, tags = Renaming(salt, "relational"), sorted(f"tag.{key:02d}" for key in keys)
    told = ",".join(sorted(map(renaming.tag, tags)))
    assert renaming.answer_before(told, "reports") == ",".join(tags)


@given(salt=salts, color=st.sampled_from(COLORS), places=st.tuples(*[st.integers(0, 9)] * 5))
def test_values_that_differ_in_a_digit_go_on_doing_so(
    salt: bytes, color: str, places: tuple[int, ...]
) -> None:
    *rest, other = places
    one = f"{color}-{''.join(map(str, rest))}"
    near = f"{one[:-1]}{other}"
    renaming = Renaming(salt, "kv")
    apart = sum(a != b for a, b in zip(renaming.value(one), renaming.value(near), strict=True))
    assert apart == (one != near)


@given(salt=salts, steps=st.lists(st.integers(1, 5000), min_size=1))
def test_steps_stay_in_their_order(salt: bytes, steps: list[int]) -> None:
    renamed = renamed_steps(salt, steps)
    assert sorted(renamed, key=renamed.__getitem__) == sorted(renamed) == sorted(set(steps))
    assert min(renamed.values()) >= 1
    assert len(set(renamed.values())) == len(renamed)


@pytest.mark.parametrize("mode", sorted(MODES))
@given(salt=salts, text=st.text(max_size=20))
def test_an_answer_that_is_no_value_is_taken_as_it_is(mode: str, salt: bytes, text: str) -> None:
    renaming = Renaming(salt, mode)
    assert isinstance(renaming.answer_before(text, MODES[mode].derived_op), str)
    assert isinstance(renaming.answer_before(text), str)
    assert renaming.uid_before(text) == text or text[0] == "U"


def test_two_renamings_are_undone_in_turn() -> None:
    first, second = (Renaming(salt_named("an episode", side), "kv") for side in ("text", "row"))
    entry = Entry("U00AB12", 7, "SET", "tag.03", "amber-0042")
    twice = second.entry(first.entry(entry, 9), 11)
    undone = Renamings(f"{first.salt.hex()},{second.salt.hex()}", "kv")
    assert undone.tag_before(twice.key) == entry.key
    assert undone.uid_before(twice.uid) == entry.uid
    assert undone.answer_before(twice.value or "") == entry.value


def test_texts_of_an_episode_share_no_more_than_those_of_different_ones() -> None:
    ids = [f"U{number * 7919 % 2**24:06X}" for number in range(1, 201)]
    seen = [{Renaming(salt_named("an episode", text), "kv").uid(uid) for uid in ids} for text in range(50)]
    shared = sum(len(one & other) for one in seen for other in seen if one is not other)
    # 2,450 pairs of 200 ids each out of 2**24: six by chance
    assert shared <= 20
