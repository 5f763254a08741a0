"""Submit the runs that come with the source to the open versions whose rows they answer."""

from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from evaluation.core.terminal.wording import number_of
from leaderboard.benchmarks.models import Version
from leaderboard.boards.placements import computing
from leaderboard.management.base import SiteCommand
from leaderboard.runs.shipped import folders, loading


class Command(SiteCommand):
    help = "Submit and grade the runs of small models that come with the source. The demo does this automatically."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--from", type=Path, default=folders.SHIPPED, dest="root", help="another folder of shipped runs"
        )

    def handle(self, *args: Any, root: Path, **options: Any) -> None:
        taken = 0
        for version in Version.objects.open().without_twins().select_related("benchmark", "preset"):
            if new := loading.load(version, tell=self.stdout.write, root=root):
                computing.store(version)
            taken += len(new)
        self.stdout.write(f"{number_of(taken, 'run')} submitted." if taken else "There are no new runs.")
