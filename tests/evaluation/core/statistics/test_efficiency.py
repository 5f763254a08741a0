"""Costs of a run, and accuracy against tokens."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from evaluation.core.statistics.efficiency import Costed, curve, figures


def test_the_means_are_over_the_queries() -> None:
    told = figures(120, 3, 6.0, 4, prefill=2.0, decode=1.0)
    assert (told["tokens_per_q"], told["wall_s_per_q"], told["passes"]) == (30.0, 1.5, 3)
    assert (told["prefill_s_per_q"], told["decode_s_per_q"]) == (0.5, 0.25)
    assert "prefill_s" not in figures(0, 1, 0.0, 0)


def test_a_point_holds_the_queries_of_about_as_many_tokens() -> None:
    queries = [Costed(tokens, {"value_acc": tokens < 30, "cited": None}) for tokens in (10, 40, 20, 30)]
    assert curve(queries, 2) == [
        {"tokens_per_query": 15.0, "n": 2, "value_acc": 1.0, "cited": None},
        {"tokens_per_query": 35.0, "n": 2, "value_acc": 0.0, "cited": None},
    ]


def test_queries_of_one_length_are_one_point_and_none_are_none() -> None:
    assert [point["n"] for point in curve([Costed(7, {"acc": 1})] * 9)] == [9]
    assert curve([]) == []


@given(st.lists(st.tuples(st.integers(0, 9), st.sampled_from([True, False, None]))))
def test_every_query_stands_in_one_point_and_points_rise(queries: list[tuple[int, bool | None]]) -> None:
    points = curve([Costed(tokens, {"acc": right}) for tokens, right in queries])
    assert sum(point["n"] for point in points) == len(queries)
    lengths = [point["tokens_per_query"] for point in points]
    assert lengths == sorted(set(lengths))
    assert len(points) <= 5
    assert all(point["acc"] is None or 0 <= point["acc"] <= 1 for point in points)
