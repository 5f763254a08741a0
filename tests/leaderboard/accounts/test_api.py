"""Tokens: made in a browser, shown once, revoked by a browser or by themselves."""

from __future__ import annotations

import json

import pytest
from django.test import Client

from leaderboard.accounts.models import ApiToken
from tests.leaderboard.callers import ROOT


@pytest.fixture
def browser(user) -> Client:
    client = Client()
    client.force_login(user)
    return client


def make(browser: Client, **fields):
    return browser.post(
        f"{ROOT}/tokens", json.dumps({"name": "laptop", **fields}), content_type="application/json"
    )


def test_a_new_token_shows_its_secret_once_and_works(browser, client, user):
    made = make(browser).json()
    assert made["scopes"] == ["read", "submit"]
    listed = browser.get(f"{ROOT}/tokens").json()
    assert [one["id"] for one in listed] == [made["id"]]
    assert "secret" not in listed[0]
    assert ApiToken.objects.get().digest not in json.dumps(listed)
    headers = {"Authorization": f"Bearer {made['secret']}"}
    assert client.get(f"{ROOT}/tokens", headers=headers).json()[0]["last_used_at"]


def test_every_token_may_read(browser, db):
    assert make(browser, scopes=["submit"]).json()["scopes"] == ["read", "submit"]


def test_a_token_without_an_end_has_to_be_asked_for(browser, db):
    assert make(browser).json()["expires_at"]
    assert make(browser, days=None).json()["expires_at"] is None


@pytest.mark.parametrize(
    "fields", [{"name": ""}, {"name": "\x00"}, {"name": "x" * 61}, {"scopes": ["root"]}, {"days": 0}]
)
def test_what_makes_no_token_is_refused(browser, db, fields):
    assert make(browser, **fields).status_code == 422


def test_only_staff_make_tokens_for_staff(browser, staff):
    assert make(browser, scopes=["staff"]).status_code == 403
    of_staff = Client()
    of_staff.force_login(staff)
    assert make(of_staff, scopes=["staff"]).json()["scopes"] == ["read", "staff"]


def test_a_token_revokes_itself_and_is_refused_from_then_on(ada):
    assert ada("DELETE", "/tokens/current").status_code == 204
    assert ada("GET", "/submissions").status_code == 401


def test_a_browser_revokes_any_token_of_its_account(browser, ada, caller, other):
    assert browser.delete(f"{ROOT}/tokens/{ada.token.pk}").status_code == 204
    assert ada("GET", "/submissions").status_code == 401
    assert browser.delete(f"{ROOT}/tokens/{caller(other).token.pk}").status_code == 404
    assert browser.delete(f"{ROOT}/tokens/current").status_code == 404


def test_a_number_beyond_every_token_is_not_found(browser, db):
    assert browser.delete(f"{ROOT}/tokens/{10**30}").status_code == 404
