"""Pictures: what they draw, and the library that draws them."""

from __future__ import annotations

import hashlib
import re

import pytest
from plotly.offline import get_plotlyjs_version

from evaluation.goldevidence.grading.decomposition import waterfall
from leaderboard.boards.charts import cost, decomposition, of_submission, recency, tracks, tradeoff
from leaderboard.boards.charts.figure import RATES, Subject, named_dots
from leaderboard.boards.labels import Canvas
from leaderboard.submissions.models import Submission, System
from tests.live import ROOT

BUNDLE = ROOT / "static/vendor/plotly-basic.min.js"
IN_BUNDLE = {"scatter", "bar", "pie"}


@pytest.fixture
def graded(small, system, submit):
    """A system with figures for the whole book and for candidates."""
    return submit(small, system, executor="positional_last")


@pytest.fixture
def subject(graded):
    return Subject(system=graded.system, version=graded.version, submission=graded)


def test_the_bundle_is_the_one_that_the_documentation_names() -> None:
    written = (ROOT / "docs/look.md").read_text()
    assert hashlib.sha256(BUNDLE.read_bytes()).hexdigest() in written
    version = re.search(r"v([\d.]+)", BUNDLE.read_text()[:200])
    assert version is not None
    assert f"`plotly.js-basic-dist-min` {version[1]}" in written
    assert version[1].split(".")[0] == get_plotlyjs_version().split(".")[0]  # what Python writes, it reads


def test_the_bundle_knows_every_kind_of_trace_that_is_drawn(subject) -> None:
    figures = of_submission(subject.system, subject.submission)
    kinds = {trace["type"] for figure in figures if not figure.empty for trace in figure.as_json()["data"]}
    assert kinds
    assert kinds <= IN_BUNDLE


def test_the_decomposition_falls_and_ends_in_the_figure_it_explains(subject) -> None:
    figure = decomposition.draw(subject)
    shown, chosen, read, otherwise, overall = (value for _, value in figure.rows)
    assert (shown, chosen, read) == waterfall(subject.score.metrics)
    assert 1 >= shown >= chosen >= read
    assert read + otherwise == pytest.approx(overall)
    assert list(figure.traces[0].base) == [0, 0, 0, read, 0]


def test_recency_has_a_panel_for_each_measure_and_names_its_ranges(subject) -> None:
    figure = recency.draw(subject)
    axes = [trace.xaxis for trace in figure.traces]
    assert axes == ["x", "x2", "x3"][: len(axes)]
    assert not any("bucket" in str(cell) for row in figure.rows for cell in row)
    assert all(figure.layout[f"xaxis{axis[1:]}"]["type"] == "category" for axis in axes)


@pytest.mark.parametrize(
    ("costs", "ticks"),
    [
        ([7.0, 130.0], ["5", "10", "20", "50", "100", "200"]),
        ([3200.0, 9000.0], ["2,000", "5,000", "10,000"]),
        ([40.0], ["20", "50"]),
        ([50.0, 50.0], ["20", "50", "100"]),
    ],
)
def test_a_logarithmic_axis_has_round_marks_around_its_points(costs: list[float], ticks: list[str]) -> None:
    found = cost._ticks(costs)
    assert found["ticktext"] == ticks
    assert 10 ** found["range"][0] < min(costs)
    assert 10 ** found["range"][1] > max(costs)


def test_the_systems_that_no_cheaper_one_beats_are_named() -> None:
    points = [
        ("cheap", 10.0, 0.5, 1),
        ("dear", 100.0, 0.9, 2),
        ("beaten", 90.0, 0.4, 3),
        ("own", 50.0, 0.7, 4),
    ]
    front = cost.pareto([(at, value) for _, at, value, _ in points], higher=True)
    _, off, on, own = cost._traces(points, front, own=4, across=(0.7, 2.3))
    assert list(off.text) == ["beaten"]
    assert list(on.text) == ["cheap", "dear"]
    assert list(own.text) == ["own"]


def test_systems_at_one_place_share_one_name_with_this_one_first() -> None:
    points = [("first", 10.0, 1.0, 1), ("own", 10.0, 1.0, 2), ("last", 10.0, 1.0, 3)]
    _, off, on, own = cost._traces(points, [(10.0, 1.0)], own=2, across=(0.7, 1.3))
    assert not off.text
    assert not on.text
    assert list(own.text) == ["own +2"]


def test_a_name_gives_way_to_points_to_other_names_and_to_the_line() -> None:
    canvas = Canvas((0.0, 1.0), (0.0, 1.0))
    here, beside = (0.5, 0.5), (0.55, 0.5)
    canvas.add_dots([here, beside])
    assert canvas.name("first", here) == "middle left"
    assert canvas.name("second", beside) == "middle right"
    canvas = Canvas((0.0, 1.0), (0.0, 1.0))
    canvas.add_dots([here, (0.9, 0.9)])
    canvas.add_steps([(0.1, 0.5), here, (0.9, 0.9)])
    assert canvas.name("on the line", here) == "top right"


def test_a_name_without_room_is_left_to_the_tip() -> None:
    points = [(f"a name of many letters {n}", 0.5 + n / 1000, 0.5) for n in range(12)]
    dots = named_dots(points, role="gold", tip="", canvas=_with_dots(points))
    assert 0 < sum(bool(text) for text in dots.text) < len(points)
    assert list(dots.customdata) == [name for name, *_ in points]


def test_a_long_name_is_shortened_beside_its_point_and_whole_in_the_tip() -> None:
    points = [("x" * 60, 0.5, 0.5)]
    dots = named_dots(points, role="gold", tip="", canvas=_with_dots(points))
    assert list(dots.text) == ["x" * 27 + "…"]
    assert list(dots.customdata) == ["x" * 60]


def _with_dots(points) -> Canvas:
    canvas = Canvas(RATES, RATES)
    canvas.add_dots((x, y) for _, x, y in points)
    return canvas


def test_a_line_is_told_of_only_where_one_is_drawn() -> None:
    best, worst = {"sfrr": 0.0, "decision_accuracy": 1.0}, {"sfrr": 0.5, "decision_accuracy": 0.5}
    apart = {"sfrr": 0.4, "decision_accuracy": 0.2}
    assert "dotted line" not in tradeoff.draw([("a", best), ("b", worst)]).caption
    assert "dotted line" in tradeoff.draw([("a", apart), ("b", worst)]).caption
    assert "dotted line" not in cost._about([(10.0, 1.0)])
    assert "dotted line" in cost._about([(10.0, 0.5), (20.0, 1.0)])


def test_what_has_no_place_in_a_trade_off_is_counted() -> None:
    assert "1 of 2 systems" in tradeoff.draw([("a", {"sfrr": 0, "decision_accuracy": 1}), ("b", {})]).caption


def test_tracks_without_a_figure_are_counted_with_the_reason(make_version, system, submit) -> None:
    chosen = ["supersession", "supersession_maintain", "hallucination_resistance"]
    state = make_version("statebench", "state", tracks=chosen, count=2)
    made = submit(state, system, executor="transcript_replay")
    figure = tracks.draw(Subject(system=system, version=state, submission=made))
    assert [row[0] for row in figure.rows] == ["supersession"]
    assert "Left out of 3 tracks: 2 because" in figure.caption


def test_a_trade_off_without_points_says_so() -> None:
    assert tradeoff.draw([("one", {})]).as_json()["empty"]


def test_costs_are_read_without_what_no_point_shows(subject, django_assert_num_queries) -> None:
    Submission.objects.update(efficiency={"tokens_per_query": 12.5})
    with django_assert_num_queries(1) as queries:
        found = cost.draw(subject)
    assert found.rows == [[subject.system.name, 12.5, subject.submission.score.headline]]
    assert [column for column in ("unit_scores", "groups", "provenance") if column in queries[0]["sql"]] == []


def test_a_system_without_costs_or_headline_is_no_point(subject) -> None:
    assert cost.draw(subject).irrelevant


def test_names_are_text_in_every_picture(subject) -> None:
    System.objects.update(name="<a href='x'>R&D</a>")
    Submission.objects.update(efficiency={"tokens_per_query": 12.5})
    subject.system.refresh_from_db()
    points = [("<b>beaten", 90.0, 0.1, 3)]
    drawn = [
        cost._dots(points).to_json(),
        tradeoff.draw([("<b>", {"sfrr": 0, "decision_accuracy": 1})]).as_json(),
    ]
    assert "<b>" not in f"{drawn}"
    assert "&lt;a href='x'>R&amp;D&lt;/a>" in f"{cost.draw(subject).as_json()}"
