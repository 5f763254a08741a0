"""Figures of lengths: computed by a worker, stored, and read by pages."""

from __future__ import annotations

import pytest
from django.urls import reverse

from evaluation.core import jsonl
from leaderboard.benchmarks import expected_ids
from leaderboard.benchmarks.models import Version
from leaderboard.boards.lengths import computing
from leaderboard.boards.lengths.computing import METHOD
from leaderboard.boards.models import StoredLengths, StoredPlacements
from leaderboard.boards.placements import ahead
from leaderboard.boards.placements.ranking import RANKING
from leaderboard.submissions import services as submissions
from leaderboard.submissions.models import Submission
from tests.leaderboard.boards.lengths.conftest import GENERATOR, LADDER


def of_board(version):
    names = dict(Submission.objects.values_list("pk", "system__name"))
    return {names[key]: each for key, each in computing.board_lengths(version).items()}


def test_the_effective_length_is_where_a_system_stops_holding(ladder, named, send):
    send(ladder, named("All"))
    send(ladder, named("Middle"), holds=2048)
    send(ladder, named("None"), holds=0)
    lengths = of_board(ladder)
    assert {name: each.effective for name, each in lengths.items()} == {
        "All": 4096,
        "Middle": 2048,
        "None": 0,
    }
    assert lengths["Middle"].figures.rates == (1, 1, 0)
    assert lengths["Middle"].figures.area == pytest.approx(0.75)
    assert (lengths["All"].words, lengths["None"].words) == (
        "at least 4k tokens", "at most 1k tokens",
    )  # fmt: skip
    assert lengths["Middle"].words == "2k tokens"


def test_a_floor_keeps_systems_that_are_no_better_from_holding(ladder, named, send):
    send(ladder, named("Reader"))
    send(ladder, named("No better"), holds=0, every=2)
    send(
        ladder,
        named("Blind"),
        holds=0,
        every=2,
    )
    before = of_board(ladder)
    assert before["No better"].effective > 0
    send(ladder, named("Floor", reference="floor", kind="baseline"), holds=0, every=2)
    lengths = of_board(ladder)
    assert lengths["Reader"].effective == 4096
    assert lengths["No better"].effective == lengths["Floor"].effective == 0
    assert lengths["Blind"].possible == 4096, "as good as the floor is not below it"


def guessed(version, rates: dict[str, float]) -> None:
    """Set how often one attacker is right at each length."""
    cells = [["without", name] for name in rates]
    guesser = {
        "name": "one",
        "label": "One",
        "headline": 0.1,
        "cells": [[100 * r, 100] for r in rates.values()],
    }
    version.guessing = version.guessing | {"cells": cells, "guessers": [guesser]}
    Version.objects.filter(pk=version.pk).update(guessing=version.guessing)


def test_a_board_without_floors_has_what_attackers_guessed_at_each_length(ladder, named, send):
    guessed(ladder, {"1k": 0.0, "2k": 0.0, "4k": 0.0})
    send(ladder, named("Reader"))
    send(ladder, named("Guesser"), holds=0, every=2)
    assert of_board(ladder)["Guesser"].words == "at least 1k tokens"
    guessed(ladder, {"1k": 0.1, "2k": 0.1, "4k": 0.8})
    assert computing.is_late(ladder)
    computing.store(ladder)
    assert of_board(ladder)["Guesser"].words == "1k to 2k tokens"
    assert of_board(ladder)["Reader"].effective == 4096
    guessed(ladder, {"1k": 0.8, "2k": 0.1, "4k": 0.1})
    computing.store(ladder)
    assert (of_board(ladder)["Guesser"].effective, of_board(ladder)["Guesser"].possible) == (0, 0)


def test_a_file_without_the_longer_texts_leaves_them_open(ladder, named, send):
    send(ladder, named("Short"), answers=2048)
    lengths = of_board(ladder)["Short"]
    assert (lengths.words, lengths.possible, lengths.figures.area) == ("at least 2k tokens", 4096, None)


@pytest.mark.parametrize("sealed", [True, False])
def test_the_form_says_that_lengths_may_be_left_out_and_takes_such_a_file(
    make_version, client, user, tmp_path, sealed
) -> None:
    version = make_version(
        name="ladder", sealed=sealed, generator=GENERATOR | {"episodes": 2}, protocol="open", ladder=LADDER
    )
    client.force_login(user)
    page = client.get(reverse("leaderboard:submit"), {"version": f"{version.benchmark.slug}/{version.slug}"})
    assert "a file may leave lengths" in page.content.decode()
    splits = expected_ids.expected_rows(version).splits
    short = [{"id": row_id, "value": None, "support_ids": []} for row_id in splits if splits[row_id] == "1k"]
    jsonl.write(tmp_path / "short.jsonl", short)
    assert submissions.accept(version, tmp_path / "short.jsonl")
    jsonl.write(tmp_path / "torn.jsonl", short[1:])
    with pytest.raises(submissions.RejectedError):
        submissions.accept(version, tmp_path / "torn.jsonl")


def test_figures_are_stored_once_and_again_after_a_new_result(ladder, named, send):
    send(ladder, named("First"))
    kept = StoredLengths.objects.get(version=ladder)
    assert computing.store(ladder) == 0
    assert not computing.is_late(ladder)
    send(ladder, named("Second"), holds=1024)
    again = StoredLengths.objects.get(version=ladder)
    assert again.fingerprint != kept.fingerprint
    assert len(computing.board_lengths(ladder)) == 2


def test_a_reader_who_finds_none_asks_a_worker_and_computes_nothing(ladder, named, send, monkeypatch):
    send(ladder, named("First"))
    StoredLengths.objects.all().delete()
    asked = []
    monkeypatch.setattr(ahead, "ask", asked.append)
    monkeypatch.setattr(computing, "compute", lambda version: pytest.fail("in a request"))
    assert computing.board_lengths(ladder) == {}
    assert asked == [ladder.pk]
    assert computing.is_late(ladder)


def test_a_version_of_one_length_has_none_and_stores_nothing(version, system, submit):
    submit(version, system)
    assert computing.board_lengths(version) == {}
    assert not computing.is_late(version)
    assert not StoredLengths.objects.exists()


def test_what_is_stored_reads_back_as_it_was(ladder, named, send):
    send(ladder, named("All"))
    send(ladder, named("Short"), answers=1024)
    computed = computing.compute(ladder)
    computing.write(ladder, "a state", computed)
    assert computing.read(ladder, "a state") == computed
    assert computing.read(ladder, "another state") is None


def test_what_leaves_the_board_leaves_the_figures(ladder, named, send, user):
    made = send(ladder, named("All"))
    send(ladder, named("Other"))
    submissions.set_visibility(made, "private", actor=user)
    computing.store(ladder)
    assert set(of_board(ladder)) == {"Other"}


def test_the_names_of_methods_fit_their_columns():
    """SQLite accepts longer names, PostgreSQL refuses them."""
    kept = {StoredLengths: ("method", METHOD), StoredPlacements: ("ranking", RANKING)}
    for model, (column, name) in kept.items():
        assert len(name) <= model._meta.get_field(column).max_length
