"""The counts of submissions are right after every write, however it is made."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.utils import timezone

from leaderboard.benchmarks.models import Version
from leaderboard.models import SubmissionCount, SystemCounts
from leaderboard.submissions import count_triggers
from leaderboard.submissions import services as submissions
from leaderboard.submissions.models import Submission, System


@pytest.fixture
def sent(version: Version, system: System) -> list[Submission]:
    """Four submissions of one system, made together."""
    made = [
        Submission(
            version=version, system=system, submitter=system.owner, file_sha256="0" * 64, status="graded"
        )
        for _ in range(4)
    ]
    return Submission.objects.bulk_create(made)


def shell(statement: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute(statement)


WRITES: dict[str, Callable[[list[Submission]], Any]] = {
    "one is saved": lambda sent: sent[0].save(),
    "one changes its status": lambda sent: Submission.objects.filter(pk=sent[0].pk).update(status="failed"),
    "all become private together": lambda sent: Submission.objects.update(visibility="private"),
    "some are shown by a list": lambda sent: Submission.objects.bulk_update(
        [sent[0]], ["shown", "visibility", "status"]
    ),
    "one is withdrawn": lambda sent: submissions.withdraw(sent[1], actor=None),
    "the newest goes": lambda sent: sent[-1].delete(),
    "all go": lambda sent: Submission.objects.all().delete(),
    "a shell writes": lambda sent: shell(
        "UPDATE leaderboard_submission SET status = 'graded', shown = false"
    ),
    "a shell deletes": lambda sent: shell("DELETE FROM leaderboard_submission"),
    "one moves to another system": lambda sent: Submission.objects.filter(pk=sent[0].pk).update(
        system=System.objects.create(owner=sent[0].submitter, name="Another")
    ),
    "one is sent earlier": lambda sent: Submission.objects.update(
        created_at=timezone.now() - timedelta(days=9)
    ),
}


@pytest.mark.parametrize("write", WRITES)
def test_counts_are_those_of_the_submissions_after_every_write(sent: list[Submission], write: str) -> None:
    assert count_triggers.wrong("default") == 0
    WRITES[write](sent)
    assert count_triggers.wrong("default") == 0


def test_a_count_is_the_number_of_submissions(sent: list[Submission], system: System) -> None:
    Submission.objects.filter(pk=sent[0].pk).update(visibility="private")
    assert SubmissionCount.objects.filter(visibility="public").total() == 3
    assert SubmissionCount.objects.filter(version=sent[0].version).total() == 4
    assert SystemCounts.objects.get(system=system).public == 3
    assert SystemCounts.objects.get(system=system).newest == max(each.created_at for each in sent)


def test_rows_that_count_the_same_become_one(sent: list[Submission]) -> None:
    version = sent[0].version
    for number in (5, -2, -3, 1):
        SubmissionCount.objects.create(
            version=version,
            status="graded",
            visibility="public",
            shown=False,
            source="browser",
            number=number,
        )
    before = SubmissionCount.objects.total()
    SubmissionCount.fold()
    assert SubmissionCount.objects.count() == 1
    assert SubmissionCount.objects.total() == before == 5
    assert SubmissionCount.fold() == 0


def test_what_was_written_without_triggers_is_found_and_corrected(sent: list[Submission]) -> None:
    count_triggers.drop("default")
    Submission.objects.filter(pk=sent[0].pk).update(visibility="private")
    count_triggers.create("default")
    with pytest.raises(CommandError, match="wrong"):
        call_command("count_submissions", check=True)
    output = StringIO()
    call_command("count_submissions", stdout=output)
    assert "corrected" in output.getvalue()
    assert count_triggers.wrong("default") == 0
    call_command("count_submissions", check=True, stdout=StringIO())


def test_a_system_can_be_deleted_once_its_submissions_are(sent: list[Submission], system: System) -> None:
    Submission.objects.all().delete()
    system.delete()
    assert not SystemCounts.objects.exists()
