"""Check and correct the stored counts of submissions."""

from __future__ import annotations

from typing import Any

from django.core.management.base import CommandError
from django.db import DEFAULT_DB_ALIAS

from evaluation.core.terminal.wording import number_of
from leaderboard.management.base import SiteCommand
from leaderboard.submissions import count_triggers


class Command(SiteCommand):
    help = "Check and correct the counts of submissions, which database triggers keep up to date."

    def add_arguments(self, parser: Any) -> None:
        parser.add_argument(
            "--check", action="store_true", help="only report errors; exit 1 if there are any"
        )

    def handle(self, *args: Any, check: bool, **options: Any) -> None:
        wrong = number_of(faults := count_triggers.wrong(DEFAULT_DB_ALIAS), "count")
        if check and faults:
            raise CommandError(f"{wrong} wrong. Run manage.py count_submissions to correct them.")
        if not check:
            count_triggers.recount(DEFAULT_DB_ALIAS)
        self.stdout.write(f"{wrong} wrong{', corrected' if faults else ''}")
