"""Settings as pydantic models: messages by field, in our words."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import Field

from evaluation.core.errors import SettingsError
from evaluation.core.settings import OneOf, Rate, Seed, SettingsModel, StrictInt, each_once
from evaluation.core.suite import SUITES, get_suite
from evaluation.goldevidence.generator.config import GeneratorConfig


class Inner(SettingsModel):
    rate: Rate = 0.5


class Sample(SettingsModel):
    size: StrictInt = Field(3, ge=1)
    share: float = Field(0.5, gt=0)
    name: Annotated[str, OneOf(("alpha", "beta"))] = "alpha"
    order: Literal["up", "down"] = "up"
    api_key: StrictInt = 0
    inner: Inner = Field(default_factory=Inner)
    several: tuple[Inner, ...] = ()


@pytest.mark.parametrize(
    ("data", "field", "message"),
    [
        ({"size": 0}, "size", "must be at least 1, not 0."),
        ({"share": 0}, "share", "must be above 0, not 0."),
        ({"name": "alhpa"}, "name", "must be one of alpha, beta, not 'alhpa'. Did you mean 'alpha'?"),
        ({"order": "dwon"}, "order", "must be one of up, down, not 'dwon'. Did you mean 'down'?"),
        ({"inner": {"rate": 2}}, "inner.rate", "must be between 0 and 1, not 2."),
        ({"inner": {"rte": 2}}, "inner.rte", "unknown setting. Did you mean 'rate'?"),
        ({"rte": 2}, "rte", "unknown setting. Did you mean 'inner.rate'?"),
        ({"several": [{}, {"rate": "x"}]}, "several[1].rate", "must be a number, not 'x'."),
        ({"several": [3]}, "several[0]", "must be an object of settings, not 3."),
        ({"several": 3}, "several", "must be a list, not 3."),
    ],
)
def test_a_bad_setting_is_named_by_its_path_with_what_to_do(data, field, message):
    with pytest.raises(SettingsError) as refused:
        Sample.from_json(data)
    assert refused.value.fields == {field: [message]}


def test_no_message_holds_a_secret():
    with pytest.raises(SettingsError) as refused:
        Sample.from_json({"api_key": "sk-very-secret"})
    assert "sk-very-secret" not in str(refused.value)


def test_a_rate_stays_as_it_was_given():
    assert [type(Inner(rate=rate).as_json()["rate"]) for rate in (0, 0.0)] == [int, float]


@given(
    st.dictionaries(
        st.sampled_from(list(GeneratorConfig.model_fields)), st.integers() | st.booleans() | st.none()
    )
)
def test_settings_are_taken_whole_or_refused_field_by_field(data):
    refused: dict[str, list[str]] = {}
    config = GeneratorConfig()
    try:
        config = GeneratorConfig.from_json(data)
    except SettingsError as error:
        refused = error.fields
    assert refused.keys() <= GeneratorConfig.model_fields.keys()
    assert GeneratorConfig.from_json(config.as_json()) == config
    assert config.having() == config


@pytest.mark.parametrize("suite", SUITES)
def test_the_schema_of_a_suites_settings_says_what_each_means(suite):
    schema = get_suite(suite).settings.model_json_schema()
    assert {name for name, field in schema["properties"].items() if not field.get("description")} <= {"suite"}
    assert schema["additionalProperties"] is False


class Lists(SettingsModel):
    seeds: Annotated[tuple[Seed, ...], each_once("seed", at_least_one=True)] = (0,)
    names: Annotated[tuple[str, ...], each_once()] = ()


@pytest.mark.parametrize(
    ("data", "field", "message"),
    [
        ({"seeds": []}, "seeds", "must name at least one seed."),
        ({"seeds": [1, 2, 1]}, "seeds", "must not repeat a seed."),
        ({"names": ["a", "a"]}, "names", "must not repeat a name."),
        ({"seeds": [2**63]}, "seeds", "must be between 0 and 9223372036854775807, not 9223372036854775808."),
    ],
)
def test_a_list_without_repetitions_says_what_is_repeated(data, field, message) -> None:
    with pytest.raises(SettingsError) as refused:
        Lists.from_json(data)
    assert refused.value.fields == {field: [message]}


def test_a_list_may_be_empty_where_nothing_is_said() -> None:
    assert Lists.from_json({"seeds": [3, 1]}).seeds == (3, 1)
    assert Lists().names == ()


class Grown(SettingsModel):
    newer: ClassVar[frozenset[str]] = frozenset({"colour"})

    size: StrictInt = 3
    colour: str = "red"


class Holder(SettingsModel):
    inner: Grown = Field(default_factory=Grown)
    several: tuple[Grown, ...] = (Grown(),)


def test_a_newer_setting_is_left_out_of_json_at_its_default_wherever_it_stands() -> None:
    assert Holder().as_json() == {"inner": {"size": 3}, "several": [{"size": 3}]}
    blue = Holder(several=(Grown(colour="blue"),))
    assert blue.as_json()["several"] == [{"size": 3, "colour": "blue"}]
    assert Holder.from_json(blue.as_json()) == blue
