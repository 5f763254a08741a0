"""Generated timelines: determined by the seed, unambiguous, and failures shortened to their core."""

from __future__ import annotations

from typing import Any

import pytest

from evaluation.core import jsonl
from evaluation.core.errors import AdapterError, SettingsError
from evaluation.statebench import run_conformance
from evaluation.statebench.conformance.model.aspects import ASPECTS
from evaluation.statebench.conformance.model.running import run_generated
from evaluation.statebench.conformance.model.state import Model
from evaluation.statebench.conformance.model.timelines import timeline_of
from evaluation.statebench.conformance.requirements import shows
from evaluation.statebench.conformance.suite import Generated, report
from evaluation.statebench.data.timeline import check_timeline
from tests.evaluation.statebench.conformance.second import second
from tests.evaluation.statebench.conformance.second_mutants import mutant

ROWS = [timeline_of(5, number) for number in range(150)]


def queries(row: dict[str, Any]) -> range:
    return range(sum(event["type"] == "query" for event in row["events"]))


def failing(name: str, **options: Any) -> dict[str, Generated]:
    """The verdicts on generated timelines that a mutant fails, by their names."""
    verdicts = run_conformance([], mutant(name), **{"seed": 1, "timelines": 60} | options)
    return {one.name: one.generated for one in verdicts if one.generated and not one.passed}


def test_a_seed_makes_the_same_timelines_every_time() -> None:
    assert jsonl.dumps(timeline_of(5, 7)) == jsonl.dumps(ROWS[7])
    assert len({jsonl.dumps(row) for row in ROWS}) == len(ROWS)


def test_no_value_of_a_seed_is_one_of_another() -> None:
    def words(seed: int) -> set[str]:
        facts = [fact for n in range(20) for fact in Model(timeline_of(seed, n), 0).facts]
        return {fact.word for fact in facts}

    shared = words(1) & words(2)
    assert len(shared) < len(words(1)) / 4


def test_every_timeline_is_one_of_the_format_and_leaves_nothing_open() -> None:
    for row in ROWS:
        check_timeline(row, graded=False)
        assert [Model(row, query).open for query in queries(row)] == [[] for _ in queries(row)]


def test_the_timelines_hold_all_that_the_specification_speaks_of() -> None:
    models = [Model(row, query) for row in ROWS for query in queries(row)]
    facts = [fact for model in models for fact in model.facts]
    happening = [
        any(fact.ended for fact in facts),
        any(fact.stands_for for fact in facts),
        any(fact.review and fact.valid for fact in facts),
        any(fact.turn is not None and fact.before for fact in facts),
        any(fact.turn is not None and fact.place[0] == "task" for fact in facts),
        any(model.hidden() for model in models),
        any(model.elsewhere() for model in models),
        any(len(model.active) > 2 for model in models),
        any(not fact.is_shown_to(model.reader) for model in models for fact in model.facts),
        any(note.was_left for model in models for note in model.notes),
    ]
    assert happening == [True] * len(happening)


def test_every_aspect_is_judged_and_shows_a_requirement() -> None:
    outcomes = run_generated(second, seed=1, timelines=60)
    assert [one.aspect for one in outcomes] == list(ASPECTS)
    assert all(one.checks for one in outcomes)
    assert all(shows(name) for name in ASPECTS)


def test_a_failure_is_shortened_to_the_events_that_show_it() -> None:
    drawn = failing("leaving_ends_nothing")["generated_narrow_versions"]
    assert drawn.failing is not None
    events = drawn.failing["request"]["timeline"]["events"]
    given = drawn.failing["request"]["timeline"]["initial_state"]["persistent_facts"]
    assert [event["type"] for event in events if event["type"] != "state_write"] == ["scope", "query"]
    assert len(events) + len(given) == 3  # a fact of a place, which is left, and a query


def test_what_was_shortened_still_fails_when_it_is_asked_again() -> None:
    name = "drafts_replace_what_holds"
    for drawn in failing(name).values():
        assert drawn.failing is not None
        request = drawn.failing["request"]
        assert jsonl.dumps(mutant(name)(request)) != jsonl.dumps(second(request))


def test_shortening_asks_no_more_than_it_may() -> None:
    asked = []

    def counting(request: Any) -> Any:
        asked.append(request)
        return mutant("old_facts_stay_valid")(request)

    run_generated(counting, seed=1, timelines=3, questions=0)
    without = len(asked)
    failed = [one for one in run_generated(counting, seed=1, timelines=3, questions=7) if one.failure]
    assert failed
    assert len(asked) - 2 * without <= 7 * len(failed)


def test_the_report_says_seed_and_timelines_and_what_fails() -> None:
    verdicts = run_conformance([], mutant("leaving_ends_nothing"), seed=1, timelines=60)
    result = report(verdicts)
    assert (result["seed"], result["timelines"], result["suite_revision"]) == (1, 60, 4)
    row = next(row for row in result["vectors"] if row["name"] == "generated_narrow_versions")
    assert "timeline" in row["evidence"]
    assert "leave" in row["evidence"]
    assert row["failed"] == ("SC1", "SC2")
    jsonl.dumps(result)
    whole = report(run_conformance([], second, seed=1, timelines=2))
    assert "of seed 1" in whole["vectors"][-1]["evidence"]


def test_without_a_seed_one_is_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CONFORMANCE_SEED")
    seeds = {run_conformance([], second, timelines=1)[-1].generated.seed for _ in range(3)}  # type: ignore[union-attr]
    assert len(seeds) > 1


@pytest.mark.parametrize("text", ["seven", "-1", "1.5", "7,", str(1 << 32)])
def test_a_seed_of_the_environment_that_is_none_is_refused(
    text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CONFORMANCE_SEED", text)
    with pytest.raises(
        SettingsError, match=f"^CONFORMANCE_SEED: '{text}' is not a whole number from 0 to 4294967295$"
    ):
        run_conformance([], second, timelines=1)
    assert run_conformance([], second, seed=3, timelines=1)[-1].generated.seed == 3  # type: ignore[union-attr]
    assert run_conformance([], second, timelines=0)[-1].generated is None


def test_other_vectors_are_run_alone_unless_timelines_are_asked_for() -> None:
    assert all(verdict.generated is None for verdict in run_conformance([], second))


def test_an_implementation_that_breaks_fails_every_aspect_with_the_reason() -> None:
    def breaking(request: Any) -> Any:
        raise AdapterError("no such shelf")

    verdicts = [one for one in run_conformance([], breaking, seed=1, timelines=5) if one.generated]
    assert len(verdicts) == len(ASPECTS)
    assert all("no such shelf" in one.evidence for one in verdicts)
    assert all(one.failed == one.requirements for one in verdicts)


@pytest.mark.parametrize("answer", [{}, None, [], 3, {"context": {"text": ""}}, {"facts": [None]}])
def test_an_answer_outside_the_protocol_fails_and_does_not_break_the_run(answer: Any) -> None:
    verdicts = [one for one in run_conformance([], lambda _: answer, seed=1, timelines=3) if one.generated]
    assert not any(one.passed for one in verdicts if one.name == "generated_versions")
