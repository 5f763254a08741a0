"""What `make.py` has done inside the site's own processes: `python inside.py ACT '{"argument": …}'`.

A process that is to die in the middle of its work is killed by a signal that nothing can catch, at a moment that is
always the same.
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
    """The power fails."""
    os.kill(os.getpid(), signal.SIGKILL)


def staff(password: str) -> None:
    """A maintainer, and somebody who is staff without any permission."""
    accounts = get_user_model().objects
    accounts.create_superuser("sam", "sam@example.org", password)
    accounts.create_user("stella", "stella@example.org", password, is_staff=True)


def expire(name: str) -> None:
    """The day of a token is over."""
    ApiToken.objects.filter(name=name).update(expires_at=timezone.now() - timedelta(minutes=1))


def preset(suite: str, name: str, settings: dict[str, Any]) -> Preset:
    """A preset as the desk makes one."""
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
    """A version; `later`: nobody has begun to freeze it."""
    version = freezing.start(preset=preset(suite, name, settings), secret=secret, ring=False)
    assert later or freezing.freeze(version.pk)
    Version.objects.filter(slug="sealed").update(featured=True)


def retire(name: str) -> None:
    """Take no more submissions for a version."""
    Version.objects.get(slug=name).retire()


def refuse_import(name: str, file: str) -> None:
    """An import whose file a worker found wrong."""
    chosen = preset("goldevidence", name, {})
    version = importing.start(chosen, Path(file), ring=False)
    assert not freezing.freeze(version.pk)


def die_freezing(name: str) -> None:
    """A worker dies when all rows are written and nothing is sealed."""
    freezing.digest = die
    freezing.freeze(Version.objects.get(slug=name).pk)


def die_grading(pk: str) -> None:
    """A worker dies when all verdicts are written and no score is."""
    submissions.publish_score = die
    submissions.grade(pk)


def grade_by_earlier_grader(version: str) -> None:
    """Grade what is queued for a version, by an earlier revision of the grader."""
    type(get_suite("goldevidence")).grader = "goldevidence/strict-1/reference-1"
    for pk in Submission.objects.filter(version__slug=version, status="queued").values_list("pk", flat=True):
        assert submissions.grade(str(pk))


def register(name: str) -> None:
    """A model file in the folder becomes one that runs may use."""
    modelfiles.register(name, by=get_user_model().objects.get(username="sam"))


def start(version: str, executor: str, **options: Any) -> str:
    """A run of sam's that no message tells of; its id."""
    sam = get_user_model().objects.get(username="sam")
    at = Version.objects.get(slug=version)
    return str(runs.start(version=at, executor=executor, started_by=sam, ring=False, **options).pk)


def die_running(pk: str, after: int) -> None:
    """A worker dies when so many rows of a run are saved."""
    runs.execute(pk, on_progress=lambda done, total, rate: die() if done == after else None)


def stop_running(pk: str, after: int) -> None:
    """Somebody stops a run when so many rows of it are saved."""
    stop = threading.Event()
    runs.execute(pk, on_progress=lambda done, total, rate: stop.set() if done == after else None, stop=stop)


def fail_running(pk: str) -> None:
    """A run whose model server is away."""
    assert not runs.execute(pk)


def queue_messages() -> None:
    """Messages that no upload and no run leaves: one under every other task's name."""
    sealed, waiting = (Version.objects.get(slug=slug) for slug in ("sealed", "waiting"))
    freezing.ring_for(waiting)
    freezing.ring_to_verify(sealed)
    estimates.ask(estimates.Plan(sealed.pk, "adapter:ledger"))
    bell.ring("run_conformance")
    bell.ring("reap")


if __name__ == "__main__":
    data = globals()[sys.argv[1]](**json.loads(sys.argv[2]))
    print("" if data is None else data)
