"""Search over boards, systems, rows and the glossary."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import AnonymousUser

from leaderboard.benchmarks import expected_ids
from leaderboard.benchmarks.models import Version
from leaderboard.boards import search
from leaderboard.submissions.models import Submission, System


def found(text, reader=None):
    """Group -> the titles of its results."""
    groups = search.find(text, reader or AnonymousUser()).groups
    return {group.title: [hit.title for hit in group.hits] for group in groups}


@pytest.fixture
def shown(version, user, submit):
    return submit(version, System.objects.create(owner=user, name="Alder-7B · whole", model="Alder-7B"))


def test_a_board_is_found_by_suite_version_and_question(version):
    for text in (version.title, "goldevidencebench tiny", version.question.upper()):
        assert found(text)["Boards"] == [version.question]


def test_a_retired_board_is_marked(version):
    Version.objects.filter(pk=version.pk).update(status="retired")
    (boards,) = search.find("tiny", AnonymousUser()).groups
    assert [hit.mark for hit in boards.hits] == ["Retired"]


@pytest.mark.parametrize("text", ["alder", "7b whole", "ada", "ALDER-7B"])
def test_a_system_is_found_by_model_way_of_reading_and_owner(shown, text):
    assert found(text)["Systems"] == ["Alder-7B"]


def test_a_private_system_is_found_by_its_owner_alone(version, user, other, staff, submit):
    secret = System.objects.create(owner=user, name="Zebra")
    submit(version, secret, visibility=Submission.Visibility.PRIVATE)
    assert found("zebra") == found("zebra", other) == {}
    assert "Zebra" not in search.find("zbera", other).similar
    assert found("zebra", user)["Systems"] == found("zebra", staff)["Systems"] == ["Zebra"]


def test_a_row_is_found_by_its_whole_id_alone(version):
    row = next(iter(expected_ids.expected_rows(version).splits))
    assert found(row)["Rows"] == [row]
    assert "Rows" not in found(row[:-1])


def test_versions_too_large_to_be_read_are_named_with_where_to_look(version, monkeypatch):
    monkeypatch.setattr(search, "ROW_BYTES", version.rows_bytes - 1)
    row = next(iter(expected_ids.expected_rows(version).splits))
    result = search.find(row, AnonymousUser())
    assert (result.groups, [hit.url for hit in result.unread]) == (
        [],
        [f"/versions/goldevidencebench/tiny/rows/?q={row}"],
    )


def test_words_of_the_glossary_come_by_name_first(db):
    words = found("rank range")["Glossary"]
    assert words[0] == "Rank range"


def test_what_is_misspelt_names_what_is_near(shown):
    assert search.find("Adler", AnonymousUser()).similar == ["Alder-7B"]
    assert search.find("glosary of nothing at all", AnonymousUser()).similar == []


def test_a_group_shows_ten_and_says_that_there_are_more(version, user, submit):
    for number in range(search.MOST + 1):
        submit(version, System.objects.create(owner=user, name=f"Birch {number}"))
    (systems,) = search.find("birch", AnonymousUser()).groups
    assert (len(systems.hits), systems.more) == (search.MOST, True)
