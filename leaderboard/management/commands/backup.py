"""Back up the database and all stored files into a folder, while the site runs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser
from django.template.defaultfilters import filesizeformat

from evaluation.core.terminal.wording import number_of
from leaderboard.care import backup
from leaderboard.care.manifest import BackupError
from leaderboard.management.base import SiteCommand
from leaderboard.management.progress import bar


class Command(SiteCommand):
    help = (
        "Back up the database and all stored files into a folder. Each backup adds a generation of the database and "
        "the new files. Works while the site runs, resumes after an interruption, excludes model files."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("folder", type=Path, metavar="DEST", help="the folder; created if missing")
        parser.add_argument(
            "--keep",
            type=int,
            default=0,
            metavar="N",
            help="delete all but the newest N generations; default: keep all",
        )
        parser.add_argument("--secret-key", action="store_true", help="also save the site's SECRET_KEY")

    def handle(self, *args: Any, folder: Path, keep: int, secret_key: bool, **options: Any) -> None:
        if keep < 0:
            raise CommandError(f"--keep {keep}: give a number of generations, or 0 to keep all.")
        try:
            with bar("Copying files") as tell:
                made = backup.make(folder, tell=tell, secret_key=secret_key, keep=keep)
        except BackupError as error:
            raise CommandError(str(error)) from error
        described = made.manifest
        self.stdout.write(
            f"{made.generation}: {number_of(sum(described.rows.values()), 'row')}, "
            f"{number_of(described.files, 'file')} ({filesizeformat(described.bytes)}), {made.copied:,} of them new."
        )
        if described.bad:
            for name, why in described.bad.items():
                self.stderr.write(f"{name}: {why}")
            raise CommandError(
                f"Not in the backup, because missing or damaged: {number_of(len(described.bad), 'file')}. "
                "See manage.py verify_versions --repair."
            )
