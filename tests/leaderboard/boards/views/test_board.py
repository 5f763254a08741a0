"""The page of a board: rows that unfold, brackets, the forest plot, filters by declared facts of models."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from xml.etree import ElementTree

import pytest

from leaderboard.boards.placements import placements
from leaderboard.submissions.models import Submission, System

BOARD = "/boards/goldevidencebench/ranked/"


@pytest.fixture
def tied(ranked_version, user, other, submit):
    """Two models that no test tells apart, and one far behind."""
    made = {}
    facts = (("Alder", "open", "no", 0), ("Birch", "closed", "maybe", 1), ("Cedar", "closed", "", 60))
    for name, weights, seen, wrong in facts:
        system = System.objects.create(owner=user, name=name, weights=weights, seen=seen, context=32768)
        made[name] = submit(ranked_version, system, wrong=wrong)
    return made


def page(client, query: str = "") -> str:
    return client.get(BOARD + query).content.decode()


class Names(HTMLParser):
    """The names of systems in the ranked table."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.names: list[str] = []
        self._is_name = False
        self.feed(html.split('<table class="board')[1].split("</table>")[0])

    def handle_starttag(self, tag, attrs) -> None:
        self._is_name = tag == "a" and (dict(attrs).get("href") or "").startswith("/systems/")

    def handle_data(self, data) -> None:
        if self._is_name:
            self.names.append(data)
            self._is_name = False


def test_tied_systems_are_joined_by_a_bracket_in_the_order_by_rank_alone(client, tied):
    ranked = page(client)
    assert ranked.count('class="bracket lane-0 first"') == 1
    assert ranked.count('class="bracket lane-0 last"') == 1
    assert 'class="bracket' not in page(client, "?sort=system")


def test_a_row_unfolds_to_what_is_known_of_its_model(client, tied):
    unfolded = page(client).split('class="unfold"')[1].split("</tr>")[0]
    assert "weights: open · reads 32,768 tokens · seen the benchmark: no" in unfolded
    assert "Tokens per question" in unfolded


def test_a_link_of_its_own_leads_to_the_rows(client, tied):
    html = page(client)
    assert '<a class="skip" href="#rows">Skip to the ranking</a>' in html
    assert 'id="rows" tabindex="-1"' in html


@pytest.mark.parametrize(
    ("query", "shown", "words"),
    [
        ("?weights=closed", ["Birch", "Cedar"], "systems with closed weights"),
        ("?seen=no", ["Alder"], "systems whose model has not seen the benchmark"),
        (
            "?weights=closed&seen=maybe",
            ["Birch"],
            "with closed weights whose model may have seen the benchmark",
        ),
    ],
)
def test_filters_by_weights_and_by_whether_the_model_has_seen_the_benchmark(
    client, tied, query, shown, words
):
    html = page(client, query)
    assert Names(html).names == shown
    assert words in html


def test_a_choice_that_tells_no_systems_apart_is_not_offered(client, tied):
    html = page(client)
    assert 'name="weights"' in html
    assert 'name="kind"' not in html


def test_the_forest_plot_has_the_order_and_the_brackets_of_the_table(client, tied):
    html = page(client, "?view=forest")
    wide, narrow = (html.split(f'class="forest {kind}"')[1].split("</svg>")[0] for kind in ("wide", "narrow"))
    for drawing in (wide, narrow):
        names = re.findall(r'<tspan class="strong">([A-Z]\w+)</tspan>', drawing)
        assert names == Names(page(client)).names
        assert drawing.count('class="tick"') == 3
    assert wide.count("h6V") == 1
    assert 'aria-current="page">Forest plot' in " ".join(html.split()).replace(" >", ">")


def test_the_forest_plot_is_a_file_of_its_own_with_whole_links(client, tied):
    assert f'href="{BOARD}forest.svg?q=Ald"' in page(client, "?view=forest&q=Ald")
    answer = client.get(f"{BOARD}forest.svg?sort=system")
    assert answer["Content-Type"] == "image/svg+xml"
    assert 'attachment; filename="goldevidencebench-ranked-forest.svg"' in answer["Content-Disposition"]
    root = ElementTree.fromstring(answer.content)
    links = [each.get("href", "") for each in root.iter("{http://www.w3.org/2000/svg}a")]
    assert links == [f"http://testserver{made.get_absolute_url()}" for made in tied.values()]
    bad = client.get(f"{BOARD}forest.svg?q=nothing+of+this+name")
    assert b'class="tick"' not in bad.content


def test_systems_of_one_name_are_told_apart_by_their_owners(client, ranked_version, tied, submit, other):
    submit(ranked_version, System.objects.create(owner=other, name="Birch"), wrong=2)
    shown = Submission.objects.on_board(ranked_version)
    names = placements.board_state(ranked_version, shown).names.values()
    assert sorted(names) == ["Alder", "Birch · ada", "Birch · ben", "Cedar"]
    html = page(client)
    assert html.count("· by ada</small>") == html.count("· by ben</small>") == 1


def test_a_filter_without_a_hit_says_so_and_offers_to_clear(client, tied):
    html = page(client, "?q=nothing+of+this+name")
    assert "No system matches" in html
    assert f'<a href="{BOARD}">show all systems</a>' in html


def test_what_is_known_of_models_is_a_view_that_is_sorted_by_it(client, tied):
    System.objects.filter(name="Birch").update(context=128_000, licence="MIT", parameters="32B")
    html = page(client, "?view=models&sort=-context")
    table = html.split('aria-label="Models">')[1].split("</table>")[0]
    assert re.findall(r'<a href="/systems/[^"]*">(\w+)</a>', table)[0] == "Birch"
    for words in ("32B", "MIT", "128,000", "Closed"):
        assert words in table
