"""A version of order bias is ordered by the worst order: ranks, board, API, files and texts; an older one is not."""

from __future__ import annotations

import csv
import io
from typing import Any

import pytest

from evaluation.core.suite import get_suite
from leaderboard.benchmarks import seeding
from leaderboard.benchmarks.models import Version
from leaderboard.boards import slices
from leaderboard.boards.comparison.comparison import Comparison
from leaderboard.boards.guessing import guessing_of
from leaderboard.boards.placements import computing, placements, ranking
from leaderboard.boards.scaled import scale_of
from leaderboard.boards.sharing import citations
from leaderboard.boards.slices import WHOLE, board_slice
from leaderboard.runs import services as runs
from leaderboard.submissions.models import Submission, System
from leaderboard.templatetags import scopes
from tests.leaderboard.boards.whole import board_rows

ORDERS = ("gold_first", "gold_middle", "gold_last", "shuffle")
#: Where rows can be joined, as in revision 1, no system has a rank.
SETTINGS: dict[str, Any] = {
    "generator": {
        "episodes": 40,
        "steps": 40,
        "queries": 1,
        "keys": 4,
        "chapters": 2,
        "twins": False,
        "revision": 3,
    },
    "conditions": [{"k": 3, "order": order} for order in ORDERS],
}
BOARD, API = "/boards/goldevidencebench/ordered/", "/api/v1/leaderboard/goldevidencebench/ordered"


@pytest.fixture
def ordered(make_version: Any) -> Version:
    result: Version = make_version(name="ordered", **SETTINGS, headline="worst_order")
    return result


@pytest.fixture
def contested(ordered: Version, user: Any, submit: Any) -> Version:
    """A system that chooses by rule and one that takes the last line, equal on the whole book; and two references."""
    for name in ("latest_step", "positional_last"):
        submit(ordered, System.objects.create(owner=user, name=name), executor=name)
    for name in ("ledger", "positional_first"):
        run = runs.start(version=ordered, executor=name, started_by=seeding.site_user(), wake_worker=False)
        runs.execute(str(run.pk), grade_now=True)
    computing.store(ordered)
    return ordered


def test_a_version_frozen_before_keeps_its_headline_and_its_hash() -> None:
    suite = get_suite("goldevidence")
    usual, named = (
        suite.settings.checked(SETTINGS),
        suite.settings.checked(SETTINGS | {"headline": "worst_order"}),
    )
    assert "headline" not in usual
    assert named == usual | {"headline": "worst_order"}
    assert suite.version(usual).headline().name == "exact_acc"
    assert suite.version(named).headline().name == "worst_order_selection_rate"
    assert [column.name for column in suite.version(named).columns if column.headline] == [
        "worst_order_selection_rate"
    ]


def test_a_score_is_that_of_the_worst_order_over_its_units(contested: Version) -> None:
    score = Submission.objects.get(system__name="positional_last").score
    assert score is not None
    rates = dict(score.spread)
    assert score.headline == min(rates[order] for order in ORDERS[:3]) < score.metrics["exact_acc"]
    assert ranking.rate_of(bytes(score.unit_scores)) == pytest.approx(score.headline)
    counted = sum(rows for name, rows in contested.conditions.items() if "gold_" in name)
    assert score.metrics["n"] == counted == scopes.headline_count(contested)


def test_the_board_ranks_by_it_and_tells_apart_what_the_whole_book_cannot(contested: Version) -> None:
    first, second = board_rows(contested)[:2]
    assert (first.system.name, first.rank_range) == ("latest_step", "1")
    assert (second.system.name, second.reason) == ("positional_last", ranking.NOT_ABOVE)
    book = board_slice(contested, {"condition": "closed_book"})
    assert slices.headline(contested, book).name == "exact_acc"
    placed = placements.board_placements(contested, Submission.objects.on_board(contested), book)
    assert {place.rank for place in placed if not place.reference} == {1}
    last = board_slice(contested, {"condition": "k3-gold_last"})
    assert slices.headline(contested, last).name == "selection_rate"


def test_a_file_that_leaves_an_order_out_has_no_headline(ordered: Version, user: Any) -> None:
    suite = get_suite("goldevidence")
    items = list(suite.version(ordered.settings).generate())
    rows = [row for item in items for row in item.rows]
    system = suite.systems()["positional_last"].build()
    given = [system.predict(row) for row in rows if row["meta"].get("condition") != "k3-gold_first"]
    report = suite.version(ordered.settings).grade([item.gold for item in items], given)
    assert report.metrics["worst_order_selection_rate"] is None
    assert not report.units


def test_the_scaled_figure_is_the_headline_between_guessing_and_oracle(
    client: Any, contested: Version
) -> None:
    scale = scale_of(contested, WHOLE)
    assert scale is not None
    text = client.get(f"{BOARD}export.csv").content.decode()
    lines = {line["system"]: line for line in csv.DictReader(io.StringIO(text))}
    assert float(lines["ledger"]["scaled"]) == 1
    last = lines["positional_last"]
    expected = (float(last["headline"]) - scale.floor) / (scale.ceiling - scale.floor)
    assert float(last["scaled"]) == pytest.approx(expected)
    answer = client.get(API).json()
    assert answer["headline"]["name"] == "worst_order_selection_rate"
    assert {item["system"]: item["scaled"] for item in answer["items"]}["ledger"] == 1
    page = client.get(BOARD, {"view": "figures", "sort": "-scaled"}).content.decode()
    assert ">Scaled<" in page.replace("\n", "").replace(" ", "") or "Scaled" in page


def test_where_guessing_reaches_the_oracle_nothing_is_scaled(contested: Version) -> None:
    first = board_slice(contested, {"condition": "k3-gold_first"})
    assert scale_of(contested, first) is None  # the floor takes the first line, which is the gold one there
    guessing = guessing_of(contested, first)
    assert guessing is not None
    assert (guessing.value, guessing.name) == (1.0, "positional_first")


def test_compare_takes_the_rows_of_the_orders_and_tests_the_worst_one(contested: Version) -> None:
    shown = Submission.objects.on_board(contested).with_names()
    pair = [shown.get(system__name=name) for name in ("latest_step", "positional_last")]
    result = Comparison(contested, pair)
    assert result.headline.column.name == "worst_order_selection_rate"
    assert result.headline.cells[1].verdict == "worse"
    assert int(result.headline_rows.sum()) == scopes.headline_count(contested)


def test_texts_name_the_worst_order(client: Any, contested: Version) -> None:
    submission = Submission.objects.with_names().get(system__name="latest_step")
    assert "Evidence chosen, worst order" in citations.submission_entry(submission, url="https://b.example")
    assert "Evidence chosen, worst order" in client.get(BOARD).content.decode()
    page = client.get(contested.get_absolute_url()).content.decode()
    assert "3 conditions" in " ".join(page.split())
