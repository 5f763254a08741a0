"""The page of published figures: every table with ours and its status, every other benchmark with its source."""

from __future__ import annotations

import re

import pytest
from django.urls import reverse
from django.utils.html import escape

from evaluation.goldevidence.experiments.anchors import Status, compare, counted, external, storing
from evaluation.goldevidence.experiments.anchors.rendering import NOT_COMPARABLE
from leaderboard.benchmarks.views import anchors

ADDRESS = "/docs/anchors/"


@pytest.fixture
def page(client, db) -> str:
    response = client.get(ADDRESS)
    assert response.status_code == 200
    return re.sub(r"\s+", " ", response.content.decode())


def test_every_published_table_is_there_with_its_figures_and_ours(page) -> None:
    for each in compare():
        start = page.index(f'<h3 id="{each.table.id}">{escape(each.table.title)}</h3>')
        section = page[start : page.index("</section>", start)]
        assert escape(each.caption) in section
        for row in each.rows:
            assert f'<span class="status {row.status.value}">{row.status.words}</span>' in section
            for cell in row.cells:
                assert cell.published in section
                assert cell.ours is None or cell.is_same or f"ours: {cell.ours_text}" in section


def test_the_figures_of_a_language_model_have_the_warning_beside_them(page) -> None:
    assert escape(NOT_COMPARABLE) in page
    with_model = sum(bool(each.table.model) for each in compare())
    assert page.count('<a href="#reading">cannot be compared directly with ours</a>') == with_model > 0


def test_figures_of_a_language_model_have_the_commands_that_ask_one_beside_them(page) -> None:
    for each in compare():
        start = page.index(f'<h3 id="{each.table.id}">')
        section = page[start : page.index("</section>", start)]
        run = each.how_to_run
        assert (run is not None) == ("Run this with a model" in section)
        assert run is None or escape(" ".join(run.commands)) in section


def test_the_head_counts_rows_by_what_came_of_them(page) -> None:
    counts, total = counted(compare()), sum(counted(compare()).values())
    for status in Status:
        assert re.search(f"<dt>{status.words}</dt> ?<dd>{counts[status]} of {total} rows</dd>", page)
        assert escape(status.meaning) in page
    for each in compare():
        assert all(f">{words}</span>" in page for _, words in each.statuses_in_words)


def test_every_other_benchmark_is_there_with_the_address_of_its_source(page) -> None:
    for each in external():
        for text in (each.name, each.measures, each.unit, each.lengths, each.adds, each.authors, each.title):
            assert escape(text) in page, (each.name, text)
        assert f'<a href="{each.source}" rel="noreferrer">{each.source}</a>' in page


def test_a_request_measures_nothing(client, db, monkeypatch) -> None:
    def measured(*_: object) -> None:
        raise AssertionError("a page must not measure")

    anchors._context.cache_clear()
    monkeypatch.setattr(storing, "figures_of", measured)
    assert client.get(ADDRESS).status_code == 200


def test_the_page_loads_nothing_from_elsewhere(page) -> None:
    assert not re.findall(r"""(?:src|srcset|action)=["']https?:""", page)
    assert not re.findall(r"""<link(?! rel="canonical")[^>]*href=["']https?:""", page)


def test_the_guide_and_the_foot_of_every_page_lead_there(client, db) -> None:
    address = reverse("leaderboard:anchors")
    assert address == ADDRESS
    assert client.get(reverse("leaderboard:docs")).content.decode().count(f'href="{address}"') == 2
    assert f'href="{address}"' in client.get(reverse("leaderboard:versions")).content.decode()


def test_it_is_read_and_not_written_to(client, db) -> None:
    assert client.post(ADDRESS).status_code == 405
    assert client.head(ADDRESS).status_code == 200
