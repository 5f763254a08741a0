"""Acts that `make.py` runs inside the site's own processes: `python inside.py ACT '{"argument": …}'`.

A process that should die in the middle of its work is killed by a signal that nothing can catch, always at the same
moment.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
from datetime import timedelta
from pathlib import Path
from typing import Any

import django

sys.path.insert(0, str(Path.cwd()))
django.setup()

from django.contrib.auth import get_user_model  # noqa: E402
from django.utils import timezone  # noqa: E402
from evaluation.suites import get_suite  # noqa: E402

from leaderboard import bell, estimates, freezing, importing, modelfiles, runs, submissions  # noqa: E402
from leaderboard.models import ApiToken, Benchmark, Preset, Submission, Version  # noqa: E402


def die(*args: Any, **options: Any) -> None:
    """Kill this process, like a power failure."""
    os.kill(os.getpid(), signal.SIGKILL)


def staff(password: str) -> None:
    """Make a maintainer, and a staff account without permissions."""
    accounts = get_user_model().objects
    accounts.create_superuser("sam", "sam@example.org", password)
    accounts.create_user("stella", "stella@example.org", password, is_staff=True)


def expire(name: str) -> None:
    """Expire a token."""
    ApiToken.objects.filter(name=name).update(expires_at=timezone.now() - timedelta(minutes=1))


def preset(suite: str, name: str, settings: dict[str, Any]) -> Preset:
    """Make a preset as the admin does."""
    made = Preset(
        benchmark=Benchmark.objects.get(suite=suite),
        name=name,
        title=name.replace("-", " ").capitalize(),
        settings=settings,
    )
    made.full_clean()
    made.save()
    return made


def freeze(suite: str, name: str, settings: dict[str, Any], *, secret: bool, later: bool = False) -> None:
    """Make a version; with `later`, its freezing has not begun."""
    version = freezing.start(preset=preset(suite, name, settings), secret=secret, ring=False)
    assert later or freezing.freeze(version.pk)
    Version.objects.filter(slug="sealed").update(featured=True)


def retire(name: str) -> None:
    """Retire a version: it takes no more submissions."""
    Version.objects.get(slug=name).retire()


def refuse_import(name: str, file: str) -> None:
    """Fail an import because of its file, as a worker does."""
    chosen = preset("goldevidence", name, {})
    version = importing.start(chosen, Path(file), ring=False)
    assert not freezing.freeze(version.pk)


def die_freezing(name: str) -> None:
    """Die when all rows are written and nothing is sealed."""
    freezing.digest = die
    freezing.freeze(Version.objects.get(slug=name).pk)


def die_grading(pk: str) -> None:
    """Die when all verdicts are written and no score is."""
    submissions.publish_score = die
    submissions.grade(pk)


def grade_by_earlier_grader(version: str) -> None:
    """Grade the queue of a version by an earlier revision of the grader."""
    type(get_suite("goldevidence")).grader = "goldevidence/strict-1/reference-1"
    for pk in Submission.objects.filter(version__slug=version, status="queued").values_list("pk", flat=True):
        assert submissions.grade(str(pk))


def register(name: str) -> None:
    """Register a model file of the folder, so that runs may use it."""
    modelfiles.register(name, by=get_user_model().objects.get(username="sam"))


def start(version: str, executor: str, **options: Any) -> str:
    """Start a run of sam's without a message; its id."""
    sam = get_user_model().objects.get(username="sam")
    at = Version.objects.get(slug=version)
    return str(runs.start(version=at, executor=executor, started_by=sam, ring=False, **options).pk)


def die_running(pk: str, after: int) -> None:
    """Die when this many rows of a run are saved."""
    runs.execute(pk, on_progress=lambda done, total, rate: die() if done == after else None)


def stop_running(pk: str, after: int) -> None:
    """Cancel a run when this many rows of it are saved."""
    stop = threading.Event()
    runs.execute(pk, on_progress=lambda done, total, rate: stop.set() if done == after else None, stop=stop)


def fail_running(pk: str) -> None:
    """Fail a run because its model server is away."""
    assert not runs.execute(pk)


def queue_messages() -> None:
    """Queue a message under every task's name that no upload and no run queues."""
    sealed, waiting = (Version.objects.get(slug=slug) for slug in ("sealed", "waiting"))
    freezing.ring_for(waiting)
    freezing.ring_to_verify(sealed)
    estimates.ask(estimates.Plan(sealed.pk, "adapter:ledger"))
    bell.ring("run_conformance")
    bell.ring("reap")


if __name__ == "__main__":
    data = globals()[sys.argv[1]](**json.loads(sys.argv[2]))
    print("" if data is None else data)
