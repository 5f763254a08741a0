"""A kind of system that decides nothing has no rank, and page, API, files, badges, feeds and command line agree."""

from __future__ import annotations

import csv
import io
import json
from html.parser import HTMLParser
from typing import Any

import pytest
from django.urls import reverse

from evaluation.remote import options
from leaderboard.benchmarks import seeding
from leaderboard.benchmarks.models import Version
from leaderboard.boards import rows as boards
from leaderboard.boards.headline_summary import NOBODY
from leaderboard.boards.placements import of_submission, placements
from leaderboard.boards.slices import WHOLE
from leaderboard.runs import services as runs
from leaderboard.submissions.models import Submission, System

#: Names that are their own slugs.
NAMES = ["no_memory", "state_based", "transcript_replay"]
REASON = "no model decides"
BOARD = "/boards/statebench/quick/"
API = "/api/v1/leaderboard/statebench/quick"


@pytest.fixture
def strategies(make_version: Any) -> Version:
    """A small version with three strategies that the site ran, and nobody else."""
    version: Version = make_version("statebench", "quick", tracks=["supersession", "causality"], count=2)
    for name in reversed(NAMES):
        run = runs.start(version=version, executor=name, started_by=seeding.site_user(), wake_worker=False)
        runs.execute(str(run.pk), grade_now=True)
    return version


@pytest.fixture
def model(strategies: Version, user: Any, submit: Any) -> Submission:
    """Somebody's model on the same board; what it answers does not matter."""
    owned = System.objects.create(owner=user, name="A model", kind=System.Kind.LLM)
    made: Submission = submit(strategies, owned, executor="no_memory")
    return made


class Tables(HTMLParser):
    """The links to systems on a board's page: those of the ranked table, and those apart."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.found: dict[str, list[str]] = {}
        self._table = ""
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        if tag == "table":
            self._table = "apart" if "apart" in (given.get("class") or "") else "ranked"
        href = given.get("href") or ""
        if tag == "a" and self._table and href.startswith("/systems/"):
            self.found.setdefault(self._table, []).append(href.split("/")[3])

    def handle_endtag(self, tag: str) -> None:
        if tag == "table":
            self._table = ""


def page(client: Any, address: str) -> str:
    html: str = client.get(address).content.decode()
    return html


def test_a_board_of_strategies_says_that_nobody_was_ranked_and_shows_what_their_contexts_hold(
    client, strategies
):
    html = page(client, BOARD)
    assert NOBODY in html
    assert Tables(html).found == {"apart": NAMES}, "by name"
    for words in ("Strategies without a model", "Live facts shown", "Dead facts shown", "Coverage", "Tokens"):
        assert words in html
    assert "share rank" not in html
    assert "Decision accuracy" not in html.split("Strategies without a model")[1]


def test_what_the_table_shows_was_measured_at_the_largest_budget(strategies):
    shown = Submission.objects.on_board(strategies)
    found = placements.board_placements(strategies, shown, WHOLE)
    rows = {row.system.name: row for row in boards.rows(strategies, found)}
    best = rows["state_based"]
    assert best.measures == best.score.measures[-1]
    assert (best.measures["live_values"], best.measures["dead_values"]) == (1.0, 0.0)
    assert rows["no_memory"].measures["coverage"] == 0.0


def test_a_model_is_ranked_among_models_only(client, strategies, model):
    html = page(client, BOARD)
    assert NOBODY not in html
    assert Tables(html).found == {"ranked": ["a-model"], "apart": NAMES}
    assert of_submission.submission_placements([model])[model.pk].words == "rank 1 of 1"


@pytest.mark.parametrize("view", ["?view=figures", "?track=supersession", "?sort=value", "?sort=-rank"])
def test_every_view_of_the_board_keeps_them_apart(client, strategies, model, view):
    assert Tables(page(client, BOARD + view)).found == {"ranked": ["a-model"], "apart": NAMES}


def test_a_board_of_one_kind_does_not_say_that_nobody_was_ranked_where_others_are(client, strategies, model):
    html = page(client, f"{BOARD}?kind=strategy")
    assert NOBODY not in html
    assert "No system matches" not in html
    assert Tables(html).found == {"apart": NAMES}


@pytest.mark.parametrize("query", ["", "sort=value", "sort=-rank", "track=causality", "kind=strategy"])
def test_api_and_files_give_no_rank_and_say_why(client, body, strategies, model, query):
    found = body(client.get(f"{API}?{query}"))
    apart = [one for one in found["items"] if one["kind"] == "strategy"]
    assert [one["system"] for one in found["items"]][-3:] == NAMES
    assert {(one["rank"], one["rank_low"], one["rank_high"], one["tie_group"]) for one in apart} == {
        (None,) * 4
    }
    assert {one["not_ranked"] for one in apart} == {REASON}
    as_json = json.loads(client.get(f"{BOARD}export.json?{query}").content)
    as_csv = list(csv.DictReader(io.StringIO(client.get(f"{BOARD}export.csv?{query}").content.decode())))
    for records in (as_json, as_csv):
        assert [one["system"] for one in records] == [one["system"] for one in found["items"]]
        assert [one["not_ranked"] or None for one in records][-3:] == [REASON] * 3
        assert [float(one["live_values"]) for one in records[-3:-1]] == [0.0, 1.0]


def test_the_api_sums_up_what_the_page_says(client, body, strategies):
    assert body(client.get(API))["summary"] == NOBODY


def test_a_strategys_own_pages_badge_and_feed_say_why_it_has_no_rank(client, body, strategies):
    shown = Submission.objects.with_names().get(system__name="state_based")
    place = body(client.get(f"/api/v1/submissions/{shown.pk}"))
    assert place["standing"] == {
        "rank": None,
        "low": None,
        "high": None,
        "among": 0,
        "sharing": 1,
        "reason": REASON,
    }
    assert f"on the board, not ranked: {REASON}" in options.describe(place)
    for address in (shown.get_absolute_url(), shown.system.get_absolute_url()):
        assert f"not ranked: {REASON}" in page(client, address).replace("Not ranked", "not ranked")
    badge = page(client, reverse("leaderboard:system_badge", args=["site", "state_based"]))
    assert f"Quick: not ranked: {REASON}" in badge
    assert "rank 1" not in badge
    assert "state_based: " in (feed := page(client, reverse("leaderboard:feed")))
    assert "on Quick, not ranked" in feed
    assert f"Not ranked: {REASON}." in feed
    assert REASON in page(client, reverse("leaderboard:submission_bibtex", args=[shown.pk]))


def test_the_board_by_track_keeps_them_out_of_picture_and_order(client, body, strategies, user, submit):
    address = reverse("leaderboard:board_tracks", args=["statebench", "quick"])
    figure = reverse("leaderboard:board_tracks_figure", args=["statebench", "quick"])
    assert body(client.get(figure))["empty"] == NOBODY
    html = page(client, address)
    assert "Decision accuracy</th>" not in html
    assert "Must mention</th>" in html
    submit(strategies, System.objects.create(owner=user, name="A model"), executor="state_based")
    dots = body(client.get(figure))["data"][-1]["customdata"]
    assert dots == ["A model"]
    assert page(client, address).index("A model") < page(client, address).index("Strategies without a model")


def test_a_strategys_own_page_draws_no_decisions_and_others_are_not_compared_with_it(
    client, strategies, model
):
    own = page(client, System.objects.get(name="state_based").get_absolute_url())
    assert "Contexts over the token budget" in own
    assert "Cost against quality" not in own
    assert "by track" not in own
    assert "except strategies without a model" not in own


def test_a_comparison_says_what_the_figure_of_a_strategy_is(client, strategies, model):
    other = Submission.objects.get(system__name="state_based")
    html = page(client, f"{reverse('leaderboard:compare')}?s={model.pk}&s={other.pk}")
    assert "A strategy without a model decides nothing" in html


def test_who_says_that_a_model_decides_after_all_is_ranked_at_once(client, strategies):
    page(client, BOARD)
    System.objects.filter(name="state_based").update(kind=System.Kind.PIPELINE)
    assert Tables(page(client, BOARD)).found["ranked"] == ["state_based"]


def test_a_regrade_round_ranks_no_strategy(strategies):
    scores = [submission.score for submission in Submission.objects.on_board(strategies).with_names()]
    assert {(row.rank, row.reason) for row in boards.of_scores(strategies, scores)} == {(None, REASON)}


def test_the_other_suite_ranks_every_kind(client, version, user, submit):
    owned = System.objects.create(owner=user, name="Answers", kind=System.Kind.STRATEGY)
    made = submit(version, owned)
    assert of_submission.submission_placements([made])[made.pk].words == "rank 1 of 1"
