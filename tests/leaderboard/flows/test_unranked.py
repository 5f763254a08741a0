"""A system of an unranked kind has no rank, and page, API, files, badges, feeds and command line agree."""

from __future__ import annotations

import csv
import io
import json
from html.parser import HTMLParser
from typing import Any

import pytest
from django.urls import reverse

from evaluation.remote import options
from evaluation.remote.records import Submission as Answer
from leaderboard.benchmarks import seeding
from leaderboard.benchmarks.models import Version
from leaderboard.boards import rows as boards
from leaderboard.boards.headline_summary import NO_MODEL
from leaderboard.boards.placements import outcomes, placements
from leaderboard.boards.slices import WHOLE
from leaderboard.runs import services as runs
from leaderboard.submissions.models import Submission, System
from leaderboard.templatetags.marks import interval

#: Names that are their own slugs.
NAMES = ["no_memory", "state_based", "transcript_replay"]
BEST_FIRST = ["state_based", "no_memory", "transcript_replay"]  # by coverage, then by live and dead facts
REASON = "no model decides"
BOARD = "/boards/statebench/quick/"
API = "/api/v1/leaderboard/statebench/quick"


@pytest.fixture
def strategies(make_version: Any) -> Version:
    """A small version with three strategies run by the site, and no other system."""
    version: Version = make_version("statebench", "quick", tracks=["supersession", "causality"], count=2)
    for name in reversed(NAMES):
        run = runs.start(version=version, executor=name, started_by=seeding.site_user(), wake_worker=False)
        runs.execute(str(run.pk), grade_now=True)
    return version


@pytest.fixture
def model(strategies: Version, user: Any, submit: Any) -> Submission:
    """A user's model on the same board; its answers do not matter."""
    owned = System.objects.create(owner=user, name="A model", kind=System.Kind.LLM)
    made: Submission = submit(strategies, owned, executor="no_memory")
    return made


class Tables(HTMLParser):
    """The links to systems on a board's page: those of the ranked table, and all others."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.rows: dict[str, list[str]] = {}
        self._table = ""
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        if tag == "table":
            self._table = "apart" if "apart" in (given.get("class") or "") else "ranked"
        href = given.get("href") or ""
        if tag == "a" and self._table and href.startswith("/systems/"):
            self.rows.setdefault(self._table, []).append(href.split("/")[3])

    def handle_endtag(self, tag: str) -> None:
        if tag == "table":
            self._table = ""


def page(client: Any, address: str) -> str:
    html: str = client.get(address).content.decode()
    return html


def test_a_board_of_strategies_says_that_none_is_ranked_and_measures_their_contexts(client, strategies):
    html = page(client, BOARD)
    assert NO_MODEL in html
    assert Tables(html).rows == {"apart": BEST_FIRST}
    for words in (
        "Memories, no model attached",
        "Current facts in context",
        "Outdated facts in context",
        "Coverage",
        "Tokens",
    ):
        assert words in html
    assert "best:" not in html
    assert "Decision accuracy" not in html.split("Memories, no model attached")[1]


def test_what_the_table_shows_was_measured_at_the_largest_budget(strategies):
    shown = Submission.objects.on_board(strategies)
    places = placements.board_placements(strategies, shown, WHOLE)
    rows = {row.system.name: row for row in boards.rows(strategies, places)}
    best = rows["state_based"]
    assert best.measures == best.score.measures[-1]
    assert (best.measures["live_values"], best.measures["dead_values"]) == (1.0, 0.0)
    assert rows["no_memory"].measures["coverage"] == 0.0


def test_every_budget_has_a_table_with_intervals_and_denominators_and_a_picture(client, body, strategies):
    at_largest, at_least = (page(client, f"{BOARD}{query}") for query in ("", "?budget=16"))
    assert "within 8192 tokens" in " ".join(at_largest.split())
    assert "within 16 tokens" in " ".join(at_least.split())
    measures = Submission.objects.get(system__name="state_based").score.measures
    for html, row in ((at_largest, measures[-1]), (at_least, measures[0])):
        text = " ".join(html.split('<table class="table apart">')[1].split("</table>")[0].split())
        assert f"of {row['coverage_of']} phrases" in text
        assert f"of {row['dead_values_of']} values" in text
        assert interval(row["coverage_low"], row["coverage_high"]) in text
    figure = reverse("leaderboard:board_measures_figure", args=["statebench", "quick", "strategy"])
    dots = body(client.get(f"{figure}?budget=8192"))["data"][-1]
    assert sum(names.count("<br>") + 1 for names in dots["customdata"]) == len(NAMES)
    assert client.get(figure.replace("strategy", "llm")).status_code == 404


def test_a_budget_that_was_not_measured_is_the_largest(client, strategies):
    assert "within 8192 tokens" in " ".join(page(client, f"{BOARD}?budget=17").split())


def test_the_files_and_the_api_have_every_budget(client, body, strategies):
    as_csv = list(csv.DictReader(io.StringIO(client.get(f"{BOARD}measures.csv").content.decode())))
    as_json = json.loads(client.get(f"{BOARD}measures.json").content)
    items = body(client.get(f"{API}/measures"))["items"]
    assert len(as_csv) == len(as_json) == len(items) == len(NAMES) * 9
    assert [(one["system"], one["budget"], one["coverage_low"]) for one in as_json] == [
        (one["system"], one["budget"], one["coverage_low"]) for one in items
    ]
    assert {one["kind"] for one in items} == {"strategy"}
    assert client.get(f"{BOARD}measures.xml").status_code == 404
    assert client.get("/boards/goldevidencebench/none/measures.csv").status_code == 404


def test_no_accuracy_of_a_strategy_stands_anywhere_as_a_decision(client, body, strategies):
    shown = Submission.objects.with_names().get(system__name="state_based")
    shown.score.headline = 0.1234  # which stands nowhere else
    shown.score.save(update_fields=["headline"])
    assert shown.result is None
    (item,) = (one for one in body(client.get(API))["items"] if one["system"] == "state_based")
    assert {item[name] for name in ("headline", "headline_low", "headline_high", "tie_breaker")} == {None}
    assert item["must_mention_rate"] is not None
    results = body(client.get(f"/api/v1/submissions/{shown.pk}/metrics"))
    figures = {one["name"]: one["value"] for one in results["metrics"]}
    assert figures["decision_accuracy"] is None
    assert figures["must_mention_rate"] is not None
    for address in (shown.system.get_absolute_url(), reverse("leaderboard:history")):
        assert "12.3%" not in page(client, address)


def test_a_score_of_an_earlier_release_shows_its_contexts_without_intervals(client, strategies):
    for score in [each.score for each in Submission.objects.on_board(strategies)]:
        ends = ("_low", "_high", "_of")
        score.measures = [
            {name: value for name, value in row.items() if not name.endswith(ends)} for row in score.measures
        ]
        score.save(update_fields=["measures"])
    html = page(client, BOARD)
    assert Tables(html).rows == {"apart": BEST_FIRST}
    assert " phrases</small>" not in html.split('<table class="table apart">')[1].split("</table>")[0]


def test_a_model_is_ranked_among_models_only(client, strategies, model):
    html = page(client, BOARD)
    assert NO_MODEL not in html
    assert Tables(html).rows == {"ranked": ["a-model"], "apart": BEST_FIRST}
    words = outcomes.submission_placements([model])[model.pk].words
    assert words == "not ranked: 2 templates are too few (ranks need at least 40)"


@pytest.mark.parametrize("view", ["?view=figures", "?track=supersession", "?sort=value", "?sort=-rank"])
def test_every_view_of_the_board_keeps_them_apart(client, strategies, model, view):
    assert Tables(page(client, BOARD + view)).rows == {"ranked": ["a-model"], "apart": BEST_FIRST}


def test_a_board_of_one_kind_does_not_say_that_none_is_ranked_if_others_are(client, strategies, model):
    html = page(client, f"{BOARD}?kind=strategy")
    assert NO_MODEL not in html
    assert "No system matches" not in html
    assert Tables(html).rows == {"apart": BEST_FIRST}


@pytest.mark.parametrize("query", ["", "sort=value", "sort=-rank", "track=causality", "kind=strategy"])
def test_api_and_files_give_no_rank_and_say_why(client, body, strategies, model, query):
    response = body(client.get(f"{API}?{query}"))
    apart = [one for one in response["items"] if one["kind"] == "strategy"]
    assert [one["system"] for one in response["items"]][-3:] == NAMES
    assert {(one["rank"], one["rank_low"], one["rank_high"], one["tie_group"]) for one in apart} == {
        (None,) * 4
    }
    assert {one["not_ranked"] for one in apart} == {REASON}
    as_json = json.loads(client.get(f"{BOARD}export.json?{query}").content)
    as_csv = list(csv.DictReader(io.StringIO(client.get(f"{BOARD}export.csv?{query}").content.decode())))
    for records in (as_json, as_csv):
        assert [one["system"] for one in records] == [one["system"] for one in response["items"]]
        assert [one["not_ranked"] or None for one in records][-3:] == [REASON] * 3
        assert [float(one["live_values"]) for one in records[-3:-1]] == [0.0, 1.0]


def test_the_api_sums_up_what_the_page_says(client, body, strategies):
    assert body(client.get(API))["summary"] == NO_MODEL


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
    assert f"on the board, not ranked: {REASON}" in options.describe(Answer.model_validate(place))
    for address in (shown.get_absolute_url(), shown.system.get_absolute_url()):
        assert f"not ranked: {REASON}" in page(client, address).replace("Not ranked", "not ranked")
    badge = page(client, reverse("leaderboard:system_badge", args=["site", "state_based"]))
    assert f"Quick: not ranked: {REASON}" in badge
    assert "rank 1" not in badge
    assert "state_based on Quick, not ranked" in (feed := page(client, reverse("leaderboard:feed")))
    assert f"Not ranked: {REASON}." in feed
    assert REASON in page(client, reverse("leaderboard:submission_bibtex", args=[shown.pk]))


def test_the_board_by_track_keeps_them_out_of_picture_and_order(client, body, strategies, user, submit):
    address = reverse("leaderboard:board_split", args=["statebench", "quick"])
    figure = reverse("leaderboard:board_split_figure", args=["statebench", "quick"])
    assert body(client.get(figure))["empty"] == NO_MODEL
    html = page(client, address)
    assert "Decision accuracy<button" not in html
    assert "Must mention<button" in html
    submit(strategies, System.objects.create(owner=user, name="A model"), executor="state_based")
    dots = body(client.get(figure))["data"][-1]["customdata"]
    assert dots == ["A model"]
    assert page(client, address).index("A model") < page(client, address).index("Memories, no model attached")


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
    assert "The context that each memory builds" in html


def test_a_strategy_declared_to_have_a_model_is_ranked_at_once(client, strategies):
    page(client, BOARD)
    System.objects.filter(name="state_based").update(kind=System.Kind.PIPELINE)
    assert Tables(page(client, BOARD)).rows["ranked"] == ["state_based"]


def test_a_regrade_round_ranks_no_strategy(strategies):
    scores = [submission.score for submission in Submission.objects.on_board(strategies).with_names()]
    assert {(row.rank, row.reason) for row in boards.score_rows(strategies, scores, "after")} == {
        (None, REASON)
    }


def test_the_other_suite_ranks_every_kind(client, ranked_version, user, submit):
    owned = System.objects.create(owner=user, name="Answers", kind=System.Kind.STRATEGY)
    made = submit(ranked_version, owned)
    assert outcomes.submission_placements([made])[made.pk].words == "rank 1 of 1"
