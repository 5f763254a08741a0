"""The tokens page: a secret is shown once, and a token is its account's own."""

from __future__ import annotations

import re

import pytest

from leaderboard.accounts.models import ApiToken

PAGE = "/account/tokens/"


@pytest.fixture
def browser(client, user):
    client.force_login(user)
    return client


def test_strangers_are_asked_to_sign_in(client, db):
    assert client.get(PAGE).status_code == 302


def test_a_new_token_is_shown_once_and_works(browser, user):
    made = browser.post(PAGE, {"name": "laptop", "scopes": "submit", "days": "30"})
    secret = re.search(r"geb_[\w-]{40,}", made.content.decode())[0]
    assert ApiToken.objects.find(secret).scopes == ["read", "submit"]
    assert "no-store" in made["Cache-Control"]
    assert secret not in browser.get(PAGE).content.decode()
    assert "laptop" in browser.get(PAGE).content.decode()


def test_a_token_without_a_name_is_not_made(browser, user):
    assert browser.post(PAGE, {"name": "", "scopes": "read", "days": "30"}).status_code == 422
    assert not ApiToken.objects.exists()


def test_only_staff_are_offered_staff_duties(browser, user, staff):
    expected = {"name": "x", "scopes": "staff", "days": "0"}
    assert browser.post(PAGE, expected).status_code == 422
    browser.force_login(staff)
    assert browser.post(PAGE, expected).status_code == 200
    token = ApiToken.objects.get()
    assert token.allows("staff")
    assert token.expires_at is None


def test_a_revoked_token_is_refused_and_stays_listed(browser, user):
    token, secret = ApiToken.objects.issue(user=user, name="old", scopes=["read"])
    browser.post(f"{PAGE}{token.pk}/revoke/")
    assert ApiToken.objects.find(secret) is None
    assert "revoked" in browser.get(PAGE).content.decode()


def test_nobody_revokes_somebody_elses_token(browser, user, other):
    token, _ = ApiToken.objects.issue(user=other, name="theirs", scopes=["read"])
    assert browser.post(f"{PAGE}{token.pk}/revoke/").status_code == 404
    assert browser.get(f"{PAGE}{token.pk}/revoke/").status_code == 405


def test_the_commands_name_this_site(browser):
    html = browser.get(PAGE).content.decode()
    assert "goldevidencebench login --server http://testserver" in html
    assert "pip install" in html


@pytest.mark.parametrize(
    ("kind", "message"), [("console", "This site sends no mail"), ("locmem", "email sent to")]
)
def test_mail_that_is_not_sent_is_not_called_sent(client, db, settings, kind, message):
    settings.EMAIL_BACKEND = f"django.core.mail.backends.{kind}.EmailBackend"
    fields = {"username": "eve", "email": "eve@example.org"}
    passwords = dict.fromkeys(("password1", "password2"), "a long passphrase")
    response = client.post("/accounts/signup/", fields | passwords, follow=True)
    assert message in response.content.decode()
