"""Backups of real sites, restored into others: SQLite and PostgreSQL, a folder and a bucket."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.flows.test_postgres import GRADED
from tests.live import LiveSite
from tests.services import bucket, postgres

#: Submissions come in and go, with their files, while the backup is made.
MEANWHILE = """
import io
from django.core.management import call_command

ended = threading.Event()
made = [submit()]

def go_on():
    while not ended.is_set():
        key = submit()
        row = Submission.objects.get(pk=key)
        row.transcripts_sha256 = storage.keep(one_line(str(key)))
        row.save()
        if len(made) % 2:
            row.delete()
        made.append(key)
    connection.close()

def one_line(text):
    path = Path(FOLDER) / f"{text}.jsonl"
    path.write_text('{"id": "%s"}\\n' % text)
    return path

thread = threading.Thread(target=go_on)
thread.start()
try:
    for _ in range(3):
        call_command("backup", TARGET, stdout=io.StringIO())
        __import__("time").sleep(1)
finally:
    ended.set()
    thread.join()
print(len(made))
"""
STATE = """
import json
from leaderboard.models import Submission, System, Version
print(json.dumps([[v.sha256 for v in Version.objects.all()], sorted(str(s.pk) for s in Submission.objects.all()),
                  [s.name for s in System.objects.all()]]))
"""


class Place:
    """A database and a store of artifacts for a site, of one of three kinds."""

    def __init__(self, kind: str, stack: ExitStack, folder: Path) -> None:
        database, _, store = kind.partition("-")
        url = stack.enter_context(postgres()) if database == "postgres" else ""
        settings = stack.enter_context(bucket())[1] if store == "bucket" else {}
        folder.mkdir()
        self.site = stack.enter_context(LiveSite(folder, database_url=url, **settings))


#: Each database and each storage once.
KINDS = ["sqlite-folder", pytest.param("postgres-bucket", marks=pytest.mark.postgres)]


@pytest.fixture
def stack() -> Iterator[ExitStack]:
    with ExitStack() as entered:
        yield entered


def filled(kind: str, stack: ExitStack, tmp_path: Path) -> LiveSite:
    """A site with a version and one submission."""
    site = Place(kind, stack, tmp_path / "site").site
    site.shell(f"PATH = {str(tmp_path / 'preds.jsonl')!r}\n" + GRADED + "submit()")
    return site


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveSite]:
    """A filled site on SQLite; tests do not change it."""
    with ExitStack() as entered:
        yield filled("sqlite-folder", entered, tmp_path_factory.mktemp("shared"))


def refused(site: LiveSite, *words: str) -> str:
    """The error of a command that fails."""
    with pytest.raises(AssertionError) as caught:
        site.manage(*words)
    return str(caught.value)


@pytest.mark.parametrize("kind", KINDS)
def test_a_backup_made_while_submissions_come_and_go_is_restored_and_drilled(kind, stack, tmp_path) -> None:
    site = Place(kind, stack, tmp_path / "site").site
    target = tmp_path / "backup"
    names = (
        f"PATH = {str(tmp_path / 'preds.jsonl')!r}\nFOLDER = {str(tmp_path)!r}\nTARGET = {str(target)!r}\n"
    )
    assert int(site.shell(names + GRADED + MEANWHILE).splitlines()[-1]) > 3
    said = site.manage("drill", str(target))
    assert "all as in the backup" in said
    assert "The backup is complete" in said

    site.manage("backup", str(target))
    other = Place(kind, stack, tmp_path / "other").site
    assert "all as in the backup" in other.manage("restore", str(target))
    assert "ok" in other.manage("verify_versions")
    assert json.loads(other.shell(STATE)) == json.loads(site.shell(STATE))
    assert other.manage("count_submissions", "--check").strip() == "0 counts wrong"


@pytest.mark.parametrize("kind", KINDS)
def test_a_site_is_replaced_only_when_told_so(kind, stack, tmp_path) -> None:
    site, target = filled(kind, stack, tmp_path), str(tmp_path / "backup")
    before = site.shell(STATE)
    site.manage("backup", target)
    site.shell(
        "from leaderboard.models import *; Submission.objects.all().delete(); System.objects.all().delete()"
    )
    assert "This site has 1 account and 1 version. To replace all of it, add --replace." in refused(
        site, "restore", target
    )
    site.manage("restore", target, "--replace")
    assert site.shell(STATE) == before


def test_a_second_backup_copies_what_is_new_and_older_ones_go_when_told(stack, tmp_path) -> None:
    site, target = filled("sqlite-folder", stack, tmp_path), tmp_path / "backup"
    assert "0 of them new" not in site.manage("backup", str(target))
    copies = {path: path.stat().st_mtime_ns for path in (target / "artifacts").rglob("*.*")}
    site.shell("import time; time.sleep(1.1)")  # generations are named by the second
    assert "0 of them new" in site.manage("backup", str(target))
    assert {path: path.stat().st_mtime_ns for path in (target / "artifacts").rglob("*.*")} == copies
    generations = [path for path in target.iterdir() if path.name[0].isdigit()]
    assert len(generations) == 2
    done = subprocess.run(
        ["sha256sum", "--quiet", "-c", "SHA256SUMS"], cwd=generations[0], capture_output=True
    )
    assert done.returncode == 0, done.stdout

    site.shell(
        "from leaderboard.models import *; Submission.objects.all().delete(); import time; time.sleep(1.1)"
    )
    site.manage("backup", str(target), "--keep", "1")
    assert [path for path in generations if path.exists()] == []
    left = {path.name for path in (target / "artifacts").rglob("*.*")}
    assert 0 < len(left) < len(copies)


def test_a_backup_that_was_broken_off_goes_on(shared, tmp_path) -> None:
    site, target = shared, tmp_path / "backup"
    broken_off = f"""
from django.core.management import call_command
from leaderboard.care import backup
copied, seen = backup._Copier._copied, []
def breaks(self, name):
    seen.append(name)
    if len(seen) == 3:
        raise OSError(28, "No space left on device")
    return copied(self, name)
backup._Copier._copied = breaks
call_command("backup", {str(target)!r})
"""
    assert "Stopped: the disk is full" in refused(site, "shell", "-v", "0", "-c", broken_off)
    assert [path.name for path in target.iterdir() if path.name[0].isdigit()] == []
    there = sum(path.is_file() for path in (target / "artifacts").rglob("*"))
    assert there == 2
    said = site.manage("backup", str(target))
    counted = re.search(r"(\d+) files .* (\d+) of them new", said)
    assert counted is not None
    assert int(counted[1]) - int(counted[2]) == there


def test_files_that_are_damaged_at_the_site_are_named_and_not_backed_up(shared, tmp_path) -> None:
    site, target = shared, tmp_path / "backup"
    path = next((site.folder / "artifacts").rglob("*.parquet"))
    whole = path.read_bytes()
    path.write_bytes(b"PAR1")
    said = refused(site, "backup", str(target))
    path.write_bytes(whole)
    assert "Not in the backup, because missing or damaged: 1 file" in said
    assert f"{path.name}: the stored file" in said
    assert "The drill failed at verify_versions: 1 of 1 submission has files that are missing" in refused(
        site, "drill", str(target)
    )


@pytest.mark.parametrize("left", [b"", b"0123456789"])
def test_a_damaged_backup_is_refused_before_the_database_is_touched(shared, tmp_path, left) -> None:
    site, target = shared, tmp_path / "backup"
    site.manage("backup", str(target))
    before = site.shell(STATE)
    next((target / "artifacts").rglob("*.parquet")).write_bytes(left)
    assert "does not match its SHA-256 in SHA256SUMS: the backup is damaged" in refused(
        site, "drill", str(target)
    )
    artifacts, away = site.folder / "artifacts", site.folder / "away"
    artifacts.rename(away)
    assert "the backup is damaged" in refused(site, "restore", str(target), "--replace")
    shutil.rmtree(artifacts, ignore_errors=True)
    away.rename(artifacts)
    assert site.shell(STATE) == before


def test_what_cannot_be_restored_here_says_why(shared, tmp_path) -> None:
    site, target = shared, tmp_path / "backup"
    assert "contains no backup" in refused(site, "restore", str(target))
    site.manage("backup", str(target))
    generation = next(path for path in target.iterdir() if path.name[0].isdigit())
    assert "has no generation 'x'" in refused(site, "restore", str(target), "--generation", "x")
    assert "has no secret_key" in refused(site, "restore", str(target), "--replace", "--secret-key")
    described = json.loads((generation / "manifest.json").read_text())
    for change, why in (
        ({"vendor": "postgresql"}, "a dump can only be restored into the same kind of database"),
        ({"migrations": [*described["migrations"], "leaderboard.9999_later"]}, "is of a newer release"),
        ({"rows": "many"}, "manifest.json cannot be read"),
        ({"format": 2}, "manifest.json cannot be read"),
    ):
        (generation / "manifest.json").write_text(json.dumps(described | change))
        assert why in refused(site, "restore", str(target), "--replace")


def test_the_secret_key_is_in_a_backup_only_where_it_was_asked_for(shared, tmp_path) -> None:
    site, target = shared, tmp_path / "backup"
    site.manage("backup", str(target))
    generation = next(path for path in target.iterdir() if path.name[0].isdigit())
    assert not (generation / "secret_key").exists()
    key = os.environ["SECRET_KEY"].encode()
    assert not [path for path in generation.iterdir() if key in path.read_bytes()]
    site.shell("import time; time.sleep(1.1)")
    site.manage("backup", str(target), "--secret-key", "--keep", "1")
    kept = next(path for path in target.iterdir() if path.name[0].isdigit()) / "secret_key"
    assert (kept.read_bytes(), kept.stat().st_mode & 0o777) == (key, 0o600)
    site.manage("restore", str(target), "--replace", "--secret-key")
    assert (site.folder / "secret_key").read_bytes() == key
