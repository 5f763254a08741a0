"""The chart by length: its finding is true in every state, and curves stay within the frame."""

from __future__ import annotations

from datetime import UTC, datetime
from itertools import pairwise

import pytest

from evaluation.core.statistics import LengthFigures
from leaderboard.boards.front import lengths_picture
from leaderboard.boards.front.standings import Entrant, Standing
from leaderboard.boards.lengths.figures import Lengths
from leaderboard.boards.placements.ranking import Placement
from leaderboard.submissions.models import Submission

TOKENS = (1024, 2048, 4096)
WIDE = lengths_picture.FRAMES[0]


def curve(
    name: str, shown: int, possible: int | None = None, *, above=True, rates=(0.9, 0.8, 0.7), reading="whole"
):
    """A model that is shown to hold at `shown` lengths, and may hold at `possible`."""
    ends = tuple(None if rate is None else (rate - 0.05, rate + 0.05) for rate in rates)
    figures = LengthFigures(
        rates=rates,
        intervals=ends,
        ratios=rates,
        ratio_intervals=ends,
        shown=shown,
        possible=shown if possible is None else possible,
        area=0.8,
        area_interval=None,
    )
    when = datetime(2026, 11, 25, tzinfo=UTC)
    entrant = Entrant(1, "llm", name, name, reading, 0.8, Submission.Origin.VERIFIED, when)
    return Standing(Placement(name, 1 if above else None, above=above), entrant), Lengths(TOKENS, figures)


@pytest.mark.parametrize(
    ("curves", "said"),
    [
        ([], "No model tested yet, from 1k to 4k tokens"),
        ([curve("Phi", 0, above=False)], "No model above guessing yet: 1 tested, from 1k to 4k tokens"),
        ([curve("Phi", 0, 3)], "No model is shown to keep track yet: 1 tested, from 1k to 4k tokens"),
        ([curve("Phi", 2)], "Phi keeps track up to 2k tokens."),
        ([curve("Phi", 3)], "Phi keeps track up to 4k tokens, the longest tested."),
        (
            [curve("Phi", 3), curve("Qwen", 1), curve("Llama", 1, 3)],
            "Phi keeps track up to 4k tokens, the longest tested. 1 of 3 models loses track sooner.",
        ),
        (
            [
                curve("Phi", 2),
                curve("Qwen", 2),
                curve("Llama", 0, above=False),
                curve("Tiny", 0, above=False),
            ],
            "2 of 4 models keep track up to 2k tokens. 2 of 4 models lose track sooner.",
        ),
        ([curve("Phi", 2), curve("Qwen", 2)], "All 2 models keep track up to 2k tokens."),
    ],
)
def test_the_finding_is_true_in_every_state(curves, said: str) -> None:
    assert lengths_picture.finding_of(curves, TOKENS) == said


def drawing(*curves):
    return lengths_picture._drawing(WIDE, TOKENS, curves, [0.1, 0.2, 0.3])


def test_six_curves_have_colours_and_the_others_are_grey() -> None:
    drawn = drawing(*(curve(f"Model {number}", 1) for number in range(8)))
    assert sorted(each.number for each in drawn.curves) == [0, 0, 1, 2, 3, 4, 5, 6]
    assert all(bool(each.label) == bool(each.number) for each in drawn.curves)


def test_names_at_the_ends_of_curves_are_apart_and_in_the_frame() -> None:
    drawn = drawing(*(curve(f"Model {number}", 1, rates=(0.9, 0.5, 0.01)) for number in range(6)))
    ys = sorted(each.label_y for each in drawn.curves)
    assert all(after - before >= lengths_picture.LABEL for before, after in pairwise(ys))
    assert ys[0] > WIDE.top
    assert ys[-1] <= WIDE.height - WIDE.bottom


def test_a_length_that_is_not_answered_breaks_the_curve() -> None:
    (drawn,) = drawing(curve("Phi", 1, rates=(0.9, None, 0.7))).curves
    assert drawn.line.count("M") == 2
    assert "L" not in drawn.line


def test_the_dash_is_how_a_model_reads_and_the_dot_how_far_it_is_reliable() -> None:
    whole, memory = drawing(curve("Phi", 2), curve("Qwen", 0, 3, reading="memory")).curves
    assert (whole.dash, bool(whole.dot)) == ("", True)
    assert (bool(memory.dash), memory.dot) == (True, None)
    assert whole.dot == (drawing(curve("Phi", 2)).lengths[1][0], WIDE.y(0.8))


def test_the_band_of_guessing_is_drawn_where_it_is_known_at_every_length() -> None:
    assert drawing().guessing
    assert not lengths_picture._drawing(WIDE, TOKENS, [], [0.1, None, 0.2]).guessing


def test_long_names_are_shortened_in_the_picture() -> None:
    (drawn,) = drawing(curve("A model with a name that is far too long", 1)).curves
    assert drawn.label.endswith("…")
    assert len(drawn.label) <= WIDE.letters
