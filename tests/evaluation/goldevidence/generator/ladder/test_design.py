"""How a ladder's design crosses tags and episodes."""

from __future__ import annotations

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from evaluation.goldevidence.generator.ladder.design import JITTER, cells, design, most_updates
from evaluation.goldevidence.generator.ladder.settings import Ladder
from tests.evaluation.goldevidence.generator.ladder.cast import settings

some_of = {
    "depths": st.lists(st.sampled_from([0.1, 0.25, 0.5, 0.75, 0.9]), min_size=1, unique=True),
    "writes": st.lists(st.integers(1, 6), min_size=1, max_size=4, unique=True),
    "shares": st.lists(st.sampled_from([0.0, 0.25, 0.5, 1.0]), min_size=1, unique=True),
}


@given(st.fixed_dictionaries(some_of))
def test_every_depth_meets_every_number_of_writes_once(data: dict[str, list[float]]) -> None:
    ladder = Ladder.from_json(data)
    assert Counter(cells(ladder)) == Counter((d, w) for d in ladder.depths for w in ladder.writes)


@given(st.fixed_dictionaries(some_of), st.integers(1, 12), st.data())
def test_a_version_asks_each_cell_equally_often_under_each_share(
    data: dict[str, list[float]], queries: int, drawn: st.DataObject
) -> None:
    ladder = Ladder.from_json(data)
    config = settings().generator.having(keys=queries, queries=queries)
    episodes = len(cells(ladder)) * len(ladder.shares)
    asked: Counter[tuple[float, float, int]] = Counter()
    for number in range(episodes):
        planned = design(config, ladder, number, drawn.draw(st.integers(0, 9)))
        asked.update((planned.share, *tag.cell) for tag in planned.tags[:queries])
    assert len(asked) == episodes
    assert set(asked.values()) == {queries}


@given(st.fixed_dictionaries(some_of), st.integers(1, 20), st.integers(0, 50))
def test_an_episode_has_no_more_updates_than_are_made_room_for(
    data: dict[str, list[float]], keys: int, number: int
) -> None:
    ladder = Ladder.from_json(data)
    config = settings().generator.having(keys=keys, queries=1)
    planned = design(config, ladder, number, "names")
    assert sum(len(tag.places) for tag in planned.tags) <= most_updates(ladder, keys)


@given(st.integers(0, 99))
def test_the_last_update_stands_near_its_depth_and_the_others_before_it(number: int) -> None:
    chosen = settings()
    assert chosen.ladder
    planned = design(chosen.generator, chosen.ladder, number, "names", number)
    for tag in planned.tags:
        assert len(tag.places) == tag.cell.writes
        assert list(tag.places) == sorted(tag.places)
        assert tag.places[0] >= 0
        assert abs(tag.places[-1] - tag.cell.depth) <= JITTER


def test_which_tag_has_which_cell_is_drawn() -> None:
    chosen = settings()
    assert chosen.ladder
    orders = {
        tuple(tag.key for tag in design(chosen.generator, chosen.ladder, 0, "names", seed).tags)
        for seed in range(20)
    }
    assert len(orders) > 10
