"""Files of gradings, imports and benches are read through; unreferenced ones are listed and can be deleted."""

from __future__ import annotations

import io
import os
import time
from contextlib import suppress

import pytest
from django.core.files.base import ContentFile
from django.core.files.storage import storages
from django.core.management import CommandError, call_command

from leaderboard.benchmarks import storage
from leaderboard.benchmarks.models import Version
from leaderboard.care import scrubbing
from leaderboard.runs.benches.models import Bench
from leaderboard.runs.benches.services import ARCHIVE
from leaderboard.runs.models import Run
from leaderboard.submissions.models import Score, Submission


def verify(**options):
    """The output of the command, then its error."""
    out = io.StringIO()
    try:
        call_command("verify_versions", stdout=out, **options)
    except CommandError as error:
        return f"{out.getvalue()}{error}"
    return out.getvalue()


def put(name, *, days=0):
    storage.put(name, ContentFile(b"x"))
    moment = time.time() - days * 86400
    os.utime(storages["artifacts"].path(name), (moment, moment))


@pytest.fixture
def made(version, system, submit):
    return submit(version, system)


def test_a_sound_site_has_no_damage_and_no_orphan(made):
    assert list(scrubbing.damaged_others()) == list(scrubbing.orphans()) == []
    assert "no row refers to" not in verify(remove_orphans=1).replace("files that no row refers to.", "")


def test_earlier_verdicts_imported_files_and_archives_are_read(made, user):
    score = Score.objects.get(pk=made.score_id)
    score._state.adding = True
    score.pk, score.revision, score.grader = None, 2, "an older one"
    score.verdicts_sha256 = "a" * 64
    score.save()
    Version.objects.filter(pk=made.version.pk).update(source_sha256="b" * 64)
    bench = Bench.objects.create(
        name="first", suite_name="goldevidence", started_by=user, files_sha256="c" * 64
    )
    said = verify()
    for what, sha256 in (("verdicts", "a"), ("imported file", "b"), ("archive", "c")):
        assert f"BAD: {what}: the stored file {sha256 * 12}… is missing" in said
    assert "3 other files missing or damaged." in said
    storage.put(storage.name_of("c" * 64, ARCHIVE), ContentFile(b"other bytes"))
    assert "does not match its SHA-256" in verify()
    assert str(bench) in verify()


def test_files_that_no_row_names_are_listed_and_older_ones_deleted_where_that_is_asked(made):
    stray = storage.name_of("d" * 64)
    put(stray, days=3)
    put("imports/left-behind", days=3)
    put(storage.name_of("e" * 64), days=0)
    assert verify().count("no row refers to") == 3
    assert storages["artifacts"].exists(stray)
    assert "Deleted 2 files that no row refers to." in verify(remove_orphans=2)
    assert [each.name for each in scrubbing.orphans()] == [storage.name_of("e" * 64)]
    assert storage.exists(made.file_sha256)


def test_what_is_young_cannot_be_deleted(made):
    assert "at least 1 day" in verify(remove_orphans=0)


def test_unfinished_files_of_a_job_that_may_go_on_are_no_orphans(made, system, user):
    run = Run.objects.create(
        version=made.version,
        system=system,
        started_by=user,
        executor="x",
        files_copy={"folder": "f", "parts": 1},
    )
    put(f"unfinished/run/{run.pk}/f/1.zip", days=9)
    put("unfinished/run/1/f/1.zip", days=9)
    assert [each.name for each in scrubbing.orphans()] == ["unfinished/run/1/f/1.zip"]


def test_a_row_that_came_meanwhile_keeps_its_file(made):
    put(storage.name_of("d" * 64), days=3)
    found = list(scrubbing.orphans())
    Submission.objects.update(transcripts_sha256="d" * 64)
    assert scrubbing.remove(found, days=1) == 0
    assert storage.exists("d" * 64)


def test_shipped_predictions_are_taken_from_the_source_again(made, monkeypatch, tmp_path, settings):
    from leaderboard.runs.shipped import folders

    folder = next(folders.folders(folders.SHIPPED))
    run = folders.read(folder)
    fields = {
        "source": "shipped",
        "file_sha256": run.predictions_sha256,
        "transcripts_sha256": run.transcripts_sha256,
    }
    Submission.objects.update(**fields)
    with suppress(CommandError):
        said = verify(repair=True)
    assert "restored from the source" in said
    assert storage.exists(run.predictions_sha256)
    assert "BAD: predictions" not in verify()
