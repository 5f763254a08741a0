"""Texts of figures are true in every state: no system, one, equal ones, several, unranked ones."""

from __future__ import annotations

import json
import re

import pytest
from django.http import QueryDict
from plotly import graph_objects

from leaderboard.boards import figures
from leaderboard.boards.figures import KINDS
from leaderboard.boards.figures.data import board_of
from tests.leaderboard.boards.charts.test_charts import IN_BUNDLE, coloured


@pytest.mark.parametrize("name", ["cost", "splits", "failures"])
def test_figures_of_a_board_without_ranked_systems_say_so(small, figure, name: str) -> None:
    assert "No system is on the board yet." in figure(small, name).as_json()["empty"]


def test_references_alone_are_drawn_and_the_sentence_says_so(small, contest, figure) -> None:
    contest(small, {"Floor": 3}, tokens={"Floor": 5.0}, reference="floor", kind="baseline")
    for name in ("cost", "splits", "failures"):
        drawn = figure(small, name)
        assert drawn.sentence == "No system is on the board yet.", name
        assert drawn.as_json()["data"], name
        assert drawn.rows[0][:2] == ["Floor", "floor"], name


def test_one_system_is_spoken_of_by_name(small, contest, figure) -> None:
    contest(small, {"Only": 3}, tokens={"Only": 20.0})
    assert (
        figure(small, "cost").sentence
        == "Of the systems on the board only Only reports its tokens: 20 a query."
    )
    assert "of Only" in figure(small, "splits").sentence
    assert "1 system had to answer" in figure(small, "failures").sentence
    assert "2 systems" in figure(small, "items").empty


def test_a_front_of_systems_without_ranks_claims_no_order(small, contest, figure) -> None:
    contest(
        small, {"Cheap": 20, "Dear": 0, "Beaten": 25}, tokens={"Cheap": 10.0, "Dear": 100.0, "Beaten": 50.0}
    )
    said = figure(small, "cost").sentence
    assert said.startswith(
        "The line joins 2 of 3 systems on the board: no other system scores better with as many tokens or fewer."
    )
    assert (
        "Whether neighbours on the line differ significantly is not tested, because the board has no ranks: "
        in said
    )


@pytest.mark.parametrize(
    ("ranks", "said"),
    [
        (
            {"Dear": (1, 2), "Middle": (1, 2), "Cheap": (3, 3)},
            "The ranks separate 1 of the 2 pairs of neighbours on the line; the other difference may be chance.",
        ),
        (
            {"Dear": (1, 1), "Middle": (2, 2), "Cheap": (3, 3)},
            "The ranks separate all neighbours on the line.",
        ),
        (
            {"Dear": (1, 2), "Middle": (1, 3), "Cheap": (2, 3)},
            "Each difference between neighbours on the line may be chance: the ranks do not separate them.",
        ),
        (
            {"Dear": (1, 1), "Middle": (2, 2), "Cheap": None},  # a gate failed
            "The ranks separate 1 of the 2 pairs of neighbours on the line; the other difference may be chance.",
        ),
    ],
    ids=["one apart", "all apart", "overlapping", "gated"],
)
def test_a_step_of_a_front_is_claimed_only_where_the_ranks_show_it(
    ranked_version, contest, ranks, said
) -> None:
    wrong = {"Cheap": 3, "Middle": 2, "Dear": 0}
    contest(ranked_version, wrong, tokens={"Cheap": 10.0, "Middle": 50.0, "Dear": 100.0})
    board = board_of(ranked_version, QueryDict(""))
    for placement in board.everybody:
        placement.low, placement.high = ranks[placement.name] or (None, None)
        placement.rank = placement.low
    assert figures.draw("cost", board).sentence.endswith(said)


def test_a_front_of_tied_systems_may_be_chance(ranked_version, contest, figure) -> None:
    contest(ranked_version, {"Cheap": 1, "Dear": 0}, tokens={"Cheap": 10.0, "Dear": 100.0})
    said = figure(ranked_version, "cost").sentence
    assert (
        "The difference between the two systems on the line may be chance: the ranks do not separate them."
        in said
    )


def test_equal_systems_have_a_front_of_one_and_the_same_median(small, contest, figure) -> None:
    contest(small, {"One": 0, "Two": 0}, tokens={"One": 10.0, "Two": 10.0})
    assert (
        figure(small, "cost").sentence
        == "None of 2 systems on the board scores better than One or takes fewer tokens."
    )
    assert figure(small, "splits").sentence == "The median over 2 systems is 100.0% in every condition."
    assert figure(small, "failures").as_json()["empty"] == "No row of 2 systems failed."
    assert "and 0 by none" in figure(small, "items").sentence


def test_failures_have_the_rows_of_all_systems_as_denominator(small, contest, figure) -> None:
    made = contest(small, {"One": 3, "Two": 5})
    total = sum(each.row_count for each in made.values())
    counted: dict[str, int] = {}
    for each in made.values():
        for code, rows in each.score.failures.items():
            counted[code] = counted.get(code, 0) + rows
    drawn = figure(small, "failures")
    assert f"{max(counted.values())} of {total} rows" in drawn.sentence
    at = drawn.columns.index("Rows")
    shares = [row[at + 1 :] for row in drawn.rows]
    assert [round(sum(each), 6) for each in shares] == [
        round(sum(made[name].score.failures.values()) / made[name].row_count, 6) for name in ("One", "Two")
    ]


def test_affected_by_order_are_those_whose_interval_of_the_distance_is_above_0(
    small, contest, figure
) -> None:
    made = contest(small, {"Swayed": 2, "Steady": 3})
    for name, ends in (("Swayed", [0.2, 0.6]), ("Steady", [0.0, 0.4])):
        score = made[name].score
        score.spread = [["gold_first", 0.9], ["gold_last", 0.5]]
        score.intervals = score.intervals | {"order_spread": ends}
        score.save(update_fields=["spread", "intervals", "graded_at"])
    assert figure(small, "order").sentence.startswith("1 of 2 systems is significantly affected by the order")
    assert figure(small, "order", "q=Steady").sentence == "Steady is not significantly affected by the order."
    assert figure(small, "order", "q=Swayed").sentence == "Swayed is significantly affected by the order."
    score = made["Swayed"].score
    score.intervals = score.intervals | {"order_spread": [0.0, 0.6]}
    score.save(update_fields=["intervals", "graded_at"])
    assert figure(small, "order").sentence.startswith("None of 2 systems is significantly affected")


def test_a_version_without_orders_and_lengths_has_no_such_figures(version, contest, figure) -> None:
    contest(version, {"One": 1})
    assert figure(version, "order").irrelevant
    assert figure(version, "lengths").irrelevant


def test_items_count_what_all_and_none_got_right(version, contest, figure) -> None:
    made = contest(version, {"All": 0, "Half": 4})
    rows, failed = made["All"].row_count, sum(made["Half"].score.failures.values())
    said = figure(version, "items").sentence
    assert said == (
        f"Of {rows} items, {rows - failed} were answered correctly by all of the 2 systems that answered, "
        "and 0 by none."
    )


def test_items_tell_discrimination_from_ten_systems_on(version, contest, figure) -> None:
    contest(version, {f"System {number}": number for number in range(10)})
    drawn = figure(version, "items")
    assert re.search("above 0 in \\d+ items?, and significantly below 0 in \\d+", drawn.sentence)
    assert "Henrysson 1963" in drawn.caption
    assert "a value nearer to 0 than 0.63 may be chance" in drawn.caption
    assert "Discrimination" in drawn.columns


def test_a_picture_shows_the_first_and_says_how_many_and_the_file_has_all(
    small, contest, figure, monkeypatch
) -> None:
    monkeypatch.setattr("leaderboard.boards.figures.lines.MOST_LINES", 2)
    contest(small, {"One": 3, "Two": 5, "Three": 7})
    for name in ("splits", "failures"):
        drawn = figure(small, name)
        assert "Drawn: 2 of 3 systems, the first on the board; the CSV has all of them." in drawn.caption
        assert len(drawn.rows) == 2
        assert set(drawn.whole()["system"]) == {"One", "Two", "Three"}


def test_every_kind_is_drawn_by_attributes_that_plotly_knows(small, contest, figure) -> None:
    wrong = {f"<b>System</b> {number}": number for number in range(12)}
    contest(small, wrong, tokens={name: 10.0 + number for name, number in wrong.items()})
    contest(small, {"Floor": 9}, tokens={"Floor": 3.0}, reference="floor", kind="baseline")
    drawn = [made for name in KINDS if not (made := figure(small, name)).irrelevant and not made.empty]
    assert len(drawn) > 3
    for each in drawn:
        picture = json.loads(json.dumps(each.as_json()))
        assert {trace["type"] for trace in picture["data"]} <= IN_BUNDLE
        assert "<b>System" not in json.dumps(picture["data"])
        graph_objects.Figure(coloured(picture["data"]), coloured(picture["layout"]))
