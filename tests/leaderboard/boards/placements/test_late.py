"""While ranks are late, a board shows the earlier ones, their time, and the reason for the wait."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from leaderboard.boards.models import StoredPlacements
from leaderboard.boards.placements import ahead, computing, placements
from leaderboard.boards.placements.late import LateRanks, with_former_ranks
from leaderboard.boards.placements.ranking import NEW
from leaderboard.boards.slices import WHOLE
from leaderboard.submissions import services as submissions
from leaderboard.submissions.models import Submission, System
from tests.leaderboard.conftest import RANKED

CONDITIONS = [{"k": 4, "order": order} for order in ("gold_first", "gold_last")]
AT = datetime(2026, 11, 26, 13, 20, tzinfo=UTC)
BEFORE = "Ranks as of 26 Nov 2026, 13:20 UTC. "


@pytest.fixture
def version(make_version):
    return make_version(generator=RANKED, conditions=CONDITIONS)


@pytest.fixture
def ranked(version, user, submit):
    """Two systems whose ranks a worker computed at 13:20."""
    made = [
        submit(version, System.objects.create(owner=user, name=name), wrong=wrong)
        for name, wrong in (("First", 0), ("Second", 100))
    ]
    computing.store(version)
    StoredPlacements.objects.update(computed_at=AT)
    return made


def shown(version) -> tuple[list[tuple[str, int | None, str]], LateRanks | None]:
    on_board = Submission.objects.on_board(version)
    now = placements.board_placements(version, on_board, WHOLE)
    places, late = with_former_ranks(version, on_board, WHOLE, now)
    return [(each.name, each.rank, each.reason) for each in places], late


@pytest.mark.parametrize(
    ("late", "words"),
    [
        (LateRanks(AT, 3, 14, True, True), BEFORE + "New ranks are being computed (3 of 14 boards)."),
        (LateRanks(AT, 0, 14, False, True), BEFORE + "New ranks follow when all pending submissions are graded."),
        (LateRanks(AT, 3, 14, False, False), BEFORE + "New ranks wait for a worker (3 of 14 boards are computed)."),
        (LateRanks(None, 0, 14, True, False), "Ranks are being computed (0 of 14 boards)."),
        (LateRanks(None, 0, 2, False, False), "Ranks wait for a worker (0 of 2 boards are computed)."),
    ],
)  # fmt: skip
def test_the_words_say_what_the_ranks_wait_for(late, words):
    assert late.words == words


def test_ranks_of_now_are_shown_as_they_are(version, ranked):
    places, late = shown(version)
    assert places == [("First", 1, ""), ("Second", 2, "")]
    assert late is None


def test_a_new_result_leaves_the_earlier_ranks_and_has_none_itself(version, ranked, user, submit):
    before = list(StoredPlacements.objects.filter(part=""))
    submit(version, System.objects.create(owner=user, name="Landed"), wrong=1)
    StoredPlacements.objects.filter(part="").update(
        places=before[0].places, fingerprint=before[0].fingerprint, computed_at=AT
    )
    places, late = shown(version)
    assert sorted(places) == [("First", 1, ""), ("Landed", None, NEW), ("Second", 2, "")]
    assert late == LateRanks(AT, 2, 3, False, False)


def test_a_withdrawn_system_is_gone_at_once(version, ranked, user):
    submissions.withdraw(ranked[0], actor=user)
    places, late = shown(version)
    assert places == [("Second", 2, "")]
    assert late is not None


def test_what_takes_no_part_any_more_keeps_no_rank(version, ranked):
    System.objects.filter(name="First").update(reference="oracle")
    places, _ = shown(version)
    assert {name: rank for name, rank, _ in places} == {"First": None, "Second": 2}


def test_ranks_of_another_test_are_not_shown(version, ranked, user):
    submissions.withdraw(ranked[1], actor=user)
    StoredPlacements.objects.update(ranking="another test")
    places, late = shown(version)
    assert [rank for _, rank, _ in places] == [None]
    assert late is not None
    assert late.words.startswith("Ranks wait for a worker")


def test_a_worker_tells_that_it_is_at_work_and_when_it_is_done(version, ranked, monkeypatch):
    told = []
    monkeypatch.setattr(placements.stored, "write", lambda *_: told.append(ahead.is_at_work(version.pk)))
    StoredPlacements.objects.all().delete()
    computing.store(version)
    assert told == [True] * 3
    assert not ahead.is_at_work(version.pk)


def test_the_page_of_a_board_says_so_and_no_cache_keeps_it(client, version, ranked, user):
    submissions.withdraw(ranked[0], actor=user)
    page = client.get(version.get_board_url())
    assert BEFORE + "New ranks wait for a worker (0 of 3 boards are computed)." in page.content.decode()
    assert page["Cache-Control"] == "no-store"
    with ahead.at_work(version.pk):
        assert (
            "New ranks are being computed (0 of 3 boards)."
            in client.get(version.get_board_url()).content.decode()
        )
    computing.store(version)
    page = client.get(version.get_board_url())
    assert "Ranks as of" not in page.content.decode()
    assert "no-store" not in page["Cache-Control"]


def test_the_ranks_of_before_stand_in_no_file_and_in_no_comparison(client, version, ranked, user, submit):
    third = submit(version, System.objects.create(owner=user, name="Third"), wrong=50)
    submissions.withdraw(third, actor=user)
    StoredPlacements.objects.update(fingerprint="of before")
    assert placements.apart(version, ranked[0].pk, ranked[1].pk) is None
    rows = client.get(f"{version.get_board_url()}export.json").json()
    assert {row["rank"] for row in rows} == {None}
