"""Figures listed on a page: the few that come first, with their explanations."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.core.suite import Column, usable
from leaderboard.submissions.models import Score
from leaderboard.submissions.scores import score_tables
from leaderboard.submissions.scores.score_tables import FIRST, FigureLine


def line(name: str, value: float | None = 0.5, **column: Any) -> FigureLine:
    return FigureLine(Column(name, name, "…", **column), value, None, None, None)


def names(lines: list[FigureLine]) -> list[str]:
    return [each.column.name for each in lines]


def by_name(version: Any, score: Score) -> dict[str, FigureLine]:
    return {each.column.name: each for each in score_tables.figures(version, score)}


def test_no_suite_marks_more_than_the_page_shows_first() -> None:
    for suite in usable().values():
        marked = [column for column in suite.version({}).columns if column.first or column.headline]
        assert 1 < len(marked) <= FIRST, suite.name


@given(st.lists(st.tuples(st.booleans(), st.sampled_from([None, 0.0, 0.5])), max_size=40))
def test_every_figure_is_listed_once_and_at_most_a_dozen_come_first(figures: list[Any]) -> None:
    lines = [line("headline", headline=True)]
    lines += [line(f"m{n}", value, first=first) for n, (first, value) in enumerate(figures)]
    first, others = score_tables.first_and_others(lines)
    assert names(first)[0] == "headline"
    assert len(first) <= FIRST
    assert sorted(names(first) + names(others)) == sorted(names(lines))
    assert all(each.value is not None for each in first[1:])
    marked = any(each.column.first for each in lines)
    assert all(each.column.first for each in first[1:]) or not marked


def test_a_suite_that_marks_none_shows_its_first_dozen() -> None:
    lines = [line(f"m{n}") for n in range(20)] + [line("headline", headline=True)]
    first, others = score_tables.first_and_others(lines)
    assert names(first) == ["headline", *(f"m{n}" for n in range(FIRST - 1))]
    assert len(others) == 21 - FIRST


def test_denominators_are_the_rows_that_each_figure_counts(small, system, submit) -> None:
    score = submit(small, system).score
    lines = by_name(small, score)
    whole, rows = small.conditions["closed_book"], small.row_count
    assert lines["exact_acc"].denominator == whole
    assert lines["n"].value == whole
    assert lines["n"].denominator == rows
    assert lines["note_rows"].denominator == rows
    assert lines["gold_present_rate"].denominator == rows - whole
    shown = round(lines["gold_present_rate"].value * (rows - whole))
    assert lines["selection_rate"].denominator == shown
    assert lines["instr_gap"].denominator is None, "a difference of two rates"
    assert lines["worst_order_selection_rate"].denominator is None, "of several orders"


def test_a_cost_has_no_denominator_and_facts_are_counted_as_facts(make_version, system, submit) -> None:
    state = make_version("statebench", "state", tracks=["supersession", "causality"], count=2)
    score = submit(state, system, executor="transcript_replay").score
    lines = by_name(state, score)
    assert lines["decision_accuracy"].denominator == state.row_count
    assert lines["cost_weighted_score"].denominator is None
    assert lines["must_mention_rate"].denominator == score.metrics["total_must_mention"]
    assert lines["must_mention_rate"].column.counts == ("fact", "facts")


def test_a_score_of_an_earlier_release_has_neither_denominator_nor_chance(version, system, submit) -> None:
    score = submit(version, system).score
    score.metric_sums, score.metrics = b"", {"exact_acc": 1.0, "n": 12, "selection_rate": 1.0}
    lines = by_name(version, score)
    assert {each.denominator for each in lines.values()} == {None}
    assert {each.chance for each in lines.values()} == {None}


def test_weights_that_are_no_whole_number_count_nothing(version) -> None:
    exact = next(column for column in version.bound.columns if column.headline)
    metrics = version.bound.metrics
    assert score_tables._denominator(exact, {}, {exact.name: 4.0}, metrics) == 4
    assert score_tables._denominator(exact, {}, {exact.name: 4.5}, metrics) is None
    assert score_tables._denominator(replace(exact, name="other"), {}, {"other": 4.0}, metrics) is None


def test_selection_is_shown_beside_what_a_line_drawn_at_random_gets(small, system, submit) -> None:
    score = submit(small, system).score
    selection = by_name(small, score)["selection_rate"]
    assert selection.chance == pytest.approx(score.metrics["selection_chance"])
    assert 0 < selection.chance < 1


def test_the_page_lists_a_dozen_figures_before_the_others_in_one_table(client, small, system, submit) -> None:
    made = submit(small, system)
    page = client.get(made.get_absolute_url()).content.decode()
    table = page.partition('<h2 id="metrics">')[2].partition("</table>")[0]
    first, _, others = table.partition('<tr class="section">')
    labels = re.compile(r'<th scope="row">\s*(.+?)\s*[<\n]')
    columns = [column.label for column in small.bound.columns]
    assert 1 < len(labels.findall(first)) <= FIRST
    assert labels.findall(first)[0] == "Exact accuracy"
    assert set(labels.findall(first)).isdisjoint(labels.findall(others))
    assert len(labels.findall(first) + labels.findall(others)) <= len(columns)
    assert f"of {small.conditions['closed_book']} rows" in first
    assert f"of {small.row_count} rows" in others, "how many of them show a NOTE"
    assert "by chance" in first
    assert "Lower is better." in first
    assert "Higher is better." in first


def test_the_api_tells_denominator_and_chance(client, small, system, submit, body) -> None:
    made = submit(small, system)
    answer = body(client.get(f"/api/v1/submissions/{made.pk}/metrics"))
    metrics = {each["name"]: each for each in answer["metrics"]}
    assert metrics["exact_acc"]["denominator"] == small.conditions["closed_book"]
    assert metrics["exact_acc"]["chance"] is None
    assert metrics["exact_acc"]["better"] == "higher"
    assert metrics["instr_gap"]["denominator"] is None
    assert 0 < metrics["selection_rate"]["chance"] < 1
