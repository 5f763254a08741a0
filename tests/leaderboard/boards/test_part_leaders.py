"""Groups of a result beside the guessing line and the best ranked system, as on the board of their rows."""

from __future__ import annotations

import re

import pytest
from django.urls import reverse

from leaderboard.boards import slices
from leaderboard.boards.guessing import guessing_of
from leaderboard.boards.part_leaders import part_figures
from leaderboard.boards.placements import placements
from leaderboard.submissions.models import Submission, System
from leaderboard.submissions.scores import groupings
from tests.leaderboard.conftest import RANKED


@pytest.fixture
def version(make_version):
    """Two numbers of candidates over just enough units for ranks."""
    conditions = [{"k": k, "order": "shuffle"} for k in (4, 8)]
    return make_version(generator=RANKED, conditions=conditions)


@pytest.fixture
def made(version, user, submit):
    """Model -> its result; one model is better over all rows."""
    names = (("Alder", 12), ("Birch", 3))
    return {
        name: submit(version, System.objects.create(owner=user, name=name), wrong=wrong)
        for name, wrong in names
    }


def columns_of(submission, by=""):
    found = groupings.grouping(submission.version, submission.score, by=by)
    return found.name, {group.name: group.column for group in found.groups}


def known_boards(submission):
    """(grouping, group, its board, its sentence) of each group with a board."""
    for by, _ in groupings.choices(submission.version, submission.score):
        name, columns = columns_of(submission, by)
        for group, figures in part_figures(submission.version, name, columns).items():
            yield name, group, slices.board_slice(submission.version, {name: group}), figures


def test_leader_and_guessing_are_those_of_the_board_of_these_rows(version, made):
    shown = Submission.objects.on_board(version)
    boards = list(known_boards(made["Alder"]))
    assert any(figures.leader for *_, figures in boards)
    for by, group, part, figures in boards:
        assert figures.guessing == guessing_of(version, part).value
        ranked = [each for each in placements.board_placements(version, shown, part) if each.rank is not None]
        assert (figures.leader is None) == (not ranked)
        if figures.leader:
            assert (figures.leader.key, figures.leader.value) == (ranked[0].key, ranked[0].figure.value)
            of_leader = next(each for each in made.values() if each.pk == figures.leader.key).score.groups[by]
            metric = slices.headline(version, part).name
            assert figures.leader.value == pytest.approx(of_leader[group]["metrics"][metric])


def test_the_page_names_the_leader_once_and_this_result_as_itself(client, made):
    for name, submission in made.items():
        page = client.get(reverse("leaderboard:submission", args=[submission.pk])).content.decode()
        table = page.split('id="by"')[1].split("</table>")[0]
        assert "Best on the board" in table
        leaders = re.findall(r'<td class="leader">(.*?)</td>', table, re.DOTALL)
        assert leaders
        assert not any(name in each and "this result" in each for each in leaders)


def test_a_board_that_ranks_nothing_has_no_column_of_leaders(client, make_version, system, submit):
    few = make_version(conditions=[{"k": k, "order": "shuffle"} for k in (4, 8)])
    only = submit(few, system)
    page = client.get(reverse("leaderboard:submission", args=[only.pk])).content.decode()
    assert "Best on the board" not in page
    assert ">Guessing<" in page.split('id="by"')[1].split("</table>")[0]


def test_a_group_by_another_column_than_its_board_or_without_a_board_is_left_out(version, made):
    name, columns = columns_of(made["Alder"])
    other = next(column for column in version.columns if not column.headline)
    assert part_figures(version, name, dict.fromkeys(columns, other)) == {}
    assert part_figures(version, "colour", columns) == {}


def test_it_takes_three_queries_once_and_one_while_the_board_stays(version, made, django_assert_num_queries):
    name, columns = columns_of(made["Alder"])
    with django_assert_num_queries(3):
        found = part_figures(version, name, columns)
    with django_assert_num_queries(1):
        assert part_figures(version, name, columns) == found
