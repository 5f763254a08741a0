"""`python -m leaderboard.management.shipped make` runs the shipped systems; `load` submits their runs to the boards."""

from __future__ import annotations

import os
import sys
from importlib import import_module

import django

PACKAGE, COMMANDS = "leaderboard.management.shipped", ("make", "load")


def main(argv: list[str]) -> int:
    """Run the command named by `argv[0]`. Returns the exit code."""
    if not argv or argv[0] not in COMMANDS:
        print(f"usage: python -m {PACKAGE} {{{','.join(COMMANDS)}}} …", file=sys.stderr)
        return 2
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "benchsite.settings")
    django.setup()
    command = import_module(f"{PACKAGE}.{argv[0]}").Command()
    command.run_from_argv([f"python -m {PACKAGE}", *argv])
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
