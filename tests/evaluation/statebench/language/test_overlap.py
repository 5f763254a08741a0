"""Look-up by overlap finds the same as a full scan."""

from __future__ import annotations

from hypothesis import example, given
from hypothesis import strategies as st

from evaluation.statebench.language.overlap import FEW, Need, OverlapIndex, Parts, least_of

WORDS = st.frozensets(st.sampled_from("abcdefgh"), max_size=6)


def shouted(words: frozenset[str]) -> frozenset[str]:
    return frozenset(map(str.upper, words))


def needed(item: Parts) -> list[Need]:
    """Most of the item's words, or all of those in upper case."""
    return [(item, least_of(0.6, len(item))), (shouted(item), len(item))]


@given(
    st.lists(WORDS, min_size=FEW + 1, max_size=FEW + 8),
    st.lists(WORDS | WORDS.map(shouted), max_size=4),
)
@example([frozenset("abcde")] * (FEW + 1), [frozenset("abc"), frozenset("ab")])
def test_an_index_finds_the_items_of_which_enough_is_there(items: list[Parts], queries: list[Parts]) -> None:
    index: OverlapIndex[Parts, Parts] = OverlapIndex(needed, frozenset, items[: FEW + 1])
    assert_finds(index, items[: FEW + 1], queries)
    for item in items[FEW + 1 :]:
        index.add(item)
    assert_finds(index, items, queries)


def assert_finds(index: OverlapIndex[Parts, Parts], items: list[Parts], queries: list[Parts]) -> None:
    for query in queries:
        met = {item for item in items if any(len(parts & query) >= least for parts, least in needed(item))}
        assert set(index.find(query)) == met


@given(
    st.lists(WORDS, min_size=FEW + 1, max_size=FEW + 8, unique=True), st.lists(WORDS, min_size=2, max_size=4)
)
def test_what_is_left_out_is_found_no_more(items: list[Parts], queries: list[Parts]) -> None:
    index: OverlapIndex[Parts, Parts] = OverlapIndex(needed, frozenset, items)
    assert_finds(index, items, queries[:1])
    for item in items[::2]:
        index.leave_out(item)
    assert_finds(index, items[1::2], queries)


def test_a_few_items_are_all_looked_at() -> None:
    items = [frozenset((str(number),)) for number in range(FEW)]
    assert list(OverlapIndex(needed, frozenset, items).find(frozenset("x"))) == items


@given(st.integers(1, 200))
def test_the_least_is_what_makes_up_a_share(size: int) -> None:
    assert [n / size >= 0.6 for n in (least_of(0.6, size) - 1, least_of(0.6, size))] == [False, True]
