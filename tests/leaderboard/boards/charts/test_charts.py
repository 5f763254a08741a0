"""Charts: their content, and the library that draws them."""

from __future__ import annotations

import hashlib
import json
import re

import pytest
from plotly import graph_objects
from plotly.offline import get_plotlyjs_version

from evaluation import frames
from evaluation.core.plugin import Axis, Bars
from evaluation.core.suite import get_suite
from evaluation.goldevidence.grading.decomposition import waterfall
from evaluation.statebench.display import TRADE_OFF
from leaderboard.boards.charts import cost, draw, draw_board, submission_charts
from leaderboard.boards.charts.figure import Subject
from leaderboard.boards.charts.marks import front
from leaderboard.boards.labels import Canvas
from leaderboard.submissions.models import Submission, System
from tests.live import ROOT

BUNDLE = ROOT / "static/vendor/plotly-basic.min.js"
IN_BUNDLE = {"scatter", "bar", "pie"}
BARS = Bars("bars", "Bars", "A bar a system.", grouping="", rate=Axis("rate", "Rate"), groups="Group")
SYSTEMS = [("low", {"rate": 0.1}), ("tie", {"rate": 0.9}), ("none", {"rate": None}), ("last", {"rate": 0.9})]


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
    figures = submission_charts(subject.system, subject.submission)
    kinds = {trace["type"] for figure in figures for trace in figure.as_json().get("data", ())}
    assert kinds
    assert kinds <= IN_BUNDLE


def test_every_attribute_that_a_picture_writes_is_one_of_plotly(
    subject, make_version, system, submit
) -> None:
    Submission.objects.update(efficiency={"tokens_per_query": 12.5})
    state = make_version("statebench", "state", tracks=["supersession"], count=2)
    other = submit(state, system, executor="transcript_replay")
    boards = [
        draw_board(TRADE_OFF, [("a", {"sfrr": 0.5, "decision_accuracy": 1})]),
        draw_board(BARS, SYSTEMS),
    ]
    figures = [*submission_charts(system, subject.submission), *submission_charts(system, other), *boards]
    drawn = [figure for figure in figures if not figure.empty]
    assert len(drawn) > 7
    for figure in drawn:
        picture = json.loads(json.dumps(figure.as_json()))
        layout = coloured(picture["layout"])
        graph_objects.Figure(
            coloured(picture["data"]), layout
        )  # raises ValueError for what Plotly does not know


def coloured(value):
    """The chart with the custom properties of the style sheet replaced by colours."""
    if isinstance(value, dict):
        return {key: coloured(each) for key, each in value.items()}
    if isinstance(value, list):
        return [coloured(each) for each in value]
    return "#000" if isinstance(value, str) and value.startswith("--") else value


def test_the_decomposition_falls_and_ends_in_the_figure_it_explains(subject) -> None:
    figure = draw("decomposition", subject)
    shown, chosen, read, otherwise, overall = (value for _, value in figure.rows)
    assert (shown, chosen, read) == waterfall(subject.score.metrics)
    assert 1 >= shown >= chosen >= read
    assert read + otherwise == pytest.approx(overall)
    assert figure.traces[0]["base"] == [0, 0, 0, read, 0]


def test_recency_has_a_panel_for_each_measure_and_names_its_ranges(subject) -> None:
    figure = draw("recency", subject)
    axes = [trace["xaxis"] for trace in figure.traces]
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
    result = cost.axis_ticks(costs)
    assert result["ticktext"] == ticks
    assert 10 ** result["range"][0] < min(costs)
    assert 10 ** result["range"][1] > max(costs)


def costs(*points):
    """Systems for the chart of costs: (name, tokens, headline, system)."""
    return frames.tidy(points, ["name", "x", "y", "system"]).assign(reference="")


def test_the_systems_that_no_cheaper_one_beats_are_named() -> None:
    points = costs(
        ("cheap", 10.0, 0.5, 1), ("dear", 100.0, 0.9, 2), ("beaten", 90.0, 0.4, 3), ("own", 50.0, 0.7, 4)
    )
    line = front(points, across="lower", up="higher")
    _, off, on, own = cost._traces(points, line, own=4, across=(0.7, 2.3))
    assert off["text"] == ["beaten"]
    assert on["text"] == ["cheap", "dear"]
    assert own["text"] == ["own"]


def test_references_are_rings_named_by_their_role_and_on_no_line() -> None:
    points = costs(("own", 50.0, 0.7, 1), ("ledger", 20.0, 1.0, 2), ("null", 10.0, 0.1, 3))
    points["reference"] = ["", "oracle", "floor"]
    line = front(points[points["reference"] == ""], across="lower", up="higher")
    _, off, rings, on, own = cost._traces(points, line, own=1, across=(0.7, 2.3))
    assert rings["text"] == ["oracle: ledger", "floor: null"]
    assert rings["marker"]["symbol"] == "circle-open"
    assert (off["text"], on["text"], own["text"]) == ([], [], ["own"])


def test_systems_at_one_place_share_one_name_with_this_one_first() -> None:
    points = costs(("first", 10.0, 1.0, 1), ("own", 10.0, 1.0, 2), ("last", 10.0, 1.0, 3))
    _, off, on, own = cost._traces(points, points[:1], own=2, across=(0.7, 1.3))
    assert not off["text"]
    assert not on["text"]
    assert own["text"] == ["own +2"]


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


def test_a_line_is_told_of_only_where_one_is_drawn() -> None:
    best, worst = {"sfrr": 0.0, "decision_accuracy": 1.0}, {"sfrr": 0.5, "decision_accuracy": 0.5}
    apart = {"sfrr": 0.4, "decision_accuracy": 0.2}
    assert "dotted line" not in draw_board(TRADE_OFF, [("a", best), ("b", worst)]).caption
    assert "dotted line" in draw_board(TRADE_OFF, [("a", apart), ("b", worst)]).caption
    assert "dotted line" not in cost._about(costs(("one", 10.0, 1.0, 1)))
    assert "dotted line" in cost._about(costs(("one", 10.0, 0.5, 1), ("two", 20.0, 1.0, 2)))


def test_what_has_no_place_in_a_trade_off_is_counted() -> None:
    assert (
        "1 of 2 systems"
        in draw_board(TRADE_OFF, [("a", {"sfrr": 0, "decision_accuracy": 1}), ("b", {})]).caption
    )


def test_tracks_without_a_figure_are_counted_with_the_reason(make_version, system, submit) -> None:
    chosen = ["supersession", "supersession_maintain", "hallucination_resistance"]
    state = make_version("statebench", "state", tracks=chosen, count=2)
    made = submit(state, system, executor="transcript_replay")
    figure = draw("tracks", Subject(system=system, version=state, submission=made))
    assert [row[0] for row in figure.rows] == ["supersession"]
    assert "Left out: 2 of 3 tracks because" in figure.caption


def test_bars_of_a_board_have_the_best_on_top_and_those_alike_as_they_came() -> None:
    figure = draw_board(BARS, SYSTEMS)
    assert figure.rows == [["tie", 0.9], ["last", 0.9], ["low", 0.1]]
    assert draw_board(BARS, [("none", {})]).as_json()["empty"]


def test_a_trade_off_without_points_says_so() -> None:
    assert draw_board(TRADE_OFF, [("one", {})]).as_json()["empty"]


def test_a_table_without_headline_is_excluded_from_costs_once() -> None:
    assert cost._but(get_suite("statebench")) == ", except those under “Memories, no model attached”"
    assert not cost._but(get_suite("goldevidence"))


def test_costs_are_read_without_what_no_point_shows(subject, django_assert_num_queries) -> None:
    Submission.objects.update(efficiency={"tokens_per_query": 12.5})
    with django_assert_num_queries(1) as queries:
        result = cost.draw(subject)
    assert result.rows == [[subject.system.name, 12.5, subject.submission.score.headline]]
    assert [column for column in ("unit_scores", "groups", "provenance") if column in queries[0]["sql"]] == []


def test_a_system_without_costs_or_headline_is_no_point(subject) -> None:
    assert cost.draw(subject).irrelevant


def test_names_are_text_in_every_picture(subject) -> None:
    System.objects.update(name="<a href='x'>R&D</a>")
    Submission.objects.update(efficiency={"tokens_per_query": 12.5})
    subject.system.refresh_from_db()
    drawn = [
        cost.dots(costs(("<b>beaten", 90.0, 0.1, 3))),
        draw_board(TRADE_OFF, [("<b>", {"sfrr": 0, "decision_accuracy": 1})]).as_json(),
    ]
    assert "<b>" not in f"{drawn}"
    assert "&lt;a href='x'>R&amp;D&lt;/a>" in f"{cost.draw(subject).as_json()}"


def test_what_chance_gets_is_a_dashed_line_and_a_column_of_the_table(make_version, system, submit) -> None:
    conditions = [{"k": 4, "exact": True, "order": order} for order in ("gold_first", "gold_last")]
    version = make_version(name="exactly", conditions=conditions)
    made = submit(version, system, executor="positional_last")
    (figure,) = (each for each in submission_charts(made.system, made) if each.name == "order-bias")
    *lines, chance = figure.traces
    assert [line["y"] for line in lines] == [[0.0, 1.0]]
    assert (chance["name"], chance["line"]["dash"], chance["y"]) == ("Chance", "dash", [0.25, 0.25])
    assert figure.columns[-1] == "By chance"


def test_where_groups_do_not_say_what_chance_gets_it_is_that_of_the_whole_version(
    make_version, system, submit
) -> None:
    conditions = [{"k": 4, "order": order} for order in ("gold_first", "gold_last")]
    made = submit(make_version(name="before", conditions=conditions), system, executor="positional_last")
    score = made.score
    for group in score.groups["condition"].values():
        group["metrics"].pop("selection_chance", None)
    (figure,) = (each for each in submission_charts(made.system, made) if each.name == "order-bias")
    assert set(figure.traces[-1]["y"]) == {score.metrics["selection_chance"]}
