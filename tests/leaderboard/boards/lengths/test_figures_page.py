"""Curves of a whole board: bands, the sentence on who holds, and the file."""

from __future__ import annotations

import csv
import io

from django.http import QueryDict
from django.urls import reverse

from leaderboard.boards import figures
from leaderboard.boards.figures.data import board_of
from leaderboard.boards.lengths import computing
from leaderboard.boards.models import StoredLengths
from leaderboard.web.results_cache import cache


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
        "1 of 2 systems is shown to hold up to 4k tokens, the longest effective length here."
    )
    assert [row[0] for row in drawn.rows[:9:3]] == ["Far", "Near", "Oracle"]
    guesses = [each for each in computing.guesses_of(ladder) if each]
    assert [row[0] for row in drawn.rows[9:]] == [guess.name for guess in guesses]
    assert "Dotted: the best oracle and guessing." in drawn.caption


def test_one_system_and_nobody_have_sentences_of_their_own(ladder, named, send) -> None:
    assert curves(ladder).empty == "No system here contests the board."
    send(ladder, named("Near"), holds=1024)
    assert curves(ladder).sentence == "The effective length of Near: at least 1k tokens."


def test_curves_that_are_not_computed_yet_say_so(ladder, named, send) -> None:
    send(ladder, named("Near"))
    StoredLengths.objects.all().delete()
    cache.clear()
    assert curves(ladder).empty == "Figures of lengths are being computed."


def test_the_file_has_a_line_a_system_and_length(client, ladder, named, send) -> None:
    send(ladder, named("Far"))
    named_ladder = [ladder.benchmark.slug, ladder.slug, "lengths"]
    answer = client.get(reverse("leaderboard:board_figure_table", args=named_ladder))
    lines = list(csv.DictReader(io.StringIO(answer.content.decode())))
    assert [line["tokens"] for line in lines] == ["1024", "2048", "4096"] * 2
    assert [line["effective_length"] for line in lines] == ["4096"] * 3 + [""] * 3
    assert [line["reference"] for line in lines] == [""] * 3 + ["guessing"] * 3
