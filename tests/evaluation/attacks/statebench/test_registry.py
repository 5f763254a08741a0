"""Attackers are at the declared floor in every preset that is generated; an id that tells is caught."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from evaluation.attacks.plan import Example, PublicLine, plan_of
from evaluation.attacks.statebench.registry import ATTACKERS
from evaluation.attacks.statebench.view import TimelineView
from evaluation.statebench.generator import tracks
from evaluation.statebench.presets import IMPORTED, PRESETS
from evaluation.statebench.suite import SUITE
from tests.evaluation.attacking import attacked, value_of

METRIC = "decision_accuracy"


#: Generated presets; those of long texts take minutes each and have the templates of others.
SHORT = [
    name
    for name, preset in PRESETS.items()
    if preset.source != IMPORTED and max(preset.lengths, default=0) <= 1_000
]


@pytest.mark.parametrize("name", SHORT)
def test_in_every_preset_no_shortcut_is_above_the_ceiling(name: str) -> None:
    settings = SUITE.settings.checked(SUITE.presets()[name].settings)
    report = attacked(SUITE, settings | {"count": min(settings["count"], 6)})
    assert report["diagnostic"] == ""
    assert [each["name"] for each in report["attackers"]] == list(ATTACKERS)
    assert value_of(report, "null", METRIC) < 0.05
    assert report["measures"][0]["declared"]


def test_timelines_of_a_file_have_no_twin_and_are_not_attacked() -> None:
    assert plan_of(SUITE.version({"source": IMPORTED})) is None


def telling(*args: Any) -> Iterator[Any]:
    """Timelines whose ids end with the place of the text that answers: their form shows nothing of it."""
    for row in tracks.generate(*args):
        [(_, moves)] = list(TimelineView().right_moves(Example(PublicLine(row, 0, 0), row, 0)))
        place = next((place for name, place in moves if name == "first"), None)
        if isinstance(place, int):
            yield {**row, "id": f"{row['id'][:-1]}{place:x}"}


def test_an_id_that_tells_where_the_answer_stands_is_read_by_the_id_reader(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    names = ["commitment_durability", "scope_leak", "authority_hierarchy", "environmental_freshness"]
    settings = {"tracks": names, "count": 20}
    sealed = attacked(SUITE, settings)
    monkeypatch.setattr("evaluation.statebench.version.generate", telling)
    leaking = attacked(SUITE, settings)
    assert value_of(leaking, "id_reader", METRIC) > 0.9 > value_of(sealed, "id_reader", METRIC)
    assert "“id reader”" in leaking["diagnostic"]
