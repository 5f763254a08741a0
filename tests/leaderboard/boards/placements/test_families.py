"""Families of a board: one system per model, and one way of reading, ranked among themselves."""

from __future__ import annotations

import pytest

from leaderboard.boards.placements import computing, families, placements
from leaderboard.boards.placements.ranking import COMPUTING
from leaderboard.submissions.forms import SystemForm
from leaderboard.submissions.models import Submission, System

BOARD = "/boards/goldevidencebench/ranked/"


@pytest.fixture
def make(ranked_version, submit):
    """A graded system of a model with a way of reading."""

    def made(owner, model, reading="", *, wrong=0, **fields):
        name = System.label(model, reading)
        system = System.objects.create(owner=owner, name=name, model=model, reading=reading, **fields)
        return submit(ranked_version, system, wrong=wrong)

    return made


def board(version):
    return [placement.name for placement in families.one_per_model(version)]


def test_without_a_declaration_the_first_system_of_a_model_stands_not_the_best(ranked_version, user, make):
    make(user, "Alder", "whole", wrong=30)
    make(user, "alder", "retrieval")
    make(user, "Birch", wrong=10)
    assert board(ranked_version) == ["Birch", "Alder · whole"]
    assert {p.reason for p in families.one_per_model(ranked_version)} == {""}, "ranked by a worker"


def test_the_last_declared_one_stands(ranked_version, user, make):
    make(user, "Alder", "whole")
    make(user, "Alder", "retrieval", main=True, wrong=60)
    make(user, "Alder", "agent", main=True, wrong=40)
    make(user, "Birch", wrong=30)
    assert board(ranked_version) == ["Birch", "Alder · agent"]


def test_two_accounts_have_a_system_each_with_its_owner_and_one_without_a_model_stands_for_itself(
    client, ranked_version, user, other, make
):
    make(user, "Alder", "whole")
    make(user, "Alder", "retrieval", wrong=10)
    make(other, "Alder", wrong=20)
    rule = System.objects.create(owner=other, name="rule", kind=System.Kind.SELECTOR)
    assert rule.model == ""
    assert board(ranked_version) == ["Alder · whole", "Alder"]
    html = client.get(f"{BOARD}?systems=models").content.decode()
    assert html.count("· by ada</small>") == html.count("· by ben</small>") == 1


def test_a_board_of_one_system_per_model_stores_no_family(ranked_version, user, make):
    make(user, "Alder", "whole")
    make(user, "Birch", "whole", wrong=9)
    assert families.left_out(Submission.objects.on_board(ranked_version)) == {}
    assert {stored.part for stored in ranked_version.stored_placements.all()} == {""}
    assert families.one_per_model(ranked_version) == placements.board_placements(
        ranked_version, Submission.objects.on_board(ranked_version), families.part_of(ranked_version, "")
    )


def test_a_way_of_reading_is_a_family_of_all_models_that_read_so(ranked_version, user, make):
    for model, wrong in (("Alder", 0), ("Birch", 30)):
        make(user, model, "whole", wrong=wrong)
        make(user, model, "retrieval", wrong=wrong + 20)
    make(user, "Cedar", "memory")
    found = families.left_out(Submission.objects.on_board(ranked_version))
    assert set(found) == {"models", "whole", "retrieval"}, "one alone is no family"
    assert {stored.part for stored in ranked_version.stored_placements.all()} == {
        "", "systems=models", "systems=whole", "systems=retrieval",
    }  # fmt: skip
    assert computing.store(ranked_version) == 0, "nothing changed"


def test_the_switch_of_a_board_ranks_among_the_family(client, body, ranked_version, user, make):
    make(user, "Alder", "whole")
    make(user, "Alder", "retrieval", wrong=5)
    make(user, "Birch", "whole", wrong=30)
    html = client.get(f"{BOARD}?systems=models").content.decode()
    assert "systems with the same model, one is shown" in html
    items = body(client.get("/api/v1/leaderboard/goldevidencebench/ranked?systems=models"))["items"]
    assert [(one["system"], one["rank"]) for one in items] == [("Alder · whole", 1), ("Birch · whole", 2)]
    assert '<option value="models"' in client.get(BOARD).content.decode()


def test_a_declaration_after_the_score_is_refused_by_the_form(user, make, ranked_version):
    made = make(user, "Alder", "whole")
    assert SystemForm(instance=made.system).fields["main"].disabled
    fresh = System.objects.create(owner=user, name="Alder · agent", model="Alder")
    assert not SystemForm(instance=fresh).fields["main"].disabled


def test_a_family_whose_members_changed_waits_for_its_ranks(ranked_version, user, make):
    first = make(user, "Alder", "whole")
    make(user, "Alder", "retrieval", wrong=5)
    make(user, "Birch", wrong=60)
    System.objects.filter(pk=first.system_id).update(main=True)
    assert not families.is_late(ranked_version), "the same ones stand"
    System.objects.exclude(pk=first.system_id).filter(model="Alder").update(main=True)
    assert families.is_late(ranked_version)
    assert COMPUTING in {p.reason for p in families.one_per_model(ranked_version)}
