"""Runs that ask a model server: the site's own list and its keys, and no address anywhere that readers look."""

from __future__ import annotations

import json
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.test import Client

from benchsite.model_servers import ModelServer
from evaluation.core.errors import SettingsError
from leaderboard.runs import provenance
from leaderboard.runs import services as runs
from leaderboard.runs.models import Run
from tests.evaluation.adapters.server import Server, serving
from tests.leaderboard.runs.running import again

ADAPTER = "adapter:openai_compatible"
NOTHING = json.dumps({"choices": [{"message": {"content": '{"value": null, "support_ids": []}'}}]}).encode()


@pytest.fixture
def keys(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-of-the-site")
    monkeypatch.setenv("HOUSE_KEY", "sk-of-the-house")


def start(version: Any, staff: Any, **values: Any) -> Run:
    return runs.start(version=version, executor=ADAPTER, started_by=staff, values=values, row_limit=2)


def test_without_servers_the_site_offers_no_adapter_for_them(small: Any, staff: Any, client: Client) -> None:
    client.force_login(staff)
    assert "openai_compatible" not in client.get("/runs/new/").content.decode()
    page = client.post("/runs/new/", {"version": small.pk, "executor": ADAPTER})
    assert page.status_code == 422
    with pytest.raises(runs.RunError, match="Unknown system"):
        start(small, staff)
    assert not Run.objects.exists()


@pytest.mark.parametrize("setting", ["base_url", "key_variable"])
def test_a_run_of_the_site_names_a_server_and_never_an_address(
    small: Any, staff: Any, settings: Any, client: Client, setting: str
) -> None:
    settings.MODEL_SERVERS = {"house": ModelServer("http://127.0.0.1:9/v1")}
    with pytest.raises(SettingsError, match="not a setting that can be chosen"):
        start(small, staff, **{setting: "http://10.0.0.5/v1"})
    with pytest.raises(SettingsError, match="house"):
        start(small, staff, server="http://10.0.0.5/v1")
    client.force_login(staff)
    form = client.get(f"/runs/new/?version={small.pk}&executor={ADAPTER}").context["form"]
    assert f"set_{setting}" not in form.fields
    assert form.fields["set_server"].choices == [("", "house (default)")]


@pytest.mark.parametrize(("key", "sent"), [("HOUSE_KEY", "Bearer sk-of-the-house"), ("", None)])
def test_a_server_gets_its_own_key_and_no_other(
    small: Any, staff: Any, settings: Any, keys: None, key: str, sent: str | None
) -> None:
    with serving(Server(None, body=NOTHING)) as server:
        settings.MODEL_SERVERS = {"house": ModelServer(server.url, key)}
        run = start(small, staff)
        assert runs.execute(str(run.pk), grade_now=True), again(run).error
    assert set(server.keys) == {sent}
    run = again(run)
    assert run.submission.provenance["settings"]["server"] == "house"
    told = json.dumps([run.submission.provenance, run.settings, run.system.name])
    assert server.url not in told
    assert "sk-of" not in told
    assert "server=house" in run.system.name
    assert "--set server=house" in provenance.command(run)


def test_a_server_that_left_the_list_ends_its_runs_with_the_reason(
    small: Any, staff: Any, settings: Any
) -> None:
    settings.MODEL_SERVERS = {"house": ModelServer("http://127.0.0.1:9/v1")}
    run = start(small, staff)
    settings.MODEL_SERVERS = {"other": ModelServer("http://127.0.0.1:9/v1")}
    assert not runs.execute(str(run.pk))
    assert "house" in again(run).error


def test_the_command_line_may_name_any_address_and_readers_do_not_see_it(small: Any) -> None:
    with serving(Server(None, body=NOTHING)) as server:
        words = ["--adapter", "openai_compatible", "--set", f"base_url={server.url}", "--limit", "2"]
        call_command("run_model", f"goldevidencebench/{small.slug}", *words)
    run = again(Run.objects.get())
    assert len(server.requests) == 2
    assert server.url not in json.dumps([run.submission.provenance, run.system.name])
    assert "--set base_url=BASE_URL" in provenance.command(run)


def test_a_password_in_an_address_is_refused(small: Any) -> None:
    words = ["--adapter", "openai_compatible", "--set", "base_url=http://u:s3cret@127.0.0.1:9/v1"]
    with pytest.raises(CommandError, match="no user or password") as refused:
        call_command("run_model", f"goldevidencebench/{small.slug}", *words)
    assert "s3cret" not in str(refused.value)
    assert not Run.objects.exists()
