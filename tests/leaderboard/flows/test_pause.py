"""A run whose model does not answer pauses, suggests help, and waits for a decision."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import timedelta
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from django.utils import timezone

from benchsite.model_servers import ModelServer
from evaluation.adapters.prompt_sets import LEGACY
from evaluation.adapters.run_files import JOURNAL_SUFFIX
from evaluation.core import jsonl
from leaderboard.accounts.models import ApiToken
from leaderboard.admin import incidents
from leaderboard.benchmarks.models import Version
from leaderboard.jobs import queues, reaper
from leaderboard.runs import execution
from leaderboard.runs import services as runs
from leaderboard.runs.models import Run
from leaderboard.submissions.verdicts import files as verdict_files
from tests.evaluation.adapters.server import Server, serving
from tests.leaderboard.callers import Caller
from tests.leaderboard.runs.gguf import SMALL_ORDER_BIAS
from tests.leaderboard.runs.running import again, history

ADAPTER = "adapter:openai_compatible"
NOTHING = '{"value": null, "support_ids": []}'


class Halting:
    """Answers `good` requests; all others are cut off in the middle of their thinking."""

    def __init__(self, good: int) -> None:
        self.good = good

    def __call__(self, body: dict[str, Any]) -> tuple[int, dict[str, Any]]:
        self.good -= 1
        text, finish = (NOTHING, "stop") if self.good >= 0 else ("<think>Well", "length")
        return 200, {"choices": [{"message": {"content": text}, "finish_reason": finish}]}


@pytest.fixture
def sixty(make_version: Callable[..., Version]) -> Version:
    """A version of sixty rows."""
    generator = SMALL_ORDER_BIAS["generator"] | {"episodes": 4, "queries": 5}
    version = make_version(name="sixty", **SMALL_ORDER_BIAS | {"generator": generator})
    assert version.row_count == 60
    return version


@pytest.fixture
def server(settings: Any) -> Iterator[Server]:
    with serving(Server(None, script=Halting(good=45))) as server:
        settings.MODEL_SERVERS = {"house": ModelServer(server.url)}
        yield server


@pytest.fixture
def paused(sixty: Version, staff: Any, server: Server) -> Run:
    run = runs.start(
        version=sixty, executor=ADAPTER, started_by=staff, values={"concurrency": 1, "probe": False}
    )
    assert not runs.execute(str(run.pk))
    return again(run)


def test_it_pauses_with_the_reason_advice_and_what_is_done_so_far(paused: Run) -> None:
    assert (paused.status, paused.progress_done, paused.submission) == ("paused", 50, None)
    assert paused.row_states == {"abstained": 45, "cut_off": 5}
    reason, advice = paused.error.splitlines()
    assert reason == "5 of 50 rows hold no readable answer (5 cut off); they will count as wrong."
    assert "max_tokens" in advice
    assert history(paused)[-1] == f"Paused: {reason}"
    lines = list(jsonl.read(execution.path_of(paused)))
    assert [line.get("state") for line in lines] == [None] * 45 + ["cut_off"] * 5


def test_no_worker_takes_it_however_long_it_waits(paused: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    Run.objects.filter(pk=paused.pk).update(created_at=timezone.now() - timedelta(days=9))
    assert paused.lease_until is None
    assert reaper.enqueue_overdue() == 0
    assert not runs.execute(str(paused.pk))
    assert [queue.waiting for queue in queues.lengths() if queue.name == "models"] == [0]
    assert again(paused).status == "paused"


def test_resumed_it_asks_again_what_was_not_answered(paused: Run, server: Server, staff: Any) -> None:
    server.script = Halting(good=99)
    assert runs.resume(paused, actor=staff)
    assert again(paused).error == ""
    assert runs.execute(str(paused.pk), grade_now=True), again(paused).error
    run = again(paused)
    assert (run.status, run.row_states, run.go_on) == ("finished", {"abstained": 60}, False)
    assert run.submission.row_states == {"abstained": 60}
    assert run.submission.provenance["asked_again"] == 5


def test_a_run_from_before_prompt_sets_goes_on_with_the_prompt_of_that_time(
    paused: Run, server: Server
) -> None:
    """Neither its settings nor the first line of its journal names a prompt."""
    journal = execution.path_of(paused).with_name(execution.path_of(paused).name + JOURNAL_SUFFIX)
    lines = journal.read_bytes().splitlines(keepends=True)
    assert b'"prompt"' in lines[0]
    journal.write_bytes(b"".join([jsonl.dumps({"identity": {"run": str(paused.pk)}}) + b"\n", *lines[1:]]))
    server.script = Halting(good=99)
    assert runs.resume(paused)
    assert runs.execute(str(paused.pk)), again(paused).error
    run = again(paused)
    assert {name: run.settings[name] for name in LEGACY} == LEGACY
    assert run.submission.provenance["prompt"]["set"] == "legacy@1"


def test_resumed_while_nothing_was_mended_it_pauses_again(paused: Run, server: Server) -> None:
    server.script = Halting(good=0)
    assert runs.resume(paused)
    assert not runs.execute(str(paused.pk))
    assert again(paused).status == "paused"
    assert history(paused).count("Queued again") == 1


def test_going_on_asks_the_rest_and_counts_lines_without_an_answer_as_wrong(
    paused: Run, server: Server, staff: Any, client: Client
) -> None:
    server.script = Halting(good=0)
    assert runs.resume(paused, actor=staff, go_on=True)
    assert runs.execute(str(paused.pk), grade_now=True), again(paused).error
    run = again(paused)
    assert run.row_states == run.submission.row_states == {"abstained": 45, "cut_off": 15}
    assert run.submission.score.failures["cut_off"] == 15
    verdicts = list(verdict_files.opened(run.submission.score.verdicts_sha256))
    assert not any(row["correct"] or row["value_ok"] for row in verdicts if row["failure"] == "cut_off")
    assert "Queued again; rows without an answer stay wrong" in history(run)
    page = client.get(run.submission.get_absolute_url()).content.decode()
    assert "15 of 60 rows hold no readable answer (15 cut off); they count as wrong." in page


def test_a_run_that_shall_not_pause_is_not_stopped(sixty: Version, staff: Any, server: Server) -> None:
    run = runs.start(version=sixty, executor=ADAPTER, started_by=staff, go_on=True, values={"probe": False})
    assert runs.execute(str(run.pk)), again(run).error
    assert again(run).row_states["cut_off"] == 15


def test_it_can_be_cancelled_instead(paused: Run, staff: Any) -> None:
    runs.cancel(paused, actor=staff)
    assert (again(paused).status, history(paused)[-1]) == ("cancelled", "Cancelled")
    assert execution.path_of(paused).exists()


def test_its_page_says_why_and_offers_what_can_be_done(
    paused: Run, client: Client, user: Any, staff: Any
) -> None:
    address = paused.get_absolute_url()
    client.force_login(user)
    assert client.post(f"{address}go-on/").status_code == 403
    client.force_login(staff)
    page = client.get(address).content.decode()
    for text in (
        "Paused",
        "5 of 50 rows hold no readable answer",
        "max_tokens",
        "45 abstained, 5 cut off",
        "Go on anyway",
    ):
        assert text in page
    assert f'action="{address}resume/"' in page
    assert f'action="{address}cancel/"' in page
    assert "hx-trigger" not in page.partition('id="run-status"')[2].partition(">")[0]
    assert client.post(f"{address}go-on/").status_code == 302
    assert (again(paused).status, again(paused).go_on) == ("queued", True)
    assert "Go on anyway" not in client.get(address).content.decode()
    client.post(f"{address}go-on/")
    assert "there is nothing to decide" in client.get(address).content.decode()


def test_the_list_of_runs_shows_it(paused: Run, client: Client, staff: Any) -> None:
    client.force_login(staff)
    assert '<span class="status paused">Paused</span>' in client.get("/runs/").content.decode()


def test_the_api_tells_and_decides(paused: Run, staff: Any) -> None:
    call = Caller(ApiToken.objects.issue(user=staff, name="script", scopes=["read", "staff"])[1])
    [response] = call("GET", "/runs?status=paused").json()["items"]
    assert (response["id"], response["status"]) == (str(paused.pk), "paused")
    assert response["row_states"] == {"abstained": 45, "cut_off": 5}
    assert "max_tokens" in response["error"]
    gone_on = call("POST", f"/runs/{paused.pk}/go-on")
    assert (gone_on.status_code, gone_on.json()["status"]) == (202, "queued")
    refused = call("POST", f"/runs/{paused.pk}/go-on")
    assert (refused.status_code, refused.json()["type"].rpartition(":")[2]) == (409, "not-paused")


def test_the_admin_lists_it_and_its_button_resumes(paused: Run, admin_client: Client) -> None:
    kind = incidents.KINDS["paused-runs"]
    [row] = [kind.read(run) for run in kind.for_version()]
    assert (row.kind, row.action) == ("paused-runs", "Resume")
    assert "5 of 50 rows" in row.reason
    admin_client.post("/admin/attention/again/", {"kind": "paused-runs", "pk": str(paused.pk)})
    assert again(paused).status == "queued"


@pytest.fixture
def printed(sixty: Version, server: Server, capsys: pytest.CaptureFixture[str]) -> Callable[..., str]:
    """The output of `run_model`, or the error that ends it."""

    def run_model(*more: str) -> str:
        words = [
            "--adapter",
            "openai_compatible",
            "--set",
            "server=house",
            "--set",
            "concurrency=1",
            "--set",
            "probe=false",
            *more,
        ]
        call_command("run_model", f"goldevidencebench/{sixty.slug}", *words)
        return capsys.readouterr().out

    return run_model


def test_from_the_shell_it_ends_with_a_code_of_its_own_and_says_how_to_go_on(
    printed: Callable[..., str], server: Server
) -> None:
    with pytest.raises(CommandError, match=r"Paused\. 5 of 50 rows") as pause:
        printed()
    run = Run.objects.get()
    assert pause.value.returncode == 3
    assert f"--resume {run.pk}   or: " in str(pause.value)
    assert "--go-on" in str(pause.value)
    printed("--resume", str(run.pk), "--go-on")
    assert again(run).status == "finished"


def test_a_variable_of_the_worker_changes_nothing_of_a_run(
    sixty: Version, staff: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GOLDEVIDENCEBENCH_DROP_PROB", "1")  # read, it would leave nothing to answer from
    run = runs.start(version=sixty, executor="adapter:retrieval", started_by=staff)
    assert runs.execute(str(run.pk)), again(run).error
    assert "abstained" not in again(run).row_states
