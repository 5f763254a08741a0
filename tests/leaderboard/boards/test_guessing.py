"""The guessing line of a board is the best of its floor references and attackers over exactly its rows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from evaluation.attacks.report import SINGLE
from leaderboard.benchmarks.models import Version
from leaderboard.benchmarks.sealing import attacked
from leaderboard.boards.guessing import Guessing, guessing_of, guessings_of
from leaderboard.boards.placements import computing, placements, ranking
from leaderboard.boards.placements.contestants import contestants_of
from leaderboard.boards.slices import WHOLE
from leaderboard.submissions.models import Submission, System
from tests.leaderboard.boards.test_references import run_by_site
from tests.leaderboard.runs.gguf import SMALL_ORDER_BIAS

MakeVersion = Callable[..., Version]
ORDERS = [{"k": 4, "order": order} for order in ("gold_first", "gold_middle", "gold_last", "shuffle")]


def test_without_floor_references_guessing_is_the_best_attacker_that_reads_no_text(version: Version) -> None:
    report = version.attack_report
    assert report is not None
    name, guessers = version.headline.name, {each["name"] for each in version.guessing["guessers"]}
    assert guessers == {each["name"] for each in report["attackers"] if each["role"] in SINGLE} - {"learner"}
    reached = {
        each["label"]: score["value"]
        for each in report["attackers"]
        for score in each["scores"]
        if score["metric"] == name and each["name"] in guessers
    }
    guessing = guessing_of(version)
    assert guessing is not None
    assert guessing.value == pytest.approx(max(reached.values()), abs=1e-6)
    assert reached[guessing.name] == pytest.approx(guessing.value, abs=1e-6)


@pytest.mark.parametrize(
    "preset", [{}, {"conditions": ORDERS}, SMALL_ORDER_BIAS | {"headline": "worst_order"}]
)
def test_the_guess_of_a_part_is_that_of_its_own_rows(make_version: MakeVersion, preset: Any) -> None:
    """The same answers, uploaded and graded, have the same figure on each board."""
    version = make_version(**preset)
    floor = run_by_site(version, "random_mention")
    version.guessing = {}
    parts = placements.ranked_parts(version)
    shown = Submission.objects.on_board(version)
    for part, line in zip(parts, guessings_of(version, parts), strict=True):
        [contestants] = contestants_of(version, shown, [part])
        figures = ranking.figures(contestants)
        key = contestants[0].key
        value = (figures[key].value if key in figures else None) if part else contestants[0].value
        assert line == (None if value is None else Guessing(pytest.approx(value), floor.name)), part.name  # type: ignore[arg-type]


def test_cells_of_an_attacker_add_up_to_its_headline(make_version: MakeVersion) -> None:
    version = make_version(conditions=ORDERS)
    for part in placements.ranked_parts(version):
        line = guessing_of(version, part)
        assert line is not None
        assert 0 <= line.value <= 1
    for each in version.guessing["guessers"]:
        rows = sum(rows for _, rows in each["cells"])
        assert rows == sum(version.conditions.values()) == version.guessing["rows"]


def test_the_best_floor_reference_is_the_line_where_it_is_above_all_attackers(version: Version) -> None:
    floor = run_by_site(version, "random_mention")
    for each in version.guessing["guessers"]:
        each["headline"] = 0.0
    line = guessing_of(version)
    assert line is not None
    assert line.name == floor.name
    assert line.value > 0


def test_a_system_that_a_person_sent_never_moves_the_line(
    version: Version, user: Any, submit: Callable[..., Submission]
) -> None:
    before = guessing_of(version)
    system = System.objects.create(owner=user, name="A system")
    submit(version, system, executor="ledger", visibility=Submission.Visibility.PUBLIC)
    assert guessing_of(version) == before


def test_the_line_of_a_version_that_keeps_its_answers_lies_on_its_grid(make_version: MakeVersion) -> None:
    version = make_version(sealed=True)
    assert version.shown_step
    whole, *parts = guessings_of(version, placements.ranked_parts(version))
    assert whole is not None
    for line in filter(None, (whole, *parts)):  # a part of few rows has none
        assert line.value / version.shown_step == pytest.approx(round(line.value / version.shown_step))


def test_a_version_that_was_frozen_before_gets_its_guesses_from_a_worker(version: Version) -> None:
    known, sealed = version.guessing, version.sha256
    Version.objects.filter(pk=version.pk).update(guessing={})
    version = Version.objects.get(pk=version.pk)
    assert guessing_of(version) is None
    assert attacked.lacks_guesses(version)
    assert computing.mark_late() == 1
    computing.compute(version.pk)
    version = Version.objects.get(pk=version.pk)
    assert (version.guessing, version.sha256) == (known, sealed)
    assert not attacked.lacks_guesses(version)


def test_guesses_of_another_grader_are_computed_again(version: Version) -> None:
    Version.objects.filter(pk=version.pk).update(guessing=version.guessing | {"grader": "goldevidence-0"})
    version = Version.objects.get(pk=version.pk)
    assert attacked.store_guesses(version)
    assert version.guessing["grader"] == version.bound.grader


def test_a_board_does_not_wait_for_guesses_that_cannot_be_computed(
    version: Version, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*args: Any, **options: Any) -> None:
        raise OSError("the storage is away")

    Version.objects.filter(pk=version.pk).update(guessing={})
    monkeypatch.setattr(attacked, "attacked", fail)
    version = Version.objects.get(pk=version.pk)
    computing.store(version)
    assert guessing_of(version, WHOLE) is None


def test_the_version_s_page_names_the_line_of_each_of_its_boards(
    make_version: MakeVersion, client: Any
) -> None:
    version = make_version(conditions=ORDERS)
    page = " ".join(client.get(version.get_absolute_url()).content.decode().split())
    guess = guessing_of(version)
    assert guess is not None
    assert f"reaches {guess.value:.1%} on the whole board (with “{guess.name}”)" in page
    assert page.count("<td>") > len(placements.ranked_parts(version))
    Version.objects.update(guessing={})
    assert "on the whole board" not in client.get(version.get_absolute_url()).content.decode()


def test_staff_cannot_narrow_a_list_by_guesses_that_keep_answers(
    version: Version, staff: Any, client: Any
) -> None:
    client.force_login(staff)
    page = client.get("/admin/leaderboard/version/?guessing__rows__gt=1")
    assert page.status_code in (302, 400)
