"""The memory of ready pages is bounded, and never gives a page of another state."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from leaderboard.ready_pages.store import ReadyPage, Store

KEYS, STATES = st.sampled_from("abcdef"), st.sampled_from("xyz")
MOST = 100


def page(text: str, size: int = 10, until: float = 1.0) -> ReadyPage:
    return ReadyPage(text.encode().ljust(size, b"."), (), text, until)


@given(st.lists(st.tuples(KEYS, STATES, st.integers(0, 60))), KEYS, STATES)
def test_a_page_is_of_the_state_that_it_is_asked_for_and_all_fit(
    puts: list[tuple[str, str, int]], key: str, state: str
) -> None:
    store, last = Store(MOST), {}
    for name, of_state, size in puts:
        store.put((name,), of_state, page(name + of_state, size))
        last[name] = of_state
    kept = store.get((key,), state, now=0.0)
    assert kept is None or (kept.etag == key + state and last[key] == state)
    sizes = [len(kept.packed) for _, kept in store._pages.values()]
    assert sum(sizes) == store._bytes
    assert sum(sizes) <= MOST or len(sizes) == 1
    if puts:
        newest = puts[-1]
        assert store.get((newest[0],), newest[1], now=0.0) is not None


def test_an_old_page_is_none() -> None:
    store = Store()
    store.put(("a",), "x", page("ax", until=5.0))
    assert store.get(("a",), "x", now=4.9) is not None
    assert store.get(("a",), "x", now=5.0) is None


def test_what_nobody_asks_for_goes_first() -> None:
    store = Store(MOST)
    for name in "abc":
        store.put((name,), "x", page(name, 40))
        store.get(("a",), "x", now=0.0)
    assert [bool(store.get((name,), "x", now=0.0)) for name in "abc"] == [True, False, True]
