"""Every result states its origin; self-reported ones are ranked only on versions that withhold their answers."""

from __future__ import annotations

import csv
import io

import pytest
from django.urls import reverse

from leaderboard.boards.placements import placements
from leaderboard.boards.placements.ranking import SELF_REPORTED
from leaderboard.boards.sharing import cards
from leaderboard.boards.slices import WHOLE
from leaderboard.submissions.models import Submission, System
from tests.leaderboard.conftest import RANKED

BOARD = "/api/v1/leaderboard/goldevidencebench/ranked"


@pytest.fixture
def stranger(ranked_version, other, submit):
    """A new account's upload of a reference's output: a perfect score on a version with public answers."""
    return submit(
        ranked_version, System.objects.create(owner=other, name="Upstart", kind="retriever"), reported=True
    )


@pytest.fixture
def verified(ranked_version, user, submit):
    return submit(ranked_version, System.objects.create(owner=user, name="Honest"), wrong=8)


def placed(version):
    shown = Submission.objects.on_board(version)
    return {p.name: p for p in placements.board_placements(version, shown, WHOLE)}


def text(client, address, **query):
    return " ".join(client.get(address, query).content.decode().split())


def test_on_a_public_version_an_upload_has_no_rank_and_changes_none(ranked_version, verified, stranger):
    places = placed(ranked_version)
    assert (places["Upstart"].rank, places["Upstart"].apart) == (None, True)
    assert places["Upstart"].reason == SELF_REPORTED
    assert (places["Honest"].low, places["Honest"].high, places["Honest"].lead) == (1, 1, None)


def test_the_page_folds_it_into_a_table_of_its_own(client, ranked_version, verified, stranger):
    page = text(client, ranked_version.get_board_url())
    board, folded = page.split('id="self-reported"')
    assert "Self-reported results, not ranked" in folded
    assert "Upstart" in folded
    assert "Upstart" not in board
    assert "Honest is the only ranked system, with " in board


def test_a_board_of_uploads_alone_has_no_model_yet_and_still_shows_them(client, ranked_version, stranger):
    page = text(client, ranked_version.get_board_url())
    assert "No model yet: only reference systems and self-reported results" in page
    assert "Upstart" in page.split('id="self-reported"')[1]


def test_the_front_page_does_not_know_it(client, ranked_version, verified, stranger):
    page = text(client, "/")
    assert "Upstart" not in page
    assert "Honest" in page


def test_on_a_sealed_version_it_takes_part(make_version, other, submit):
    sealed = make_version(name="kept", sealed=True, generator=RANKED)
    submit(sealed, System.objects.create(owner=other, name="Upstart"))
    place = placed(sealed)["Upstart"]
    assert (place.rank, place.apart) == (1, False)
    sealed.retire()
    assert sealed.disclosure.ranks_uploads, "it was sent while the answers were kept"


@pytest.mark.parametrize(
    ("fields", "origin", "words"),
    [
        ({"reported": True}, "self_reported", "self-reported"),
        ({"source": Submission.Source.SHIPPED}, "run_by_authors", "run by the authors"),
        ({}, "verified", "verified"),
    ],
)
def test_it_is_said_wherever_a_result_stands(client, ranked_version, user, submit, fields, origin, words):
    made = submit(ranked_version, System.objects.create(owner=user, name="One"), **fields)
    item = client.get(BOARD).json()["items"][0]
    lines = csv.DictReader(io.StringIO(text_of(client, ranked_version)))
    assert item["origin"] == next(lines)["origin"] == origin
    assert client.get(f"/api/v1/submissions/{made.pk}").json()["origin"] == origin
    assert client.get("/api/v1/submissions").json()["items"][0]["origin"] == origin
    for address in (made.get_absolute_url(), made.system.get_absolute_url(), ranked_version.get_board_url()):
        assert f"<span>{words}</span>" in text(client, address), address
    assert words in cards.submission_words(made)
    assert words in text(client, reverse("leaderboard:submission_bibtex", args=[made.pk]))
    assert words in text(client, reverse("leaderboard:feed")).lower()


def text_of(client, version):
    return client.get(f"{version.get_board_url()}export.csv").content.decode()
