"""A worker computes a board's ranks if there is a mark, and only what changed."""

from __future__ import annotations

import io

import pytest
from django.core.management import call_command

from leaderboard import tasks
from leaderboard.boards.models import DuePlacements, StoredPlacements
from leaderboard.boards.placements import ahead, computing, placements
from leaderboard.boards.placements.ranking import COMPUTING, CROSSED, NOT_ABOVE
from leaderboard.boards.slices import WHOLE, board_slice
from leaderboard.submissions import services as submissions
from leaderboard.submissions.models import Submission, System
from tests.leaderboard.conftest import RANKED

CONDITIONS = [{"k": 4, "order": order} for order in ("gold_first", "gold_last")]


@pytest.fixture
def version(make_version):
    """A version with enough units for ranks, and two orders."""
    return make_version(generator=RANKED, conditions=CONDITIONS)


@pytest.fixture
def pair(version, user, submit):
    """Two systems without stored ranks."""
    made = [
        submit(version, System.objects.create(owner=user, name=name), executor=executor)
        for name, executor in (("First", "ledger"), ("Second", "positional_first"))
    ]
    StoredPlacements.objects.all().delete()
    return made


def ranks(version, **chosen) -> list[tuple[str, int | None, str]]:
    part = board_slice(version, chosen) if chosen else WHOLE
    board = placements.board_placements(version, Submission.objects.on_board(version), part)
    return [(placement.name, placement.high, placement.reason) for placement in board]


def test_the_task_computes_the_whole_board_and_every_declared_part(version, pair):
    assert tasks.place_version(version.pk) == 0, "nothing landed"
    ahead.mark(version.pk)
    boards = len(placements.ranked_parts(version))
    assert boards == 3
    assert tasks.place_version(version.pk) == boards
    assert {stored.part for stored in version.stored_placements.all()} >= {"", "condition=k4-gold_last"}
    assert ranks(version)[0] == ("First", 1, "")
    only = ranks(version, condition="k4-gold_first")
    assert {reason for _, _, reason in only} == {NOT_ABOVE}, "the first line alone is right there"


def test_where_two_facets_cross_the_figures_stand_without_ranks(make_version, system, submit):
    modes = ["kv", "kv_commentary"]
    version = make_version(name="crossed", generator=RANKED, conditions=CONDITIONS, state_modes=modes)
    submit(version, system)
    assert ranks(version, notes="without") == [(system.name, 1, "")]
    few = "33 episodes are too few (ranks need at least 40)"
    assert ranks(version, notes="with") == [(system.name, None, few)], "a part has units of its own"
    assert ranks(version, condition="k4-gold_first", notes="with") == [(system.name, None, CROSSED)]


def test_what_has_not_changed_is_not_computed_again(version, pair, monkeypatch):
    assert computing.store(version) == len(placements.ranked_parts(version))
    assert computing.store(version) == 0
    monkeypatch.setattr(placements, "RANKING", "another test")
    monkeypatch.setattr(placements.stored, "RANKING", "another test")
    assert computing.store(version) == len(placements.ranked_parts(version)), "other statistics, other ranks"


def test_no_request_ranks(client, version, pair, monkeypatch):
    monkeypatch.setattr(placements.ranking.statistics, "board", None)  # computing would fail
    for query in ("", "?condition=k4-gold_last", "?kind=llm", "?q=first", "?sort=value"):
        assert client.get(version.get_board_url() + query).status_code == 200
    assert ranks(version)[0][2] == COMPUTING


def test_a_system_that_is_renamed_keeps_its_rank_and_has_its_new_name(version, pair):
    computing.store(version)
    assert ranks(version)[0] == ("First", 1, "")
    System.objects.filter(name="First").update(name="Renamed")
    assert ranks(version)[0] == ("Renamed", 1, "")


def test_a_withdrawal_makes_what_is_stored_stale(version, pair, user):
    computing.store(version)
    submissions.withdraw(pair[0], actor=user)
    assert ranks(version) == [("Second", None, COMPUTING)]
    computing.store(version)
    assert ranks(version) == [("Second", None, NOT_ABOVE)]


def test_a_worker_that_starts_marks_what_is_late(version, pair, make_version, system, submit):
    submit(make_version(name="diagnostic"), system)
    assert tasks.mark_late_placements() == 1
    assert list(DuePlacements.objects.values_list("pk", flat=True)) == [version.pk]
    tasks.place_version(version.pk)
    assert tasks.mark_late_placements() == 0


def test_a_command_computes_them_at_once(version, pair):
    out = io.StringIO()
    call_command("compute_placements", stdout=out)
    boards = len(placements.ranked_parts(version))
    assert f"goldevidencebench/tiny: {boards} boards computed" in out.getvalue()
    assert ranks(version)[0][1:] == (1, "")


def test_a_version_that_is_gone_has_no_placements(db):
    assert computing.compute(10_000) == 0


def test_what_the_board_says_of_two_systems_is_what_their_ranges_say(version, pair, user, submit):
    first, second = pair
    third = submit(version, System.objects.create(owner=user, name="Third"), wrong=1)
    gated = submit(version, System.objects.create(owner=user, name="Gated"), executor="naive")
    worse = submit(version, System.objects.create(owner=user, name="Worse"), wrong=100)
    assert placements.apart(version, first.pk, worse.pk) == "better"
    assert placements.apart(version, worse.pk, first.pk) == "worse"
    assert placements.apart(version, first.pk, second.pk) is None, "it is not above guessing"
    assert placements.apart(version, first.pk, third.pk) == "tied"
    assert placements.apart(version, first.pk, gated.pk) is None
    StoredPlacements.objects.all().delete()
    submissions.withdraw(third, actor=user)
    assert placements.apart(version, first.pk, worse.pk) is None, "ranks are not computed yet"


def test_ranks_stored_after_new_results_and_withdrawals_equal_those_from_scratch(version, pair, user, submit):
    def stored() -> list[bytes]:
        """The stored places of every board."""
        computing.store(version)
        return list(map(bytes, version.stored_placements.order_by("part").values_list("places", flat=True)))

    def land(name: str, **fields) -> Submission:
        return submit(version, System.objects.create(owner=user, name=name), **fields)

    landed = []
    for act in (
        lambda: landed.append(land("Third", wrong=1)),
        lambda: landed.append(land("Reported", reported=True)),
        lambda: submissions.withdraw(landed[0], actor=user),
        lambda: land("Worse", wrong=100),
    ):
        act()
        by_steps = stored()
        StoredPlacements.objects.all().delete()
        assert stored() == by_steps


def test_a_self_reported_result_beside_open_answers_repeats_no_test(version, pair, user, submit, monkeypatch):
    computing.store(version)
    monkeypatch.setattr(placements.ranking.statistics, "board", None)  # another test would fail
    submit(version, System.objects.create(owner=user, name="Reported"), reported=True)
    assert ranks(version)[0] == ("First", 1, "")
    assert placements.is_late(version) is False
