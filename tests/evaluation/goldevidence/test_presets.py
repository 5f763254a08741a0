"""Presets: the settings of a version."""

from __future__ import annotations

import json

import pytest

from evaluation.core.errors import SettingsError, UnknownNameError
from evaluation.core.statistics.power import DIAGNOSTIC_BELOW
from evaluation.goldevidence import GeneratorConfig
from evaluation.goldevidence.conditions.conditions import Condition
from evaluation.goldevidence.display import DISPLAY, by_k, by_order
from evaluation.goldevidence.generator.fields import LATEST_REVISION
from evaluation.goldevidence.presets import PRESETS, Settings, get_preset
from evaluation.goldevidence.suite import SUITE


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
        "open_log",
        "build",
        "ladder",
        "ladder_long",
        "ladder_short",
        "prose",
        "prose_short",
        "retrieval",
        "standard_short",
        "order_bias_short",
        "authority_short",
        "retrieval_short",
        "deep",
        "deep_long",
        "deep_short",
    ]


@pytest.mark.parametrize("name", PRESETS)
def test_a_preset_survives_json(name):
    assert Settings.from_json(json.loads(json.dumps(PRESETS[name].as_json()))) == PRESETS[name]


@pytest.mark.parametrize("name", PRESETS)
def test_a_preset_describes_itself(name):
    described = dict(PRESETS[name].describe())
    assert all(isinstance(text, str) and text for text in described.values())
    assert set(described) >= {"State modes", "Seeds", "Conditions", "Rubric"}


@pytest.mark.parametrize("name", [*DISPLAY.demo, "quick", "real", "k_curve", "authority_stress"])
def test_small_presets_have_short_texts_and_never_too_few_units_to_rank(name):
    assert PRESETS[name].count_units() >= DIAGNOSTIC_BELOW


def test_the_order_of_the_others_is_a_line_of_its_own_in_the_picture_of_orders():
    lines: dict[str, list[object]] = {}
    for _, series, x in by_order(get_preset("order_bias").as_json()):
        lines.setdefault(series, []).append(x)
    whole = [places for places in lines.values() if len(places) > 1]
    assert whole == [["place 1", "place 2", "place 3", "place 4"]] * 2
    assert [x for _, _, x in by_k(get_preset("k_curve").as_json())] == [1, 2, 4, 8, 16]
    assert len({series for _, series, _ in by_k(get_preset("k_curve").as_json())}) == 1


def test_earlier_conditions_make_the_lines_that_they_made():
    orders = [{"k": 4, "order": order} for order in ("gold_first", "gold_last", "shuffle")]
    places = by_order(Settings.from_json({"conditions": orders}).as_json())
    assert [tuple(place) for place in places] == [
        ("k4-gold_first", "k = 4", "first"),
        ("k4-gold_last", "k = 4", "last"),
        ("k4-shuffle", "k = 4", "shuffled"),
    ]


def test_nothing_given_is_the_default_version():
    assert Settings.from_json({}) == Settings()
    assert Settings().state_modes == ("kv",)


def test_the_reference_preset_is_the_references_defaults_and_rubric():
    preset = get_preset("reference_v1")
    assert (preset.generator, preset.rubric, preset.seeds) == (GeneratorConfig(), "reference", (0,))


def test_the_order_bias_preset_crosses_the_place_of_the_gold_line_with_the_sorting_of_the_others():
    crossed = get_preset("order_bias").conditions
    assert {(condition.order, condition.rest) for condition in crossed} == {
        (f"gold_at_{place}", rest) for place in (1, 2, 3, 4) for rest in ("ascending", "shuffled")
    }
    assert len(crossed) == 8
    assert {condition.k for condition in crossed} == {4}


def test_retrievers_are_asked_with_the_latest_and_the_earliest_of_equal_scores_first():
    asked = {(each.retriever, each.k, each.ties) for each in get_preset("retriever_sanity").conditions}
    assert {("bm25", k, ties) for k in (2, 4, 8) for ties in ("latest", "earliest")} < asked


@pytest.mark.parametrize(
    "name", ["standard", "order_bias", "k_curve", "authority_stress", "retriever_sanity"]
)
def test_each_question_of_a_preset_shows_exactly_k_lines(name):
    preset = get_preset(name)
    assert preset.count_units() >= 40
    assert all(condition.exact for condition in preset.conditions)
    few = preset.having(seeds=(7,), generator=preset.generator.having(episodes=2))
    shown = {condition.name: condition.k for condition in few.conditions}
    rows = [row for item in SUITE.version(few.as_json()).generate() for row in item.rows]
    candidates = [row for row in rows if row.get("candidates") is not None]
    assert {row["meta"]["condition"] for row in candidates} == set(shown)
    assert all(len(row["candidates"]) == shown[row["meta"]["condition"]] for row in candidates)


@pytest.mark.parametrize("name", [name for name in PRESETS if name != "reference_v1"])
def test_presets_have_twins_that_test(name):
    assert get_preset(name).generator.revision == LATEST_REVISION
    assert get_preset("reference_v1").generator.revision == 1


def test_prose_has_units_to_rank_by_and_its_short_form_is_short():
    long, short = get_preset("prose"), get_preset("prose_short")
    assert (long.count_units(), short.count_units()) == (100, 40)
    shorter = {
        "steps": 36,
        "keys": 6,
        "queries": 3,
        "chapters": 2,
        "tail_distractor_steps": 12,
        "episodes": 4,
    }
    assert long.generator.having(**shorter) == short.generator


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
    assert settings.conditions == (
        Condition(name="k8-gold_last", k=8, order="gold_last"),
        Condition(name="mine"),
    )


@pytest.mark.parametrize(
    ("settings", "field", "message"),
    [
        ({"rubrik": "strict"}, "rubrik", "Did you mean 'rubric'?"),
        ({"suite": "statebench"}, "suite", "must be one of goldevidence"),
        ({"rubric": "lenient"}, "rubric", "must be one of strict@4, strict, reference"),
        ({"protocol": "openbook"}, "protocol", "Did you mean 'open_book'?"),
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
        ({"seeds": [True]}, "seeds", "must be a whole number"),
        ({"seeds": [[1]]}, "seeds", "must be a whole number"),
        ({"conditions": [{"k": 2}, {"k": 0}]}, "conditions[1].k", "must be between 1 and 1000"),
        ({"conditions": [{"oder": "shuffle"}]}, "conditions[0].oder", "Did you mean 'order'?"),
        ({"conditions": [7]}, "conditions[0]", "must be an object of settings"),
        ({"conditions": [{"k": 2}, {"k": 2}]}, "conditions", "two conditions have the name 'k2-shuffle'"),
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
