"""A system's page: what it shows, and what it does not give away."""

from __future__ import annotations

import pytest

from leaderboard.models import Submission


@pytest.fixture
def half_private(version, make_version, system, submit):
    """A system with a public submission on one version, and only a private one on another."""
    hidden = make_version(name="other")
    submit(version, system)
    submit(version, system, wrong=2, visibility=Submission.Visibility.PRIVATE)
    submit(hidden, system, visibility=Submission.Visibility.PRIVATE)
    return system


def attempts(client, system):
    found = client.get(f"/api/v1/systems/{system.owner.username}/{system.slug}").json()["attempts"]
    return {one["version"]: one["graded"] for one in found}


def test_a_version_with_private_submissions_only_is_not_told_to_others(client, half_private):
    assert attempts(client, half_private) == {"goldevidencebench/tiny": 2}
    page = client.get(half_private.get_absolute_url()).content.decode()
    assert "Tiny" in page
    assert "Other" not in page
    client.force_login(half_private.owner)
    assert "Other" in client.get(half_private.get_absolute_url()).content.decode()


def test_figures_are_of_the_version_named_even_where_another_benchmark_has_one_of_that_name(
    client, make_version, system, submit, staff
):
    made = [
        submit(make_version("goldevidence", "smoke"), system),
        submit(make_version("statebench", "smoke"), system, executor="state_based"),
    ]
    for submission in made:
        benchmark = submission.version.benchmark.slug
        page = client.get(system.get_absolute_url(), {"version": f"{benchmark}/smoke"})
        assert page.context["chosen"] == submission
        assert f"?version={benchmark}/smoke#figures" in page.content.decode()
