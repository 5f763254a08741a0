"""Turns in varied plain English, written before the rules were tried on them.

`first` and `second` led to rules afterwards; `unseen` never did and says how the rules fare on new wordings. Each row:
the facts given, what was said before (`said`), the turn to judge, the key it supersedes or null, and the kind.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from evaluation.core import jsonl
from evaluation.statebench import detect
from evaluation.statebench.detection.detector import Detection
from tests.evaluation.statebench.writing import fact, say, timeline

HERE = Path(__file__).parent


def judge(row: dict[str, Any]) -> Detection | None:
    """The change that the last turn of a row makes."""
    facts = [fact(given["key"], given["value"], **given.get("source", {})) for given in row["facts"]]
    turns = [say(text) for text in [*row.get("said", []), row["turn"]]]
    result = detect(timeline(*turns, facts=facts, reader=row["reader"], query="?"))
    return next((detection for detection in result if detection.turn_index == len(turns) - 1), None)


@pytest.mark.parametrize(("name", "least"), [("first", 0.97), ("second", 0.97), ("unseen", 0.90)])
def test_new_wordings_are_judged(name: str, least: float):
    rows = list(jsonl.read(HERE / f"{name}.jsonl"))
    verdicts = [judge(row) for row in rows]
    right = sum(d is not None and d.key == row["supersedes"] for row, d in zip(rows, verdicts, strict=True))
    expected = sum(row["supersedes"] is not None for row in rows)
    flagged = sum(detection is not None for detection in verdicts)
    assert 2 * right / (expected + flagged) >= least


def test_the_kinds_are_told_apart():
    rows = [row for row in jsonl.read(HERE / "first.jsonl") if row["supersedes"]]
    verdicts = [detection.kind == row["kind"] for row in rows if (detection := judge(row)) is not None]
    assert sum(verdicts) / len(verdicts) >= 0.95


def supersedes(value: str, text: str, key: str = "slot") -> bool:
    return bool(detect(timeline(say(text), facts=[fact(key, value)], query="?")))


@pytest.mark.parametrize("marker", [", not", " instead of", " rather than"])
def test_what_is_preferred_stays_and_what_is_set_aside_goes(marker: str):
    text = f"The regatta is on Friday{marker} Sunday."
    assert supersedes("The regatta is on Sunday", text)
    assert not supersedes("The regatta is on Friday", text)


def test_things_told_apart_by_a_number_are_not_mixed_up():
    assert supersedes("Crane 2 is idle", "Crane 2 has failed.", key="crane_status")
    assert not supersedes("Crane 2 is idle", "Crane 7 has failed.", key="crane_status")


def test_the_same_said_of_another_thing_is_no_conflict():
    assert supersedes("The library opens at 9 am", "The library opens at 10 am.", key="opening")
    assert not supersedes("The library opens at 9 am", "The canteen opens at 10 am.", key="opening")


@pytest.mark.parametrize(
    ("old", "key", "of_it", "of_another"),
    [
        (
            "$40",
            "fee_moss_line",
            "The fee of the Moss line is now $50.",
            "The fee of the Fern line is now $50.",
        ),
        (
            "Room 4 is the meeting place of the Coral unit",
            "meeting_place",
            "The meeting place of the Coral unit is now Room 9.",
            "The meeting place of the Slate unit is now Room 9.",
        ),
        (
            "12 patients",
            "queue_at_fern_unit",
            "The queue at the Fern unit is now 30 patients.",
            "The queue at the Moss unit is now 30 patients.",
        ),
    ],
)
def test_what_is_said_of_a_named_thing_changes_nothing_of_another(old, key, of_it, of_another):
    assert supersedes(old, of_it, key=key)
    assert not supersedes(old, of_another, key=key)


def test_where_something_is_done_now_is_news_though_the_place_has_another_name():
    done = "The biometrics are done at the Sorrel centre now, not at the Moss centre."
    assert supersedes("The biometrics are done at the Moss centre", done, key="biometrics")
