"""Run the conformance vectors against our implementation and store the report."""

from __future__ import annotations

from typing import Any

from django.core.management.base import CommandError

from evaluation.core.terminal.wording import number_of
from leaderboard.conformance import services as conformance
from leaderboard.management.base import SiteCommand


class Command(SiteCommand):
    help = "Check our StateBench implementation against its specification. Exit 1 if a requirement fails."

    def handle(self, *args: Any, **options: Any) -> None:
        report = conformance.run()
        self.stdout.write(f"{report}, {report.passed} of {number_of(report.total, 'vector')}")
        self.stdout.write(report.get_absolute_url())
        if failed := [row["id"] for row in report.requirements if row["passed"] is False]:
            raise CommandError(f"failed: {', '.join(failed)}")
