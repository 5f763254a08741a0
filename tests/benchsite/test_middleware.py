"""A NUL in an address and a foreign host are refused at once; HEAD responses have no body."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.core.handlers.wsgi import WSGIHandler, WSGIRequest
from django.test import Client, RequestFactory

from tests.live import LiveSite
from tests.services import postgres

ADDRESSES = [
    "/systems/%00/x/",
    "/systems/a%00/x/badge.svg",
    "/systems/a/x/badge.svg?version=a/%00",
    "/compare/?q=%00",
    "/compare/?version=a/%00",
    "/history/?q=a%00b",
    "/history/?system=a%00/b",
    "/account/?page=%00",
    "/submit/?version=a/%00",
    "/runs/new/?version=a/%00",
    "/runs/new/?version=ok&other=%00",
    "/admin/leaderboard/system/?q=%00",
]
ON_POSTGRES = """
import json
from django.contrib.auth import get_user_model
from django.test import Client
staff = get_user_model().objects.create_superuser("sam")
client = Client(raise_request_exception=False)
client.force_login(staff)
statuses = {address: client.get(address).status_code for address in ADDRESSES}
for address in ("/runs/new/", "/submit/", "/accounts/login/"):
    sent = {"version": "a/\\0", "executor": "\\0", "login": "a\\0", "password": "x"}
    statuses["POST " + address] = client.post(address, sent).status_code
statuses["quoted NUL"] = client.get("/compare/?q=%2500").status_code
statuses["cookie"] = Client(raise_request_exception=False).get("/", headers={"cookie": COOKIE}).status_code
print(json.dumps(statuses))
"""


@pytest.mark.parametrize("address", ADDRESSES)
def test_an_address_with_a_nul_cannot_be_read(admin_client: Any, address: str) -> None:
    response = admin_client.get(address)
    assert response.status_code == 400
    assert "cannot be read" in response.content.decode()


def test_what_only_looks_like_a_nul_is_read(client: Any, db: None) -> None:
    assert client.get("/history/?q=%2500").status_code == 200


@pytest.mark.parametrize("address", ["/", "/boards/", "/static/nothing.css", "/accounts/login/"])
def test_a_foreign_host_is_refused_in_a_line(db: None, caplog: Any, address: str) -> None:
    response = Client().get(address, headers={"Host": "bench.example.org"})
    assert (response.status_code, response["Content-Type"]) == (400, "text/plain; charset=utf-8")
    assert response.content == b"This site is not served under the requested host.\n"
    assert not [record for record in caplog.records if record.exc_info or record.levelname == "ERROR"]


def test_a_foreign_host_is_a_problem_for_the_api(db: None) -> None:
    response = Client().get("/api/v1/versions", headers={"Host": "bench.example.org"})
    assert (response.status_code, response["Content-Type"]) == (400, "application/problem+json")
    assert response.json()["type"].endswith("unknown-host")


@pytest.mark.parametrize(
    "address", ["/", "/glossary/", "/accounts/login/", "/api/v1/versions", "/no/such/page/"]
)
def test_a_head_has_the_headers_of_a_get_and_no_body(db: None, address: str) -> None:
    environ = RequestFactory().get(address, headers={"Accept-Encoding": ""}).environ
    get, head = (
        WSGIHandler().get_response(WSGIRequest(environ | {"REQUEST_METHOD": name}))
        for name in ("GET", "HEAD")
    )
    assert head.status_code == get.status_code
    assert head.content == b""
    if "csrftoken" not in get.cookies:  # a token differs each time
        assert int(head["Content-Length"]) == len(get.content) > 0


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveSite]:
    folder: Path = tmp_path_factory.mktemp("nul")
    with postgres() as url, LiveSite(folder, database_url=url) as live_site:
        yield live_site


@pytest.mark.postgres
@pytest.mark.xdist_group("live")
def test_postgresql_never_faults_over_a_nul(site: LiveSite) -> None:
    cookie = 'sessionid="aaaaaaaa\\000"'
    data = json.loads(site.shell(f"ADDRESSES, COOKIE = {ADDRESSES!r}, {cookie!r}\n{ON_POSTGRES}"))
    assert {name: status for name, status in data.items() if status >= 500} == {}
    assert {data[address] for address in ADDRESSES} == {400}
