"""Which places are active, and why."""

from __future__ import annotations

import pytest

from evaluation.statebench.facts.scopes import (
    EVERYWHERE,
    ActivePlaces,
    Place,
    named_in,
    narrow_first,
    place_from,
)

T7, T8, TASK = Place("task", "T-7"), Place("task", "T-8"), Place("task")
SESSION, PROJECT, TEAM = Place("session", "S"), Place("project", "P"), Place("team", "blue")


def test_places_are_read_as_data_writes_them() -> None:
    assert place_from({"scope": " Task ", "scope_id": 7}) == Place("task", "7")
    assert place_from({"scope": "task", "scope_id": ""}) == TASK
    assert place_from({"scope": "Global", "scope_id": "T-7"}) == place_from({}) == EVERYWHERE
    assert [T7.label, TASK.label] == ["task T-7", "task"]


def test_places_are_ordered_from_narrow_to_wide_and_an_unknown_kind_is_the_narrowest() -> None:
    given = [PROJECT, EVERYWHERE, SESSION, Place("draft"), T7, Place("hypothetical", "H"), TEAM]
    assert narrow_first(given) == (TEAM, T7, SESSION, PROJECT)


def test_of_a_kind_the_place_entered_last_is_active_and_leaving_brings_none_back() -> None:
    places = ActivePlaces()
    for place in (PROJECT, T7, T8):
        places.enter(place)
    assert places.now == (T8, PROJECT)
    places.leave(T7)
    assert places.now == (T8, PROJECT)
    places.leave(T8)
    assert places.now == (PROJECT,)


@pytest.mark.parametrize("place", [EVERYWHERE, Place("draft"), Place("hypothetical", "H")])
def test_what_is_global_or_not_real_is_never_entered(place: Place) -> None:
    places = ActivePlaces()
    places.enter(place)
    places.write(place)
    assert places.now == ()


def test_the_first_write_of_a_place_without_an_id_enters_it_and_no_other_write_does() -> None:
    places = ActivePlaces()
    places.write(T7)
    assert places.now == ()
    places.write(TASK)
    assert places.now == (TASK,)
    places.enter(T7)
    places.write(TASK)
    assert places.now == (T7,)
    places.leave(TASK)
    places.write(TASK)
    assert places.now == (TASK,)


def test_a_query_names_places_by_fields_before_its_prompt_and_for_itself_only() -> None:
    places = ActivePlaces()
    places.enter(T7)
    asked = {"prompt": "What holds for t-8 in p?"}
    assert places.seen_by(asked, [T7, T8, PROJECT]) == (T8, PROJECT)
    assert places.seen_by(asked, [T7]) == (T7,)
    assert places.seen_by({**asked, "scope": "task"}, [T7, T8, PROJECT]) == (TASK, PROJECT)
    assert places.seen_by({"prompt": "?", "scope": "draft"}, []) == (T7,)
    assert places.now == (T7,)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("In T-7: what holds?", [T7]),
        ("what of t-7 and T-8 and T-7", [T8, T7]),
        ("T-77, XT-7 and T-7x are others", []),
        ("a task", []),
    ],
)
def test_an_id_is_named_as_whole_words_in_any_case(text: str, found: list[Place]) -> None:
    assert named_in(text, [T7, T8, TASK, Place("draft", "T-7")]) == found


def test_the_longer_of_two_ids_that_end_alike_is_the_one_that_is_named() -> None:
    longer = Place("task", "blue T-7")
    assert named_in("What holds in blue T-7?", [longer, T7]) == [T7, longer]
