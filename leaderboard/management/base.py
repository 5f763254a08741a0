"""What the management commands of this site have in common: options written in full, and messages without secrets."""

from __future__ import annotations

from typing import Any

from django.core.management import base
from django.core.management.base import BaseCommand, CommandError, CommandParser

from evaluation.adapters.environment import UnknownVariableError, refuse_unknown
from evaluation.core.secrets import redact
from evaluation.core.terminal.parser import DiscreetMixin


class SiteParser(DiscreetMixin, CommandParser):
    """Django's parser, discreet and with options in full."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options | {"allow_abbrev": False})


def use_site_parser() -> None:
    """Have the commands of Django and of other packages read by our parser, too."""
    base.CommandParser = SiteParser  # type: ignore[misc]


class SiteCommand(BaseCommand):
    """A command whose options cannot be abbreviated."""

    #: Whether it makes figures: then no variable may be set that nothing reads.
    makes_figures = False

    def create_parser(self, prog_name: str, subcommand: str, **kwargs: Any) -> CommandParser:
        """Django names the class of its parsers itself, so this one becomes ours afterwards."""
        parser = super().create_parser(prog_name, subcommand, allow_abbrev=False, **kwargs)
        parser.__class__ = SiteParser
        return parser

    def execute(self, *args: Any, **options: Any) -> str | None:
        """As in Django, with secrets removed from the error."""
        try:
            if self.makes_figures:
                # A run takes its settings from --set alone, so those of the environment are strangers, too.
                refuse_unknown(reads_settings=False)
            return super().execute(*args, **options)
        except UnknownVariableError as error:
            raise CommandError(redact(str(error)), returncode=2) from error
        except CommandError as error:
            raise CommandError(redact(str(error)), returncode=error.returncode) from error
