"""Runs that ask a model server: the site's list and its keys; readers see no address."""

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
from leaderboard.runs.model_job import JobError
from leaderboard.runs.models import Run
from tests.evaluation.adapters.server import Server, serving
from tests.leaderboard.runs.running import again

ADAPTER = "adapter:openai_compatible"
NOTHING = json.dumps({"choices": [{"message": {"content": '{"value": null, "support_ids": []}'}}]}).encode()


PRICED = json.dumps(
    json.loads(NOTHING) | {"usage": {"prompt_tokens": 1000, "completion_tokens": 10}}
).encode()


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
    with pytest.raises(JobError, match="Unknown system"):
        start(small, staff)
    assert not Run.objects.exists()


@pytest.mark.parametrize("setting", ["base_url", "key_variable"])
def test_a_run_of_the_site_names_a_server_and_never_an_address(
    small: Any, staff: Any, settings: Any, client: Client, setting: str
) -> None:
    settings.MODEL_SERVERS = {"house": ModelServer("http://127.0.0.1:9/v1")}
    with pytest.raises(SettingsError, match="cannot be set here"):
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
    origin = json.dumps([run.submission.provenance, run.settings, run.system.name])
    assert server.url not in origin
    assert "sk-of" not in origin
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
    assert len(server.requests) == 1 + 2, "the probe, and two rows"
    assert server.url not in json.dumps([run.submission.provenance, run.system.name])
    assert "--set base_url=BASE_URL" in provenance.command(run)


def test_a_password_in_an_address_is_refused(small: Any) -> None:
    words = ["--adapter", "openai_compatible", "--set", "base_url=http://u:s3cret@127.0.0.1:9/v1"]
    with pytest.raises(CommandError, match="a user name or password") as refused:
        call_command("run_model", f"goldevidencebench/{small.slug}", *words)
    assert "s3cret" not in str(refused.value)
    assert not Run.objects.exists()


def test_what_can_be_set_of_a_server_stands_in_the_form_and_is_checked_there(
    small: Any, staff: Any, settings: Any, client: Client
) -> None:
    settings.MODEL_SERVERS = {"house": ModelServer("http://127.0.0.1:9/v1")}
    client.force_login(staff)
    form = client.get(f"/runs/new/?version={small.pk}&executor={ADAPTER}").context["form"]
    assert ("none", "none") in form.fields["set_reasoning_effort"].choices
    assert form.fields["set_probe"].choices == [("", "true (default)"), ("false", "false")]
    assert form.fields["set_max_cost"].widget.attrs["inputmode"] == "decimal"
    given = {
        "version": small.pk,
        "executor": ADAPTER,
        "visibility": "private",
        "set_headers": '{"Authorization": "Bearer sesame-0123"}',
        "set_extra_body": "min_p=0.1",
        "set_max_cost": "5",
        "set_top_p": "2",
    }
    page = client.post("/runs/new/", given)
    errors = page.context["form"].errors
    assert {f"set_{name}" for name in ("headers", "extra_body", "top_p")} <= errors.keys()
    assert "sesame" not in str(errors)
    with pytest.raises(SettingsError, match="max_cost: needs price_in"):
        start(small, staff, max_cost=5)
    run = start(small, staff, extra_body={"min_p": 0.1}, seed="none", price_in="0.5", max_cost="5")
    assert run.settings["extra_body"] == '{"min_p": 0.1}'
    assert (run.settings["seed"], run.settings["max_cost"]) == (None, 5.0)


def test_what_a_run_costs_is_told_while_it_goes_on_and_stays_with_its_result(
    small: Any, staff: Any, settings: Any, client: Client
) -> None:
    with serving(Server(None, body=PRICED)) as server:
        settings.MODEL_SERVERS = {"house": ModelServer(server.url)}
        run = start(small, staff, price_in=10.0, price_out=1000.0, max_cost=0.015)
        assert not runs.execute(str(run.pk), grade_now=True)
        run = again(run)
        assert (run.status, run.progress_done) == ("paused", 0)
        assert "max_cost is 0.015" in run.error
        run = start(small, staff, price_in=10.0, price_out=1000.0, concurrency=1)
        assert runs.execute(str(run.pk), grade_now=True), again(run).error
    run = again(run)
    assert run.efficiency["cost"] == pytest.approx(2 * 0.02)
    assert run.submission.efficiency["cost"] == run.efficiency["cost"]
    client.force_login(staff)
    assert "Cost of the run" in client.get(run.submission.get_absolute_url()).content.decode()
