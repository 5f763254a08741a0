"""Smoke tests of registered models (`evaluation.adapters.llama.smoke`) by workers of the queue `models`."""

from __future__ import annotations

import logging
from typing import Any

from django.db import transaction
from django.utils import timezone

from evaluation.adapters.base import Stopped
from evaluation.adapters.llama import smoke
from evaluation.core.errors import BenchmarkError
from leaderboard.jobs import dispatch, faults, leases, locks
from leaderboard.runs import holders, model_files
from leaderboard.runs.models import ModelCheck, ModelFile

log = logging.getLogger(__name__)
#: Low, because a bad file would kill every worker in turn. Runs allow more deaths, as they have answers to save.
MOST_ATTEMPTS = 2


@transaction.atomic
def register(name: str, *, by: Any) -> ModelFile:
    """Register a file and queue its check. Raises model_files.ModelFileError."""
    model = model_files.register(name, by=by)
    ask(model)
    return model


@transaction.atomic
def ask(model: ModelFile) -> ModelCheck | None:
    """Queue a check unless one is active; None for trained weights, which were checked on registration."""
    if not model.is_language_model:
        return None
    ModelFile.objects.select_for_update().get(pk=model.pk)  # concurrent requests make one check
    earlier = ModelCheck.objects.select_for_update().filter(model_file=model)
    if active := earlier.filter(status__in=ModelCheck.ACTIVE).first():
        return active
    earlier.delete()
    check = ModelCheck.objects.create(model_file=model)
    dispatch.enqueue_on_commit(ModelCheck.TASK, check.pk)
    return check


def files_of(check: ModelCheck) -> list[ModelFile]:
    return [check.model_file]


def execute(check_id: int) -> bool:
    """Execute a check. Safe to repeat, also after a kill. True if this call ended the check."""
    waiting = ModelCheck.objects.filter(pk=check_id, status__in=ModelCheck.ACTIVE)
    check = waiting.select_related("model_file").first()
    if check is None or holders.missing_here(files_of(check)):
        return False
    if (lease := leases.claim(waiting, status=ModelCheck.Status.RUNNING)) is None:
        return False
    with lease:
        ended = _attempt(lease.row("model_file"), lease)
        leases.reconnect()
        if ended is not None:
            lease.release(**ended, finished_at=timezone.now())
            return True
    return False


def _attempt(check: ModelCheck, lease: leases.Lease) -> dict[str, object] | None:
    """Test the model. Returns the columns to write, or None if the check waits after a temporary fault."""
    try:
        if check.attempts > MOST_ATTEMPTS:
            raise BenchmarkError("each worker that loaded the model died; the file may be damaged")
        found = _tested(check.model_file, lease)
        passed = ModelCheck.Status.PASSED if found.passed else ModelCheck.Status.SUSPICIOUS
        return {"status": passed, "result": found.as_dict(), "error": ""}
    except (Stopped, locks.LockGivenUp) as error:
        raise leases.LostError from error
    except leases.LostError:
        raise
    except (BenchmarkError, model_files.ModelFileError) as error:
        reason = model_files.without_folder(str(error))
    except MemoryError:
        reason = "there is not enough memory for this model."
    except Exception as error:
        if passing := faults.passing(error):
            lease.wait(passing)
            return None
        log.exception("the check of model %s failed", check.model_file_id)
        reason = model_files.without_folder(f"unexpected error, which was logged: {error}")
    return {"status": ModelCheck.Status.FAILED, "result": {}, "error": reason}


def _tested(model: ModelFile, lease: leases.Lease) -> smoke.SmokeTest:
    def stop() -> bool:
        return lease.lost

    def tell(done: int, total: int) -> None:
        lease.tell(done, total, force=True)

    with locks.model_lock(model.sha256, give_up=stop):
        path = model_files.path_of(model)
        if not model.metadata:
            model_files.read_again(model)
        return smoke.smoke_test(path, on_step=tell, should_stop=stop)
