"""Command that builds the engine's wheel, which the site then offers for download."""

from __future__ import annotations

from typing import Any

from django.core.management.base import CommandError

from leaderboard.management.base import SiteCommand
from leaderboard.web import engine


class Command(SiteCommand):
    help = "Build the engine's wheel from this source, without network. The site's guide then offers it for download."

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            self.stdout.write(str(engine.build()))
        except engine.BuildError as error:
            raise CommandError(f"The wheel of the engine cannot be built: {error}") from error
