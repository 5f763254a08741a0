"""A rate added to a suite in one place is on every page, with its interval, groups, slice, rows and test."""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass
from typing import Any

import pyarrow.parquet as pq
import pytest
from django.urls import reverse

from evaluation.core.metric import Metric, every
from evaluation.goldevidence.grading import metrics as gold_metrics
from evaluation.statebench.generator.tracks import TRACKS
from evaluation.statebench.grading import metrics as state_metrics
from leaderboard.benchmarks.models import Version
from leaderboard.submissions.models import Submission, System

NAME, LABEL, HELP = "wrong_rate", "Wrong all in all", "Rows whose headline is wrong."


@dataclass
class Cast:
    """A version of a suite that has the new rate, with two graded submissions."""

    version: Version
    better: Submission
    worse: Submission
    facet: str
    part: str

    @property
    def both(self) -> list[Submission]:
        return [self.better, self.worse]


def rate(column: str) -> Metric:
    """A rate that is one minus the headline."""
    return Metric(
        NAME,
        LABEL,
        HELP,
        every,
        lambda columns: 1 - columns[column].astype(int),
        better="lower",
        section="Headline",
        by_split=True,
    )


#: The rubric of a new version.
DEFAULTS = {"goldevidence": "strict@4", "statebench": "strict@4"}


@pytest.fixture(params=["goldevidence", "statebench"])
def cast(request: Any, monkeypatch: pytest.MonkeyPatch, make_version: Any, user: Any, submit: Any) -> Cast:
    suite = request.param
    if suite == "goldevidence":
        module, column, facet, part = gold_metrics, "exact", "condition", "k2-gold_last"
        names = ("prefer_update_latest", "positional_first")
        size = {"episodes": 20, "steps": 24, "queries": 2, "keys": 4, "chapters": 2, "twins": False}
        settings: dict[str, Any] = {"generator": size}
        settings["conditions"] = [{"k": 2, "order": "gold_first"}, {"k": 2, "order": "gold_last"}]
    else:
        module, column, facet, part = state_metrics, "correct", "track", "supersession"
        names = ("state_based", "transcript_replay")
        settings = {"count": 3, "tracks": list(TRACKS)}
    # the one place:
    name = DEFAULTS[suite]
    monkeypatch.setitem(module.METRICS, name, (*module.METRICS[name], rate(column)))
    version = make_version(suite, name="more", public_gold=True, **settings)
    better, worse = (
        submit(version, System.objects.create(owner=user, name=f"Reader {name}"), executor=name)
        for name in names
    )
    return Cast(version, better, worse, facet, part)


def of_version(name: str, cast: Cast, *more: str) -> str:
    return reverse(f"leaderboard:{name}", args=[cast.version.benchmark.slug, cast.version.slug, *more])


def headline(submission: Submission) -> float:
    assert submission.score is not None
    assert submission.score.headline is not None
    return submission.score.headline


def test_its_figure_has_an_interval_and_groups(cast: Cast) -> None:
    for submission in cast.both:
        score = submission.score
        assert score is not None
        assert score.metrics[NAME] == pytest.approx(1 - headline(submission))
        assert score.intervals[NAME] is not None
        assert score.groups[cast.facet][cast.part]["metrics"][NAME] is not None
        assert NAME in score.groups[cast.facet][cast.part]["intervals"]


def test_every_page_of_figures_has_it(client: Any, cast: Cast) -> None:
    pages = {
        "board": f"{of_version('board', cast)}?view=figures&sort={NAME}",
        "slice": f"{of_version('board', cast)}?view=figures&{cast.facet}={cast.part}",
        "system": cast.better.system.get_absolute_url(),
        "submission": cast.better.get_absolute_url(),
        "rows": f"{reverse('leaderboard:submission_rows', args=[cast.better.pk])}?failure=",
        "compare": f"{reverse('leaderboard:compare')}?s={cast.better.pk}&s={cast.worse.pk}",
    }
    if cast.facet == "track":
        pages["tracks"] = f"{cast.version.get_board_url()}tracks/"
        pages["one track"] = f"{cast.version.get_board_url()}tracks/?track={cast.part}"
    answers = {name: client.get(address).content.decode() for name, address in pages.items()}
    assert [name for name, page in answers.items() if LABEL not in page] == []


def test_a_board_is_sorted_by_it(client: Any, body: Any, cast: Cast) -> None:
    address = f"/api/v1/leaderboard/{cast.version.benchmark.slug}/{cast.version.slug}"
    first = body(client.get(address, {"sort": NAME}))["items"][0]
    lower = min(cast.both, key=lambda each: each.score.metrics[NAME] if each.score else 1)
    assert first["submission"] == str(lower.pk)


def test_the_api_has_it_with_its_interval(client: Any, body: Any, cast: Cast) -> None:
    board = f"/api/v1/leaderboard/{cast.version.benchmark.slug}/{cast.version.slug}"
    for query in ({}, {cast.facet: cast.part}):
        response = body(client.get(board, query))
        assert NAME in {column["name"] for column in response["columns"]}
        for item in response["items"]:
            if item[f"{NAME}_low"] is not None:
                assert item[f"{NAME}_low"] <= item[NAME] <= item[f"{NAME}_high"]
    figures = body(client.get(f"/api/v1/submissions/{cast.worse.pk}/metrics"))
    (one,) = [each for each in figures["metrics"] if each["name"] == NAME]
    assert one["low"] < one["value"] < one["high"]
    assert one["better"] == "lower"
    assert figures["groups"][cast.facet][cast.part][NAME]["value"] is not None


def test_every_row_has_its_figure(client: Any, body: Any, cast: Cast) -> None:
    response = body(client.get(f"/api/v1/submissions/{cast.worse.pk}/rows", {"limit": 50}))["items"]
    assert response
    for row in response:
        assert row["figures"][NAME] == 1 - row["correct"]


def test_every_export_has_it(client: Any, body: Any, cast: Cast) -> None:
    address = of_version("board_export", cast, "csv")
    lines = list(csv.DictReader(io.StringIO(client.get(address).content.decode())))
    assert all(line[NAME] and f"{NAME}_low" in line for line in lines)
    assert all(NAME in line for line in body(client.get(of_version("board_export", cast, "json"))))
    parquet = client.get(of_version("board_export", cast, "parquet")).content
    assert NAME in pq.read_table(io.BytesIO(parquet)).column_names


def test_compare_tests_it_like_any_other(client: Any, body: Any, cast: Cast) -> None:
    pair = f"?s={cast.better.pk}&s={cast.worse.pk}"
    address = reverse("leaderboard:compare_export", args=["differences"]) + pair
    lines = list(csv.DictReader(io.StringIO(client.get(address).content.decode())))
    by_name = {line["metric"]: line for line in lines}
    own, other = by_name[NAME], by_name[lines[0]["metric"]]
    for name in ("B-A difference", "B-A low", "B-A high"):
        opposite = {"B-A low": "B-A high", "B-A high": "B-A low"}.get(name, name)
        if own[name] or other[opposite]:  # no ends where every unit differs by the same
            assert float(own[name]) == pytest.approx(-float(other[opposite])), "it is one minus the headline"
    assert float(own["B-A p"]) == pytest.approx(float(other["B-A p"]))
    picture = body(client.get(reverse("leaderboard:compare_figure") + pair))
    assert f"{LABEL} ↓" in picture["data"][0]["y"]
