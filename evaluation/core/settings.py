"""Settings as pydantic models, the one source of validation, the admin form and the API's JSON schema."""

from __future__ import annotations

import difflib
from collections.abc import Collection, Hashable, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Self, TypeVar

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    GetCoreSchemaHandler,
    GetJsonSchemaHandler,
    PlainSerializer,
    SerializerFunctionWrapHandler,
    StrictBool,
    StrictFloat,
    StrictInt,
    StrictStr,
    ValidationError,
    ValidatorFunctionWrapHandler,
    WrapValidator,
    model_serializer,
)
from pydantic_core import CoreSchema, ErrorDetails, PydanticCustomError, core_schema

from evaluation.core.checks import in_message, nearest
from evaluation.core.errors import SettingsError
from evaluation.core.sealing.keyed_ids import is_key
from evaluation.core.secrets import HIDDEN, is_secret

__all__ = [
    "Key",
    "OneOf",
    "Rate",
    "Seed",
    "SettingsModel",
    "StrictBool",
    "StrictInt",
    "StrictStr",
    "each_once",
    "messages",
    "refused",
]

#: Largest seed: a signed 64-bit column must hold it.
MAX_SEED = 2**63 - 1
Value = TypeVar("Value", bound=Hashable)
_WANTED = {
    "int_type": "a whole number",
    "int_parsing": "a whole number",
    "int_parsing_size": "a whole number",
    "int_from_float": "a whole number",
    "float_type": "a number",
    "float_parsing": "a number",
    "finite_number": "a number",
    "bool_type": "true or false",
    "bool_parsing": "true or false",
    "string_type": "text",
    "tuple_type": "a list",
    "model_type": "an object of settings",
    "model_attributes_type": "an object of settings",
}
_BOUNDS = ("greater_than_equal", "less_than_equal", "greater_than")


class SettingsModel(BaseModel):
    """Base of settings given as JSON: frozen, unknown names refused. Invalid values raise SettingsError by field."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    #: Settings added later: left out of JSON data at their default, so that settings and hashes of older versions stay
    #: the same.
    newer: ClassVar[frozenset[str]] = frozenset()

    def __init__(self, /, **data: Any) -> None:
        try:
            super().__init__(**data)
        except ValidationError as error:
            raise SettingsError(messages(error, type(self).model_json_schema())) from error

    # Nested models are built without this method, so that their errors keep the path of the field.
    __init__.__pydantic_base_init__ = True  # type: ignore[attr-defined]

    @model_serializer(mode="wrap")
    def _without_newer_defaults(self, serialize: SerializerFunctionWrapHandler) -> dict[str, object]:
        fields = type(self).model_fields
        absent = {name for name in self.newer if getattr(self, name) == fields[name].default}
        return {name: value for name, value in serialize(self).items() if name not in absent}

    @classmethod
    def from_json(cls, data: Any) -> Self:
        """Make settings of JSON data; missing settings get defaults. Raises SettingsError with every invalid field."""
        if not isinstance(data, Mapping):
            raise SettingsError({"settings": [f"must be an object, not {in_message(data)}."]})
        if unknown := [name for name in data if not isinstance(name, str)]:
            raise SettingsError({in_message(name): ["unknown setting."] for name in unknown})
        return cls(**data)

    def as_json(self) -> dict[str, Any]:
        return self.model_dump(mode="json")

    def left_empty(self, *names: str) -> set[str]:
        """Return the names of empty settings among `names`."""
        return {name for name in names if not getattr(self, name)}

    def having(self, **changes: Any) -> Self:
        """Return a copy with some settings changed. Raises SettingsError if the copy is invalid."""
        return type(self)(**{name: getattr(self, name) for name in type(self).model_fields} | changes)


@dataclass(frozen=True, slots=True)
class OneOf:
    """Annotation for a text that must be one of some names: `Annotated[str, OneOf(MODES)]`."""

    known: Collection[str]

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        return core_schema.no_info_plain_validator_function(self._check)

    def __get_pydantic_json_schema__(self, schema: CoreSchema, handler: GetJsonSchemaHandler) -> Any:
        return {"type": "string", "enum": list(self.known)}

    def _check(self, value: Any) -> str:
        if not isinstance(value, str) or value not in self.known:
            names = ", ".join(self.known)
            raise refused(f"must be one of {names}, not {in_message(value)}.{nearest(value, self.known)}")
        return value


def refused(message: str, *, field: str = "") -> PydanticCustomError:
    """Build the error that a validator raises about `field`. An empty `field` means the field being validated.

    `message` is shown after the name of the field, such as "must be a number.".
    """
    return PydanticCustomError("refused", "{message}", {"message": message, "field": field})


def each_once(what: str = "name", *, at_least_one: bool = False) -> AfterValidator:
    """Make a validator that refuses duplicates and, with `at_least_one`, empty lists. `what`: noun for an item."""

    def check(values: tuple[Value, ...]) -> tuple[Value, ...]:
        if at_least_one and not values:
            raise refused(f"must name at least one {what}.")
        if len(set(values)) < len(values):
            raise refused(f"must not repeat a {what}.")
        return values

    return AfterValidator(check)


def _is_key(value: str) -> str:
    if value and not is_key(value):
        raise refused("must be 64 hexadecimal digits, or left out.")
    return value


def _as_given(value: Any, check: ValidatorFunctionWrapHandler) -> Any:
    check(value)
    return value


#: A probability, kept as given (0 or 0.0): names of conditions and hashes of versions depend on it.
Rate = Annotated[
    StrictFloat,
    Field(ge=0, le=1),
    WrapValidator(_as_given),
    PlainSerializer(lambda rate: rate, return_type=Any),
]
Seed = Annotated[StrictInt, Field(ge=0, le=MAX_SEED)]
#: A key of ids (`keyed_ids`); empty: the open key.
Key = Annotated[StrictStr, AfterValidator(_is_key)]


def messages(error: ValidationError, schema: dict[str, Any]) -> dict[str, list[str]]:
    """Translate pydantic's errors about a model with this JSON schema into our words, by field. Secrets are hidden."""
    by_field: dict[str, list[str]] = {}
    for detail in error.errors(include_url=False):
        by_field.setdefault(_path(detail), []).append(_sentence(detail, schema))
    return {name: list(dict.fromkeys(texts)) for name, texts in by_field.items()}


def _path(detail: ErrorDetails) -> str:
    """Path of the invalid setting: `conditions[1].k`; for an item of a plain list, the path of the list."""
    parts = list(detail["loc"])
    if field := detail.get("ctx", {}).get("field"):
        parts.append(field)
    while parts and isinstance(parts[-1], int) and "model" not in detail["type"]:
        parts.pop()
    return "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in parts).lstrip(".")


def _sentence(detail: ErrorDetails, schema: dict[str, Any]) -> str:
    kind, name = detail["type"], str(detail["loc"][-1]) if detail["loc"] else ""
    value = HIDDEN if is_secret(name) else in_message(detail["input"])
    if kind == "extra_forbidden":
        known = _at(schema, detail["loc"][:-1]).get("properties", {})
        return f"unknown setting.{nearest(name, known) or _nearest_inside(name, known, schema)}"
    if kind == "missing":
        return "is required."
    if kind in _BOUNDS:
        return f"must be {_limits(_at(schema, detail['loc']))}, not {value}."
    if kind == "literal_error":
        names = _at(schema, detail["loc"])["enum"]
        return f"must be one of {', '.join(names)}, not {value}.{nearest(detail['input'], names)}"
    if kind in _WANTED:
        return f"must be {_WANTED[kind]}, not {value}."
    return detail["msg"]


def _nearest_inside(name: str, known: Mapping[str, Any], schema: dict[str, Any]) -> str:
    definitions = {"$defs": schema.get("$defs", {})}
    inside = {
        own: f"{outer}.{own}"
        for outer, field in known.items()
        for own in _at(field | definitions, ()).get("properties", {})
    }
    near = difflib.get_close_matches(name, inside, n=1)
    return f" Did you mean {inside[near[0]]!r}?" if near else ""


def _limits(field: dict[str, Any]) -> str:
    if "exclusiveMinimum" in field:
        return f"above {field['exclusiveMinimum']:g}"
    low, high = field.get("minimum"), field.get("maximum")
    if low is None or high is None:
        return f"at most {high}" if low is None else f"at least {low}"
    return f"between {low} and {high}"


def _at(schema: dict[str, Any], loc: tuple[int | str, ...]) -> dict[str, Any]:
    part = schema
    for step in (*loc, None):
        if reference := part.get("$ref"):
            part = schema["$defs"][reference.rpartition("/")[2]]
        part = part | next((each for each in part.get("anyOf", ()) if each.get("type") != "null"), {})
        if reference := part.get("$ref"):  # an optional object of settings
            part = schema["$defs"][reference.rpartition("/")[2]]
        if step is not None:
            part = part["items"] if isinstance(step, int) else part.get("properties", {}).get(step, {})
    return part
