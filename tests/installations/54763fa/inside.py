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
from django.contrib.auth.models import Group  # noqa: E402
from django.utils import timezone  # noqa: E402
from leaderboard.grids import estimates as bench_estimates  # noqa: E402
from leaderboard.grids import services as benches  # noqa: E402
from leaderboard.grids.execution import BenchWatch  # noqa: E402

from evaluation.core.suite import get_suite  # noqa: E402
from leaderboard.accounts.models import ApiToken  # noqa: E402
from leaderboard.benchmarks import freezing, importing, seeding  # noqa: E402
from leaderboard.benchmarks.models import Benchmark, Preset, Version  # noqa: E402
from leaderboard.benchmarks.sealing import seal, verifying  # noqa: E402
from leaderboard.jobs import dispatch  # noqa: E402
from leaderboard.runs import estimates, model_checks  # noqa: E402
from leaderboard.runs import services as runs  # noqa: E402
from leaderboard.submissions import services as submissions  # noqa: E402
from leaderboard.submissions.models import Submission  # noqa: E402
from leaderboard.submissions.services import publishing  # noqa: E402


def die(*args: Any, **options: Any) -> None:
    """Kill this process, like a power failure."""
    os.kill(os.getpid(), signal.SIGKILL)


def staff(password: str) -> None:
    """Make a maintainer, a staff account without permissions, and a moderator."""
    accounts = get_user_model().objects
    accounts.create_superuser("sam", "sam@example.org", password)
    accounts.create_user("stella", "stella@example.org", password, is_staff=True)
    rik = accounts.create_user("rik", "rik@example.org", password, is_staff=True)
    rik.groups.add(Group.objects.get(name="Moderators"))


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


def freeze(suite: str, name: str, settings: dict[str, Any], *, how: str, later: bool = False) -> None:
    """Make a version; with `later`, its freezing has not begun."""
    chosen = preset(suite, name, settings)
    version = freezing.start(preset=chosen, open_demo=how == "open", wake_worker=False)
    assert later or freezing.freeze(version.pk), Version.objects.get(pk=version.pk).error
    Version.objects.filter(slug="sealed").update(featured=True)


def freeze_demo(suite: str, name: str) -> None:
    """Freeze a version as the demo does."""
    assert seeding.frozen(suite, name, tell=str).is_open


def retire(name: str) -> None:
    """Retire a version: it takes no more submissions."""
    Version.objects.get(slug=name).retire()


def refuse_import(name: str, file: str) -> None:
    """Fail an import because of its file, as a worker does."""
    version = importing.start(preset("goldevidence", name, {}), Path(file), wake_worker=False)
    assert not freezing.freeze(version.pk)


def die_freezing(name: str) -> None:
    """Die when all rows are written and nothing is sealed."""
    seal.digest = die
    freezing.freeze(Version.objects.get(slug=name).pk)


def die_grading(pk: str) -> None:
    """Die when all verdicts are written and no score is."""
    publishing.publish_score = die
    submissions.grade(pk)


def grade_by_earlier_grader(version: str) -> None:
    """Grade the queue of a version by an earlier revision of the grader."""
    type(get_suite("goldevidence")).grader = "goldevidence/strict-2/reference-1"
    for pk in Submission.objects.filter(version__slug=version, status="queued").values_list("pk", flat=True):
        assert submissions.grade(str(pk))


def register(name: str) -> None:
    """Register a model file of the folder, so that runs may use it."""
    model_checks.register(name, by=get_user_model().objects.get(username="sam"))


def start(version: str, executor: str, **options: Any) -> str:
    """Start a run of sam's without a message; its id."""
    sam = get_user_model().objects.get(username="sam")
    at = Version.objects.get(slug=version)
    return str(runs.start(version=at, executor=executor, started_by=sam, wake_worker=False, **options).pk)


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


def die_benching(pk: str, after: int) -> None:
    """Die when this many cells of a bench are done."""
    tell = BenchWatch.told

    def told(watch: BenchWatch, progress: Any) -> None:
        tell(watch, progress)
        if sum(done for done, _ in progress.cells.values()) == after:
            die()

    BenchWatch.told = told
    benches.execute(pk)


def queue_messages() -> None:
    """Queue a message under every task's name that no upload and no run queues."""
    sealed, waiting = (Version.objects.get(slug=slug) for slug in ("sealed", "waiting"))
    freezing.enqueue_freeze(waiting)
    verifying.enqueue_verification(sealed)
    estimates.ask(estimates.Plan(sealed.pk, "adapter:ledger"))
    bench_estimates.ask(bench_estimates.BenchPlan("goldevidence", "ledger", "smoke", parts=["order"]))
    for task in ("run_conformance", "mark_late_placements", "render_pages", "reap"):
        dispatch.enqueue(task)


if __name__ == "__main__":
    data = globals()[sys.argv[1]](**json.loads(sys.argv[2]))
    print("" if data is None else data)
