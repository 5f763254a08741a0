"""Base of commands for one version or all: `--version BENCHMARK/VERSION`, or `--all`."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import CommandError, CommandParser

from leaderboard.benchmarks.models import Version
from leaderboard.benchmarks.querysets import VersionQuerySet
from leaderboard.management.base import SiteCommand


class VersionsCommand(SiteCommand):
    """A command for the versions of `address`, None for all."""

    def create_parser(self, prog_name: str, subcommand: str, **kwargs: Any) -> CommandParser:
        """`--version` replaces Django's option of that name."""
        return super().create_parser(prog_name, subcommand, conflict_handler="resolve", **kwargs)

    def add_arguments(self, parser: ArgumentParser) -> None:
        what = parser.add_mutually_exclusive_group(required=True)
        what.add_argument("--version", metavar="BENCHMARK/VERSION", dest="address", help="one version")
        what.add_argument("--all", action="store_true", help="every frozen and retired version")


def chosen_versions(address: str | None) -> VersionQuerySet:
    """The version of an address, or all readable ones for None. Raises CommandError if there is none."""
    versions = Version.objects.readable()
    if address is None:
        return versions
    benchmark, _, slug = address.partition("/")
    chosen = versions.filter(benchmark__slug=benchmark, slug=slug)
    if not chosen.exists():
        raise CommandError(f"There is no frozen version {address!r}.")
    return chosen
