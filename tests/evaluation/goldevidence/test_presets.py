"""Presets: the settings of a version."""

from __future__ import annotations

import json

import pytest

from evaluation.core.errors import SettingsError, UnknownNameError
from evaluation.goldevidence import GeneratorConfig
from evaluation.goldevidence.conditions.conditions import Condition
from evaluation.goldevidence.presets import PRESETS, Settings, get_preset


def test_the_named_presets_are_the_published_ones():
    assert list(PRESETS) == [
        "smoke",
        "triage",
        "quick",
        "standard",
        "real",
        "reference_v1",
        "order_bias",
        "k_curve",
        "authority_stress",
        "retriever_sanity",
    ]


@pytest.mark.parametrize("name", PRESETS)
def test_a_preset_survives_json(name):
    assert Settings.from_json(json.loads(json.dumps(PRESETS[name].as_json()))) == PRESETS[name]


@pytest.mark.parametrize("name", PRESETS)
def test_a_preset_describes_itself(name):
    described = dict(PRESETS[name].describe())
    assert all(isinstance(text, str) and text for text in described.values())
    assert set(described) >= {"State modes", "Seeds", "Conditions", "Rubric"}


def test_nothing_given_is_the_default_version():
    assert Settings.from_json({}) == Settings()
    assert Settings().state_modes == ("kv",)


def test_the_reference_preset_is_the_references_defaults_and_rubric():
    preset = get_preset("reference_v1")
    assert (preset.generator, preset.rubric, preset.seeds) == (GeneratorConfig(), "reference", (0,))


def test_the_order_bias_preset_shows_one_k_in_every_order():
    conditions = get_preset("order_bias").conditions
    assert [condition.order for condition in conditions] == [
        "gold_first",
        "gold_middle",
        "gold_last",
        "shuffle",
    ]
    assert {condition.k for condition in conditions} == {4}


def test_a_version_crosses_seeds_modes_and_profiles_and_numbers_its_episodes_through():
    settings = Settings.from_json(
        {
            "generator": {"episodes": 2, "steps": 20, "chapters": 2, "queries": 1, "twins": False},
            "seeds": [4, 5],
            "state_modes": ["kv", "set"],
            "distractor_profiles": ["easy", "adversarial"],
        }
    )
    units = list(settings.units())
    assert len(units) == settings.count_units() == 16
    assert [unit.key for unit in units] == [f"E{number:04d}" for number in range(1, 17)]
    cells = [
        tuple(unit.rows[0]["meta"][name] for name in ("seed", "state_mode", "distractor_profile"))
        for unit in units
    ]
    assert cells[::2] == [(s, m, p) for s in (4, 5) for m in ("kv", "set") for p in ("easy", "adversarial")]


def test_conditions_are_read_with_names_that_say_what_they_are():
    settings = Settings.from_json({"conditions": [{"k": 8, "order": "gold_last"}, {"name": "mine"}]})
    assert settings.conditions == (Condition("k8-gold_last", k=8, order="gold_last"), Condition("mine"))


@pytest.mark.parametrize(
    ("settings", "field", "message"),
    [
        ({"rubrik": "strict"}, "rubrik", "Did you mean 'rubric'?"),
        ({"suite": "statebench"}, "suite", "must be one of goldevidence"),
        ({"rubric": "lenient"}, "rubric", "must be one of strict, reference"),
        ({"protocol": "open"}, "protocol", "Did you mean 'open_book'?"),
        ({"public_gold": "yes"}, "public_gold", "must be true or false"),
        ({"generator": 3}, "generator", "must be an object of settings"),
        ({"generator": {"step": 3}}, "generator.step", "Did you mean 'steps'?"),
        ({"generator": {"steps": 0}}, "generator.steps", "must be between 1 and 100000"),
        ({"state_modes": ["kv", "sets"]}, "state_modes", "Did you mean 'set'?"),
        ({"state_modes": ["kv", "kv"]}, "state_modes", "must not repeat a name."),
        ({"distractor_profiles": "easy"}, "distractor_profiles", "must be a list"),
        ({"seeds": []}, "seeds", "must name at least one seed."),
        ({"seeds": [1, 1]}, "seeds", "must not repeat a seed."),
        ({"seeds": [-1]}, "seeds", "must be between 0 and"),
        ({"seeds": [True]}, "seeds", "must be whole numbers."),
        ({"seeds": [[1]]}, "seeds", "must be whole numbers."),
        ({"conditions": [{"k": 2}, {"k": 0}]}, "conditions[1].k", "must be between 1 and 1000"),
        ({"conditions": [{"oder": "shuffle"}]}, "conditions[0].oder", "Did you mean 'order'?"),
        ({"conditions": [7]}, "conditions[0]", "must be an object of settings"),
        ({"conditions": [{"k": 2}, {"k": 2}]}, "conditions", "two conditions are named 'k2-shuffle'"),
    ],
)
def test_a_bad_setting_is_named_by_its_path_with_its_reason(settings, field, message):
    with pytest.raises(SettingsError) as caught:
        Settings.from_json(settings)
    assert list(caught.value.fields) == [field]
    assert message in caught.value.fields[field][0]


def test_bad_settings_of_every_part_are_named_at_once():
    with pytest.raises(SettingsError) as caught:
        Settings.from_json({"generator": {"keys": 0}, "conditions": [{"k": 0}], "seeds": 1})
    assert set(caught.value.fields) == {"generator.keys", "conditions[0].k", "seeds"}


def test_an_unknown_preset_names_the_nearest():
    with pytest.raises(UnknownNameError, match="Did you mean 'order_bias'"):
        get_preset("order-bias")


@pytest.mark.parametrize("data", [5, None, [], "x"])
def test_settings_that_are_no_object_are_refused(data) -> None:
    with pytest.raises(SettingsError, match="settings: must be an object, not "):
        Settings.from_json(data)


@pytest.mark.parametrize(
    "value", [10**400, 10**5000, -(10**400), "x" * 1000], ids=["long", "longer", "low", "text"]
)
def test_values_beyond_measure_are_refused_in_a_short_sentence(value) -> None:
    for field in ("note_rate", "steps", "state_mode"):
        with pytest.raises(SettingsError) as refused:
            Settings.from_json({"generator": {field: value}})
        assert len(str(refused.value)) < 300
