"""A digest comes once a week, and only of a week with results."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.core import mail

from leaderboard.benchmarks.models import Version
from leaderboard.notices import digests
from leaderboard.notices.models import Follow
from leaderboard.submissions.models import Submission, System
from tests.leaderboard.notices.conftest import SITE


@pytest.fixture
def week_over(user: Any, ranked_version: Version, confirmed: None) -> Follow:
    """A follow of the board that is a week old."""
    made = Follow.objects.create(user=user, version=ranked_version)
    Follow.objects.update(told_at=made.told_at - digests.EVERY)
    return made


def test_a_week_with_results_is_one_mail(
    week_over: Follow, ranked_version: Version, system: System, submit: Callable[..., Submission]
) -> None:
    made = submit(ranked_version, system)
    assert digests.send_due() == 1
    (sent,) = mail.outbox
    assert sent.subject == "Ranked: the week on the board"
    assert "1 new result on Ranked in the last week:" in sent.body
    assert "- Ledger reader, 100.0%" in sent.body
    assert "Systems that may rank first: Ledger reader." in sent.body
    assert f"{SITE}{ranked_version.get_board_url()}" in sent.body
    assert made.system.name == "Ledger reader"
    assert digests.send_due() == 0


def test_a_week_without_results_is_no_mail_and_over(week_over: Follow) -> None:
    assert digests.send_due() == 0
    assert mail.outbox == []
    week_over.refresh_from_db()
    assert not Follow.objects.filter(told_at__lt=week_over.told_at).exists()
    assert digests.send_due() == 0


def test_private_results_are_in_no_digest(
    week_over: Follow, ranked_version: Version, system: System, submit: Callable[..., Submission]
) -> None:
    submit(ranked_version, system, visibility="private")
    assert digests.send_due() == 0


def test_digests_are_looked_for_once_an_hour(
    week_over: Follow, ranked_version: Version, system: System, submit: Callable[..., Submission]
) -> None:
    assert digests.send_when_due() == 0
    submit(ranked_version, system)
    Follow.objects.update(told_at=week_over.told_at - digests.EVERY)
    assert digests.send_when_due() == 0
