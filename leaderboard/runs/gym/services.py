"""Starts and executes gym loops: the engine's loop, in a folder of the worker.

The seed of the evaluation is drawn in that folder and is not copied to columns, pages or events.
"""

from __future__ import annotations

import shlex
import shutil
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from django.conf import settings as site
from django.db import transaction

from evaluation.core.errors import SettingsError
from evaluation.core.terminal.wording import number_of
from evaluation.gym import secret_seed
from evaluation.gym.frozen import frozen_presets
from evaluation.gym.loop.mining import NONE
from evaluation.gym.loop.running import Loop, LoopSettings, settings_in
from leaderboard.jobs import leases, locks
from leaderboard.runs import copies, life, model_files
from leaderboard.runs.gym.models import GymLoop
from leaderboard.runs.life import Body, Ending
from leaderboard.runs.model_job import JobError, JobStatus
from leaderboard.runs.models import ModelFile
from leaderboard.runs.watch import Cancelled, Watch

cancel, resume = life.cancel, life.resume
#: Upper bounds for a loop of this site: some minutes of one core.
MOST = {"rounds": 20, "tasks": 1000, "unseen": 2000}
#: Subfolder of the models folder for trained files.
FOLDER = "gym"


@transaction.atomic
def start(
    *,
    learner: str,
    started_by: Any,
    arm: str = "boundary",
    rounds: int = 8,
    tasks: int = 150,
    unseen: int = 400,
) -> GymLoop:
    """Queue a gym loop, which trains a learner in at most `rounds` rounds. Raises SettingsError.

    `arm` names the choice of training tasks, `tasks` is their number per round, `unseen` the number of test tasks.
    """
    asked = {"rounds": rounds, "tasks": tasks, "unseen": unseen}
    if bad := {name: [f"must be at most {most}."] for name, most in MOST.items() if asked[name] > most}:
        raise SettingsError(bad)
    if arm == NONE:
        raise SettingsError({"arm": ["cannot be `none`, which trains nothing."]})
    seed = secret_seed()
    LoopSettings(learner, seed, secret_seed(), arm, rounds, tasks, unseen)
    chosen = {"arm": arm, **asked, "seed": seed}
    loop = GymLoop(executor=learner, started_by=started_by, settings=chosen, progress_total=rounds)
    loop.save()
    life.record(loop, "Queued", actor=started_by)
    life.enqueue(loop)
    return loop


def execute(loop_id: str) -> bool:
    """Execute a loop. Safe to repeat, also after a kill. True if this call finished the loop."""
    return life.execute(BODY, loop_id) is not None


def command(loop: GymLoop) -> str:
    """Shell command that trains with the same settings. Its evaluation uses other, newly drawn tasks."""
    words = ["goldevidencebench", "gym", "loop", "--learner", loop.executor]
    for name in ("arm", "rounds", "tasks", "unseen", "seed"):
        words += [f"--{name}", str(loop.settings[name])]
    return shlex.join([*words, "--out", f"gym-{loop.executor}"])


class LoopWatch(Watch):
    """Writes the progress of a loop, and tells the engine when to stop."""

    def __init__(self, loop: GymLoop, lease: leases.Lease, copy: copies.Copy) -> None:
        super().__init__(loop, lease, copy)
        self._loop, self._since, self._first = loop, time.monotonic(), len(loop.rounds)

    def round_done(self, engine: Loop) -> None:
        """Write the finished rounds, and reset `attempts` because the loop made progress. Raises leases.LostError."""
        loop = self._loop
        loop.outcome = reported(engine)
        loop.progress_done = len(loop.rounds)
        done = loop.progress_done - self._first
        loop.rate = done / (time.monotonic() - self._since) if done > 0 else None
        self.lease.check()
        known = {"outcome": loop.outcome, "rate": loop.rate, "attempts": 1, "faults": 0}
        self.lease.tell(loop.progress_done, loop.progress_total, force=True, **known)
        self.copy.save()

    def step(self, part: str, done: int, total: int) -> None:
        """Write the progress within the current round. Raises Cancelled if a stop was requested."""
        self.check()
        at_hand = {"part": part, "done": done, "total": total}
        self.lease.tell(self._loop.progress_done, self._loop.progress_total, at_hand=at_hand)


def reported(engine: Loop) -> dict[str, Any]:
    """The report without the settings, which contain the seed of the evaluation."""
    return {name: value for name, value in engine.outcome.items() if name != "settings"}


def _work(loop: GymLoop, watch: LoopWatch) -> Ending:
    folder = folder_of(loop)
    try:
        with locks.model_lock(str(loop.pk), give_up=watch.should_stop, alone=True):
            watch.check()  # after a long wait another worker may own these files
            watch.copy.fetch()
            settings = settings_in(folder, learner=loop.executor, **loop.settings)
            engine = Loop(folder, settings, frozen_presets())
            watch.round_done(engine)
            engine.run(lambda text: watch.round_done(engine), watch.step)
            watch.round_done(engine)
    except locks.LockGivenUp:
        raise Cancelled from None
    trained = _registered(loop, engine)
    rounds = len(engine.outcome["rounds"])
    changes: dict[str, object] = {"model_file": trained, "progress_total": rounds}
    return Ending(JobStatus.FINISHED, f"Finished after {number_of(rounds, 'round')}", changes=changes)


def _registered(loop: GymLoop, engine: Loop) -> ModelFile:
    """Store and register the trained file, unless already done. Raises JobError if the folder is not writable."""
    name = f"{FOLDER}/{loop.executor}-{loop.short_id}.json"
    if known := ModelFile.objects.filter(path=name).first():
        return known
    path = model_files.folder() / name
    try:
        path.parent.mkdir(exist_ok=True)
        engine.keep_trained(path, f"gym loop {loop.short_id}")
    except PermissionError as error:
        raise JobError(
            f"MODELS_DIR of this worker cannot be written to ({error.strerror}). Make it writable, then resume the "
            "loop; the training is not repeated."
        ) from error
    return model_files.register(name, by=loop.started_by)


def folder_of(loop: GymLoop) -> Path:
    return Path(site.DATA_DIR) / "loops" / str(loop.pk)


def _copy_of(loop: GymLoop, lease: leases.Lease) -> copies.Copy:
    folder = folder_of(loop)

    def files() -> Iterator[Path]:
        yield from folder.rglob("*.json*")

    return copies.Copy(loop, lease, folder.parent, files)


def _forget(loop: GymLoop) -> None:
    shutil.rmtree(folder_of(loop), ignore_errors=True)


BODY = Body(
    kind=GymLoop,
    joins=("started_by",),
    files_of=lambda loop: [],
    watch=lambda loop, lease: LoopWatch(loop, lease, _copy_of(loop, lease)),
    work=_work,
    made=lambda loop: {"progress_done": loop.progress_done, "outcome": loop.outcome},
    forget=_forget,
)
