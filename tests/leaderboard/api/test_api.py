"""The OpenAPI description: whatever is sent, the API answers as described and never with a server error."""

from __future__ import annotations

import contextlib
import json

import pytest
import schemathesis
from django.core.wsgi import get_wsgi_application
from hypothesis import HealthCheck, given, settings
from schemathesis import GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from leaderboard.accounts.models import ApiToken
from tests.leaderboard.accounts.test_access import TABLE

CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_schema_conformance,
]
ROUTES = list(TABLE)
#: Routes that take nothing, so that nothing can be wrong with it.
BARE = {"GET /benchmarks", "GET /webhooks", "GET /tokens", "GET /tokens/current", "DELETE /tokens/current"}


def closing(application):
    """The application with each answer read and closed, as servers do and the test client does not."""

    def call(environ, start_response):
        with contextlib.closing(application(environ, start_response)) as answer:
            return list(answer)

    return call


@pytest.fixture
def description(staff, version, system, submit, settings):
    """The API's own description, on a site with some data, called by staff with every scope."""
    settings.API_RATES = {"read": 10**6, "upload": 10**6}
    submit(version, system)
    _, secret = ApiToken.objects.issue(user=staff, name="fuzz", scopes=["read", "submit", "staff"])
    result = schemathesis.openapi.from_wsgi("/api/v1/openapi.json", closing(get_wsgi_application()))
    result.config.update(headers={"Authorization": f"Bearer {secret}", "Accept-Encoding": "identity"})
    return result


SENT = [
    *(pytest.param(route, GenerationMode.POSITIVE, id=f"{route} as described") for route in ROUTES),
    *(
        pytest.param(route, GenerationMode.NEGATIVE, id=f"{route} otherwise")
        for route in ROUTES
        if route not in BARE
    ),
]


@pytest.mark.parametrize(("route", "mode"), SENT)
def test_no_request_causes_a_server_error(description, route, mode):
    method, path = route.split()
    strategy = description[f"/api/v1{path}"][method].as_strategy(generation_mode=mode)

    @settings(max_examples=12, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
    @given(case=strategy)
    def send(case):
        ApiToken.objects.update(revoked_at=None)  # the call before may have revoked its own token
        case.call_and_validate(checks=CHECKS)

    send()


def test_every_answer_with_a_body_has_an_example(anybody, db):
    response = anybody("GET", "/openapi.json").json()
    assert response["openapi"].startswith("3.1")
    for name in ("BenchmarkOut", "VersionOut", "SubmissionOut", "SystemOut", "ReportOut", "Problem"):
        assert response["components"]["schemas"][name]["examples"], name


def test_every_error_is_described_as_a_problem(anybody, db):
    for methods in anybody("GET", "/openapi.json").json()["paths"].values():
        for operation in methods.values():
            for status, answer in operation["responses"].items():
                if status >= "400":
                    assert list(answer["content"]) == ["application/problem+json"], operation["operationId"]


def test_the_reference_page_lists_every_route_without_a_script_of_its_own(client, db):
    page = client.get("/docs/api/").content.decode()
    paths = json.loads(client.get("/api/v1/openapi.json").content)["paths"]
    assert all(f"<code>{path}</code>" in page for path in paths)
    assert "<script>" not in page


def test_the_reference_page_shows_a_bare_list_as_one(client, db):
    groups = client.get("/docs/api/").context["groups"]
    examples = {
        route.id: json.loads(route.example) for of in groups.values() for route in of if route.example
    }
    assert [one["slug"] for one in examples["list_benchmarks"]] == ["goldevidencebench"]
    assert examples["get_benchmark"]["slug"] == "goldevidencebench"
    assert list(examples["list_versions"]) == ["items", "next"]
