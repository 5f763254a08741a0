"""From lines of a DataFrame to traces of Plotly."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from evaluation import frames
from leaderboard.boards.charts.figure import RATES
from leaderboard.boards.charts.marks import front, named_dots, pairs, trace
from leaderboard.boards.labels import Canvas

RATE = st.sampled_from([0.0, 0.25, 0.5, 0.75, 1.0])
BETTER = st.sampled_from(["lower", "higher"])


@given(points=st.lists(st.tuples(RATE, RATE), min_size=1, max_size=8), across=BETTER, up=BETTER)
def test_a_front_is_what_no_other_point_equals_or_beats_in_both_figures(points, across, up) -> None:
    sign = (1 if across == "lower" else -1, 1 if up == "lower" else -1)
    result = pairs(front(frames.tidy(points, ["x", "y"]), across=across, up=up))
    unbeaten = {
        point
        for point in points
        if not any(
            other != point and all(s * b <= s * a for s, a, b in zip(sign, point, other, strict=True))
            for other in points
        )
    }
    assert result == sorted(unbeaten, key=lambda point: sign[0] * point[0])


def test_a_name_without_room_is_left_to_the_tip() -> None:
    points = dots(*((f"a name of many letters {n}", 0.5 + n / 1000, 0.5) for n in range(12)))
    drawn = named_dots(points, role="gold", tip="", canvas=_with_dots(points))
    assert 0 < sum(bool(text) for text in drawn["text"]) < len(points)
    assert drawn["customdata"] == list(points["name"])


def test_a_long_name_is_shortened_beside_its_point_and_whole_in_the_tip() -> None:
    points = dots(("x" * 60, 0.5, 0.5))
    drawn = named_dots(points, role="gold", tip="", canvas=_with_dots(points))
    assert drawn["text"] == ["x" * 27 + "…"]
    assert drawn["customdata"] == ["x" * 60]


def dots(*points):
    """Named points: (name, x, y)."""
    return frames.tidy(points, ["name", "x", "y"])


def _with_dots(points) -> Canvas:
    canvas = Canvas(RATES, RATES)
    canvas.add_dots(pairs(points))
    return canvas


def test_what_has_no_interval_has_no_whisker() -> None:
    points = frames.tidy([(1, 0.5, 0.25, 0.75), (2, 0.5, None, None)], ["x", "value", "low", "high"])
    bars = trace(points, {"x": "x", "y": "value"}, whiskers="y")["error_y"]
    assert (bars["array"], bars["arrayminus"]) == ([0.25, 0.0], [0.25, 0.0])


def test_a_role_colours_the_marks_their_line_and_their_whiskers() -> None:
    points = frames.tidy([(1, 0.5, 0.25, 0.75)], ["x", "value", "low", "high"])
    places = {"x": "x", "y": "value"}
    drawn = trace(points, places, whiskers="y", role="gold", marker={"size": 9})
    assert drawn["marker"] == {"size": 9, "color": "--gold"}
    assert drawn["line"] == {"color": "--gold"}
    assert drawn["error_y"]["color"] == "--gold"
    assert trace(points, places, type="bar", role=["blue"])["marker"] == {"color": ["--blue"]}
    assert "marker" not in trace(points, places)
