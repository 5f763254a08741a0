"""The OpenAPI description, completed with each route's scope and errors."""

from __future__ import annotations

from typing import Any

import orjson
from django.http import HttpRequest
from ninja import NinjaAPI
from ninja.openapi.schema import OpenAPISchema
from ninja.operation import Operation
from ninja.renderers import BaseRenderer
from ninja.security.base import AuthBase

from leaderboard.web.api.problems import MEDIA_TYPE, Problem, title

#: Descriptions of path parameters that many routes share.
IN_ADDRESSES = {
    "benchmark": "Slug of the benchmark.",
    "version": "Slug of the version: the part after the slash in the version's `id`.",
    "owner": "Name of the account that owns the system.",
    "slug": "Slug of the system.",
    "id": "The `id` from lists and other responses.",
}


class Description(OpenAPISchema):
    """An OpenAPI description whose routes name their scope and errors."""

    def operation_details(self, operation: Operation) -> dict[str, Any]:
        details = super().operation_details(operation)
        for parameter in details["parameters"]:
            if parameter["in"] == "path":
                parameter.setdefault("description", IN_ADDRESSES[parameter["name"]])
        details["responses"] |= {status: _problem(status) for status in _errors(operation.path, details)}
        return details

    def operation_security(self, operation: Operation) -> list[dict[str, list[str]]]:
        """Credentials that a route accepts, each with its scope. An empty item means that none are needed."""
        needs: list[dict[str, list[str]]] = []
        for auth in operation.auth_callbacks:
            if isinstance(auth, AuthBase):
                name = type(auth).__name__
                self.securitySchemes[name] = auth.openapi_security_schema
                needs.append({name: [str(getattr(auth, "scope", ""))]})
            else:
                needs.append({})
        return needs

    def get_components(self) -> dict[str, Any]:
        definition = Problem.model_json_schema(ref_template="#/components/schemas/{model}")
        self.add_schema_definitions(definition.pop("$defs"))
        self.add_schema_definitions({"Problem": definition})
        return super().get_components()


class DocumentedAPI(NinjaAPI):
    def get_openapi_operation_id(self, operation: Operation) -> str:
        """The name of the route's function: `list_versions`."""
        return operation.view_func.__name__

    def get_openapi_schema(
        self, *, path_prefix: str | None = None, path_params: dict[str, object] | None = None
    ) -> OpenAPISchema:
        return Description(
            self, self.get_root_path(path_params or {}) if path_prefix is None else path_prefix
        )


def _errors(path: str, details: dict[str, Any]) -> list[int]:
    statuses = {401, 403, 429}
    if "{" in path:
        statuses.add(404)
    if details["parameters"] or "requestBody" in details:
        statuses |= {400, 422}
    return sorted(statuses - set(details["responses"]))


def _problem(status: int) -> dict[str, object]:
    content = {MEDIA_TYPE: {"schema": {"$ref": "#/components/schemas/Problem"}}}
    described: dict[str, object] = {"description": title(status), "content": content}
    if status in (429, 503):
        described["headers"] = {
            "Retry-After": {"schema": {"type": "integer"}, "description": "Seconds to wait."}
        }
    return described


def problems(*statuses: int) -> dict[str, dict[int, object]]:
    """`openapi_extra` with errors that the route's parameters do not imply."""
    return {"responses": {status: _problem(status) for status in statuses}}


def download(description: str) -> dict[str, dict[int, object]]:
    """`openapi_extra` of a route that sends a gzip file, a range of it, or 304."""
    content = {"application/gzip": {"schema": {"type": "string", "format": "binary"}}}
    answers: dict[int, object] = {200: {"description": description, "content": content}}
    answers |= {
        206: {"description": "Part of the file", "content": content},
        304: {"description": "Not modified: you have this file"},
    }
    return {"responses": answers | problems(412, 416)["responses"]}


#: Key in `request.META` for the address of the next page, sent as the header `Link`.
NEXT_PAGE = "leaderboard.next_page"


class Renderer(BaseRenderer):
    media_type = "application/json"

    def render(self, request: HttpRequest, data: Any, *, response_status: int) -> bytes:
        if isinstance(data, dict) and isinstance(following := data.get("next"), str):
            request.META[NEXT_PAGE] = following
        return orjson.dumps(data)
