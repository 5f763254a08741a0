"""Command-line arguments that select versions and their rows."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import CommandError, CommandParser

from leaderboard.benchmarks.models import Version
from leaderboard.benchmarks.querysets import VersionQuerySet
from leaderboard.management.base import SiteCommand


class VersionsCommand(SiteCommand):
    """A command for a version or for all: `address` is the value of `--version`, or None with `--all`."""

    def create_parser(self, prog_name: str, subcommand: str, **kwargs: Any) -> CommandParser:
        """Let `--version` replace Django's option of that name."""
        return super().create_parser(prog_name, subcommand, conflict_handler="resolve", **kwargs)

    def add_arguments(self, parser: ArgumentParser) -> None:
        what = parser.add_mutually_exclusive_group(required=True)
        what.add_argument("--version", metavar="BENCHMARK/VERSION", dest="address", help="one version")
        what.add_argument("--all", action="store_true", help="every frozen and retired version")


def chosen_versions(address: str | None) -> VersionQuerySet:
    """The version at an address; None: all readable versions. Raises CommandError for an unknown address."""
    versions = Version.objects.readable()
    if address is None:
        return versions
    benchmark, _, slug = address.partition("/")
    chosen = versions.filter(benchmark__slug=benchmark, slug=slug)
    if not chosen.exists():
        raise CommandError(f"There is no frozen version {address!r}.")
    return chosen


def open_version(address: str) -> Version:
    """The open version at an address. Raises CommandError if there is none."""
    if (version := Version.objects.open().by_address(address)) is None:
        raise CommandError(f"There is no open version {address!r}.")
    return version


def add_part(parser: ArgumentParser) -> None:
    """Add the arguments that select a version, and which of its rows to run over."""
    parser.add_argument("version", help="<benchmark>/<version>")
    parser.add_argument(
        "--conditions", nargs="+", default=[], metavar="NAME", help="only these conditions; default: all"
    )
    parser.add_argument(
        "--limit",
        type=int,
        metavar="N",
        help="only N rows, spread over splits and lengths, as a private trial",
    )
