"""The OpenAPI document explains every operation, parameter and field, and its short ids stay."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from leaderboard.api import api

Json = dict[str, Any]
#: One a line, sorted. Clients are generated from these names: add new ones, change none.
IDS = Path(__file__).with_name("operation_ids.txt")


@pytest.fixture(scope="module")
def document() -> Json:
    return api.get_openapi_schema()


def operations(document: Json) -> dict[str, Json]:
    return {
        f"{method.upper()} {path}": operation
        for path, methods in document["paths"].items()
        for method, operation in methods.items()
    }


def test_every_operation_and_parameter_has_a_description(document: Json) -> None:
    bare = [route for route, operation in operations(document).items() if not operation.get("description")]
    bare += [
        f"{route} {parameter['name']}"
        for route, operation in operations(document).items()
        for parameter in operation.get("parameters", ())
        if not (parameter.get("description") or parameter["schema"].get("description"))
    ]
    assert bare == []


def test_every_field_has_a_description(document: Json) -> None:
    bare = [
        f"{name}.{field}"
        for name, schema in document["components"]["schemas"].items()
        for field, value in schema.get("properties", {}).items()
        if not value.get("description")
    ]
    assert bare == []


def test_operation_ids_are_short_distinct_and_stay(document: Json) -> None:
    ids = [operation["operationId"] for operation in operations(document).values()]
    assert sorted(ids) == IDS.read_text().split()
    assert len(set(ids)) == len(ids)
    assert {"list_versions", "get_board", "submit"} <= set(ids)


def test_the_document_names_its_server(document: Json) -> None:
    (server,) = document["servers"]
    assert server["url"] == "/"
    assert server["description"]
