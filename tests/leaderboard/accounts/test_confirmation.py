"""Deploying a public site that confirms no addresses gives a warning, as accounts cost nothing there."""

from __future__ import annotations

from typing import Any

import pytest
from django.core.checks import run_checks

SMTP = "django.core.mail.backends.smtp.EmailBackend"
CONSOLE = "django.core.mail.backends.console.EmailBackend"


@pytest.mark.parametrize(
    ("backend", "verification", "is_told"),
    [
        (SMTP, "optional", False),
        (SMTP, "mandatory", False),
        (SMTP, "none", True),
        (CONSOLE, "optional", True),
    ],
)
def test_deploying_without_confirmed_addresses_warns(
    settings: Any, backend: str, verification: str, is_told: bool
) -> None:
    settings.EMAIL_BACKEND, settings.ACCOUNT_EMAIL_VERIFICATION = backend, verification
    told = {each.id for each in run_checks(include_deployment_checks=True)}
    assert ("leaderboard.W002" in told) == is_told
    assert ("leaderboard.E003" in told) == (backend == CONSOLE)
    assert not {"leaderboard.W002", "leaderboard.E003"} & {each.id for each in run_checks()}
