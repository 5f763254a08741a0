"""Reads generator settings without pydantic, whose import takes longer than making a version of 4,800 rows."""

from __future__ import annotations

from collections.abc import Mapping
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, cast

from evaluation.goldevidence.generator.fields import DIFFICULTIES, NEWER, OF_FAMILIES, SETTINGS

if TYPE_CHECKING:
    from evaluation.goldevidence.generator.config import GeneratorConfig


class _Published(SimpleNamespace):
    """Settings without added difficulties, with the fields of a `GeneratorConfig`."""

    is_difficult = is_reworded = has_hidden_ledger = False

    def as_json(self) -> dict[str, Any]:
        held = vars(self)
        return {
            name: held[name]
            for name, setting in SETTINGS.items()
            if name not in NEWER or held[name] != setting.default
        }


def config_of(chosen: Mapping[str, object]) -> GeneratorConfig:
    """Build generator settings; pydantic is imported only if needed. Raises SettingsError with every invalid field."""
    if (config := published(chosen)) is not None:
        return config
    from evaluation.goldevidence.generator.config import GeneratorConfig

    return GeneratorConfig.from_json(chosen)


def published(chosen: Mapping[str, object]) -> GeneratorConfig | None:
    """Build settings without pydantic. Returns None if a setting may be invalid or turns on a difficulty."""
    if not all(_is_right(name, value) for name, value in chosen.items()):
        return None
    apart = DIFFICULTIES | OF_FAMILIES
    if any(name in apart and value != SETTINGS[name].default for name, value in chosen.items()):
        return None
    settings = {name: setting.default for name, setting in SETTINGS.items()} | dict(chosen)
    steps = settings["steps"]
    if settings["tail_distractor_steps"] >= steps or settings["chapters"] > steps:
        return None
    return cast("GeneratorConfig", _Published(**settings))


def _is_right(name: str, value: Any) -> bool:
    """True if a value is certainly valid for the setting `name`. Otherwise pydantic checks it."""
    setting = SETTINGS.get(name)
    if setting is None or type(value) is not type(setting.default):
        return False
    if isinstance(value, tuple):
        return bool(value == setting.default)
    if setting.choices is not None:
        return value in setting.choices
    low, high = (0, 1) if isinstance(value, float) else (setting.low, setting.high)
    return low is None or high is None or low <= value <= high
