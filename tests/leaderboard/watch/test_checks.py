"""The checks of an installation, on real faults."""

from __future__ import annotations

import tempfile
import threading
import time
from pathlib import Path
from typing import Any

import pytest
from django.contrib.staticfiles.storage import staticfiles_storage
from django.core.files.storage import FileSystemStorage

from leaderboard.watch import checks
from leaderboard.watch.checks import Check


def test_a_check_that_hangs_is_a_finding_and_is_not_begun_again() -> None:
    release, begun = threading.Event(), []

    def hang() -> None:
        begun.append(1)
        release.wait(30)

    hanging = Check("hangs", hang, "It is away.", "")
    for _ in range(3):
        began = time.monotonic()
        assert [finding.problem for finding in checks.run([hanging], 0.1)] == ["It is away."]
        assert time.monotonic() - began < 5
    assert len(begun) == 1
    release.set()
    checks._running["hangs"].join()
    assert checks.run([hanging], 5) == []


def test_an_error_is_the_problem_and_its_text_a_detail() -> None:
    def fail() -> None:
        raise OSError("/srv/secret: permission denied")

    (finding,) = checks.run([Check("fails", fail, "It is away.", "")], 5)
    assert (finding.problem, finding.detail) == ("It is away.", "OSError: /srv/secret: permission denied")


def test_files_that_were_collected_from_an_older_source_are_found(settings: Any, tmp_path: Path) -> None:
    (tmp_path / "new.css").touch()
    settings.STATICFILES_DIRS = [tmp_path]
    staticfiles_storage.hashed_files = {"old.css": "old.1.css"}  # of an object that ends with these settings
    check = next(each for each in checks.READY if each.name == "static")
    (finding,) = checks.run([check], 5)
    assert finding.detail == "new.css is missing."
    staticfiles_storage.hashed_files = {"new.css": "new.1.css"}
    assert checks.run([check], 5) == []


def test_a_folder_of_artifacts_that_cannot_be_written_is_found(settings: Any, tmp_path: Path) -> None:
    check = next(each for each in checks.READY if each.name == "storage")
    settings.STORAGES = settings.STORAGES | {
        "artifacts": {
            "BACKEND": "django.core.files.storage.FileSystemStorage",
            "OPTIONS": {"location": tmp_path / "artifacts"},
        }
    }
    assert checks.run([check], 5) == []
    assert list((tmp_path / "artifacts").rglob("*.*")) == []
    (tmp_path / "artifacts" / "probes").rmdir()
    (tmp_path / "artifacts" / "probes").touch()
    (finding,) = checks.run([check], 5)
    assert finding.problem == "Files cannot be stored."
    assert isinstance(checks.storages["artifacts"], FileSystemStorage)


def test_a_folder_of_temporary_files_in_which_no_socket_can_lie_is_found(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    check = next(each for each in checks.READY if each.name == "temporary")
    monkeypatch.setattr(tempfile, "tempdir", "/tmp")
    check.run()
    monkeypatch.setattr(tempfile, "tempdir", f"/tmp/{'x' * 60}")
    with pytest.raises(checks.ProblemError, match="too long"):
        check.run()
