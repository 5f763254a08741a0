"""The API reference as a page, rendered from the OpenAPI description."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from functools import cache
from typing import Any, NamedTuple

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_safe
from ninja.openapi.schema import OpenAPISchema

from leaderboard.web.formatting import prose

ROOT = "#/components/schemas/"


class Parameter(NamedTuple):
    name: str
    where: str
    description: str
    choices: list[str]
    default: Any


class BodyField(NamedTuple):
    name: str
    description: str


@dataclass(slots=True)
class Route:
    """One API operation, as the API reference shows it."""

    id: str
    method: str
    path: str
    summary: str
    description: str
    scope: str
    parameters: list[Parameter]
    body: list[str]
    fields: list[BodyField]
    answers: list[tuple[str, str]] = field(default_factory=list)
    example: str = ""


@require_safe
def api_docs(request: HttpRequest) -> HttpResponse:
    address = request.build_absolute_uri(reverse("api:list_versions"))
    return render(request, "leaderboard/api_docs.html", {"groups": _groups(), "try_it": f"curl {address}"})


@cache
def _groups() -> dict[str, list[Route]]:
    from leaderboard.api import api

    schema = api.get_openapi_schema()
    groups: dict[str, list[Route]] = {}
    for path, methods in schema["paths"].items():
        for method, operation in methods.items():
            groups.setdefault(operation["tags"][0], []).append(_route(path, method, operation, schema))
    return groups


def _route(path: str, method: str, operation: dict[str, Any], schema: OpenAPISchema) -> Route:
    contents = operation.get("requestBody", {}).get("content", {})
    needs = operation["security"]
    return Route(
        id=operation["operationId"],
        method=method.upper(),
        path=path,
        summary=operation["summary"],
        description=prose(operation.get("description", "")),
        scope="" if {} in needs else needs[0]["Token"][0],
        parameters=[_parameter(one) for one in operation["parameters"]],
        body=list(contents),
        fields=_fields(contents, schema),
        answers=[
            (str(status), answer["description"]) for status, answer in sorted(operation["responses"].items())
        ],
        example=_example(operation, schema),
    )


def _parameter(one: dict[str, Any]) -> Parameter:
    values = one["schema"]
    return Parameter(
        name=one["name"],
        where=one["in"],
        description=prose(one.get("description", "")),
        choices=[value for value in values.get("enum", []) if value],
        default=values.get("default") or "",
    )


def _fields(contents: dict[str, Any], schema: OpenAPISchema) -> list[BodyField]:
    body = _resolve(contents.get("application/json", {}).get("schema", {}), schema)
    return [BodyField(name, one.get("description", "")) for name, one in body.get("properties", {}).items()]


def _example(operation: dict[str, Any], schema: OpenAPISchema) -> str:
    for status in (201, 200, 202):
        content = operation["responses"].get(status, {}).get("content", {})
        answer = _resolve(content.get("application/json", {}).get("schema", {}), schema)
        for one in _examples(answer, schema):
            return json.dumps(one, indent=2, ensure_ascii=False)
    return ""


def _examples(answer: dict[str, Any], schema: OpenAPISchema) -> list[Any]:
    """Example answers of a schema. If it describes a list or a page, each example item becomes an answer."""
    listed = answer.get("properties", {}).get("items", {}).get("items")
    if answer.get("type") == "array":
        return [[one] for one in _resolve(answer["items"], schema).get("examples", [])]
    if listed and "examples" not in answer:
        return [{"items": [one], "next": None} for one in _resolve(listed, schema).get("examples", [])]
    return list(answer.get("examples", []))


def _resolve(node: dict[str, Any], schema: OpenAPISchema) -> dict[str, Any]:
    name = node.get("$ref", "").removeprefix(ROOT)
    resolved: dict[str, Any] = schema["components"]["schemas"][name] if name else node
    return resolved
