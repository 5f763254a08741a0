"""The tokens page: a secret is shown once, and a token is its account's own."""

from __future__ import annotations

import re

import pytest
from django.test import Client

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


def test_a_token_of_another_account_cannot_be_revoked(browser, user, other):
    token, _ = ApiToken.objects.issue(user=other, name="theirs", scopes=["read"])
    assert browser.post(f"{PAGE}{token.pk}/revoke/").status_code == 404
    assert browser.get(f"{PAGE}{token.pk}/revoke/").status_code == 405


def test_the_commands_name_this_site(browser):
    html = browser.get(PAGE).content.decode()
    assert "goldevidencebench login --server http://testserver" in html
    assert "pip install" in html


def test_mail_that_is_not_sent_is_not_called_sent(client, user, settings):
    settings.EMAIL_BACKEND = "django.core.mail.backends.console.EmailBackend"
    client.force_login(user)
    client.post("/accounts/email/", {"action_add": "", "email": "ada@example.com"})
    page = client.get("/accounts/email/").content.decode()
    assert "No message was sent: this site sends no mail and does not ask for a confirmed address." in page
    assert "email sent to" not in page


@pytest.mark.parametrize(
    ("kind", "said"), [("console", ["Successfully signed in as eve."]), ("locmem", ["email sent to"])]
)
def test_signing_up_shows_nothing_of_how_the_site_is_set_up(client, db, settings, kind, said):
    settings.EMAIL_BACKEND = f"django.core.mail.backends.{kind}.EmailBackend"
    fields = {"username": "eve", "email": "eve@example.org"}
    passwords = dict.fromkeys(("password1", "password2"), "a long passphrase")
    response = client.post("/accounts/signup/", fields | passwords, follow=True)
    messages = [str(message) for message in response.context["messages"]]
    assert all(any(text in message for message in messages) for text in said)
    assert not any(word in message for message in messages for word in ("maintainer", "sends no mail"))


def sign_in(address: str, password: str, **more: str) -> bool:
    """Whether a password lets the owner in, from an address."""
    fields = {"login": "ada", "password": password}
    return bool(Client(REMOTE_ADDR=address, **more).post("/accounts/login/", fields).status_code == 302)


def test_wrong_passwords_of_a_stranger_do_not_lock_the_owner_out(user, settings):
    user.set_password("the right words")
    user.save()
    assert user.username == "ada"
    assert not any(sign_in("10.0.0.1", f"guess {number}") for number in range(6))
    assert not sign_in("10.0.0.1", "the right words")
    assert not sign_in("10.0.0.1", "the right words", HTTP_HOST="testserver:81")
    assert sign_in("10.0.0.2", "the right words")


def test_a_new_password_by_mail_is_a_way_in(user, client, settings, mailoutbox):
    settings.EMAIL_BACKEND = "django.core.mail.backends.locmem.EmailBackend"
    user.email = "ada@example.org"
    user.save()
    assert not any(sign_in("10.0.0.1", f"guess {number}") for number in range(6))
    client.post("/accounts/password/reset/", {"email": "ada@example.org"})
    link = next(word for word in mailoutbox[0].body.split() if "/password/reset/key/" in word)
    form = client.get(link, follow=True).redirect_chain[-1][0]
    client.post(form, dict.fromkeys(("password1", "password2"), "another long passphrase"))
    assert client.session.get("_auth_user_id") == str(user.pk)
