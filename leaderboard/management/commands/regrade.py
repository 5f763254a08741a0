"""Queue all submissions graded by older graders, and show the progress."""

from __future__ import annotations

import time
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import CommandError

from leaderboard.management.progress import bar
from leaderboard.management.versions import VersionsCommand, chosen_versions
from leaderboard.submissions import regrading


class Command(VersionsCommand):
    help = "Grade results of older graders again: --version goldevidencebench/standard, or --all"

    def add_arguments(self, parser: ArgumentParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("--again", action="store_true", help="include results of the current grader")
        parser.add_argument("--no-wait", action="store_true", help="queue the submissions and return at once")

    def handle(self, *args: Any, address: str | None, again: bool, no_wait: bool, **options: Any) -> None:
        queued: list[str] = []
        for version in chosen_versions(address):
            ids = regrading.queue(version, again=again)
            queued += ids
            self.stdout.write(f"{version.benchmark.slug}/{version.slug}: {len(ids):,} to grade again")
        if queued and not no_wait:
            self.follow(queued)

    def follow(self, ids: list[str]) -> None:
        """Show the progress until the workers are done. Interrupting is safe: the queue is in the database."""
        try:
            with bar("Grading again") as tell:
                while not (state := regrading.progress(ids)).finished:
                    tell(state.done, len(ids))
                    time.sleep(1)
                tell(state.done, len(ids))
        except KeyboardInterrupt:
            self.stdout.write("Stopped watching; the workers continue.")
            return
        if state.failed:
            raise CommandError(
                f"{state.failed} of {state.total} could not be graded again; their old scores stay."
            )
