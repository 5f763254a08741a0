"""The precision of a version is stated by the engine that ranks it."""

from __future__ import annotations

import pytest
from django.template.loader import render_to_string

from evaluation.core.statistics import version_power
from leaderboard.benchmarks import freezing, seeding
from leaderboard.benchmarks.models import Version
from leaderboard.templatetags import scopes
from tests.leaderboard.boards.lengths.conftest import ladder  # noqa: F401 (fixture)


def tells(client, version) -> str:
    page = " ".join(client.get(version.get_absolute_url()).content.decode().split())
    return page.partition("Precision.</b>")[2].partition("</p>")[0].strip()


def test_a_version_says_its_units_the_expected_interval_and_the_smallest_difference(client, ranked_version):
    power = version_power(40, 80)
    assert tells(client, ranked_version) == (
        "40 episodes with 80 rows count in the headline: a rate of 80% has an interval of about ± "
        f"{100 * power.plus_minus:.1f} points, and two systems must differ by about "
        f"{100 * power.smallest_difference:.1f} points for the test to distinguish them. "
        "The version has enough units to rank systems."
    )


def test_a_diagnostic_version_says_so_and_counts_what_is_drawn(client, version, make_version):
    assert tells(client, version).endswith(
        "metrics with intervals, but no ranks. Ranks need at least 40 episodes."
    )
    states = make_version("statebench", "tracks", tracks=["supersession", "causality"], count=30)
    assert states.unit_count == 60
    assert tells(client, states).startswith("2 templates with ")
    assert "no ranks. Ranks need at least 40 templates." in tells(client, states), (
        "what an attacker reaches follows it"
    )


@pytest.mark.parametrize(("suite", "name"), [("goldevidence", "standard"), ("statebench", "quick")])
def test_the_outlook_of_a_preset_is_what_its_version_says(db, monkeypatch, suite, name):
    monkeypatch.setattr(freezing, "OUTLOOK_S", 600)  # however slow this machine is
    seeding.presets(suite)
    version = seeding.frozen(suite, name, tell=str)
    outlook = freezing.outlook(version.preset)
    assert outlook.conditions == version.conditions
    assert scopes.version_tells(outlook) == scopes.version_tells(version)


def test_where_there_is_no_time_the_outlook_is_estimated_from_the_first_units(db, monkeypatch):
    monkeypatch.setattr(freezing, "OUTLOOK_S", 0)
    seeding.presets("goldevidence")
    version = seeding.frozen("goldevidence", "quick", tell=str)
    outlook = freezing.outlook(version.preset)
    assert outlook.unit_count == version.unit_count == 42
    assert outlook.row_count == 84, "the first unit has two rows"
    assert version.row_count == pytest.approx(84, rel=0.2), "some have one more, without the instructions"


def few_of(version: Version, *, units: int, rows: int) -> scopes.FewQuestions | None:
    version.unit_count, version.conditions = units, dict.fromkeys(version.conditions, units * rows)
    return scopes.few_for_lengths(version)


def test_a_ladder_that_ranks_says_where_its_questions_are_too_few_for_effective_lengths(ladder):  # noqa: F811
    assert few_of(ladder, units=10, rows=3) is None, "diagnostic: that is said instead"
    assert few_of(ladder, units=40, rows=3) == (3, 12)
    assert few_of(ladder, units=40, rows=12) is None
    assert few_of(ladder, units=100, rows=3) is None
    few_of(ladder, units=40, rows=3)
    note = " ".join(render_to_string("components/version_tells.html", {"version": ladder}).split())
    assert (
        "Effective lengths will mostly stay undecided: each episode has 3 rows at each length, and 12 are needed to "
        "show that a system with an accuracy of 97.0% is reliable."
    ) in note


def test_other_versions_say_nothing_of_lengths(client, ranked_version):
    assert scopes.few_for_lengths(ranked_version) is None
    assert "Effective lengths" not in tells(client, ranked_version)
