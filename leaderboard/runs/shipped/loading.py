"""Submits runs that come with the source to the versions whose rows they answer, and grades them at once."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from django.db import transaction

from leaderboard.accounts import services as accounts
from leaderboard.benchmarks import storage
from leaderboard.benchmarks.models import Version
from leaderboard.runs import model_files
from leaderboard.runs import services as runs
from leaderboard.runs.shipped import SYSTEMS, ShippedSystem, folders
from leaderboard.runs.shipped.folders import FolderError, ShippedRun
from leaderboard.submissions import services as submissions
from leaderboard.submissions.models import Submission, System

Tell = Callable[[str], None]


def load(version: Version, *, tell: Tell, root: Path = folders.SHIPPED) -> list[Submission]:
    """Submit the shipped runs of an open version that are not submitted yet. A newer run replaces an older run."""
    taken = (_taken(version, folder, tell) for folder in _of_preset(version, root))
    return [submission for submission in taken if submission is not None]


def _of_preset(version: Version, root: Path) -> Iterator[Path]:
    if version.preset is not None:
        wanted = f"{version.benchmark.suite}-{version.preset.name}"
        found = [folder for folder in folders.folders(root) if folder.name == wanted]
        # In the order of `systems.toml`: if a board shows one system per model, it shows the first.
        places = {system.slug: place for place, system in enumerate(SYSTEMS)}
        yield from sorted(found, key=lambda folder: places.get(folder.parent.name, len(places)))


def _taken(version: Version, folder: Path, tell: Tell) -> Submission | None:
    try:
        run = folders.read(folder)
        shipped = _system_of(run)
        if not run.answers(version):
            raise FolderError(
                f"{folder} answers other rows than {version} has ({version.rows_sha256[:12]}). Either the version is "
                "not one of the demo's, or its rows have changed: then make the run again (make demo-models)"
            )
        return _submitted(version, folder, run, shipped, tell)
    except (FolderError, submissions.RejectedError) as error:
        tell(f"  not submitted: {error}")
        return None


def _system_of(run: ShippedRun) -> ShippedSystem:
    known = {system.slug: system for system in SYSTEMS}
    if run.system not in known:
        raise FolderError(f"unknown shipped system {run.system!r}. Known: {', '.join(known)}")
    return known[run.system]


def _submitted(
    version: Version, folder: Path, run: ShippedRun, shipped: ShippedSystem, tell: Tell
) -> Submission | None:
    """The graded submission; None if this run or a newer run was already submitted."""
    owner = accounts.site_account()
    system = _system(owner, shipped, run)
    before = Submission.objects.filter(
        version=version, system=system, source=Submission.Source.SHIPPED
    ).exclude(status=Submission.Status.FAILED)
    if any(str(each.provenance.get("made_at", "")) >= run.made_at for each in before):  # UTC, sortable texts
        return None
    accepted = submissions.accept(version, folder / folders.PREDICTIONS, file_name=f"{run.system}.jsonl.gz")
    transcripts = storage.keep(folder / folders.TRANSCRIPTS) if run.transcripts_sha256 else ""
    with transaction.atomic():
        submission = submissions.create(
            accepted,
            system=system,
            submitter=owner,
            source=Submission.Source.SHIPPED,
            declared=True,
            efficiency=run.efficiency,
            provenance=run.provenance | {"made_at": run.made_at},
            transcripts_sha256=transcripts,
        )
    runs.grade_here(submission)
    submission.refresh_from_db()
    if submission.status == Submission.Status.FAILED:
        raise FolderError(f"{folder} could not be graded: {submission.error}")
    tell(f"  shipped: {shipped.name}")
    for older in before.filter(withdrawn_at=None).exclude(pk=submission.pk):
        submissions.withdraw(older, actor=None)
    return submission


def _system(owner: Any, shipped: ShippedSystem, run: ShippedRun) -> System:
    model = run.provenance.get("model") or {}
    parameters = int(model.get("parameters") or 0)
    quantization = str(model.get("quantization") or "")
    facts = {
        **shipped.model.card,
        "name": System.label(shipped.model.name, shipped.harness, quantization),
        "settings": shipped.name,
        "model": shipped.model.name,
        "reading": shipped.reading,
        "harness": shipped.harness,
        "kind": System.Kind.LLM,
        "description": shipped.description,
        "quantization": quantization,
        "parameters": model_files.size_in_words(parameters) if parameters else "",
        "context": model.get("context") or None,
    }
    known = System.objects.filter(owner=owner).run_as(shipped.name).first()
    return known or System.objects.create(owner=owner, **facts)
