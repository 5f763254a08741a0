"""Systems and their addresses."""

from __future__ import annotations

from leaderboard.submissions.models import System


def test_systems_of_one_name_get_addresses_of_their_own(user):
    assert [System.objects.create(owner=user, name="Mine").slug for _ in range(2)] == ["mine", "mine-2"]
