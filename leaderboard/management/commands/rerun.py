"""Repeat runs whose contexts were built by an older revision of their suite."""

from __future__ import annotations

from argparse import ArgumentParser
from collections import Counter
from typing import Any

from django.core.management.base import CommandError

from evaluation.core.terminal.wording import number_of
from leaderboard.management.versions import VersionsCommand, chosen_versions
from leaderboard.runs import rerunning
from leaderboard.runs.model_job import JobError
from leaderboard.runs.models import Run


class Command(VersionsCommand):
    makes_figures = True
    help = (
        "Repeat runs with contexts of an older revision: rerun --version <benchmark>/<version>, or rerun --all. "
        "New results replace the old ones, which stay in the histories of their systems."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("--dry-run", action="store_true", help="only list the runs to repeat")

    def handle(self, *args: Any, address: str | None, dry_run: bool, **options: Any) -> None:
        outdated = rerunning.outdated(chosen_versions(address))
        counts = Counter(self.run_one(run, dry_run=dry_run) for run in outdated)
        self.stdout.write(
            f"{number_of(len(outdated), 'run')} with older contexts: "
            f"{counts['again']} repeated, {counts['left']} skipped"
        )
        if counts["failed"]:
            raise CommandError(f"{number_of(counts['failed'], 'run')} failed again; old results stay.")

    def run_one(self, run: Run, *, dry_run: bool) -> str:
        """Repeat one run. Returns `again` if repeated, `left` if skipped, or `failed`."""
        if why := "would be repeated" if dry_run else rerunning.why_not_here(run):
            self.stdout.write(f"{run}: {why}")
            return "left"
        try:
            new = rerunning.run_again(run)
        except JobError as error:
            self.stdout.write(f"{run}: {error}")
            return "failed"
        made = new.submission
        self.stdout.write(f"{run}: {made.result_line(made.score) if made and made.score else None}")
        return "again"
