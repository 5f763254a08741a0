"""Typed settings from `key=value` texts and the environment."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import pytest

from evaluation.adapters.pairs import parse_pairs
from evaluation.adapters.settings import read_settings
from evaluation.core.errors import SettingsError


@dataclass(frozen=True)
class Sample:
    name: str
    k: int = 8
    rate: float = 0.5
    gate: bool = False
    order: Literal["step", "shuffle"] = "step"
    limit: int | None = None

    def check(self) -> dict[str, list[str]]:
        return {"k": ["must be at least 1"]} if self.k < 1 else {}


def test_texts_become_the_types_of_the_fields() -> None:
    given = {"name": "a", "k": "4", "rate": "1", "gate": "yes", "order": "shuffle", "limit": "9"}
    assert read_settings(Sample, given, {}) == Sample("a", 4, 1.0, True, "shuffle", 9)


def test_the_environment_fills_what_is_not_given() -> None:
    environment = {"GOLDEVIDENCEBENCH_NAME": "env", "GOLDEVIDENCEBENCH_K": "2", "K": "99"}
    assert read_settings(Sample, {"k": 3}, environment) == Sample("env", 3)


def test_every_bad_field_is_named_at_once() -> None:
    with pytest.raises(SettingsError) as error:
        read_settings(Sample, {"k": "many", "gate": "maybe", "order": "random", "ordr": 1}, {})
    assert error.value.fields == {
        "ordr": ["unknown setting 'ordr'. Did you mean 'order'? Known: gate, k, limit, name, order, rate."],
        "name": ["is required."],
        "k": ["must be a whole number, not 'many'."],
        "gate": ["must be true or false, not 'maybe'."],
        "order": ["must be one of step, shuffle, not 'random'."],
    }


def test_a_settings_class_may_check_itself() -> None:
    with pytest.raises(SettingsError, match="k: must be at least 1"):
        read_settings(Sample, {"name": "a", "k": 0}, {})


def test_a_pair_needs_an_equals_sign() -> None:
    assert parse_pairs(["a=1", "b=x=y"]) == {"a": "1", "b": "x=y"}
    with pytest.raises(SettingsError, match="k8: must be written key=value"):
        parse_pairs(["k8"])
