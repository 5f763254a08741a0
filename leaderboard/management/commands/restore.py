"""Replace the site's data with a backup."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser

from evaluation.core.terminal.wording import number_of
from leaderboard.care import manifest, restoring
from leaderboard.care.manifest import BackupError
from leaderboard.management.base import SiteCommand
from leaderboard.management.progress import bar


class Command(SiteCommand):
    help = (
        "Restore a backup, comparing each file with its SHA-256 and each table with its number of rows. Stop web "
        "processes and workers first."
    )
    requires_migrations_checks = False

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("folder", type=Path, metavar="SRC", help="the folder that `backup` wrote")
        parser.add_argument("--generation", default="", metavar="NAME", help="default: the newest")
        parser.add_argument(
            "--replace",
            action="store_true",
            help="replace a site that has accounts or versions; all its data are lost",
        )
        parser.add_argument(
            "--secret-key", action="store_true", help="also restore the SECRET_KEY of the backup"
        )

    def handle(
        self, *args: Any, folder: Path, generation: str, replace: bool, secret_key: bool, **options: Any
    ) -> None:
        try:
            chosen = manifest.chosen(folder, generation)
            with bar("Restoring files") as tell:
                described = restoring.restore(chosen, tell=tell, replace=replace, secret_key=secret_key)
        except BackupError as error:
            raise CommandError(str(error)) from error
        self.stdout.write(
            f"Restored {chosen}: {number_of(sum(described.rows.values()), 'row')} in "
            f"{number_of(len(described.rows), 'table')}, {number_of(described.files, 'file')}, all as in the backup."
        )
        if behind := restoring.not_applied():
            self.stdout.write(
                f"The backup is of an older release: run manage.py migrate ({number_of(len(behind), 'step')})."
            )
        for name, why in described.bad.items():
            self.stderr.write(f"Not in the backup: {name}: {why}")
