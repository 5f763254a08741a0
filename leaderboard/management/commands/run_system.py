"""Run a deterministic system over a version in this process, as a verified submission."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import CommandError

from leaderboard.benchmarks import seeding
from leaderboard.benchmarks.models import Version
from leaderboard.management.base import SiteCommand
from leaderboard.management.versions import add_part, open_version
from leaderboard.runs import services as runs
from leaderboard.runs.model_job import JobError
from leaderboard.runs.models import Run


class Command(SiteCommand):
    makes_figures = True
    help = "Run a deterministic system, or all of them: run_system ledger goldevidencebench/standard"

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("system", help="name of the system, or `all`")
        add_part(parser)

    def handle(self, *args: Any, system: str, version: str, **options: Any) -> None:
        chosen_version = open_version(version)
        for name in runs.executors(chosen_version) if system == "all" else [system]:
            self.run_one(chosen_version, name, splits=options["conditions"], row_limit=options["limit"])

    def run_one(self, version: Version, name: str, **part: Any) -> None:
        try:
            run = runs.start(
                version=version, executor=name, started_by=seeding.site_user(), wake_worker=False, **part
            )
        except JobError as error:
            raise CommandError(str(error)) from error
        runs.execute(str(run.pk), grade_now=True)
        run = Run.objects.select_related("submission__score").get(pk=run.pk)
        if run.submission is None or run.submission.score is None:
            raise CommandError(f"{name}: {run.error or run.get_status_display()}")
        self.stdout.write(f"{name:24} {run.submission.result_line(run.submission.score)}")
