"""The generator's settings."""

from __future__ import annotations

import pytest

from evaluation.core.errors import SettingsError
from evaluation.goldevidence import GeneratorConfig


def test_the_defaults_are_the_benchmarks():
    assert GeneratorConfig().as_json() == {
        "episodes": 20,
        "steps": 220,
        "keys": 14,
        "queries": 12,
        "derived_query_rate": 0.35,
        "chapters": 8,
        "twins": True,
        "distractor_rate": 0.50,
        "clear_rate": 0.08,
        "note_rate": 0.12,
        "tail_distractor_steps": 0,
        "require_citations": True,
        "max_support_k": 3,
        "state_mode": "kv",
        "distractor_profile": "instruction",
    }


def test_a_revision_is_named_where_it_is_not_that_of_the_first_versions():
    assert "revision" not in GeneratorConfig(revision=1).as_json()
    newer = GeneratorConfig(revision=2)
    assert newer.as_json()["revision"] == 2
    assert GeneratorConfig.from_json(newer.as_json()) == newer


@pytest.mark.parametrize(
    ("settings", "field", "message"),
    [
        ({"steps": 0}, "steps", "must be between 1 and 100000, not 0."),
        ({"steps": 2.5}, "steps", "must be a whole number, not 2.5."),
        ({"keys": True}, "keys", "must be a whole number, not True."),
        ({"clear_rate": 1.01}, "clear_rate", "must be between 0 and 1, not 1.01."),
        ({"note_rate": float("nan")}, "note_rate", "must be between 0 and 1, not nan."),
        ({"derived_query_rate": "0.5"}, "derived_query_rate", "must be a number, not '0.5'."),
        ({"twins": 1}, "twins", "must be true or false, not 1."),
        ({"state_mode": "counters"}, "state_mode", "Did you mean 'counter'?"),
        ({"distractor_profile": None}, "distractor_profile", "must be one of easy, standard"),
        ({"steps": 40, "tail_distractor_steps": 40}, "tail_distractor_steps", "must be below steps (40)"),
        ({"steps": 4, "chapters": 5}, "chapters", "must not exceed steps (4)"),
        ({"revision": 4}, "revision", "must be between 1 and 3, not 4."),
        ({"quieries": 3}, "quieries", "unknown setting. Did you mean 'queries'?"),
    ],
)
def test_a_bad_setting_is_named_with_its_reason(settings, field, message):
    with pytest.raises(SettingsError) as caught:
        GeneratorConfig.from_json(settings)
    assert list(caught.value.fields) == [field]
    assert message in caught.value.fields[field][0]


def test_every_bad_setting_is_named_at_once():
    with pytest.raises(SettingsError) as caught:
        GeneratorConfig(episodes=0, keys=-1, state_mode="x")
    assert list(caught.value.fields) == ["episodes", "keys", "state_mode"]
