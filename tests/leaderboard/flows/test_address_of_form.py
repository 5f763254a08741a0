"""The form of a run is filled in from its address."""

from __future__ import annotations

from urllib.parse import parse_qs, urlsplit

import pytest

ASKED = {"executor": "adapter:ledger", "row_limit": "7", "repeats": "3", "declared": "on"}


@pytest.fixture
def start(client, staff, small):
    client.force_login(staff)

    def page(headers=None, **query):
        return client.get("/runs/new/", {"version": small.pk} | ASKED | query, headers=headers or {})

    return page


def test_every_field_has_what_the_address_says(start, small) -> None:
    page = start()
    form = page.context["form"]
    assert (form.chosen_version, form.chosen.name) == (small, ASKED["executor"])
    assert {name: str(form[name].value()) for name in ("row_limit", "repeats")} == {
        "row_limit": "7",
        "repeats": "3",
    }
    html = page.content.decode()
    assert 'name="row_limit" value="7"' in html
    assert 'name="declared" id="id_declared" checked' in html or "checked" in html


def test_without_script_another_system_keeps_the_rest(start) -> None:
    html = start().content.decode()
    first = html[html.index("<noscript>") : html.index("</noscript>")]
    assert '<input type="hidden" name="row_limit" value="7">' in first
    assert 'name="executor"' not in first


def test_with_script_the_address_says_what_is_filled_in_and_no_more(start) -> None:
    page = start(headers={"HX-Request": "true"}, set_k="", row_limit="9")
    query = parse_qs(urlsplit(page["HX-Push-Url"]).query)
    assert query["row_limit"] == ["9"]
    assert "set_k" not in query


def test_a_sign_in_leads_back_to_the_same_form(client, small) -> None:
    page = client.get("/runs/new/?executor=adapter:ledger&row_limit=7")
    assert page.status_code == 302
    assert parse_qs(urlsplit(page["Location"]).query)["next"] == [
        "/runs/new/?executor=adapter:ledger&row_limit=7"
    ]
