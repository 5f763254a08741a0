"""Secrets are hidden in everything that people read."""

from __future__ import annotations

import pytest

from evaluation.core.secrets import HIDDEN, is_secret, redact, without_secrets
from evaluation.remote.credentials import Credentials


@pytest.mark.parametrize(
    "name",
    [
        "token",
        "--token",
        "api_key",
        "--api-key",
        "APIKEY",
        "OPENAI_API_KEY",
        "hf_token",
        "password",
        "SECRET_KEY",
    ],
)
def test_the_names_of_secrets_are_known(name: str) -> None:
    assert is_secret(name)


@pytest.mark.parametrize(
    "name",
    ["max_tokens", "--tokens-per-query", "keys", "--key", "key_variable", "tokenizer", "seed", "monkey", ""],
)
def test_other_names_are_none(name: str) -> None:
    assert not is_secret(name)


@pytest.mark.parametrize(
    ("text", "hidden"),
    [
        ("invalid float value: 'geb_abcDEF123'", f"invalid float value: '{HIDDEN}'"),
        ("key sk-abc***xyz is wrong", f"key {HIDDEN} is wrong"),
        ("Authorization: Bearer abc.def", f"Authorization: Bearer {HIDDEN}"),
        ("http://ada:open@host/v1", f"http://{HIDDEN}@host/v1"),
        ("hf_abcdefghij", HIDDEN),
        ("nothing of the kind: geb_ sk- 12 tokens", "nothing of the kind: geb_ sk- 12 tokens"),
    ],
)
def test_what_looks_like_a_secret_is_hidden(text: str, hidden: str) -> None:
    assert redact(text) == hidden


def test_what_the_environment_holds_as_a_secret_is_hidden(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOUSE_API_KEY", "open sesame")
    monkeypatch.setenv("DOOR_TOKEN", "x")
    assert redact("it said: open sesame, x") == f"it said: {HIDDEN}, x"
    assert redact("a known one", ["known"]) == f"a {HIDDEN} one"


def test_settings_are_kept_without_their_secrets() -> None:
    assert without_secrets({"k": "4", "token": "abc", "base_url": "http://a:b@c/"}) == {
        "k": "4",
        "token": HIDDEN,
        "base_url": f"http://{HIDDEN}@c/",
    }


def test_credentials_do_not_print_their_tokens() -> None:
    assert "geb_b" not in repr(Credentials("http://a", {"http://a": "geb_b"}))
