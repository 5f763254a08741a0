"""Timelines of a few templates are answered without understanding, and their versions report it; leaking ids too."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from evaluation.attacks.plan import Example, PublicLine, plan_of
from evaluation.attacks.statebench.registry import ATTACKERS, TYPED_ATTACKERS
from evaluation.attacks.statebench.view import TimelineView, values_of
from evaluation.statebench.generator import tracks
from evaluation.statebench.presets import IMPORTED
from evaluation.statebench.suite import SUITE
from tests.evaluation.attacking import attacked, value_of
from tests.evaluation.statebench.data.test_typed_gold import with_gold

METRIC = "decision_accuracy"
NAMES = ["commitment_durability", "scope_leak", "authority_hierarchy", "environmental_freshness"]
DECLARED = [{"metric": METRIC, "floor": 0.5, "ceiling": 1.0}]


def test_timelines_of_a_few_templates_are_diagnostic_over_all_and_by_track() -> None:
    report = attacked(SUITE, {"tracks": [*NAMES, "supersession"], "count": 20})
    assert [each["name"] for each in report["attackers"]] == list(ATTACKERS)
    assert value_of(report, "null", METRIC) < 0.05
    assert value_of(report, "context_behind_no", METRIC) > 0.5
    assert "without understanding the text" in report["diagnostic"]
    by_track = {each["split"]: each for each in report["splits"]}
    assert by_track.keys() == {*NAMES, "supersession"}
    assert by_track["supersession"]["guess"] == "Always no"
    assert by_track["supersession"]["measure"]["floor"] == 1.0
    assert by_track["supersession"]["score"]["above"]


def test_nothing_is_above_a_ceiling_that_a_preset_declares() -> None:
    report = attacked(SUITE, {"tracks": NAMES, "count": 20, "attack_limits": DECLARED})
    assert report["diagnostic"] == ""
    assert report["measures"][0]["declared"]


def test_timelines_of_a_file_have_no_twin_and_are_not_attacked() -> None:
    assert plan_of(SUITE.version({"source": IMPORTED})) is None


def telling(*args: Any) -> Iterator[Any]:
    """Timelines whose ids end with the position of the text that answers; their form shows nothing of it."""
    for row in tracks.generate(*args):
        [(_, moves)] = list(TimelineView().right_moves(Example(PublicLine(row, 0, 0), row, 0)))
        place = next((place for name, place in moves if name == "first"), None)
        if isinstance(place, int):
            yield {**row, "id": f"{row['id'][:-1]}{place:x}"}


def test_an_id_that_tells_where_the_answer_stands_is_read_by_the_id_reader(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    settings = {"tracks": NAMES, "count": 20}
    sealed = attacked(SUITE, settings)
    monkeypatch.setattr("evaluation.statebench.version.generate", telling)
    leaking = attacked(SUITE, settings)
    assert value_of(leaking, "id_reader", METRIC) > 0.9 > value_of(sealed, "id_reader", METRIC)


def test_values_and_names_of_texts_are_found_in_their_order() -> None:
    texts = ("It was $7 on Monday.", "Ask Ines Ferreira by 3pm.")
    assert values_of(texts) == ("$7", "Monday", "Ines Ferreira", "3pm")


@pytest.mark.parametrize(
    ("name", "answer"),
    [
        ("no", {"decision": "no", "value": None, "because": []}),
        ("last_value", {"decision": "value", "value": "$9", "because": []}),
        ("frequent_value", {"decision": "value", "value": "$9", "because": []}),
        ("track_majority", {"decision": "value", "value": "$9", "because": []}),
        ("top_value", {"decision": "value", "value": "$9", "because": []}),
    ],
)
def test_typed_attackers_answer_in_the_typed_form(name: str, answer: dict[str, Any]) -> None:
    row: Any = with_gold()
    line = PublicLine(SUITE.public_row(row), 0, 0)
    build = TYPED_ATTACKERS[name].build([Example(line, row, 0)])
    assert list(build(line)) == [{"timeline_id": row["id"], "query_idx": 0, "answer": answer}]


def test_a_version_of_typed_answers_is_attacked_with_typed_answers() -> None:
    plan = plan_of(SUITE.version(SUITE.presets()["decisions_short"].settings))
    assert plan is not None
    assert [each.name for each in plan.attackers] == list(TYPED_ATTACKERS)
