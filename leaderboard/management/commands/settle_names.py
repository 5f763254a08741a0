"""Apply the rules for account names to unchecked accounts, such as accounts of a restored dump."""

from __future__ import annotations

from typing import Any

from django.apps import apps

from leaderboard.accounts import name_settling
from leaderboard.management.base import SiteCommand


class Command(SiteCommand):
    help = "Rename accounts with a reserved name or a name that looks like another's; old addresses keep working."

    def handle(self, *args: Any, **options: Any) -> None:
        renamed = name_settling.settle(apps.get_model)
        for each in renamed:
            self.stdout.write(f"{each.before} is called {each.after} now ({each.reason})")
        self.stdout.write(f"{len(renamed)} renamed.")
