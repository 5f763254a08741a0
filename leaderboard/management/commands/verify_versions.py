"""Recompute every frozen version's hashes from its files and settings."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError

from leaderboard import freezing
from leaderboard.models import Version


class Command(BaseCommand):
    help = (
        "Recompute the SHA-256 of every frozen version (rows, gold, settings, grader) and record the result. "
        "Exit 1 where one differs."
    )

    def handle(self, *args: Any, **options: Any) -> None:
        bad = 0
        versions = list(Version.objects.readable())
        for number, version in enumerate(versions, 1):
            address = f"{version.benchmark.slug}/{version.slug}"
            self.stdout.write(f"[{number}/{len(versions)}] {address} ", ending="")
            if freezing.verify(version.pk):
                self.stdout.write(self.style.SUCCESS(f"ok {version.sha256}"))
            else:
                bad += 1
                version.refresh_from_db(fields=["damage"])
                self.stdout.write(self.style.ERROR(f"BAD: {version.damage}"))
        if bad:
            raise CommandError(f"{bad} of {len(versions)} versions do not match their SHA-256.")
