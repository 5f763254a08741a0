"""Settings of published texts read without pydantic: equal to `GeneratorConfig`, or left to it."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.core.errors import SettingsError
from evaluation.goldevidence import GeneratorConfig
from evaluation.goldevidence.generator.episodes import generate_unit
from evaluation.goldevidence.generator.fields import DIFFICULTIES, OF_FAMILIES, SETTINGS
from evaluation.goldevidence.generator.published import config_of, published

DERIVED = ("is_difficult", "is_reworded", "has_hidden_ledger")
VALUES = (
    st.integers(-1, 400)
    | st.sampled_from([0.0, 0.2, 1.0, 1.5, -0.1, float("nan"), 1e6, 10**6])
    | st.booleans()
    | st.sampled_from(["", "kv", "counter", "standard", "prose", "nowhere", None])
)


@given(st.dictionaries(st.sampled_from([*SETTINGS, "unheard_of"]), VALUES, max_size=4))
def test_what_is_taken_without_pydantic_is_what_a_config_holds(chosen: dict[str, Any]):
    taken = published(chosen)
    try:
        config = GeneratorConfig(**chosen)
    except SettingsError:
        assert taken is None
        return
    if taken is None:  # left to the config: it makes texts more difficult, or a share is a whole number
        assert (DIFFICULTIES | OF_FAMILIES) & set(chosen) or any(value in (0, 1) for value in chosen.values())
    else:
        assert list(taken.as_json().items()) == list(config.as_json().items())
        for name in (*SETTINGS, *DERIVED):
            assert getattr(taken, name) == getattr(config, name)
            assert type(getattr(taken, name)) is type(getattr(config, name))


def test_the_table_has_every_field_in_its_order():
    assert list(SETTINGS) == list(GeneratorConfig.model_fields)


@pytest.mark.parametrize("mode", ["kv_commentary", "relational"])
def test_they_make_the_same_rows(mode: str):
    chosen = {"steps": 40, "state_mode": mode, "distractor_profile": "instruction_suite", "revision": 2}
    plain = published(chosen)
    assert plain is not None
    assert generate_unit(plain, 3, 0).rows == generate_unit(GeneratorConfig(**chosen), 3, 0).rows


def test_settings_that_are_not_plainly_right_are_judged_by_a_config():
    assert isinstance(config_of({"aliases": 0.5, "revision": 2}), GeneratorConfig)
    assert not isinstance(config_of({"aliases": 0.0, "steps": 40}), GeneratorConfig)  # as it is anyway
    with pytest.raises(SettingsError, match="steps"):
        config_of({"steps": 0})
