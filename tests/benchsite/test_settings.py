"""Settings that must be combined correctly."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from django.core.exceptions import ImproperlyConfigured

from benchsite import settings as site
from leaderboard.boards.comparison import verdict_matrix
from leaderboard.boards.placements import placements
from leaderboard.runs import estimates
from leaderboard.web.api import throttling

ROOT = Path(__file__).resolve().parents[2]
WORDS = "import django; django.setup(); from ninja.conf import settings as ninja; from allauth import app_settings as a"


def test_the_api_and_sign_in_look_behind_the_same_proxies(tmp_path: Path) -> None:
    code = f"{WORDS}; print(ninja.NUM_PROXIES, a.TRUSTED_PROXY_COUNT)"
    given = {"NUM_PROXIES": "2", "DATA_DIR": str(tmp_path), "DJANGO_SETTINGS_MODULE": "benchsite.settings"}
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=ROOT,
        env=os.environ | given,
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.split() == ["2", "2"]


def test_a_folder_that_is_empty_in_the_environment_is_unset() -> None:
    code = "import os; from benchsite import settings as s; print(s.DATA_DIR, s.MODELS_DIR, os.environ['PROSE_PACKS'])"
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=ROOT,
        env=os.environ | {"DATA_DIR": "", "MODELS_DIR": "", "PROSE_PACKS": ""},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.split() == [
        str(ROOT / "var"),
        str(ROOT / "var" / "models"),
        str(ROOT / "var" / "packs"),
    ]


def test_behind_a_proxy_one_client_does_not_lock_others_out(client: Any, user: Any, monkeypatch: Any) -> None:
    monkeypatch.setattr("ninja.conf.settings.NUM_PROXIES", 1)

    def guess(address: str, name: str) -> int:
        sent = {"login": name, "password": "wrong"}
        return client.post("/accounts/login/", sent, headers={"x-forwarded-for": address}).status_code

    assert 429 in {guess("10.0.0.1", f"nobody{n}") for n in range(40)}
    assert guess("10.0.0.2", "nobody") == 200


def test_computed_cache_entries_do_not_push_out_counters(settings: Any) -> None:
    folders = {name: str(cache["LOCATION"]) for name, cache in site.CACHES.items() if "OPTIONS" in cache}
    assert len(set(folders.values())) == len(folders)
    throttling.cache.set("counter", 7)
    for kept in (placements.cache, verdict_matrix.cache, estimates.cache):
        kept.clear()
    assert throttling.cache.get("counter") == 7


def test_a_site_with_a_database_server_does_not_start_without_a_key_of_its_own(tmp_path: Path) -> None:
    def started(**given: str) -> subprocess.CompletedProcess[str]:
        code = "from benchsite import settings; print(settings.SECRET_KEY)"
        env = {name: value for name, value in os.environ.items() if name != "SECRET_KEY"}
        env |= {"DATA_DIR": str(tmp_path)} | given
        return subprocess.run([sys.executable, "-c", code], cwd=ROOT, env=env, capture_output=True, text=True)

    server = "postgres://nobody@localhost/none"
    refused = started(DATABASE_URL=server)
    assert refused.returncode != 0
    assert "SECRET_KEY is not set" in refused.stderr.splitlines()[-1]
    made = started().stdout
    assert str(tmp_path / "secret_key") in started(DATABASE_URL=server).stderr
    assert started(DATABASE_URL=server, SECRET_KEY="shared").stdout == "shared\n"
    assert len(made.strip()) > 40


@pytest.mark.parametrize(
    ("url", "host", "name", "password"),
    [
        ("postgres://ada:p%40%23ss@db.example:5432/site?sslmode=require", "db.example", "site", "p@#ss"),
        ("postgresql://%2Fvar%2Frun%2Fpostgresql/site", "/var/run/postgresql", "site", ""),
        ("sqlite:////srv/a%20b/site.sqlite3", "", "/srv/a b/site.sqlite3", ""),
    ],
)
def test_a_database_is_named_by_its_url(url: str, host: str, name: str, password: str) -> None:
    found = site.database(url)
    assert (found["HOST"], found["NAME"], found["PASSWORD"]) == (host, name, password)
    assert (found["CONN_MAX_AGE"], found["CONN_HEALTH_CHECKS"]) == (60, True)


@pytest.mark.parametrize("url", ["foo://ada:secret@host/name", "postgres://ada:secret@host:port/name"])
def test_an_address_that_is_no_database_is_refused_without_its_password(url: str) -> None:
    with pytest.raises(ImproperlyConfigured, match="DATABASE_URL is not the URL of a database") as refused:
        site.database(url)
    assert "secret" not in str(refused.value)


def test_the_settings_that_the_docs_name_for_a_public_site_deploy_without_a_warning(tmp_path: Path) -> None:
    """docs/operations.md names them; e-mail is the only other choice that Django's check asks for."""
    given = {
        "DATA_DIR": str(tmp_path),
        "SECRET_KEY": "long-and-random-0123456789-abcdefghijklmnopqrstuvwxyz-of-the-tests",
        "SITE_URL": "https://bench.example.org",
        "ALLOWED_HOSTS": "bench.example.org",
        "CSRF_TRUSTED_ORIGINS": "https://bench.example.org",
        "HTTPS": "true",
        "NUM_PROXIES": "1",
        "EMAIL_URL": "smtp+tls://user:password@mail.example.org:587",
    }
    done = subprocess.run(
        [sys.executable, "manage.py", "check", "--deploy", "--fail-level", "WARNING"],
        cwd=ROOT,
        env=os.environ | given,
        capture_output=True,
        text=True,
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_an_invalid_network_is_refused_in_words(monkeypatch: Any) -> None:
    monkeypatch.setenv("METRICS_NETWORKS", "10.0.0.0/8, 127.0.0.1")
    assert [str(network) for network in site.networks("METRICS_NETWORKS")] == ["10.0.0.0/8", "127.0.0.1/32"]
    monkeypatch.setenv("METRICS_NETWORKS", "10.0.0.1/8")
    with pytest.raises(
        ImproperlyConfigured, match=r"METRICS_NETWORKS: 10.0.0.1/8 has host bits set. For example"
    ):
        site.networks("METRICS_NETWORKS")
