"""The names in the API: routes, parameters, fields of bodies and answers with their types, and who may call."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

Json = dict[str, Any]
PROBLEM = "application/problem+json"  # the same for every route
METHODS = ("get", "post", "put", "patch", "delete")


def words() -> set[str]:
    """A line for each thing that a client may rely on; `needs …` for required parts of a call."""
    from leaderboard.api import api

    description: Json = api.get_openapi_schema()
    reader = Reader(description["components"]["schemas"])
    return {
        line
        for path, item in description["paths"].items()
        for method in METHODS
        if method in item
        for line in reader.operation(f"{method.upper()} {path}", item[method])
    }


class Reader:
    """Turns an OpenAPI description into lines."""

    def __init__(self, schemas: Json) -> None:
        self._schemas = schemas

    def operation(self, route: str, operation: Json) -> Iterator[str]:
        """The lines of one route."""
        yield route
        yield f"{route} is called {operation['operationId']}"
        for needs in operation.get("security", ()):
            scopes = [f"{name} {scope}" for name, listed in needs.items() for scope in listed]
            yield f"{route} may be called by {' and '.join(scopes) or 'anybody'}"
        for parameter in operation.get("parameters", ()):
            at = f"{route} {parameter['in']} {parameter['name']}"
            yield from self.value(at, parameter["schema"])
            if parameter.get("required"):
                yield f"needs {at}"
        for kind, content in operation.get("requestBody", {}).get("content", {}).items():
            yield from self.value(f"{route} takes {kind} ", content["schema"], sent=True)
        for status, answer in operation["responses"].items():
            yield f"{route} answers {status}"
            for kind, content in answer.get("content", {}).items():
                yield f"{route} answers {status} {kind}"
                at = "every problem " if kind == PROBLEM else f"{route} answers {status} "
                yield from self.value(at, content["schema"])

    def value(
        self, at: str, schema: Json, *, sent: bool = False, more: str = "", above: tuple[str, ...] = ()
    ) -> Iterator[str]:
        """The lines of a value: its type with `more` facts, its choices, and the values inside."""
        reference = schema.get("$ref", "")
        if reference and reference in above:
            return
        above, schema = (*above, reference), self._named(schema)
        variants = [self._named(one) for one in schema.get("anyOf") or schema.get("oneOf") or [schema]]
        yield f"{at}: {' or '.join(sorted({_kind(one) for one in variants}))}{more}"
        for one in variants:
            yield from (f"{at} = {choice}" for choice in _choices(one))
            yield from self._inside(at, one, sent, above)

    def _named(self, schema: Json) -> Json:
        result: Json = self._schemas[schema["$ref"].rpartition("/")[2]] if "$ref" in schema else schema
        return result

    def _inside(self, at: str, schema: Json, sent: bool, above: tuple[str, ...]) -> Iterator[str]:
        needed = schema.get("required", ())
        for name, inner in schema.get("properties", {}).items():
            more = ", always" if name in needed and not sent else ""
            yield from self.value(f"{at}.{name}", inner, sent=sent, more=more, above=above)
            if name in needed and sent:
                yield f"needs {at}.{name}"
        if "items" in schema:
            yield from self.value(f"{at}[]", schema["items"], sent=sent, above=above)
        if isinstance(schema.get("additionalProperties"), dict):
            yield from self.value(f"{at}.*", schema["additionalProperties"], sent=sent, above=above)


def _kind(schema: Json) -> str:
    kind = schema.get("type", "anything")
    return f"{kind} {schema['format']}" if "format" in schema else str(kind)


def _choices(schema: Json) -> list[Any]:
    return list(schema.get("enum", [schema["const"]] if "const" in schema else []))
