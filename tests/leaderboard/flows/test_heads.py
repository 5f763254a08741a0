"""Links to a page: a title that names benchmark and page, a description, an address, a card."""

from __future__ import annotations

import re
from html import unescape

import pytest
from django.urls import reverse

from leaderboard.submissions.models import Submission

PRIVATE = Submission.Visibility.PRIVATE
META = re.compile(r'<meta (?:name|property)="([^"]+)" content="([^"]*)"')


def head(client, address: str, *, status: int = 200) -> dict[str, str]:
    response = client.get(address)
    assert response.status_code == status
    html = response.content.decode()
    found = {name: unescape(text) for name, text in META.findall(html)}
    found["title"] = unescape(re.search(r"<title>([^<]*)</title>", html)[1])
    found["canonical"] = unescape(re.search(r'<link rel="canonical" href="([^"]*)"', html)[1])
    return found


@pytest.fixture
def made(submit, version, system):
    return submit(version, system)


def test_titles_name_page_benchmark_version_and_site(client, made, version, system, settings) -> None:
    where = f"{version.benchmark.title} {version.title} · {settings.SITE_NAME}"
    titles = {
        version.get_board_url(): f"Board · {where}",
        version.get_absolute_url(): f"Version · {where}",
        system.get_absolute_url(): f"{system.name} · {where}",
        made.get_absolute_url(): f"{system.name} · {where}",
    }
    assert {address: head(client, address)["title"] for address in titles} == titles


def test_every_public_page_has_a_description_of_its_own_and_a_card_that_is_there(
    client, made, version, system
) -> None:
    plain = ("board", "versions", "systems", "history", "docs", "api_docs")
    addresses = [reverse(f"leaderboard:{name}") for name in plain]
    addresses += [version.get_board_url(), version.get_absolute_url(), made.get_absolute_url()]
    heads = [head(client, address) for address in addresses]
    assert all(each["description"] == each["og:description"] == each["og:image:alt"] for each in heads)
    assert len({each["description"] for each in heads}) >= len(heads) - 1  # the front page is a board
    assert all(each["title"] == each["og:title"] for each in heads)
    for each in heads:
        assert each["og:image"].startswith("http://testserver/")


def test_a_result_says_its_figure_and_shows_its_card(client, made) -> None:
    found = head(client, made.get_absolute_url())
    assert found["og:image"].endswith(f"/submissions/{made.pk}/card.png")
    assert made.version.headline.label in found["description"]


def test_a_private_result_shows_the_card_of_the_site_and_asks_not_to_be_listed(
    client, submit, version, system, user
) -> None:
    private = submit(version, system, visibility=PRIVATE)
    client.force_login(user)
    found = head(client, private.get_absolute_url())
    assert found["og:image"] == "http://testserver/card.png"
    assert found["robots"] == "noindex"


def test_sorting_and_filters_are_no_other_page_and_a_comparison_is(client, made, version) -> None:
    board = f"http://testserver{version.get_board_url()}"
    assert head(client, f"{version.get_board_url()}?sort=-name&kind=llm&page=1")["canonical"] == board
    other = reverse("leaderboard:compare") + f"?s={made.pk}&pattern=rw"
    assert head(client, other)["canonical"] == f"http://testserver/compare/?s={made.pk}"


def test_a_name_with_signs_breaks_no_tag(client, submit, version, user) -> None:
    from leaderboard.submissions.models import System

    odd = System.objects.create(owner=user, name='A "quoted" <b>&</b> name')
    found = head(client, submit(version, odd).get_absolute_url())
    assert found["title"].startswith('A "quoted" <b>&</b> name · ')
    assert found["og:description"].startswith('A "quoted" <b>&</b> name on ')


@pytest.mark.django_db
def test_a_page_that_is_not_there_asks_not_to_be_listed(client) -> None:
    assert head(client, "/nothing/", status=404)["robots"] == "noindex"
