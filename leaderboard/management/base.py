"""Base of management commands: no abbreviated options, no secrets in messages."""

from __future__ import annotations

from typing import Any

from django.core.management import base
from django.core.management.base import BaseCommand, CommandError, CommandParser

from evaluation.adapters.environment import UnknownVariableError, refuse_unknown
from evaluation.core.secrets import redact
from evaluation.core.terminal.parser import DiscreetMixin


class SiteParser(DiscreetMixin, CommandParser):
    """Django's parser without abbreviations and without secrets in messages."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options | {"allow_abbrev": False})


def use_site_parser() -> None:
    """Use `SiteParser` for commands of Django and other packages, too."""
    base.CommandParser = SiteParser  # type: ignore[misc]


class SiteCommand(BaseCommand):
    #: True if the command computes scores: unknown environment variables are then refused.
    makes_figures = False

    def create_parser(self, prog_name: str, subcommand: str, **kwargs: Any) -> CommandParser:
        parser = super().create_parser(prog_name, subcommand, allow_abbrev=False, **kwargs)
        parser.__class__ = SiteParser
        return parser

    def tell(self, text: str) -> None:
        """Write a line of progress at once, even to a file."""
        self.stdout.write(text)
        self.stdout.flush()

    def execute(self, *args: Any, **options: Any) -> str | None:
        try:
            if self.makes_figures:
                # Runs take settings from --set only, so variables with settings are refused as well.
                refuse_unknown(reads_settings=False)
            return super().execute(*args, **options)
        except UnknownVariableError as error:
            raise CommandError(redact(str(error)), returncode=2) from error
        except CommandError as error:
            raise CommandError(redact(str(error)), returncode=error.returncode) from error
