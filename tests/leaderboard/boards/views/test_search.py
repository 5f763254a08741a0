"""The page of the search."""

from __future__ import annotations

import pytest
from django.urls import reverse

from leaderboard.boards.search import LONGEST


@pytest.fixture
def page(client, db):
    def asked(**query):
        response = client.get(reverse("leaderboard:search"), query)
        return response.status_code, response.content.decode()

    return asked


def test_a_form_in_the_head_of_every_page_leads_to_it(client, db):
    assert 'action="/search/"' in client.get(reverse("leaderboard:glossary")).content.decode()


def test_results_link_what_they_name(page, version):
    status, html = page(q="tiny")
    assert status == 200
    assert f'<a href="{version.get_board_url()}">' in html


def test_an_empty_search_asks_for_words(page):
    assert page()[0] == page(q="  ")[0] == 200


def test_nothing_found_says_so_and_offers_what_is_near(page):
    status, html = page(q="intervall")
    assert status == 200
    assert "No result for “intervall”" in html
    assert '<a href="?q=Interval">Interval</a>' in html


def test_what_is_typed_is_escaped(page):
    assert "<b>x" not in page(q="<b>x")[1]


def test_what_is_too_long_is_refused_with_a_sentence(page):
    status, html = page(q="x" * (LONGEST + 1))
    assert status == 422
    assert "errorlist" in html


def test_it_is_no_page_for_crawlers(page):
    assert '<meta name="robots" content="noindex">' in page(q="x")[1]
