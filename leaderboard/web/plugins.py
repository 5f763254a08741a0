"""System check of the suites and adapters of installed plugins."""

from __future__ import annotations

from typing import Any

from django.core.checks import CheckMessage, Warning

from evaluation import adapters
from evaluation.core import suite


def faults(app_configs: Any = None, **options: Any) -> list[CheckMessage]:
    """A warning for each unusable entry point; the site starts without it."""
    hint = "Install a working version of that distribution, or remove it."
    return [
        Warning(fault, hint=hint, id="leaderboard.W001") for fault in [*suite.faults(), *adapters.faults()]
    ]
