"""Lengths where readers see them: the board, a system, a comparison, the API and files."""

from __future__ import annotations

import csv
import io

import pytest
from django.http import QueryDict
from django.urls import reverse

from leaderboard.boards import figures
from leaderboard.boards.figures.data import board_of
from leaderboard.boards.lengths import computing
from leaderboard.boards.models import StoredLengths
from leaderboard.web.results_cache import cache


@pytest.fixture
def three(ladder, named, send):
    return {
        "Far": send(ladder, named("Far")),
        "Near": send(ladder, named("Near"), holds=1024),
        "Middle": send(ladder, named("Middle"), holds=2048),
        "Floor": send(ladder, named("Floor", reference="floor", kind="baseline"), holds=0),
    }


def names(items) -> list[str]:
    return [item["system"] for item in items]


def test_the_board_shows_a_curve_and_the_effective_length_of_each_system(client, ladder, three):
    page = client.get(ladder.get_board_url()).content.decode()
    assert page.count('class="length-curve small"') == len(three) + 1  # and the legend's
    assert "effective length 2k tokens" in page
    assert "2k 100.0% (at least" in page


def test_the_tab_of_lengths_has_rates_curves_with_references_and_maps(client, ladder, three):
    page = client.get(f"{ladder.get_board_url()}?view=lengths").content.decode()
    assert page.count('class="heat-map"') == 3
    assert page.count('class="of-reference"') == 1
    assert page.count('<use href="#length-references"/>') == 3
    assert "2k, depth 0.3: 100.0%" in page
    assert page.count("<summary>As a table</summary>") == 3


def test_another_version_has_no_such_tab_and_its_address_shows_the_board(client, version, system, submit):
    submit(version, system)
    page = client.get(f"{version.get_board_url()}?view=lengths").content.decode()
    assert "Length × depth" not in page
    assert "lengths.css" not in page
    assert "Ledger reader" in page


def test_a_board_sorts_by_effective_length_and_by_area_missing_last(client, ladder, three, named, send):
    board = f"/api/v1/leaderboard/{ladder.benchmark.slug}/{ladder.slug}"
    for name in ("effective_length", "length_auc"):
        falling = client.get(board, {"sort": f"-{name}"}).json()["items"]
        assert names(falling)[:3] == ["Far", "Middle", "Near"]
        rising = client.get(board, {"sort": name}).json()["items"]
        assert names(rising)[:3] == ["Middle", "Far", "Near"], "what is not above guessing stays at the end"


def test_the_api_and_files_have_the_same_figures(client, ladder, three):
    answer = client.get(f"/api/v1/leaderboard/{ladder.benchmark.slug}/{ladder.slug}").json()
    by_name = {item["system"]: item for item in answer["items"]}
    assert {"effective_length", "effective_length_perhaps", "length_auc"} <= {
        c["name"] for c in answer["columns"]
    }
    middle = by_name["Middle"]
    assert [middle[f"effective_length{end}"] for end in ("", "_low", "_high")] == [2048] * 3
    assert middle["effective_length_perhaps"] is None, "kept for those who read it by name"
    assert by_name["Middle"]["length_auc"] == pytest.approx(0.75)
    assert by_name["Middle"]["length_auc_low"] < 0.75 < by_name["Middle"]["length_auc_high"]
    response = client.get(next(href for label, href in client.get(ladder.get_board_url()).context["exports"]))
    lines = {line["system"]: line for line in csv.DictReader(io.StringIO(response.content.decode()))}
    assert lines["Middle"]["effective_length"] == "2048"
    assert float(lines["Near"]["length_auc"]) == pytest.approx(by_name["Near"]["length_auc"])


def test_all_figures_have_a_section_of_lengths(client, ladder, three):
    page = client.get(f"{ladder.get_board_url()}?view=figures&section=Length").content.decode()
    assert "Effective length" in page
    assert "Mean over lengths (AUC)" in page
    assert "Perhaps" not in page


def test_while_figures_are_computed_nothing_is_claimed(client, ladder, three):
    StoredLengths.objects.all().delete()
    page = client.get(ladder.get_board_url())
    assert page.status_code == 200
    text = page.content.decode()
    assert text.count('class="length-curve small"') == 1  # the legend's
    assert "effective length 2k tokens" not in text
    assert client.get(f"{ladder.get_board_url()}?view=lengths").status_code == 200


def test_the_page_of_a_system_says_how_long_a_text_may_get(client, ladder, three):
    page = client.get(three["Middle"].system.get_absolute_url()).content.decode()
    assert "effective length 2k tokens" in page
    assert 'class="heat-map"' in page


def test_a_comparison_draws_all_curves_above_the_paired_differences(client, ladder, three):
    chosen = [three[name].pk for name in ("Far", "Middle", "Near")]
    page = client.get("/compare/", {"s": chosen}).content.decode()
    assert page.count('<g class="contender') == 3
    assert "C, Near: 1k 100.0%" in page


def curves(version, query: str = ""):
    return figures.draw("lengths", board_of(version, QueryDict(query)))


def test_curves_have_bands_and_the_oracle_and_guessing_are_dotted(ladder, named, send) -> None:
    send(ladder, named("Far"))
    send(ladder, named("Near"), holds=1024)
    send(ladder, named("Floor", reference="floor", kind="baseline"), holds=0)
    send(ladder, named("Oracle", reference="oracle", kind="baseline"))
    drawn = curves(ladder)
    assert [trace["name"] for trace in drawn.traces if trace["mode"] != "none"] == [
        "oracle: Oracle",
        "guessing",
        "Far",
        "Near",
    ]
    assert sum(trace.get("fill") == "toself" for trace in drawn.traces) == 2
    assert drawn.sentence == (
        "1 of 2 systems is reliable up to 4k tokens, the longest effective length here."
    )
    assert [row[0] for row in drawn.rows[:9:3]] == ["Far", "Near", "Oracle"]
    guesses = [each for each in computing.guesses_of(ladder) if each]
    assert [row[0] for row in drawn.rows[9:]] == [guess.name for guess in guesses]
    assert "Dotted: the best oracle and guessing." in drawn.caption


def test_one_system_and_an_empty_board_have_their_own_sentences(ladder, named, send) -> None:
    assert curves(ladder).empty == "No system is on the board yet."
    send(ladder, named("Near"), holds=1024)
    assert curves(ladder).sentence == "The effective length of Near: 1k tokens."


def test_curves_that_are_not_computed_yet_say_so(ladder, named, send) -> None:
    send(ladder, named("Near"))
    StoredLengths.objects.all().delete()
    cache.clear()
    assert curves(ladder).empty == "Accuracy by length is being computed."


def test_the_file_has_a_line_a_system_and_length(client, ladder, named, send) -> None:
    send(ladder, named("Far"))
    named_ladder = [ladder.benchmark.slug, ladder.slug, "lengths"]
    answer = client.get(reverse("leaderboard:board_figure_table", args=named_ladder))
    lines = list(csv.DictReader(io.StringIO(answer.content.decode())))
    assert [line["tokens"] for line in lines] == ["1024", "2048", "4096"] * 2
    assert [line["effective_length"] for line in lines] == ["4096"] * 3 + [""] * 3
    assert [line["reference"] for line in lines] == [""] * 3 + ["guessing"] * 3
