"""The visible parts of boards, and that they can be read."""

from __future__ import annotations

import re

import pytest
from django.core.paginator import Paginator
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.html import escape

from evaluation.core.suite import SUITES, Column
from leaderboard.submissions.models import System
from leaderboard.submissions.scores.score_tables import FigureLine
from leaderboard.templatetags import scopes
from tests.live import ROOT

STYLES = ROOT / "static/css"
LEAST_CONTRAST = 4.5  # of small text: WCAG 2.2, 1.4.3
GROUNDS = ("paper", "card", "sunk")


def _colours() -> dict[str, tuple[str, str]]:
    """Colour token -> (light, dark)."""
    pairs = re.findall(r"--([\w-]+): light-dark\((#\w{6}), (#\w{6})\)", (STYLES / "tokens.css").read_text())
    return {name: (light, dark) for name, light, dark in pairs}


def _luminance(colour: str) -> float:
    parts = (int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5))
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


@pytest.mark.parametrize("theme", [0, 1], ids=["light", "dark"])
@pytest.mark.parametrize("ink", ["ink", "soft", "faint", "gold-ink", "blue-ink", "good", "bad"])
def test_small_text_has_enough_contrast_on_every_ground(ink: str, theme: int) -> None:
    colours = _colours()
    for ground in GROUNDS:
        dark, light = sorted((_luminance(colours[ink][theme]), _luminance(colours[ground][theme])))
        assert (light + 0.05) / (dark + 0.05) >= LEAST_CONTRAST, ground


def test_a_board_says_which_rows_its_headline_is_of(client, small, system, submit) -> None:
    submit(small, system)
    page = client.get(small.get_board_url()).content.decode()
    assert "<small>whole book</small>" in page
    assert "Exact accuracy on the rows of “whole book”." in " ".join(page.split())
    assert "Intervals treat each episode as one observation" in " ".join(page.split())


def test_a_board_with_one_kind_of_rows_does_not_name_them(client, version, system, submit) -> None:
    submit(version, system)
    assert "whole book" not in client.get(version.get_board_url()).content.decode()


def test_the_legend_tells_the_gates_of_the_version_with_their_bars(client, version, system, submit) -> None:
    submit(version, system)
    legend = client.get(version.get_board_url()).content.decode().partition('class="legend"')[2]
    assert "at most 1 in 100" in legend
    assert "at least 95 in 100" in legend
    assert '<b aria-hidden="true">citations back answers</b>' in legend
    assert "A requirement is undecided if the interval includes the threshold" in " ".join(legend.split())


def test_what_the_table_has_no_column_for_stands_in_the_unfolded_line(client, small, system, submit) -> None:
    submit(
        small, system, executor="positional_last"
    )  # else its worst condition would be the headline once more
    page = client.get(small.get_board_url()).content.decode()
    row = page.partition("<tbody")[2].partition("</tbody>")[0]
    assert "Worst condition" in row.partition("<details>")[2].partition("</details>")[0]
    marks = row.count('class="mark steps"'), row.count('class="mark order"')
    assert marks == (2, 1), "the steps of the candidates and of its own retrieval: no mark stands twice"


def test_figures_stand_under_headings_and_those_without_any_are_named_once(
    client, version, system, submit
) -> None:
    made = submit(version, system)
    page = client.get(made.get_absolute_url()).content.decode()
    for heading in ("Headline", "Citations", "Authority"):
        assert f'colspan="4">{heading}</th>' in page
    assert 'colspan="4">Candidates: selection</th>' not in page
    assert "Not reported: Lines found by the system, Candidates: selection" in page


def test_a_submission_says_which_rows_its_figures_are_over(client, small, version, system, submit) -> None:
    words = "Metrics are over the whole book"
    assert words in client.get(submit(small, system).get_absolute_url()).content.decode()
    assert words not in client.get(submit(version, system).get_absolute_url()).content.decode()


def test_a_column_is_explained_where_its_heading_is(client, version, system, submit) -> None:
    submit(version, system)
    page = client.get(f"{version.get_board_url()}?view=figures").content.decode()
    columns = [column for column in version.bound.columns if not column.headline]
    for column in columns:
        note = f"</b> {escape(column.help)}</span>"
        assert f'aria-label="What “{escape(column.label)}” means"' in page
        assert note in page
    assert page.count("lower is better") >= sum(column.better == "lower" for column in columns)


def test_all_figures_can_be_narrowed_to_those_under_one_heading(client, small, system, submit) -> None:
    submit(small, system)
    board = f"{small.get_board_url()}?view=figures"
    columns = [column for column in small.bound.columns if not column.headline]
    citations = [column for column in columns if column.section == "Citations"]
    for query, shown in (("&section=Citations", citations), ("&section=Nonsense", columns)):
        page = client.get(board + query).content.decode()
        table = page.partition('<table class="table figures-table"')[2].partition("</table>")[0]
        assert table.count('role="columnheader"') == 3 + len(shown)
        assert table.partition("<tbody>")[2].count("<td") == 2 + len(shown)
        assert ('name="section" value="Citations"' in page) == ("Citations" in query)


def test_a_version_calls_its_kinds_of_rows_and_its_units_by_their_names(small, make_version) -> None:
    state = make_version("statebench", "state", tracks=["supersession", "causality"], count=1)
    assert (scopes.split_word(small), scopes.unit_word(small)) == ("condition", "episodes")
    assert (scopes.split_word(state), scopes.unit_word(state, 1)) == ("track", "timeline")
    assert scopes.headline_rows(small) == "whole book"
    assert scopes.headline_rows(state) == ""


def test_figures_of_no_section_are_left_out_and_named() -> None:
    shown, silent = Column("a", "A", "…", section="One"), Column("b", "B", "…", section="Two")
    readings = [FigureLine(shown, 0.5, None, 12, None), FigureLine(silent, None, None, None, None)]
    assert [title for title, _ in scopes.sections(readings)] == ["One"]
    assert scopes.silent_sections(readings) == ["Two"]


def test_a_name_breaks_between_its_words_and_stays_escaped() -> None:
    assert scopes.breakable("positional_last") == "positional_<wbr>last"
    assert scopes.breakable("<b>_") == "&lt;b&gt;_<wbr>"


def test_a_systems_card_shows_its_place_and_its_interval(client, version, system, user, submit) -> None:
    submit(version, system)
    page = client.get(system.get_absolute_url()).content.decode()
    assert "not ranked: 2 episodes are too few (ranks need at least 40)" in page
    assert "at least 58.0%" in page, "every episode is right: of two that says little"
    poor = System.objects.create(owner=user, name="Poor")
    submit(version, poor, wrong=3)
    assert 'class="tick"' in client.get(poor.get_absolute_url()).content.decode()


def test_counts_of_pages_have_thousands_apart(rf) -> None:
    page = Paginator(range(1313), 50).page(21)
    text = render_to_string("components/pagination.html", {"page": page, "page_range": [21]}, rf.get("/"))
    assert "1,001–1,050 of 1,313" in text


def test_tracks_have_no_column_that_reads_like_a_rank(client, make_version, system, submit) -> None:
    state = make_version("statebench", "state", tracks=["supersession", "causality"], count=1)
    made = submit(state, system, executor="transcript_replay")
    address = reverse("leaderboard:board_split", args=[state.benchmark.slug, state.slug])
    page = client.get(address).content.decode()
    assert '<tr><th scope="row">' in page
    assert "lower is better" in page
    assert page.index("<h1") < page.index("<h2") < page.index("<h3")
    rows = client.get(reverse("leaderboard:submission_rows", args=[made.pk])).content.decode()
    assert "Every track" in rows


def test_a_figure_without_an_interval_says_so_and_is_not_called_unreported(rf, version) -> None:
    shown, unreported = Column("a", "A", "…", section="One"), Column("b", "B", "…", section="One")
    lines = [FigureLine(shown, 0.5, None, None, None), FigureLine(unreported, None, None, None, None)]
    context = {"parts": [("One", lines)], "version": version}
    table = render_to_string("components/metric_table.html", context, rf.get("/"))
    assert table.count(">no interval<") == 1
    of_shown, _, of_unreported = table.partition('<th scope="row">B')
    assert "not reported" not in of_shown
    assert "not reported" in of_unreported


def test_a_version_of_timelines_counts_timelines_and_queries_apart(client, make_version) -> None:
    tracks = ["supersession", "supersession_maintain", "brutal_realistic"]
    state = make_version("statebench", "state", tracks=tracks, count=2)
    page = client.get(state.get_absolute_url()).content.decode()
    assert "<dt>timelines</dt><dd>6</dd>" in page
    assert "<dt>queries</dt><dd>10</dd>" in page
    assert "<dt>in the headline</dt><dd>8 queries</dd>" in page
    assert "6&nbsp;queries" in page
    assert page.count("not in the headline") == 1
    assert "one line per <em>query</em>" in page


def test_a_version_of_episodes_says_how_many_rows_its_headline_is_over(client, small, version) -> None:
    whole = small.conditions["closed_book"]
    assert (
        f"<dt>in the headline</dt><dd>{whole} rows</dd>"
        in client.get(small.get_absolute_url()).content.decode()
    )
    assert (
        "<dt>in the headline</dt><dd>all rows</dd>" in client.get(version.get_absolute_url()).content.decode()
    )


def test_each_benchmark_has_a_guide_of_its_own(client, version, make_version) -> None:
    state = make_version("statebench", "state", tracks=["supersession", "supersession_maintain"], count=2)
    guide = {
        chosen: client.get(f"{reverse('leaderboard:docs')}?version={chosen.benchmark.slug}/{chosen.slug}")
        .content.decode()
        .partition("<main")[2]
        for chosen in (version, state)
    }
    for word in ("the reason in words", "decomposition", "Order bias"):
        assert word in guide[version]
        assert word not in guide[state]
    for word in (
        "stale-fact rate",
        "stale facts avoided",
        "Tracks",
        "budget",
        "ground truth",
        "conformance",
        "supersession_maintain",
    ):
        assert word in guide[state]
        assert word not in guide[version]
    assert "Of the 4 queries of State, 2 count in the headline metric." in guide[state]


def test_every_suite_has_all_the_words_of_its_own() -> None:
    folders = [STYLES.parents[1] / "templates/suites" / name for name in ("any", *SUITES)]
    parts = [{path.name for path in folder.iterdir()} for folder in folders]
    assert parts[0]
    assert all(item == parts[0] for item in parts)


def test_the_guide_stands_before_any_version_is_frozen(client, db) -> None:
    assert client.get(reverse("leaderboard:docs")).status_code == 200
