"""The life of a bench in one process: checked, executed, cancelled, resumed, and its results."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path
from typing import Any

import pytest

from benchsite.model_servers import ModelServer
from evaluation.core.errors import SettingsError
from evaluation.goldevidence.experiments.bench import SIZES, run_bench
from evaluation.goldevidence.experiments.sweep import Contestant
from evaluation.goldevidence.selectors import linear
from leaderboard.benchmarks import storage
from leaderboard.jobs import dispatch, leases, queues, reaper
from leaderboard.runs import estimates, model_files
from leaderboard.runs.benches import orders
from leaderboard.runs.benches import services as benches
from leaderboard.runs.benches.models import Bench
from leaderboard.runs.model_job import JobError
from tests.evaluation.adapters.server import Server, serving

SUITE = "goldevidence"
RULE = "prefer_update_latest"
MODEL = "adapter:llama_cpp"
#: Of a model: parts of a few rows each.
FEW = {"size": "smoke", "seeds": 1, "parts": ["k", "authority"], "values": {"threads": 1, "context": 8192}}


def again(bench: Bench) -> Bench:
    return Bench.objects.get(pk=bench.pk)


def history(bench: Bench) -> list[str]:
    return list(bench.events.values_list("what", flat=True))


def started(staff: Any, executor: str = RULE, **options: Any) -> Bench:
    return benches.start(
        **{"suite": SUITE, "executor": executor, "size": "smoke", "started_by": staff} | options
    )


def test_a_deterministic_system_is_benched_and_reported_as_the_command_does(
    staff: Any, tmp_path: Path
) -> None:
    bench = started(staff)
    assert (bench.status, bench.progress_total, bench.name) == ("queued", 56, RULE)
    assert benches.execute(str(bench.pk))
    done = again(bench)
    assert (done.status, done.error, done.progress_done) == ("finished", "", 56)
    assert done.cells == {name: cells for name, _, cells, _ in done.plan}
    by_hand = run_bench(Contestant.system(RULE), SIZES["smoke"], tmp_path)
    assert done.bars == [json.loads(json.dumps(each.as_json())) for each in by_hand.judged]
    assert (done.passed, done.missed) == (8, 0)
    assert not benches.folder_of(bench).exists()
    assert history(bench) == ["Queued", *history(bench)[1:2], "Finished"]
    assert not benches.execute(str(bench.pk))  # a message that comes twice


def test_its_files_are_kept_without_rows_and_without_this_machine(
    model: Any, staff: Any, settings: Any
) -> None:
    bench = started(staff, MODEL, model_file=model, **FEW)
    assert benches.execute(str(bench.pk)), again(bench).error
    done = again(bench)
    with storage.open_packed(done.files_sha256, benches.ARCHIVE) as file, zipfile.ZipFile(file) as archive:
        names = archive.namelist()
        texts = [archive.read(name).decode() for name in names if not name.endswith(".gz")]
    assert {"bench.json", "report.html", "report.md", "k/combined.json", "plots/k.svg"} <= set(names)
    assert any(name.endswith("preds.transcripts.jsonl.gz") for name in names)
    assert not any(name.endswith(("data.jsonl", ".journal")) for name in names)
    assert not [text for text in texts if str(settings.MODELS_DIR) in text or str(settings.DATA_DIR) in text]
    assert str(settings.MODELS_DIR) not in json.dumps(done.report)
    assert model.sha256 in json.dumps(done.report)


def test_what_it_asked_is_what_its_settings_say_whatever_the_environment_says(
    model: Any, staff: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GOLDEVIDENCEBENCH_WORDING", "no such wording")
    bench = started(staff, MODEL, model_file=model, **FEW | {"parts": ["authority"]})
    assert benches.execute(str(bench.pk)), again(bench).error
    assert "no such wording" not in json.dumps(again(bench).report)


@pytest.mark.parametrize(
    ("asked", "reason"),
    [
        ({"executor": "nobody"}, "Unknown system 'nobody'"),
        ({"suite": "statebench"}, "Unknown system"),
        ({"suite": "nothing"}, "Unknown system"),
        ({"executor": MODEL}, "Choose a model file"),
        ({"size": "endless"}, "endless"),
        ({"seeds": 101}, "101 seeds"),
        ({"parts": ["kk"]}, "kk"),
        ({"parts": ["selectors"]}, "only with a local model"),
        ({"thresholds": {"value": 2.0}}, "threshold"),
        ({"thresholds": {"vallue": 0.5}}, "vallue"),
    ],
)
def test_what_cannot_be_run_is_refused_in_a_sentence(staff: Any, asked: dict[str, Any], reason: str) -> None:
    with pytest.raises(JobError, match=reason):
        started(staff, **asked)
    assert not Bench.objects.exists()


def test_bad_settings_are_named(model: Any, staff: Any) -> None:
    with pytest.raises(SettingsError) as refused:
        started(staff, MODEL, model_file=model, values={"threads": "many", "model": "/etc/passwd"})
    assert "model" in refused.value.fields


def test_a_trained_file_is_no_language_model_and_a_rule_takes_none(model: Any, staff: Any) -> None:
    with pytest.raises(JobError, match="does not use a model file"):
        started(staff, model_file=model)


def test_another_threshold_is_what_it_is_judged_by(staff: Any) -> None:
    bench = started(staff, "positional_last", parts=["order"], thresholds={"order_bias": 1.0})
    benches.execute(str(bench.pk))
    assert [(bar["name"], bar["threshold"], bar["reached"]) for bar in again(bench).bars] == [
        ("order_bias", 1.0, True)
    ]


def test_one_that_waits_is_cancelled_at_once_and_can_be_resumed(staff: Any) -> None:
    bench = started(staff)
    benches.cancel(bench, actor=staff)
    assert again(bench).status == "cancelled"
    assert not benches.execute(str(bench.pk))
    assert benches.resume(bench, actor=staff)
    assert not benches.resume(bench)
    assert benches.execute(str(bench.pk))
    assert history(bench)[:3] == ["Queued", "Cancelled before a worker took it", "Queued again"]


def test_a_stopped_bench_reports_what_is_done_and_goes_on_with_the_rest(
    staff: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    bench = started(staff)
    report = benches.BenchWatch.report

    def cancelled_in_the_middle(watch: Any, progress: Any) -> None:
        report(watch, progress)
        if sum(done for done, _ in progress.cells.values()) == 20:
            Bench.objects.filter(pk=bench.pk).update(cancel_requested=True)
            watch._next_look = 0.0

    monkeypatch.setattr(benches.BenchWatch, "report", cancelled_in_the_middle)
    assert not benches.execute(str(bench.pk))
    stopped = again(bench)
    assert (stopped.status, stopped.progress_done, stopped.files_sha256) == ("cancelled", 20, "")
    assert stopped.report is not None
    assert stopped.report["parts"][0] == {"text": "This bench is not finished: parts are missing below."}
    folder = benches.folder_of(bench)
    written = {path: path.stat().st_mtime_ns for path in folder.rglob("results.json")}
    assert len(written) == 20
    monkeypatch.undo()
    kept = benches.kept_files
    seen: dict[Path, int] = {}

    def looked(bench: Bench) -> str:
        seen.update({path: path.stat().st_mtime_ns for path in folder.rglob("results.json")})
        return kept(bench)

    monkeypatch.setattr(benches, "kept_files", looked)
    benches.resume(bench)
    assert benches.execute(str(bench.pk))
    assert len(seen) == 56
    assert {path: seen[path] for path in written} == written
    assert again(bench).passed == 8


def test_a_worker_that_lost_its_lease_writes_nothing(staff: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    bench = started(staff)
    report = benches.BenchWatch.report

    def taken_over(watch: Any, progress: Any) -> None:
        Bench.objects.filter(pk=bench.pk).update(lease_token="0" * 32)
        watch.lease._gone = True
        report(watch, progress)

    monkeypatch.setattr(benches.BenchWatch, "report", taken_over)
    assert not benches.execute(str(bench.pk))
    left = again(bench)
    assert (left.status, left.report, left.progress_done) == ("running", None, 0)
    assert "Finished" not in history(bench)


def test_a_fault_of_the_platform_costs_no_attempt_and_an_error_is_told(
    staff: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    bench = started(staff)
    with monkeypatch.context() as patch:
        patch.setattr(benches, "kept_files", lambda _: (_ for _ in ()).throw(OSError(28, "full")))
        assert not benches.execute(str(bench.pk))
    waiting = again(bench)
    assert (waiting.status, waiting.attempts, waiting.faults) == ("queued", 0, 1)
    assert "the disk is full" in waiting.error
    leases.try_now(waiting)
    with monkeypatch.context() as patch:
        patch.setattr(benches, "kept_files", lambda _: 1 // 0)
        assert not benches.execute(str(bench.pk))
    assert "Unexpected error" in again(bench).error
    benches.resume(bench)
    assert benches.execute(str(bench.pk))


def test_a_model_whose_file_changed_is_not_benched(model: Any, staff: Any) -> None:
    bench = started(staff, MODEL, model_file=model, **FEW)
    with model_files.resolve(model.path).open("ab") as file:
        file.write(b"more")
    assert not benches.execute(str(bench.pk))
    assert (again(bench).status, again(bench).attempts) == ("queued", 0)
    with pytest.raises(model_files.ModelFileError, match="cannot be removed: 1 bench used it"):
        model_files.remove(model)


def test_rules_pick_for_a_local_model(model: Any, staff: Any) -> None:
    bench = started(staff, MODEL, model_file=model, **FEW | {"parts": ["selectors"]})
    assert benches.execute(str(bench.pk)), again(bench).error
    assert "retrieval-selector=latest_step" in json.dumps(again(bench).report)


def test_a_trained_selector_is_benched_without_a_language_model(
    staff: Any, settings: Any, tmp_path: Path
) -> None:
    settings.MODELS_DIR = tmp_path
    linear.save(linear.shipped(), tmp_path / "mine.json")
    mine = model_files.register("mine.json", by=staff)
    bench = started(staff, "adapter:retrieval", model_file=mine, parts=["k", "authority"], seeds=1)
    assert benches.execute(str(bench.pk)), again(bench).error
    done = again(bench)
    assert done.name.startswith("mine · retrieval")
    assert all(bar["value"] is not None for bar in done.bars)


def test_of_a_suite_that_is_not_installed_any_more_the_report_is_still_shown(client: Any, staff: Any) -> None:
    bench = started(staff, parts=["k"])
    assert benches.execute(str(bench.pk))
    Bench.objects.update(suite_name="gone")
    client.force_login(staff)
    page = client.get(f"/benches/{bench.pk}/").content.decode()
    assert "gone" in page
    assert "From a shell" not in page
    assert 'id="report-bars"' in page


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> list[tuple[Any, ...]]:
    messages: list[tuple[Any, ...]] = []
    monkeypatch.setattr(dispatch, "enqueue", lambda *message: messages.append(message))
    return messages


def test_it_waits_in_the_queue_of_what_answers_it_and_a_lost_message_is_sent_again(
    model: Any, staff: Any, settings: Any, sent: list[Any], django_capture_on_commit_callbacks: Any
) -> None:
    settings.MODEL_SERVERS = {"house": ModelServer("http://127.0.0.1:9/v1")}
    with django_capture_on_commit_callbacks(execute=True):
        asking = started(staff, "adapter:openai_compatible")
        local = started(staff, MODEL, model_file=model, **FEW)
    messages = [("execute_server_bench", str(asking.pk)), ("execute_bench", str(local.pk))]
    assert sent == messages
    lengths = {queue.name: queue.waiting for queue in queues.lengths()}
    assert (lengths["models"], lengths["servers"]) == (1, 1)
    Bench.objects.update(created_at="2020-01-01T00:00Z")
    sent.clear()
    reaper.enqueue_overdue()
    assert sorted(sent) == sorted(messages)
    plan = estimates.BenchPlan(
        suite=SUITE, executor="adapter:openai_compatible", size="smoke", settings={"server": "house"}
    )
    sent.clear()
    assert estimates.ask(plan).state == "asked"
    assert sent[0][0] == "calibrate_server_bench"


#: As the adapter is asked for: JSON of a value and its lines.
REPLY = json.dumps({"choices": [{"message": {"content": '{"value": "x", "support_ids": []}'}}]}).encode()


def test_a_server_is_benched_and_its_address_stands_nowhere(staff: Any, settings: Any) -> None:
    with serving(Server(None, body=REPLY)) as server:
        address = server.url
        settings.MODEL_SERVERS = {"house": ModelServer(address)}
        bench = started(
            staff, "adapter:openai_compatible", parts=["authority"], seeds=1, values={"model": "m"}
        )
        assert "--set 'base_url=<house>'" in orders.command(bench)
        assert benches.execute(str(bench.pk)), again(bench).error
    done = again(bench)
    assert address not in json.dumps(done.report)
    with storage.open_packed(done.files_sha256, benches.ARCHIVE) as file, zipfile.ZipFile(file) as archive:
        texts = [archive.read(name).decode() for name in archive.namelist() if not name.endswith(".gz")]
    assert not [text for text in texts if address in text]


def test_a_calibration_says_how_long_the_whole_takes_or_why_it_failed(model: Any, staff: Any) -> None:
    plan = estimates.BenchPlan(
        suite=SUITE,
        executor=MODEL,
        size="smoke",
        seeds=1,
        model_file=model.pk,
        settings={"threads": 1, "context": 8192},
        parts=["k", "authority"],
    )
    assert estimates.estimate_for(plan).state == "unknown"
    estimates.calibrate(plan)
    found = estimates.estimate_for(plan)
    assert found.state == "known"
    assert "for 24 rows" in found.text
    assert "calibrated on" in found.basis
    model_files.resolve(model.path).unlink()
    estimates.calibrate(plan)
    assert estimates.estimate_for(plan).state == "failed"
