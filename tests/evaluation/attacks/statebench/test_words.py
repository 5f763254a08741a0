"""Words reveal the decision of a scene if it tells only its own plot, but not with a decoy beside it."""

from __future__ import annotations

import pytest

from evaluation.attacks.plan import PublicLine
from evaluation.attacks.statebench.words import WordReader
from evaluation.statebench.generator.scenes import telling
from evaluation.statebench.generator.scenes.acts import Plot
from evaluation.statebench.presets import PRESETS
from evaluation.statebench.suite import SUITE
from tests.evaluation.attacking import attacked, value_of
from tests.evaluation.statebench.data.test_typed_gold import with_gold

SETTINGS = PRESETS["decisions"].as_json() | {
    "tracks": ["supersession", "authority_hierarchy", "commitment_durability", "expiry"]
}


def reached() -> float:
    return value_of(attacked(SUITE, SETTINGS), "word_reader", "decision_accuracy")


def _alone(plot: Plot, decoy: Plot, draw: object) -> Plot:
    return plot


def test_the_words_of_a_scene_say_no_more_than_a_constant() -> None:
    assert reached() < 0.353


def test_without_decoys_they_would(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(telling, "beside", _alone)
    assert reached() > 0.42


def test_without_a_twin_the_word_reader_decides_that_it_is_unclear() -> None:
    line = PublicLine(SUITE.public_row(with_gold()), 0, 0)
    assert [each["answer"]["decision"] for each in WordReader([])(line)] == ["unclear"]
