"""Queue every submission that an older grader graded, and show how far the workers are."""

from __future__ import annotations

import time
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import CommandError
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from leaderboard.benchmarks.models import Version
from leaderboard.management.base import SiteCommand
from leaderboard.submissions import regrading


class Command(SiteCommand):
    help = "Grade again what an older grader graded: regrade --version goldevidencebench/standard, or regrade --all"

    def create_parser(self, prog_name: str, subcommand: str, **kwargs: Any) -> Any:
        """`--version` is ours here, not Django's."""
        return super().create_parser(prog_name, subcommand, conflict_handler="resolve", **kwargs)

    def add_arguments(self, parser: ArgumentParser) -> None:
        what = parser.add_mutually_exclusive_group(required=True)
        what.add_argument("--version", metavar="BENCHMARK/VERSION", dest="address", help="one version")
        what.add_argument("--all", action="store_true", help="every frozen and retired version")
        parser.add_argument("--again", action="store_true", help="what the present grader graded, too")
        parser.add_argument("--no-wait", action="store_true", help="queue them and return at once")

    def handle(self, *args: Any, address: str | None, again: bool, no_wait: bool, **options: Any) -> None:
        queued: list[str] = []
        for version in _versions(address):
            ids = regrading.queue(version, again=again)
            queued += ids
            self.stdout.write(f"{version.benchmark.slug}/{version.slug}: {len(ids):,} to grade again")
        if queued and not no_wait:
            self.follow(queued)

    def follow(self, ids: list[str]) -> None:
        """Wait for the workers. The queue lives in the database, so breaking off loses nothing."""
        columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
        try:
            with Progress(*columns) as bar:
                task = bar.add_task("Grading again", total=len(ids))
                while not (state := regrading.progress(ids)).finished:
                    bar.update(task, completed=state.done)
                    time.sleep(1)
                bar.update(task, completed=state.done)
        except KeyboardInterrupt:
            self.stdout.write("Stopped watching; the workers go on.")
            return
        if state.failed:
            raise CommandError(
                f"{state.failed} of {state.total} could not be graded again; their old scores stay."
            )


def _versions(address: str | None) -> list[Version]:
    versions = Version.objects.readable()
    if address is None:
        return list(versions)
    benchmark, _, slug = address.partition("/")
    found = list(versions.filter(benchmark__slug=benchmark, slug=slug))
    if not found:
        raise CommandError(f"There is no frozen version {address!r}.")
    return found
