"""Test a backup: restore it into a scratch database and folder, and verify it there."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit, urlunsplit

from django.conf import settings
from django.core.management.base import CommandError, CommandParser
from django.db import Error as DatabaseTrouble
from django.db import connection

from leaderboard.care import manifest
from leaderboard.care.manifest import BackupError
from leaderboard.management.base import SiteCommand

STEPS = (("restore", "Restored and compared"), ("verify_versions", "Verified"))


class Command(SiteCommand):
    help = (
        "Restore a backup into a scratch database and a temporary folder, compare every SHA-256 and number of rows, "
        "and run verify_versions there. The site is not touched."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("folder", type=Path, metavar="SRC", help="the folder that `backup` wrote")
        parser.add_argument("--generation", default="", metavar="NAME", help="default: the newest")
        parser.add_argument(
            "--database",
            default="",
            metavar="URL",
            help="an empty database; default: a new one on the site's server",
        )
        parser.add_argument(
            "--scratch", metavar="FOLDER", help="folder with space for all files; default: TMPDIR"
        )

    def handle(
        self, *args: Any, folder: Path, generation: str, database: str, scratch: str | None, **options: Any
    ) -> None:
        try:
            chosen = manifest.chosen(folder, generation)
            vendor = manifest.read(chosen).vendor
        except BackupError as error:
            raise CommandError(str(error)) from error
        with (
            tempfile.TemporaryDirectory(prefix="drill-", dir=scratch) as place,
            _database(vendor, database, place) as url,
        ):
            self.go_through(
                url, Path(place), {"restore": [str(folder.resolve()), "--generation", chosen.name]}
            )

    def go_through(self, url: str, place: Path, words: dict[str, list[str]]) -> None:
        """Run the drill's steps in processes on the scratch site in `place`. `words` has each command's arguments."""
        started = time.monotonic()
        for command, done in STEPS:
            begun = time.monotonic()
            ran = subprocess.run(
                [sys.executable, str(settings.BASE_DIR / "manage.py"), command, *words.get(command, [])],
                env=_environment(url, place), capture_output=True, text=True,
            )  # fmt: skip
            self.stdout.write(ran.stdout)
            if ran.returncode:
                raise CommandError(
                    f"The drill failed at {command}: {ran.stderr.strip().removeprefix('CommandError: ')}"
                )
            self.stdout.write(f"{done} in {(time.monotonic() - begun) / 60:.1f} minutes.")
        minutes = (time.monotonic() - started) / 60
        self.stdout.write(
            self.style.SUCCESS(f"The backup is complete; the drill took {minutes:.1f} minutes in all.")
        )


def _environment(url: str, place: Path) -> dict[str, str]:
    scratch = {"DATABASE_URL": url, "DATA_DIR": str(place), "SECRET_KEY": uuid.uuid4().hex}
    scratch |= {"S3_BUCKET": "", "CACHE_URL": "", "BROKER_URL": "filesystem://", "MODELS_DIR": ""}
    return {**os.environ, **scratch}


@contextmanager
def _database(vendor: str, given: str, place: str) -> Iterator[str]:
    """Yield the URL of an empty database: `given`, or a temporary database that is removed afterwards."""
    if given:
        yield given
    elif vendor == "sqlite":
        yield f"sqlite:///{place}/site.sqlite3"
    elif connection.vendor != vendor:
        raise CommandError(f"The backup is of {vendor}. Name an empty database of that kind with --database.")
    else:
        name = f"drill_{uuid.uuid4().hex[:12]}"  # needs no quotes
        with connection.cursor() as cursor:
            try:
                cursor.execute(f"CREATE DATABASE {name} TEMPLATE template0")
            except DatabaseTrouble as error:
                raise CommandError(
                    f"No scratch database could be created ({error}). Name one with --database."
                ) from error
            try:
                yield urlunsplit(urlsplit(os.environ["DATABASE_URL"])._replace(path=f"/{name}"))
            finally:
                cursor.execute(f"DROP DATABASE {name}")
