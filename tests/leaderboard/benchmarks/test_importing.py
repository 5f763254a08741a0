"""Importing a published data set: a quick check in the request, the rest by a worker; never half-frozen, repeatable."""

from __future__ import annotations

import errno
import gzip
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.files.storage import storages
from django.core.management import CommandError, call_command
from django.urls import reverse

from evaluation.core import jsonl
from evaluation.goldevidence import presets
from evaluation.goldevidence.suite import SUITE
from leaderboard.benchmarks import freezing, importing, sources, storage
from leaderboard.benchmarks.models import Benchmark, FrozenError, Preset, Version
from leaderboard.jobs import backoff, checking, leases
from leaderboard.web import upload_handlers
from tests.leaderboard.jobs.workers import die, taken_by_another, wait_is_over

SETTINGS = {"generator": {"episodes": 5, "steps": 24, "queries": 4, "keys": 4, "chapters": 2, "twins": True}}
ROWS = 5 * 4 * 2


@pytest.fixture
def preset(db: None) -> Preset:
    benchmark = Benchmark.objects.get(suite="goldevidence")
    return Preset.objects.create(benchmark=benchmark, name="flat", title="Flat", settings=SETTINGS)


@pytest.fixture
def rows() -> list[dict[str, Any]]:
    """Rows as published, with the ids of the reference."""
    return [row for unit in presets.Settings.from_json(SETTINGS).units() for row in unit.rows]


@pytest.fixture
def good(tmp_path: Path, rows: list[dict[str, Any]]) -> Path:
    jsonl.write(tmp_path / "good.jsonl", rows)
    return tmp_path / "good.jsonl"


@pytest.fixture
def bad(tmp_path: Path, rows: list[dict[str, Any]]) -> Path:
    """A file whose 31st row, line 32 after a blank line, has no gold; the quick check does not reach it."""
    lines = [jsonl.dumps(row) for row in rows]
    lines[30] = jsonl.dumps({name: value for name, value in rows[30].items() if name != "gold"})
    lines.insert(10, b"")
    (tmp_path / "bad.jsonl").write_bytes(b"\n".join(lines) + b"\n")
    return tmp_path / "bad.jsonl"


def kept() -> list[str]:
    """The names of the files that the site has stored."""
    folder = Path(storages["artifacts"].location)
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


def fresh(version: Version) -> Version:
    return Version.objects.select_related("benchmark").get(pk=version.pk)


def test_a_file_is_read_by_the_worker_kept_by_its_hash_and_forgotten_as_it_was_sent(
    preset: Preset, good: Path
) -> None:
    version = importing.start(preset, good, wake_worker=False)
    assert kept() == [version.upload]
    assert freezing.freeze(version.pk)
    frozen = fresh(version)
    assert (frozen.status, frozen.row_count, frozen.unit_count, frozen.upload) == ("frozen", ROWS, 5, "")
    assert not storages["artifacts"].exists(version.upload)
    assert b"".join(storage.lines(frozen.source_sha256)) == good.read_bytes()


def test_a_packed_file_makes_the_same_version(preset: Preset, good: Path, tmp_path: Path) -> None:
    jsonl.write(tmp_path / "good.jsonl.gz", jsonl.read(good))
    made = [importing.start(preset, path, wake_worker=False) for path in (good, tmp_path / "good.jsonl.gz")]
    assert all(freezing.freeze(version.pk) for version in made)
    assert len({fresh(version).sha256 for version in made}) == 1


def test_the_worker_names_the_line_that_is_wrong_and_keeps_nothing(preset: Preset, bad: Path) -> None:
    version = importing.start(preset, bad, wake_worker=False)
    assert not freezing.freeze(version.pk)
    failed = fresh(version)
    assert failed.status == "failed"
    assert failed.error == "Line 32: Row 'E0004T-Q003' has no usable 'gold': it must be an object."
    assert kept() == []
    assert not Version.objects.readable().exists()


def test_a_corrected_file_goes_on_under_the_same_address(
    preset: Preset, bad: Path, good: Path, admin_client: Any
) -> None:
    version = importing.start(preset, bad, slug="flat-2026", wake_worker=False)
    freezing.freeze(version.pk)
    page = reverse("admin:leaderboard_version_change", args=[version.pk])
    shown = admin_client.get(page).content.decode()
    assert "Nothing was imported. Line 32" in shown
    assert "Import the corrected file" in shown
    assert "Freeze again" not in shown
    with good.open("rb") as file:
        answer = admin_client.post(
            reverse("admin:leaderboard_version_corrected", args=[version.pk]), {"file": file}, follow=True
        )
    assert "Received. A worker reads and freezes" in answer.content.decode()
    assert freezing.freeze(version.pk)
    assert (fresh(version).slug, fresh(version).status, fresh(version).error) == ("flat-2026", "frozen", "")


def test_a_corrected_file_that_is_wrong_at_its_beginning_changes_nothing(
    preset: Preset, bad: Path, tmp_path: Path, admin_client: Any
) -> None:
    version = importing.start(preset, bad, wake_worker=False)
    freezing.freeze(version.pk)
    (tmp_path / "other.csv").write_text("id,gold\n1,2\n")
    with (tmp_path / "other.csv").open("rb") as file:
        answer = admin_client.post(
            reverse("admin:leaderboard_version_corrected", args=[version.pk]), {"file": file}, follow=True
        )
    assert "Nothing was imported. Line 1: Not JSON" in answer.content.decode()
    assert fresh(version).status == "failed"
    assert kept() == []


def test_what_was_refused_cannot_be_frozen_again_without_a_file(preset: Preset, bad: Path) -> None:
    version = importing.start(preset, bad, wake_worker=False)
    freezing.freeze(version.pk)
    with pytest.raises(freezing.FreezeError, match="send a corrected file"):
        freezing.retry(fresh(version))
    assert fresh(version).status == "failed"


def test_a_fault_of_the_site_keeps_the_file_and_is_repeated_with_it(
    preset: Preset, good: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    version = importing.start(preset, good, wake_worker=False)
    with monkeypatch.context() as patch:
        patch.setattr(
            sources.FileRows, "keep", lambda self: (_ for _ in ()).throw(OSError(errno.ENOSPC, "full"))
        )
        assert not freezing.freeze(version.pk)
    assert fresh(version).status == "draft"
    assert fresh(version).error == "Waiting: the disk is full. The next attempt starts automatically."
    assert not freezing.freeze(version.pk)  # it waits
    wait_is_over(version)
    assert freezing.freeze(version.pk)
    assert fresh(version).error == ""


def test_a_worker_that_lost_the_lease_leaves_no_trace(
    preset: Preset, good: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    version = importing.start(preset, good, wake_worker=False)
    keep = sources.FileRows.keep

    def taken_over(self: sources.FileRows) -> None:
        taken_by_another(version)
        keep(self)

    monkeypatch.setattr(sources.FileRows, "keep", taken_over)
    assert not freezing.freeze(version.pk)
    assert (fresh(version).status, fresh(version).sha256) == ("freezing", "")
    assert storages["artifacts"].exists(version.upload)


def test_a_version_that_kills_its_worker_is_given_up_in_the_end(preset: Preset, good: Path) -> None:
    version = importing.start(preset, good, wake_worker=False)
    for _ in range(backoff.MAX_ATTEMPTS):
        assert leases.claim(Version.objects.filter(pk=version.pk), status="freezing")
        die(version)
        leases.recover(Version.objects.all())
        wait_is_over(version)
    assert not freezing.freeze(version.pk)
    assert "the worker died 10 times" in fresh(version).error


def test_an_interrupted_freeze_is_free_at_once_and_costs_no_attempt(
    preset: Preset, good: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    version = importing.start(preset, good, wake_worker=False)
    with monkeypatch.context() as patch:
        patch.setattr(sources.FileRows, "keep", lambda self: (_ for _ in ()).throw(KeyboardInterrupt))
        with pytest.raises(KeyboardInterrupt):
            freezing.freeze(version.pk)
    assert (fresh(version).lease_until, fresh(version).attempts) == (None, 0)
    assert freezing.freeze(version.pk)


def test_a_failed_import_is_deleted_with_its_file_and_a_frozen_one_never(
    preset: Preset, good: Path, admin_client: Any
) -> None:
    version = importing.start(preset, good, wake_worker=False)
    Version.objects.update(status=Version.Status.FAILED)
    admin_client.post(reverse("admin:leaderboard_version_delete", args=[version.pk]), {"post": "yes"})
    assert not Version.objects.exists()
    assert kept() == []
    version = importing.start(preset, good, wake_worker=False)
    freezing.freeze(version.pk)
    with pytest.raises(FrozenError):
        freezing.forget(fresh(version))


def test_an_import_may_be_larger_than_an_upload_up_to_its_own_limit(
    preset: Preset, good: Path, admin_client: Any, client: Any, settings: Any, bare_staff: Any
) -> None:
    settings.UPLOAD_MAX_BYTES, settings.IMPORT_MAX_BYTES = 1 << 10, 1 << 20
    address = reverse("admin:leaderboard_preset_import", args=[preset.pk])
    client.force_login(bare_staff)
    with good.open("rb") as file:
        answer = client.post(address, {"file": file})
    assert answer.status_code == 403
    assert not Version.objects.exists()
    assert upload_handlers.limit(answer.wsgi_request) == settings.UPLOAD_MAX_BYTES
    with good.open("rb") as file:
        assert admin_client.post(address, {"file": file}).status_code == 302
    settings.IMPORT_MAX_BYTES = 1 << 10
    with good.open("rb") as file:
        answer = admin_client.post(address, {"file": file})
    assert answer.status_code == 422
    assert "larger than" in answer.content.decode()
    assert Version.objects.count() == 1


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (gzip.compress(bytes(1 << 20)) * 8, "unpacks to more than 300 times"),
        (gzip.compress(b"") * 30_000, "has more than"),
        (b'{"a":' * 100 + b"1" + b"}" * 100, "Line 1: The JSON is nested too deeply"),
        (b"[" + b"1," * 2_000_000 + b"1]", "Line 1: The JSON has too many values"),
    ],
)
def test_a_file_to_import_is_read_within_the_bounds_of_any_other(
    preset: Preset, admin_client: Any, tmp_path: Path, content: bytes, reason: str
) -> None:
    (tmp_path / "bomb").write_bytes(content)
    with (tmp_path / "bomb").open("rb") as file:
        answer = admin_client.post(
            reverse("admin:leaderboard_preset_import", args=[preset.pk]), {"file": file}
        )
    assert answer.status_code == 422
    assert reason in answer.content.decode()
    assert not Version.objects.exists()


def test_a_worker_unpacks_no_more_than_the_bounds_either(tmp_path: Path) -> None:
    (tmp_path / "bomb").write_bytes(gzip.compress(bytes(1 << 20)) * 8)
    with pytest.raises(importing.ImportRefusedError, match="unpacks to more"):
        sources.FileRows(tmp_path / "bomb", SUITE.version(SETTINGS)).fingerprint()


def test_an_import_waits_while_another_file_of_its_account_is_read(
    preset: Preset, good: Path, admin_client: Any, admin_user: Any
) -> None:
    address = reverse("admin:leaderboard_preset_import", args=[preset.pk])
    with checking.slot(admin_user), good.open("rb") as file:
        answer = admin_client.post(address, {"file": file})
    assert (answer.status_code, "Another file of yours" in answer.content.decode()) == (422, True)
    assert not Version.objects.exists()


def test_the_command_imports_with_its_progress_on_the_terminal(preset: Preset, good: Path) -> None:
    out = StringIO()
    call_command("import_rows", "goldevidencebench/flat", str(good), slug="by-hand", stdout=out)
    version = Version.objects.get(slug="by-hand")
    assert version.status == "frozen"
    assert f"{ROWS} rows in 5 units, {version.sha256}" in out.getvalue()


@pytest.mark.parametrize(
    ("preset_name", "file", "words"),
    [
        ("goldevidencebench/flat", "bad.jsonl", "Nothing was imported. Line 32: Row 'E0004T-Q003'"),
        ("goldevidencebench/flat", "none.jsonl", "cannot be read"),
        ("goldevidencebench/none", "bad.jsonl", "There is no preset .* Known: goldevidencebench/flat"),
    ],
)
def test_the_command_says_what_is_wrong_and_leaves_nothing_behind(
    preset: Preset, bad: Path, preset_name: str, file: str, words: str
) -> None:
    with pytest.raises(CommandError, match=words):
        call_command("import_rows", preset_name, str(bad.parent / file), stdout=StringIO())
    assert not Version.objects.exists()
    assert kept() == []
