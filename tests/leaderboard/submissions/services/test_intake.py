"""A file is accepted or refused as a whole."""

from __future__ import annotations

import pytest

from leaderboard.submissions import quotas
from leaderboard.submissions import services as submissions
from leaderboard.submissions.models import Submission


def test_a_broken_file_leaves_nothing_behind(version, tmp_path):
    path = tmp_path / "broken.jsonl"
    path.write_text("{oops\n")
    with pytest.raises(submissions.RejectedError) as refused:
        submissions.accept(version, path)
    assert refused.value.intake.problems[0].line == 1
    assert not Submission.objects.exists()


def test_quota_counts_only_what_was_accepted(version, system, submit, predictions, settings):
    settings.SUBMISSIONS_PER_VERSION_PER_DAY = 1
    submit(version, system)
    accepted = submissions.accept(version, predictions(version))
    with pytest.raises(quotas.QuotaError, match="1 of 1") as used_up:
        submissions.create(accepted, system=system, submitter=system.owner)
    assert used_up.value.retry_after > 0
    assert Submission.objects.count() == 1
