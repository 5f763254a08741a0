"""A score by one property of its rows at a time, with a link for each other one."""

from __future__ import annotations

import re

from django.urls import reverse

from leaderboard.submissions.scores import groupings


def test_the_splits_come_first_and_single_groups_last(small, system, submit) -> None:
    score = submit(small, system).score
    names = [name for name, _ in groupings.choices(small, score)]
    sizes = [len(score.groups[name]) for name in names]
    assert names[0] == "condition"
    assert sorted(names) == sorted(name for name, members in score.groups.items() if members)
    assert [size > 1 for size in sizes] == sorted((size > 1 for size in sizes), reverse=True)


def test_every_figure_of_every_group_is_reachable(small, system, submit) -> None:
    score = submit(small, system).score
    known = {column.name for column in small.columns}
    for name, _ in groupings.choices(small, score):
        found = groupings.grouping(small, score, by=name)
        assert found is not None
        assert found.name == name
        stored = [
            {key: value for key, value in group["metrics"].items() if value is not None and key in known}
            for group in score.groups[name].values()
        ]
        shown = [
            {column.name: value for column, value, _ in readings if value is not None}
            for _, readings in found.lines
        ]
        assert shown == stored
        assert [group.rows for group in found.groups] == [group["n"] for group in stored]


def test_an_unknown_property_is_the_first(small, system, submit) -> None:
    score = submit(small, system).score
    found = groupings.grouping(small, score, by="colour of the moon")
    assert found is not None
    assert found.name == "condition"


def test_a_score_without_groups_has_none(small, system, submit) -> None:
    score = submit(small, system).score
    score.groups = {}
    assert groupings.choices(small, score) == []
    assert groupings.grouping(small, score) is None


def test_the_page_shows_one_grouping_and_links_to_the_others(client, small, system, submit) -> None:
    made = submit(small, system)
    address = reverse("leaderboard:submission", args=[made.pk])
    page = client.get(address).content.decode()
    links = re.findall(r'href="(\?by=[a-z_]+)#by"', page)
    assert len(links) == len(groupings.choices(small, made.score))
    for link in links:
        response = client.get(address + link)
        assert response.status_code == 200
        assert response.context["grouping"].name == link.removeprefix("?by=")
        assert response.content.decode().count('class="by-table"') == 1


def test_the_property_is_kept_beside_a_revision(client, small, system, submit) -> None:
    made = submit(small, system)
    page = client.get(made.get_absolute_url(), {"revision": 1, "by": "query_type"}).content.decode()
    assert 'href="?revision=1&amp;by=condition#by"' in page
