"""Makes form fields for a suite's settings from their JSON schema."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from django import forms

#: Prefix of field names: `set-generator.steps`.
PREFIX = "set-"
#: Settings without a field: they are drawn at the freeze, or given by the benchmark.
NOT_ASKED = frozenset({"key", "suite"})
Json = dict[str, Any]


class NumbersField(forms.CharField):
    def prepare_value(self, value: Any) -> Any:
        return ", ".join(map(str, value)) if isinstance(value, list | tuple) else value

    def to_python(self, value: Any) -> Any:
        try:
            return [int(part) for part in (super().to_python(value) or "").split(",") if part.strip()]
        except ValueError as error:
            raise forms.ValidationError("Enter whole numbers, separated by commas.") from error

    def has_changed(self, initial: Any, data: Any) -> bool:
        return super().has_changed(self.prepare_value(initial), data)


def settings_fields(schema: Json) -> dict[str, forms.Field]:
    """Map the dotted path of each setting (`generator.steps`) to its form field. Lists of objects get no field."""
    return dict(_fields(schema, schema.get("$defs", {}), ""))


def at(settings: Mapping[str, object], path: str) -> Any:
    """The value at a dotted path (`generator.steps`); None if unset."""
    value: Any = settings
    for name in path.split("."):
        value = value.get(name) if isinstance(value, Mapping) else None
    return value


def put(settings: Json, path: str, value: Any) -> None:
    """Set the value at a dotted path in place, adding missing dictionaries."""
    *outer, last = path.split(".")
    for name in outer:
        settings = settings.setdefault(name, {})
    settings[last] = value


def _fields(schema: Json, definitions: Json, before: str) -> Iterator[tuple[str, forms.Field]]:
    for name, described in schema["properties"].items():
        described = definitions.get(described.get("$ref", "").rpartition("/")[2], {}) | described
        if described.get("type") == "object":
            yield from _fields(described, definitions, f"{before}{name}.")
        elif name not in NOT_ASKED and (field := _field(described)) is not None:
            field.label = name.replace("_", " ").capitalize()
            field.help_text = described.get("description", "")
            field.initial = described.get("default")
            field.required = False
            yield f"{before}{name}", field


def _field(described: Json) -> forms.Field | None:
    items = described.get("items", {})
    match described.get("type"):
        case "boolean":
            return forms.TypedChoiceField(
                choices=[("True", "yes"), ("False", "no")], coerce=lambda value: str(value) == "True"
            )
        case "string" if "enum" in described:
            return forms.ChoiceField(choices=[(name, name) for name in described["enum"]])
        case "array" if "enum" in items:
            names = [(name, name) for name in items["enum"]]
            return forms.MultipleChoiceField(choices=names, widget=forms.CheckboxSelectMultiple)
        case "array" if items.get("type") == "integer":
            return NumbersField()
        case "integer":
            return forms.IntegerField(**_bounds(described))
        case "number":
            return forms.FloatField(**_bounds(described), widget=forms.NumberInput(attrs={"step": "any"}))
    return None


def _bounds(described: Json) -> dict[str, Any]:
    names = {"minimum": "min_value", "maximum": "max_value"}
    return {names[name]: described[name] for name in names if name in described}
