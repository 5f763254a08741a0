"""Verdicts beside their questions, of versions with texts in a separate file."""

from __future__ import annotations

from typing import Any

import pytest
from django.urls import reverse

from evaluation.core import jsonl
from leaderboard.benchmarks.models import Version

LONG = {"episodes": 2, "steps": 900, "queries": 4, "keys": 5, "chapters": 2, "twins": False}


@pytest.fixture
def submission(make_version: Any, submit: Any, system: Any) -> Any:
    return submit(make_version(name="long", protocol="open", generator=LONG), system, wrong=3)


def test_each_row_has_its_question_with_beginning_and_end_of_its_text(
    submission: Any, client: Any, system: Any
) -> None:
    client.force_login(system.owner)
    address = reverse("leaderboard:submission_rows", args=[submission.pk])
    for _ in range(2):  # the copy is made by the first
        response = client.get(address, {"failure": ""})
        rows = response.context["rows"]
        assert len(list(rows)) == submission.version.row_count
        for row in rows:
            assert row["row"]["id"] == row["id"]
            assert " characters are left out" in row["row"]["document"]
    assert len(response.content) < 20_000 + 30_000 * submission.version.row_count


def test_the_api_gives_questions_with_cut_texts(submission: Any, client: Any, system: Any) -> None:
    client.force_login(system.owner)
    answered = jsonl.parse(client.get(f"/api/v1/submissions/{submission.pk}/rows?questions=true").content)
    assert answered["items"]
    assert all(
        item["row"]["question"] and len(item["row"]["document"]) < 25_000 for item in answered["items"]
    )


def shows_answers(client: Any, submission: Any) -> tuple[bool, bool]:
    """Whether the page of verdicts, and that of a row, show the right answer."""
    verdicts = client.get(reverse("leaderboard:submission_rows", args=[submission.pk]), {"failure": ""})
    version, rows = submission.version, list(verdicts.context["rows"])
    shown = {"gold" in row and not row["concealed"] for row in rows}
    assert len(shown) == 1
    names = [version.benchmark.slug, version.slug, rows[0]["id"]]
    return shown.pop(), client.get(reverse("leaderboard:version_row", args=names)).context["shows_answers"]


@pytest.mark.parametrize("sealed", [True, False], ids=["kept", "open demo"])
def test_verdicts_and_rows_show_the_answers_to_the_same_readers(
    client: Any, make_version: Any, submit: Any, system: Any, staff: Any, sealed: bool
) -> None:
    version = make_version(sealed=sealed)
    Version.objects.filter(pk=version.pk).update(
        figure_step=0
    )  # so that one that keeps its answers shows verdicts
    submission = submit(Version.objects.get(pk=version.pk), system, wrong=1)
    assert shows_answers(client, submission) == (not sealed, not sealed)
    client.force_login(system.owner)
    assert shows_answers(client, submission) == (not sealed, not sealed)
    staff.is_superuser = True
    staff.save()
    client.force_login(staff)
    assert shows_answers(client, submission) == (True, True)
