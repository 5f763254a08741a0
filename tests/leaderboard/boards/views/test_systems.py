"""A system's page: what it shows, and what it keeps private."""

from __future__ import annotations

import pytest

from leaderboard.submissions.models import Submission


@pytest.fixture
def half_private(version, make_version, system, submit):
    """A system with a public submission on one version, and only a private one on another."""
    hidden = make_version(name="other")
    submit(version, system)
    submit(version, system, wrong=2, visibility=Submission.Visibility.PRIVATE)
    submit(hidden, system, visibility=Submission.Visibility.PRIVATE)
    return system


def attempts(client, system):
    response = client.get(f"/api/v1/systems/{system.owner.username}/{system.slug}").json()["attempts"]
    return {one["version"]: one["graded"] for one in response}


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


FIELDS = {"kind": "pipeline", "parameters": "7B", "quantization": "", "description": "Two passes.", "url": ""}


def test_an_owner_adds_a_link_later_and_readers_find_it(client, version, system, submit):
    submit(version, system)
    page = system.get_absolute_url()
    assert "/edit/" not in client.get(page).content.decode()
    client.force_login(system.owner)
    assert f"{page}edit/" in client.get(page).content.decode()
    done = client.post(f"{page}edit/", FIELDS | {"url": "paper.example/x"}, follow=True)
    assert done.redirect_chain == [(page, 302)]
    shown = done.content.decode()
    assert 'href="https://paper.example/x"' in shown
    assert "Two passes." in shown
    assert "Pipeline · 7B" in shown
    assert "how it reads: not stated" in client.get(version.get_board_url()).content.decode()


def test_only_its_owner_edits_a_system(client, version, system, submit, other):
    address = f"{system.get_absolute_url()}edit/"
    assert client.get(address).status_code == 302  # to the sign-in
    client.force_login(other)
    assert client.get(address).status_code == 404  # nothing of it is public, so it is not there
    submit(version, system)
    assert client.get(address).status_code == 403
    assert client.post(address, FIELDS).status_code == 403


def test_what_is_wrong_with_a_change_is_said_beside_its_field_and_nothing_is_saved(client, system):
    client.force_login(system.owner)
    response = client.post(f"{system.get_absolute_url()}edit/", FIELDS | {"url": "no link"})
    assert response.status_code == 422
    assert "Enter a valid URL." in response.content.decode()
    system.refresh_from_db()
    assert system.description == ""


def test_the_api_changes_what_is_named_and_leaves_the_rest(client, system, other):
    address = f"/api/v1{system.get_absolute_url().rstrip('/')}"
    change = {"link": "https://code.example/y"}
    assert client.patch(address, change, "application/json").status_code == 401
    client.force_login(other)
    assert client.patch(address, change, "application/json").status_code == 404  # she may not even read it
    client.force_login(system.owner)
    response = client.patch(address, change, "application/json").json()
    assert (response["link"], response["kind"]) == ("https://code.example/y", system.kind)
    assert client.patch(address, {"kind": "toaster"}, "application/json").status_code == 422
    assert client.patch(address, {"link": "javascript:alert(1)"}, "application/json").status_code == 422
