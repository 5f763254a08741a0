"""Add the engine's named presets, ready to be frozen in the admin."""

from __future__ import annotations

from typing import Any

from evaluation.core.terminal.wording import number_of
from leaderboard.benchmarks import seeding
from leaderboard.management.base import SiteCommand


class Command(SiteCommand):
    help = "Add the engine's named presets that the database lacks."

    def handle(self, *args: Any, **options: Any) -> None:
        self.stdout.write(f"{number_of(seeding.presets(), 'preset')} added.")
