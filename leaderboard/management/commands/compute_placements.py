"""Compute the ranks of every board now, without waiting for a worker."""

from __future__ import annotations

from typing import Any

from evaluation.core.terminal.wording import number_of
from leaderboard.benchmarks.models import Version
from leaderboard.boards.placements import computing
from leaderboard.management.base import SiteCommand


class Command(SiteCommand):
    help = "Compute the missing ranks of all boards now. Workers also do this when they start."

    def handle(self, *args: Any, **options: Any) -> None:
        for version in Version.objects.readable():
            boards = number_of(computing.store(version), "board")
            self.stdout.write(f"{version.benchmark.slug}/{version.slug}: {boards} computed")
