"""Run the strategies again whose contexts an older revision of this site built."""

from __future__ import annotations

from argparse import ArgumentParser
from collections import Counter
from typing import Any

from django.core.management.base import CommandError

from leaderboard.benchmarks.models import Version
from leaderboard.management.base import SiteCommand
from leaderboard.runs import rerunning
from leaderboard.runs import services as runs
from leaderboard.runs.models import Run


class Command(SiteCommand):
    makes_figures = True
    help = (
        "Run again what an older revision of StateBench's contexts made: rerun --version statebench/quick, or "
        "rerun --all. New results take the place of the old ones, which stay in their systems' histories."
    )

    def create_parser(self, prog_name: str, subcommand: str, **kwargs: Any) -> Any:
        """`--version` is ours here, not Django's."""
        return super().create_parser(prog_name, subcommand, conflict_handler="resolve", **kwargs)

    def add_arguments(self, parser: ArgumentParser) -> None:
        what = parser.add_mutually_exclusive_group(required=True)
        what.add_argument("--version", metavar="BENCHMARK/VERSION", dest="address", help="one version")
        what.add_argument("--all", action="store_true", help="every frozen and retired version")
        parser.add_argument("--dry-run", action="store_true", help="only say what would be run")

    def handle(self, *args: Any, address: str | None, dry_run: bool, **options: Any) -> None:
        versions = Version.objects.readable()
        if address is not None:
            benchmark, _, slug = address.partition("/")
            versions = versions.filter(benchmark__slug=benchmark, slug=slug)
            if not versions.exists():
                raise CommandError(f"There is no frozen version {address!r}.")
        found = rerunning.outdated(versions)
        counts = Counter(self.run_one(run, dry_run=dry_run) for run in found)
        self.stdout.write(
            f"{len(found)} made with older contexts: {counts['again']} run again, {counts['left']} left as they are"
        )
        if counts["failed"]:
            raise CommandError(f"{counts['failed']} could not be run again; their old results stay.")

    def run_one(self, run: Run, *, dry_run: bool) -> str:
        """Run one again and say what came of it: `again`, `left` or `failed`."""
        if why := "would be run again" if dry_run else rerunning.why_not_here(run):
            self.stdout.write(f"{run}: {why}")
            return "left"
        try:
            new = rerunning.run_again(run)
        except runs.RunError as error:
            self.stdout.write(f"{run}: {error}")
            return "failed"
        self.stdout.write(f"{run}: {new.submission.score if new.submission else None}")
        return "again"
