"""Sign-in with an account elsewhere: a real OpenID Connect server and GitHub's endpoints on a loopback address."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

import jwt
import pytest
from allauth.account.models import EmailAddress
from allauth.socialaccount.models import SocialAccount
from allauth.socialaccount.providers.github.views import GitHubOAuth2Adapter
from django.contrib.auth import get_user_model
from django.core.cache import cache
from django.test import Client
from django.urls import reverse

from benchsite import identity_providers
from leaderboard.care import deletion

KEYS = {name: f"the site at {each.key}:its secret" for name, each in identity_providers.PROVIDERS.items()}
PERSON = {"sub": "117", "preferred_username": "ada", "email": "ada@example.org", "email_verified": True}


class Provider:
    """Both kinds of provider, for one user who always agrees."""

    def __init__(self) -> None:
        self.person, self.asked, self.broken = dict[str, Any](PERSON), list[dict[str, list[str]]](), False
        handler = type("Handler", (Handler,), {"provider": self})
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()

    def answer(self, path: str) -> Any:
        if path == "/.well-known/openid-configuration":
            ends = {"authorization": "authorize", "token": "token", "userinfo": "userinfo"}
            found = {f"{name}_endpoint": f"{self.url}/{end}" for name, end in ends.items()}
            return found | {"issuer": self.url, "jwks_uri": f"{self.url}/keys"}
        if path in ("/token", "/login/oauth/access_token"):
            asker, now = self.asked[-1]["client_id"][0], time.time()
            claims = self.person | {"iss": self.url, "aud": asker, "exp": now + 60, "iat": now}
            token = jwt.encode(claims, "a secret of the provider, long enough", algorithm="HS256")
            return {"access_token": "a token", "token_type": "bearer", "id_token": token}
        if path == "/user/emails":
            return [{"email": self.person["email"], "primary": True, "verified": True}]
        return {
            "/userinfo": self.person,
            "/user": {"id": 42, "login": self.person["preferred_username"]},
        }.get(path)


class Handler(BaseHTTPRequestHandler):
    provider: Provider

    def do_GET(self) -> None:
        path = urlsplit(self.path).path
        answer = (
            None
            if self.provider.broken and path != "/.well-known/openid-configuration"
            else self.provider.answer(path)
        )
        body = json.dumps(answer).encode()
        self.send_response(500 if answer is None else 200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_POST(self) -> None:
        sent = self.rfile.read(int(self.headers["Content-Length"])).decode()
        self.provider.asked.append(parse_qs(sent))
        self.do_GET()

    def log_message(self, *_: Any) -> None:
        """Silence the log."""


@pytest.fixture
def provider(settings: Any, monkeypatch: pytest.MonkeyPatch, db: None) -> Iterator[Provider]:
    made = Provider()
    monkeypatch.setattr(
        identity_providers,
        "PROVIDERS",
        {
            name: each._replace(address=made.url) if each.openid else each
            for name, each in identity_providers.PROVIDERS.items()
        },
    )
    settings.SOCIALACCOUNT_PROVIDERS = identity_providers.read(KEYS)
    for name, path in {
        "authorize_url": "/login/oauth/authorize", "access_token_url": "/login/oauth/access_token",
        "profile_url": "/user", "emails_url": "/user/emails",
    }.items():  # fmt: skip
        monkeypatch.setattr(GitHubOAuth2Adapter, name, made.url + path)
    cache.clear()
    yield made
    made.close()


ADDRESSES = {
    "github": "/accounts/github/login/",
    "huggingface": "/accounts/oidc/huggingface/login/",
    "orcid": "/accounts/oidc/orcid/login/",
}


def come_back(client: Client, key: str, process: str = "login", **answer: str) -> Any:
    """Press the button, agree at the provider, and follow it back."""
    sent = client.post(f"{ADDRESSES[key]}?process={process}")
    asked = parse_qs(urlsplit(sent["Location"]).query)
    assert asked["client_id"] == [f"the site at {key}"]
    back = urlsplit(asked["redirect_uri"][0]).path
    return client.get(back, {"state": asked["state"][0]} | (answer or {"code": "a code"}), follow=True)


def sign_up(client: Client, key: str, **fields: str) -> Any:
    come_back(client, key)
    return client.post(
        reverse("socialaccount_signup"), {"username": "ada", "email": PERSON["email"]} | fields, follow=True
    )


@pytest.mark.parametrize("key", list(ADDRESSES))
def test_a_new_person_chooses_a_name_and_has_an_account(provider: Provider, client: Client, key: str) -> None:
    page = come_back(client, key)
    assert page.templates[0].name == "socialaccount/signup.html"
    assert 'value="ada"' in page.content.decode()
    assert not get_user_model().objects.filter(username="ada").exists()
    page = client.post(page.request["PATH_INFO"], {"username": "ada", "email": PERSON["email"]}, follow=True)
    assert page.wsgi_request.user.username == "ada"
    address = EmailAddress.objects.get(user__username="ada")
    assert (address.email, address.verified) == (PERSON["email"], True)
    assert SocialAccount.objects.get().provider == key
    (asked,) = provider.asked
    assert asked["code"] == ["a code"]
    assert asked["code_verifier"]
    again = Client()
    assert come_back(again, key).wsgi_request.user.username == "ada"


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("admin", "is reserved"),
        ("Ada Lovelace", "Use the letters a to z"),
        ("b0b", "looks like the name of another account"),
    ],
)
def test_a_name_follows_the_rules_of_all_accounts(
    provider: Provider, client: Client, name: str, words: str
) -> None:
    get_user_model().objects.create_user("bob", "bob@example.org")
    page = sign_up(client, "huggingface", username=name)
    assert words in page.content.decode()
    assert not SocialAccount.objects.exists()


def test_sign_ups_elsewhere_count_against_the_limit_of_all(
    provider: Provider, client: Client, settings: Any
) -> None:
    settings.ACCOUNT_RATE_LIMITS = {"signup": "1/m/ip"}
    sign_up(client, "github")
    provider.person |= {"sub": "118", "email": "second@example.org"}
    page = sign_up(Client(), "huggingface", username="second", email="second@example.org")
    assert page.status_code == 429
    assert not get_user_model().objects.filter(username="second").exists()


def test_an_address_of_the_provider_opens_no_account_that_is_there(
    provider: Provider, client: Client
) -> None:
    owner = get_user_model().objects.create_user("ada", PERSON["email"], "a long passphrase")
    EmailAddress.objects.create(user=owner, email=PERSON["email"], verified=True, primary=True)
    page = sign_up(client, "huggingface", username="another")
    assert not page.wsgi_request.user.is_authenticated
    assert not SocialAccount.objects.exists()


def test_an_address_that_the_person_types_is_not_confirmed(provider: Provider, client: Client) -> None:
    del provider.person["email"], provider.person["email_verified"]
    sign_up(client, "orcid", email="other@example.org")
    assert not EmailAddress.objects.get(email="other@example.org").verified


def test_an_existing_account_connects_and_removes_a_sign_in(provider: Provider, client: Client) -> None:
    owner = get_user_model().objects.create_user("grace", "grace@example.org", "a long passphrase")
    client.force_login(owner)
    assert "Sign-ins" in client.get(reverse("leaderboard:account")).content.decode()
    page = come_back(client, "github", process="connect")
    assert "GitHub" in page.content.decode()
    assert owner.socialaccount_set.get().uid == "42"
    assert come_back(Client(), "github").wsgi_request.user == owner
    client.post(reverse("socialaccount_connections"), {"account": owner.socialaccount_set.get().pk})
    assert not owner.socialaccount_set.exists()


def test_the_only_way_in_is_not_removed(provider: Provider, client: Client) -> None:
    sign_up(client, "github")
    connected = SocialAccount.objects.get()
    page = client.post(reverse("socialaccount_connections"), {"account": connected.pk})
    assert "no password" in page.content.decode()
    assert SocialAccount.objects.filter(pk=connected.pk).exists()


def test_a_person_who_declines_and_a_provider_that_fails_leave_nothing(
    provider: Provider, client: Client
) -> None:
    page = come_back(client, "huggingface", error="access_denied")
    assert "Sign-in cancelled" in page.content.decode()
    provider.broken = True
    page = come_back(client, "huggingface")
    assert page.status_code == 401
    assert "Sign-in failed" in page.content.decode()
    assert client.get("/accounts/oidc/huggingface/login/callback/?code=x&state=forged").status_code == 401
    assert not SocialAccount.objects.exists()


def test_pages_offer_the_providers_that_have_keys(provider: Provider, client: Client, settings: Any) -> None:
    for page in ("account_login", "account_signup"):
        text = client.get(reverse(page)).content.decode()
        assert all(address in text for address in ADDRESSES.values())
    settings.SOCIALACCOUNT_PROVIDERS = {}
    text = client.get(reverse("account_login")).content.decode()
    assert "sign in with" not in text
    assert [client.post(address).status_code for address in ADDRESSES.values()] == [404] * 3


def test_a_sign_in_outlives_the_keys_of_its_provider(
    provider: Provider, client: Client, settings: Any
) -> None:
    sign_up(client, "orcid")
    settings.SOCIALACCOUNT_PROVIDERS = {}
    page = client.get(reverse("socialaccount_connections")).content.decode()
    assert "ada at <b>ORCID</b>" in page
    assert "Add a sign-in" not in page


def test_a_deleted_account_keeps_no_sign_in(provider: Provider, client: Client) -> None:
    sign_up(client, "github")
    deletion.delete(get_user_model().objects.get(username="ada"), withdraw=False)
    assert not SocialAccount.objects.exists()
