"""Make the public twin of a frozen version: same settings, other seeds, public answers."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import CommandError

from evaluation.core.errors import BenchmarkError
from leaderboard.benchmarks import freezing
from leaderboard.benchmarks.models import Version
from leaderboard.benchmarks.sealing import twins
from leaderboard.management.base import SiteCommand


class Command(SiteCommand):
    help = "Make the public twin of a version: make_twin goldevidencebench/standard"

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("version", help="the address of a frozen version: <benchmark>/<version>")

    def handle(self, *args: Any, version: str, **options: Any) -> None:
        chosen = Version.objects.readable().by_address(version)
        if chosen is None:
            raise CommandError(f"There is no frozen version {version!r}.")
        try:
            twin = twins.make(chosen, wake_worker=False)
            freezing.freeze(twin.pk)
        except (freezing.FreezeError, BenchmarkError) as error:
            raise CommandError(str(error)) from error
        twin.refresh_from_db()
        if not twin.is_final:
            raise CommandError(twin.error or f"{twin} is not frozen yet: a worker will continue.")
        self.stdout.write(f"{twin.benchmark.slug}/{twin.slug}: {twin.row_count:,} rows, sha256 {twin.sha256}")
