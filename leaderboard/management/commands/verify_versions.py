"""Recompute every frozen version's hashes from its files and settings."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError

from leaderboard import freezing, storage
from leaderboard.models import Version


class Command(BaseCommand):
    help = "Recompute the SHA-256 of every frozen version (rows, gold, settings, grader). Exit 1 where one differs."

    def handle(self, *args: Any, **options: Any) -> None:
        bad = 0
        versions = Version.objects.readable()
        for number, version in enumerate(versions, 1):
            self.stdout.write(
                f"[{number}/{len(versions)}] {version.benchmark.slug}/{version.slug} ", ending=""
            )
            try:
                freezing.check_seal(version)
                storage.verify(version.rows_sha256)
                storage.verify(version.gold_sha256)
            except storage.DamagedFileError as error:
                bad += 1
                self.stdout.write(self.style.ERROR(f"BAD: {error}"))
            else:
                self.stdout.write(self.style.SUCCESS(f"ok {version.sha256}"))
        if bad:
            raise CommandError(f"{bad} of {len(versions)} versions do not match their SHA-256.")
