"""`verify_versions` reads the stored files of submissions through."""

from __future__ import annotations

import io

import pytest
from django.core.files.storage import storages
from django.core.management import CommandError, call_command

from leaderboard.benchmarks import storage
from leaderboard.submissions import services as submissions
from leaderboard.submissions.models import Submission
from leaderboard.submissions.verdicts.copies import PARQUET


def verify(**options):
    """The output of the command, and its error; empty if there is none."""
    out = io.StringIO()
    try:
        call_command("verify_versions", stdout=out, **options)
    except CommandError as error:
        return out.getvalue(), str(error)
    return out.getvalue(), ""


def path_of(sha256, suffix=storage.LINES):
    return storages["artifacts"].path(storage.name_of(sha256, suffix))


@pytest.fixture
def made(version, system, submit):
    return submit(version, system)


def test_files_that_are_as_they_were_are_counted(made) -> None:
    said, error = verify()
    assert "The files of 1 submission are unchanged." in said
    assert error == ""


@pytest.mark.parametrize("left", [None, b"", b"PAR1"])
def test_predictions_that_are_gone_or_changed_are_named(made, overwrite, left) -> None:
    overwrite(path_of(made.file_sha256), left)
    said, error = verify(repair=True)
    assert made.get_absolute_url() in said
    assert "BAD: predictions: the stored file" in said
    assert "restore its files from a backup" in said
    assert error == "1 of 1 submission has files that are missing or damaged."


@pytest.fixture
def overwrite():
    """Replaces a stored file, or with None deletes it."""

    def replace(path, content):
        storages["artifacts"].delete(path)
        if content is not None:
            with open(path, "wb") as file:
                file.write(content)

    return replace


@pytest.mark.parametrize("left", [None, b"PAR1"])
def test_verdicts_that_are_gone_or_changed_are_made_again_by_grading(made, overwrite, left) -> None:
    overwrite(path_of(made.score.verdicts_sha256, PARQUET), left)
    said, error = verify()
    assert "verdicts: the stored file" in said
    assert "use --repair to grade it again" in said
    assert error
    said, _ = verify(repair=True)
    assert "queued to be graded again" in said
    assert submissions.grade(str(made.pk))
    assert verify()[1] == ""
    assert Submission.objects.get().score.headline == made.score.headline
