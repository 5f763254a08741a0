"""What `manage.py check` says of suites and adapters that installed distributions add."""

from __future__ import annotations

from typing import Any

from django.core.checks import CheckMessage, Warning

from evaluation import adapters
from evaluation.core import suite


def faults(app_configs: Any = None, **options: Any) -> list[CheckMessage]:
    """A warning for each entry point that cannot be used: the site starts, and does without it.

    Args:
        app_configs: Of Django's checks; these are of no single app.
        options: Of Django's checks.
    """
    hint = "Install a version of that distribution that works, or remove it."
    return [
        Warning(fault, hint=hint, id="leaderboard.W001") for fault in [*suite.faults(), *adapters.faults()]
    ]
