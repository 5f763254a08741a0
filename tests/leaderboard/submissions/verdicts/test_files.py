"""Verdicts on the site: stored as Parquet, read from every release's files, and never damaged."""

from __future__ import annotations

import io
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from django.core.files.storage import storages

from evaluation.core import jsonl
from leaderboard.benchmarks import storage
from leaderboard.benchmarks.storage import DamagedFileError, MissingFileError
from leaderboard.runs import services as runs
from leaderboard.submissions import services
from leaderboard.submissions.models import Submission
from leaderboard.submissions.verdicts import copies
from leaderboard.submissions.verdicts import files as verdict_files
from leaderboard.submissions.verdicts import pages as verdicts
from leaderboard.submissions.verdicts.copies import PARQUET
from leaderboard.submissions.verdicts.pages import Filters
from tests.leaderboard.benchmarks import full_disks


@pytest.fixture
def graded(version, system, submit):
    return submit(version, system, wrong=4)


@pytest.fixture
def older(graded):
    """The same verdicts as JSON lines, which an earlier release stored."""
    with storage.writing() as writer:
        for verdict in verdict_files.opened(graded.score.verdicts_sha256):
            writer.write_row(verdict)
    kept_path(graded.score.verdicts_sha256).unlink()
    graded.score.verdicts_sha256 = writer.sha256
    graded.score.save()
    return graded


def kept_path(sha256: str, suffix: str = PARQUET) -> Path:
    return Path(storages["artifacts"].path(storage.name_of(sha256, suffix)))


def copied(settings) -> list[Path]:
    return sorted((Path(settings.DATA_DIR) / "copies").glob("*"))


def verdicts_of_api(submission: Submission, **filters) -> list[dict]:
    """All pages of the API, three rows each."""
    rows, start = [], 0
    while start is not None:
        page, start = verdicts.batch(
            submission, Filters(**filters), start=start, limit=3, user=submission.submitter, questions=False
        )
        assert len(page) == 3 or start is None
        rows += page
    return rows


def test_a_grading_again_keeps_the_very_same_file(graded):
    before = graded.score.verdicts_sha256
    services.regrade(graded)
    assert services.grade(str(graded.pk))
    assert Submission.objects.get(pk=graded.pk).score.verdicts_sha256 == before


def test_the_file_says_what_it_is_about(graded, version):
    assert verdict_files.opened(graded.score.verdicts_sha256).about == {
        "benchmark": "goldevidencebench",
        "version": "tiny",
        "version_sha256": version.sha256,
        "grader": version.bound.grader,
    }


@pytest.mark.parametrize(
    "filters",
    [{"failure": ""}, {"failure": "any"}, {"failure": "missing"}, {"failure": "", "split": "closed_book"}],
)
def test_verdicts_of_an_earlier_release_are_shown_as_ever(older, settings, filters):
    def passes(verdict):
        expected_figures = filters["failure"]
        return (
            not expected_figures
            or verdict["failure"] == expected_figures
            or (expected_figures == "any" and verdict["failure"])
        ) and (verdict["condition"] == filters.get("split", verdict["condition"]))

    lines = [verdict["id"] for verdict in storage.rows(older.score.verdicts_sha256) if passes(verdict)]
    assert [row["id"] for row in verdicts_of_api(older, **filters)] == lines
    assert len(copied(settings)) == 1, "converted once"


def test_they_are_converted_for_good_when_they_are_graded_again(older, settings):
    services.regrade(older)
    assert services.grade(str(older.pk))
    sha256 = Submission.objects.get(pk=older.pk).score.verdicts_sha256
    assert kept_path(sha256).exists()
    assert [dict(v) for v in verdict_files.opened(sha256)] == list(storage.rows(older.score.verdicts_sha256))
    assert copied(settings) == []


def test_a_damaged_copy_is_made_again(older, settings):
    expected = verdicts_of_api(older, failure="")
    (copy,) = copied(settings)
    copy.write_bytes(copy.read_bytes()[:-100])
    assert verdicts_of_api(older, failure="") == expected


@pytest.mark.parametrize("keep", [0, 100, -1])
def test_a_damaged_file_is_found_before_anything_of_it_is_shown(graded, keep):
    sha256 = graded.score.verdicts_sha256
    assert len(verdict_files.opened(sha256))
    path = kept_path(sha256)
    path.write_bytes(path.read_bytes()[:keep])
    with pytest.raises(DamagedFileError, match="does not match"):
        verdict_files.opened(sha256)


def test_damage_that_leaves_the_length_is_found(graded):
    path = kept_path(graded.score.verdicts_sha256)
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(data)
    with pytest.raises(DamagedFileError, match="does not match"):
        verdict_files.opened(graded.score.verdicts_sha256)


def test_a_damaged_file_of_an_earlier_release_is_no_copy(older, settings):
    path = kept_path(older.score.verdicts_sha256, storage.LINES)
    path.write_bytes(path.read_bytes()[:-20])
    with pytest.raises(DamagedFileError):
        verdict_files.opened(older.score.verdicts_sha256)
    assert copied(settings) == []


def test_a_missing_file_is_named(graded):
    kept_path(graded.score.verdicts_sha256).unlink()
    with pytest.raises(MissingFileError, match="missing"):
        verdict_files.opened(graded.score.verdicts_sha256)


def test_a_damaged_file_is_written_again_by_a_grading(graded):
    path = kept_path(graded.score.verdicts_sha256)
    whole = path.read_bytes()
    path.write_bytes(whole[:50])
    services.regrade(graded)
    assert services.grade(str(graded.pk))
    assert path.read_bytes() == whole


class TestInABucket:
    @pytest.fixture(autouse=True)
    def bucket(self, settings):
        backend = {"BACKEND": f"{full_disks.HERE}.Bucket", "OPTIONS": {}}
        settings.STORAGES = settings.STORAGES | {"artifacts": backend}
        return storages["artifacts"]

    def test_a_file_is_fetched_once(self, graded, settings):
        assert len(verdicts_of_api(graded, failure="")) == graded.version.row_count
        (copy,) = copied(settings)
        before = copy.stat().st_ino
        verdicts_of_api(graded, failure="any")
        assert [path.stat().st_ino for path in copied(settings)] == [before]

    def test_a_damaged_object_is_found(self, graded, bucket, settings):
        name = storage.name_of(graded.score.verdicts_sha256, PARQUET)
        data = bucket.open(name).read()
        bucket.delete(name)
        bucket.save(name, io.BytesIO(data[:-1] + b"?"))
        for copy in copied(settings):  # of the checks while it was graded
            copy.unlink()
        with pytest.raises(DamagedFileError, match="does not match"):
            verdict_files.opened(graded.score.verdicts_sha256)
        assert copied(settings) == []

    def test_unread_copies_are_deleted(self, graded, settings, monkeypatch):
        monkeypatch.setattr(copies, "MOST_BYTES", 1)
        verdicts_of_api(graded, failure="")
        with storage.writing() as writer:
            writer.write_line(jsonl.dumps({"id": "r1", "unit": "u", "condition": "c", "failure": None}))
        assert len(verdict_files.opened(writer.sha256)) == 1
        assert [path.name.split(".")[0] for path in copied(settings)] == [writer.sha256]


def test_columns_have_types_and_pages_checksums(graded):
    kept = pq.ParquetFile(kept_path(graded.score.verdicts_sha256))
    assert [str(field.type) for field in kept.schema_arrow][3:6] == ["bool", "bool", "bool"]
    assert not any(str(field.type) == "null" for field in kept.schema_arrow)


@pytest.mark.parametrize("suite", ["goldevidence", "statebench"])
def test_questions_far_down_are_those_that_reading_all_rows_finds(
    make_version, user, suite, monkeypatch, settings
):
    version = make_version(suite, name="far")
    run = runs.start(
        version=version, executor=next(iter(version.suite.systems())), started_by=user, wake_worker=False
    )
    assert runs.execute(str(run.pk), grade_now=True)
    run.refresh_from_db()

    def rows():
        return verdicts.batch(
            run.submission,
            Filters(failure=""),
            start=5,
            limit=6,
            user=run.submission.submitter,
            questions=True,
        )[0]

    near = rows()
    assert len(near) == 6
    assert all("row" in row for row in near)
    assert copied(settings) == []
    monkeypatch.setattr(verdicts, "NEAR", 1)
    assert rows() == near
    assert len(copied(settings)) == 1, "made once"
    assert rows() == near
