"""Figures over facts of models: price, release date, context window, ways of reading."""

from __future__ import annotations

from datetime import date

import pytest

from leaderboard.boards import figures
from leaderboard.boards.placements import computing
from leaderboard.submissions.models import Score, Submission, System
from leaderboard.web.results_cache import cache
from tests.leaderboard.boards.charts.test_charts import IN_BUNDLE, coloured

USED = {"prompt_tokens": 1_000_000, "generated_tokens": 0}


@pytest.fixture
def known(small, contest):
    """Three systems of two models, with prices and release dates."""
    made = contest(small, {"Alder · whole": 0, "Alder · BM25": 9, "Birch": 20})
    for at, (name, reading, price) in enumerate(
        (("Alder · whole", "whole", 10.0), ("Alder · BM25", "retrieval", 1.0), ("Birch", "whole", 5.0))
    ):
        facts = {"reading": reading, "model": name.partition(" · ")[0], "price_in": price, "price_out": price}
        released = date(2026, 1 + at, 1)
        System.objects.filter(pk=made[name].system_id).update(**facts, released=released, context=4096)
    Submission.objects.filter(version=small).update(efficiency=USED)
    computing.store(small)
    return made


def test_price_has_a_front_in_dollars_for_a_thousand_questions(small, known, figure):
    drawn = figure(small, "price")
    assert drawn.sentence.startswith(
        "The line joins 2 of 3 systems on the board: no other system scores better at the same price or less."
    )
    rows = {row[0]: row[1] for row in drawn.rows}
    assert rows["Alder · whole"] == pytest.approx(1000 * 10 / known["Birch"].row_count)
    assert rows["Birch"] == pytest.approx(rows["Alder · whole"] / 2)


def test_the_line_over_release_dates_is_of_those_that_no_earlier_one_beats(small, known, figure):
    drawn = figure(small, "released")
    assert "scores better than Alder (whole) or was out earlier" in drawn.sentence
    assert drawn.rows[0][:2] == ["Alder · whole", "1 Jan 2026"]
    assert drawn.as_json()["layout"]["xaxis"]["type"] == "date"


def test_a_model_is_drawn_across_its_ways_of_reading_with_a_symbol_each(small, known, figure):
    drawn = figure(small, "harnesses")
    assert drawn.sentence.startswith(
        "1 model has several systems. Whether the systems of a model differ in “Exact accuracy” is not tested, because "
        "the board has no ranks: 2 episodes are too few"
    )
    assert [row[:3] for row in drawn.rows] == [
        ["Alder", "Alder · whole", "Reads the whole text"],
        ["Alder", "Alder · BM25", "Retrieval"],
    ]
    assert [trace["marker"]["symbol"] for trace in drawn.traces] == ["circle", "diamond"]


@pytest.mark.parametrize("name", ["price", "released", "harnesses"])
def test_their_traces_are_those_that_the_page_can_draw_and_colour(small, known, figure, name):
    for trace in figure(small, name).traces:
        assert trace["type"] in IN_BUNDLE
        assert coloured(trace)


@pytest.mark.parametrize("name", ["price", "released", "context", "harnesses"])
def test_a_figure_of_which_too_little_is_known_is_left_out(small, contest, figure, client, address, name):
    contest(small, {"One": 1, "Two": 2})
    assert figure(small, name).irrelevant
    assert f"figure-{name}" not in client.get(address(small)).content.decode()


def test_requirements_are_counted_by_state_and_the_first_that_fails_none_is_named(small, known, figure):
    Score.objects.filter(submission=known["Alder · whole"]).update(gates=["fail", "pass"])
    Score.objects.filter(submission=known["Alder · BM25"]).update(gates=["undecided", "pass"])
    Score.objects.filter(submission=known["Birch"]).update(gates=["pass", "fail"])
    cache.clear()
    drawn = figure(small, "requirements")
    assert drawn.sentence == (
        "Of 3 systems, 1 fails “notes ignored”, 1 fails “citations back answers”. "
        "1 fails no requirement; Alder (BM25) is the first of these on the board."
    )
    assert [row[1:] for row in drawn.rows[:3]] == [["Met", 1], ["Undecided", 1], ["Not met", 1]]
    assert [trace["marker"]["pattern"]["shape"] for trace in drawn.traces] == ["", ".", "/"]
    Score.objects.all().update(gates=["pass", "pass"])
    cache.clear()
    assert figure(small, "requirements").irrelevant


def test_items_are_shown_from_ten_systems_on(small, contest, client, address, monkeypatch):
    contest(small, {"One": 1, "Two": 2})
    monkeypatch.setattr(figures, "ITEMS_FROM", 3)
    assert 'id="figure-items"' not in client.get(address(small)).content.decode()
    assert client.get(address(small, "items")).status_code == 200, "its address goes on working"
