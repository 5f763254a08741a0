"""The memory of ready pages is bounded, and never returns a page of another state."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from leaderboard.ready_pages.store import MOST_STATES, ReadyPage, Store

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
    sizes = [len(kept.page.packed) for kept in store._pages.values()]
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


def test_pages_that_are_not_requested_go_first() -> None:
    store = Store(MOST)
    for name in "abc":
        store.put((name,), "x", page(name, 40))
        store.get(("a",), "x", now=0.0)
    assert [bool(store.get((name,), "x", now=0.0)) for name in "abc"] == [True, False, True]


def test_an_older_page_is_as_the_site_was_a_few_seconds_ago_and_no_older() -> None:
    store = Store()
    store.put(("a",), "x", page("ax", until=60.0))
    assert store.older(("a",), now=1.0, seconds=5) is None, "the site was never seen like that"
    store.saw("x", 10.0)
    store.saw("y", 11.0)
    kept = store.older(("a",), now=14.9, seconds=5)
    assert kept is not None
    assert kept.page.etag == "ax"
    assert store.older(("a",), now=15.0, seconds=5) is None
    assert store.older(("a",), now=10.0, seconds=0) is None
    assert store.older(("b",), now=11.0, seconds=5) is None


def test_an_older_page_is_not_sent_long_after_its_times_grew_old() -> None:
    store = Store()
    store.put(("a",), "x", page("ax", until=5.0))
    store.saw("x", 9.0)
    assert store.older(("a",), now=9.9, seconds=5) is not None
    assert store.older(("a",), now=10.0, seconds=5) is None


def test_states_that_are_remembered_are_bounded() -> None:
    store = Store()
    for number in range(3 * MOST_STATES):
        store.saw(str(number), float(number))
    assert len(store._seen) == MOST_STATES
