"""The start of the demo: it names obstacles, and continues where it was interrupted."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from leaderboard.benchmarks import freezing, seeding
from leaderboard.benchmarks.models import Version
from leaderboard.jobs import leases, models
from leaderboard.management.commands import demo
from leaderboard.runs import services as runs
from leaderboard.runs.models import Run
from tests.live import ROOT, free_port, wait_for


def start(folder: Path, *words: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "manage.py", "demo", *words],
        cwd=ROOT,
        env={**os.environ, "DATA_DIR": str(folder), "PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


@pytest.mark.parametrize("port", ["taken", 70_000])
def test_a_port_that_cannot_be_had_is_said_before_any_work(db: None, port: Any) -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        number = other.getsockname()[1] if port == "taken" else port
        with pytest.raises(CommandError, match=f"[Pp]ort {number}"):
            call_command("demo", port=number, stdout=StringIO())
    assert not Version.objects.exists()


def test_a_folder_that_cannot_be_written_to_is_said_without_a_traceback(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    process = start(tmp_path / "file" / "data")
    output, _ = process.communicate(timeout=60)
    assert process.returncode == 1
    assert "cannot be created: Not a directory." in output
    assert "Traceback" not in output


def test_ctrl_c_in_the_middle_keeps_what_is_done_without_a_traceback(tmp_path: Path) -> None:
    process = start(tmp_path, "--port", str(free_port()))
    assert process.stdout is not None
    lines = iter(process.stdout.readline, "")
    wait_for(lambda: "freezing" in next(lines), seconds=120, what="the first version")
    process.send_signal(signal.SIGINT)
    rest, _ = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "the next start continues from here" in rest
    assert "Traceback" not in rest


def test_ctrl_c_that_arrives_in_a_destructor_is_not_lost(capsys: pytest.CaptureFixture[str]) -> None:
    class Closing:
        def __del__(self) -> None:
            signal.raise_signal(signal.SIGINT)

    hook, handlers = sys.unraisablehook, [signal.getsignal(signal.SIGINT), signal.getsignal(signal.SIGALRM)]
    with demo.interruptible(), pytest.raises(KeyboardInterrupt):
        wait_for(lambda: Closing() and False, seconds=10, what="the interrupt")
    assert not capsys.readouterr().err
    assert sys.unraisablehook is hook
    assert [signal.getsignal(signal.SIGINT), signal.getsignal(signal.SIGALRM)] == handlers


def test_a_version_that_was_left_unfinished_is_finished_and_not_made_twice(version: Version) -> None:
    left = freezing.start(preset=version.preset, open_demo=True, wake_worker=False)
    Version.objects.filter(pk=left.pk).update(status=Version.Status.FREEZING)
    version.preset.versions.exclude(pk=left.pk).update(preset=None)
    assert seeding.frozen("goldevidence", "tiny", tell=str).pk == left.pk


def test_a_run_that_was_left_in_the_middle_is_finished_and_not_started_twice(version: Version) -> None:
    command = demo.Command(stdout=StringIO())
    left = runs.start(version=version, executor="ledger", started_by=seeding.site_user(), wake_worker=False)
    assert leases.claim(Run.objects.filter(pk=left.pk), status=Run.Status.RUNNING)
    Run.objects.filter(pk=left.pk).update(lease_until=None)
    command.run_systems(version)
    assert Run.objects.filter(executor="ledger").count() == 1
    assert not Run.objects.exclude(status=Run.Status.FINISHED).exists()
    assert {*runs.demo_executors(version)} == {*Run.objects.values_list("executor", flat=True)}


@pytest.mark.worker
@pytest.mark.parametrize(("servers", "taking"), [({}, "models,servers"), ({"house": object()}, "servers")])
def test_every_queue_has_a_worker(settings: Any, servers: dict[str, Any], taking: str) -> None:
    settings.MODEL_SERVERS = servers
    queues = [each[each.index("-Q") + 1] for each in demo._commands(8000) if "-Q" in each]
    assert set(",".join(queues).split(",")) == {
        queue.name for kind in models.kinds() for queue in kind.queues()
    }
    assert taking in queues


def test_the_demos_worker_says_nothing_of_root() -> None:
    code = (
        "from celery.platforms import check_privileges; import os; os.getuid = os.geteuid = lambda: 0; "
        "check_privileges(['json'])"
    )
    loud, quiet = (
        subprocess.run([sys.executable, *words, "-c", code], capture_output=True, text=True, check=True)
        for words in ([], ["-W", demo.QUIET_ROOT])
    )
    assert "superuser privileges" in loud.stderr
    assert quiet.stderr == ""
