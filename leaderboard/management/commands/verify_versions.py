"""Recompute every frozen version's hashes from its files and settings, and make damaged files again."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import CommandError

from evaluation.core.terminal.wording import noun, number_of
from leaderboard.benchmarks.models import Version
from leaderboard.benchmarks.sealing import verifying
from leaderboard.jobs import faults
from leaderboard.management.base import SiteCommand


class Command(SiteCommand):
    help = (
        "Recompute the SHA-256 of every frozen version (rows, gold, settings, grader) and record the result. "
        "Exit 1 where one differs."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--repair",
            action="store_true",
            help="rebuild damaged rows and gold from the version's settings, or from the file it was imported "
            "from; only what matches the sealed SHA-256 is stored",
        )

    def handle(self, *args: Any, repair: bool, **options: Any) -> None:
        bad = 0
        versions = list(Version.objects.readable())
        for number, version in enumerate(versions, 1):
            address = f"{version.benchmark.slug}/{version.slug}"
            self.stdout.write(f"[{number}/{len(versions)}] {address} ", ending="")
            bad += not self.examine(version, repair=repair)
        if bad:
            verb = noun(bad, "does not match its", "do not match their")
            raise CommandError(f"{bad} of {number_of(len(versions), 'version')} {verb} SHA-256.")

    def examine(self, version: Version, *, repair: bool) -> bool:
        """Verify one version and say what came out. Raises CommandError where the storage cannot be read."""
        try:
            if verifying.verify(version.pk):
                self.stdout.write(self.style.SUCCESS(f"ok {version.sha256}"))
                return True
            version.refresh_from_db(fields=["damage"])
            self.stdout.write(self.style.ERROR(f"BAD: {version.damage}"))
            return repair and self.repair(version)
        except Exception as error:
            if reason := faults.passing(error):
                raise CommandError(f"Stopped: {reason} ({error}). What was checked is recorded.") from error
            raise

    def repair(self, version: Version) -> bool:
        try:
            mended = verifying.repair(version.pk)
        except verifying.RepairError as error:
            self.stdout.write(self.style.ERROR(f"      {error}"))
            return False
        if mended:
            self.stdout.write(self.style.SUCCESS(f"      made again, ok {version.sha256}"))
        return mended
