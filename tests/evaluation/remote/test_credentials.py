"""Credentials: one file that only its owner can read; a token goes to its own server only."""

from __future__ import annotations

import pytest

from evaluation.remote.credentials import DEFAULT_URL, Credentials, path, server, token


@pytest.fixture(autouse=True)
def home(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    for name in ("GOLDEVIDENCEBENCH_URL", "GOLDEVIDENCEBENCH_TOKEN"):
        monkeypatch.delenv(name, raising=False)


def test_what_is_kept_is_read_again_and_readable_by_its_owner_alone():
    Credentials("http://a.example", {"http://a.example": "geb_a"}).save()
    assert Credentials.load() == Credentials("http://a.example", {"http://a.example": "geb_a"})
    assert path().stat().st_mode & 0o777 == 0o600


def test_a_token_is_for_its_own_server():
    Credentials("http://a.example", {"http://a.example": "geb_a"}).save()
    assert token("http://a.example") == "geb_a"
    assert token("http://b.example") == ""


def test_the_environment_goes_before_the_file(monkeypatch):
    Credentials("http://a.example", {"http://a.example": "geb_a"}).save()
    monkeypatch.setenv("GOLDEVIDENCEBENCH_URL", "http://b.example/")
    monkeypatch.setenv("GOLDEVIDENCEBENCH_TOKEN", "geb_b")
    assert (server(None), token("http://a.example")) == ("http://b.example", "geb_b")
    assert server("http://c.example") == "http://c.example"


@pytest.mark.parametrize("text", ["", "{", "[]", '{"url": 1}'])
def test_a_damaged_file_counts_as_none(text):
    path().parent.mkdir(parents=True)
    path().write_text(text)
    assert Credentials.load() == Credentials(DEFAULT_URL, {})
