"""Live and dead evidence in contexts: facts by value, turns by their words or typed values."""

from __future__ import annotations

from typing import Any

import pytest

from evaluation.statebench.data.truth import record
from evaluation.statebench.strategies.measure import ALL, measure
from evaluation.statebench.strategies.probes import QueryProbes, Shown, probes_of
from tests.evaluation.statebench.writing import fact, say, timeline

LIVE, DEAD = "Let us make it June 14 then.", "The review is on June 7."


def graded(row: dict[str, Any], because: list[str], dead: list[str], **answer: Any) -> dict[str, Any]:
    """The timeline with typed gold."""
    gold = {"decision": "value", "value": "June 14", "because": because, "dead": dead} | answer
    row["events"][-1]["ground_truth"] = {
        "decision": "June 14",
        "must_mention": ["June 14"],
        "must_not_mention": ["June 7"],
        "answer": gold,
    }
    return row | {"track": "supersession", "domain": "work", "difficulty": "easy"}


def probes(row: dict[str, Any]) -> QueryProbes:
    [found] = probes_of(row, record(row))  # type: ignore[arg-type]
    return found


def shown(found: QueryProbes, text: str) -> tuple[int, int]:
    context = Shown(text)
    return sum(each.is_in(context) for each in found.live), sum(each.is_in(context) for each in found.dead)


SPOKEN = graded(timeline(say(DEAD), say(LIVE), query="When is the review?"), ["E1"], ["E0"])


@pytest.mark.parametrize(
    ("context", "expected"),
    [
        ("", (0, 0)),
        ("user: Let us make it June 14 then.", (1, 0)),
        ("user: The review is on June 7.\nuser: Let us make it June 14 then!", (1, 1)),
        ("review: June 14", (1, 0)),
        ("review: JUNE 7", (0, 1)),
        ("June 140", (0, 0)),
    ],
)
def test_a_turn_is_shown_by_its_words_or_its_typed_values(context: str, expected: tuple[int, int]) -> None:
    assert shown(probes(SPOKEN), context) == expected


def test_a_name_is_a_value_where_the_gold_says_so() -> None:
    row = graded(
        timeline(say("Ana leads."), say("Bo leads now."), query="Who leads?"), ["E1"], ["E0"], value="Bo"
    )
    assert shown(probes(row), "lead: Bo") == (1, 0)
    assert shown(probes(row), "lead: Ana") == (0, 0)
    row["events"][-1]["ground_truth"]["must_not_mention"] = ["Ana"]
    assert shown(probes(row), "lead: Ana") == (0, 1)


def test_a_turn_without_values_is_shown_word_by_word() -> None:
    row = graded(
        timeline(say("Do it."), say("On second thoughts, no."), query="Do we?"),
        ["E1"],
        ["E0"],
        decision="no",
        value=None,
    )
    assert shown(probes(row), "user: on second thoughts no!") == (1, 0)
    assert shown(probes(row), "second thoughts") == (0, 0)


def test_a_fact_is_shown_where_its_value_is() -> None:
    row = timeline(
        say("Hello."), query="Who leads?", facts=[fact("lead", "Bo", id="F-1"), fact("old", "Ana", id="F-2")]
    )
    found = probes(graded(row, ["F-1"], ["F-2"], value="Bo"))
    assert shown(found, "lead: Bo") == (1, 0)
    assert shown(found, "Bob and Anabel") == (0, 0)
    assert shown(found, "Ana, then Bo") == (1, 1)


def test_values_that_both_sides_say_tell_nothing() -> None:
    row = graded(timeline(say(DEAD), say("No longer June 7 but June 14."), query="When?"), ["E1"], ["E0"])
    assert shown(probes(row), "June 7") == (0, 0)
    assert shown(probes(row), "June 14") == (1, 0)
    same = graded(timeline(say(DEAD), say(DEAD), query="When?"), ["E1"], ["E0"])
    assert (probes(same).live, probes(same).dead) == ((), ())


def test_the_figures_are_over_the_evidence_of_the_queries() -> None:
    [row, *_] = measure([SPOKEN], "transcript_replay", (100,))  # type: ignore[list-item]
    assert (row["live_values"], row["live_values_of"]) == (1, 1)
    assert (row["dead_values"], row["dead_values_of"]) == (1, 1)
    [row, *_] = measure([SPOKEN], "no_memory", (100,))  # type: ignore[list-item]
    assert (row["live_values"], row["dead_values"], row["coverage"]) == (0, 0, 0)


def test_timelines_that_say_their_length_are_measured_by_it() -> None:
    rows = [SPOKEN | {"id": name, "metadata": {"length": name}} for name in ("1k", "8k")]
    measured = measure(rows, "transcript_replay", (100,))  # type: ignore[arg-type]
    assert [row.get("length") for row in measured] == [None, None, "1k", "8k"]
    assert [row["queries"] for row in measured] == [2, 2, 1, 1]
    assert [row["track"] for row in measured] == [ALL, "supersession", "", ""]
    assert all("length" not in row for row in measure([SPOKEN], "no_memory", (100,)))  # type: ignore[list-item]
