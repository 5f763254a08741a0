"""References bound a board as lines and a table, without rank, tie or sentence; page, API and files agree."""

from __future__ import annotations

import csv
import importlib
import io
import json
from typing import Any

import pytest
from django.apps import apps

from evaluation.core.suite import REFERENCES
from leaderboard.benchmarks import seeding
from leaderboard.benchmarks.models import Version
from leaderboard.boards import references
from leaderboard.boards.guessing import Guessing, guessing_of
from leaderboard.boards.headline_summary import ONLY_REFERENCES
from leaderboard.boards.placements import computing, outcomes, placements
from leaderboard.boards.placements.outcomes import system_placement
from leaderboard.boards.sharing import badges
from leaderboard.boards.slices import WHOLE
from leaderboard.runs import services as runs
from leaderboard.submissions.models import Submission, System
from tests.leaderboard.boards.whole import board_rows

BOARD = "/boards/goldevidencebench/ranked/"
API = "/api/v1/leaderboard/goldevidencebench/ranked"
ROLES = {"ledger": "oracle", "random_mention": "floor", "latest_step+gate": "rule"}
#: With a rule over the lines shown, and one that was learned.
ALL_ROLES = ROLES | {"latest_step": "rule", "linear": "rule"}


def run_by_site(version: Version, name: str) -> System:
    run = runs.start(version=version, executor=name, started_by=seeding.site_user(), wake_worker=False)
    runs.execute(str(run.pk), grade_now=True)
    computing.store(version)
    return run.system


@pytest.fixture
def contested(ranked_version: Version, user: Any, submit: Any) -> Version:
    """A board of two people's systems, one of which answers as the oracle does, with three references."""
    for name, executor in (("Ada's", "ledger"), ("Ben's", "prefer_set_latest")):
        submit(ranked_version, System.objects.create(owner=user, name=name), executor=executor)
    for name in ROLES:
        run_by_site(ranked_version, name)
    return ranked_version


def board(version: Version) -> list[Any]:
    return placements.board_placements(version, Submission.objects.on_board(version), WHOLE)


def ranks(version: Version) -> dict[str, Any]:
    return {
        place.name: (place.rank, place.low, place.high, place.sharing, place.best, place.group, place.lead)
        for place in board(version)
        if not place.reference
    }


def names(html: str) -> list[str]:
    """The systems of the ranked table, from top to bottom."""
    table = html.split('<table class="board')[1].split("</table>")[0]
    return [part.split('"')[0].split("/")[1] for part in table.split('href="/systems/')[1:]]


def test_every_role_of_the_engine_is_one_of_the_site():
    assert set(System.Reference.values) == set(REFERENCES)


def test_what_the_site_runs_has_the_role_that_its_suite_gives_it_and_what_a_person_runs_has_none(
    ranked_version, user
):
    for name, role in ALL_ROLES.items():
        assert run_by_site(ranked_version, name).reference == role
    own = runs.start(version=ranked_version, executor="ledger", started_by=user, wake_worker=False)
    assert own.system.reference == ""


def test_a_system_of_the_site_that_an_older_engine_ranked_becomes_a_reference_with_its_next_run(
    ranked_version,
):
    system = run_by_site(ranked_version, "ledger")
    System.objects.filter(pk=system.pk).update(reference="")
    assert run_by_site(ranked_version, "ledger").pk == system.pk
    system.refresh_from_db()
    assert system.reference == "oracle"


def test_the_migration_marks_what_the_site_ran_and_no_systems_of_people(ranked_version, user):
    own = runs.start(version=ranked_version, executor="ledger", started_by=user, wake_worker=False).system
    for name in ALL_ROLES:
        run_by_site(ranked_version, name)
    System.objects.update(reference="")
    importlib.import_module("leaderboard.migrations.0022_references").mark_references(apps, None)
    roles = dict(System.objects.exclude(pk=own.pk).values_list("name", "reference"))
    assert roles == ALL_ROLES
    own.refresh_from_db()
    assert own.reference == ""


def test_removing_a_reference_changes_no_rank(contested):
    before = ranks(contested)
    assert [rank[0] for rank in before.values()] == [1, 2]
    for name in ROLES:
        System.objects.get(name=name).submissions.update(shown=False)
        computing.store(contested)
        assert ranks(contested) == before


def test_references_have_no_rank_and_tie_with_no_equal_system(contested):
    places = {place.name: place for place in board(contested)}
    assert {name: places[name].reference for name in ROLES} == ROLES
    assert all(places[name].rank is None and not places[name].best for name in ROLES)
    assert places["Ada's"].sharing == 1
    shown = Submission.objects.with_names().get(system__name="ledger")
    words = outcomes.submission_placements([shown])[shown.pk].words
    assert words == "not ranked: a reference system (oracle)"
    assert outcomes.why_unranked(shown) == "a reference system (oracle)"


def test_references_of_equal_figures_share_a_line_which_names_all_of_them(client, contested):
    twin = System.objects.get(name="latest_step+gate")
    run_by_site(contested, "latest_step")
    other = System.objects.get(name="latest_step")
    Submission.objects.filter(system=other).update(score=twin.submissions.get().score_id)
    below = client.get(BOARD).content.decode().split('id="references"')[1].split("</details>")[0]
    assert below.count('<th scope="row">') == len(ROLES)
    assert below.count("same figures:") == 1
    for system in (twin, other):
        assert f'href="{system.get_absolute_url()}"' in below


def test_the_page_lists_references_below_and_draws_the_oracle_and_guessing(client, contested):
    html = client.get(BOARD).content.decode()
    assert names(html) == ["adas", "bens"]
    assert " leads with " in html
    assert "ledger" not in html.split('class="who-leads">')[1].split("</p>")[0]
    below = html.split('id="references"')[1].split("</details>")[0]
    for name, role in ROLES.items():
        assert f">{name}<" in below.replace("<wbr>", "")
        assert f"> {role.capitalize()} </button>" in below
    table = html.split('<table class="board')[1].split("</table>")[0]
    drawn = table.split('<g id="reference-lines">')[1].split("</g>")[0]
    assert 'class="reference oracle" x1="100.00%"' in drawn
    assert 'class="reference guessing"' in drawn
    assert table.count('href="#reference-lines"') == 2, "once in each row"
    guessing = guessing_of(contested)
    assert guessing is not None
    assert f"Lines: guessing ({guessing.name}) {guessing.value:.1%}, oracle (ledger) 100.0%" in table


def test_a_switch_shows_them_in_place_without_ranks(client, contested):
    html = client.get(f"{BOARD}?references=on").content.decode()
    shown = names(html)
    assert sorted(shown) == sorted(["adas", "bens", "ledger", "random_mention", "latest_stepgate"])
    values = {row.system.slug: row.value for row in board_rows(contested)}
    assert [values[slug] for slug in shown] == sorted(values.values(), reverse=True)
    assert 'id="references"' not in html
    assert "Not ranked: a reference system (oracle)" in html
    assert "references=on" in html.split("<thead")[1].split("</thead>")[0], "links keep it"


def test_sorting_by_a_column_in_place_sorts_references_too(client, contested):
    html = client.get(f"{BOARD}?references=on&sort=system").content.decode()
    assert names(html) == ["adas", "bens", "latest_stepgate", "ledger", "random_mention"]
    assert names(client.get(f"{BOARD}?sort=system").content.decode()) == ["adas", "bens"]


def test_api_and_files_name_the_role_and_say_why_there_is_no_rank(client, body, contested):
    items = body(client.get(API))["items"]
    assert {one["system"]: one["reference"] for one in items} == ROLES | {"Ada's": None, "Ben's": None}
    assert [one["system"] for one in items[:2]] == ["Ada's", "Ben's"]
    assert {one["not_ranked"] for one in items[2:]} == {f"a reference system ({r})" for r in ROLES.values()}
    assert {one["rank"] for one in items[2:]} == {None}
    in_place = body(client.get(f"{API}?references=true"))["items"]
    figures = [one["headline"] for one in in_place]
    assert figures == sorted(figures, reverse=True)
    for query in ("", "?references=on"):
        as_json = json.loads(client.get(f"{BOARD}export.json{query}").content)
        as_csv = list(csv.DictReader(io.StringIO(client.get(f"{BOARD}export.csv{query}").content.decode())))
        order = [one["system"] for one in (in_place if query else items)]
        assert [one["system"] for one in as_json] == [one["system"] for one in as_csv] == order
        assert {one["system"]: one["reference"] or None for one in as_csv} == {
            one["system"]: one["reference"] for one in items
        }


def test_a_badge_has_the_figure_of_a_reference_and_why_it_has_no_rank(contested):
    standing = system_placement(System.objects.get(name="ledger"), contested)
    assert badges.text_of(standing) == "100.0% · not ranked: a reference system (oracle)"


def test_a_board_of_references_only_says_so(client, body, ranked_version):
    run_by_site(ranked_version, "ledger")
    html = client.get(BOARD).content.decode()
    assert ONLY_REFERENCES in html
    assert 'id="references"' in html
    assert body(client.get(API))["summary"] == ONLY_REFERENCES


def test_a_board_without_references_has_the_line_of_guessing_alone_and_no_switch(
    client, ranked_version, submit, system
):
    submit(ranked_version, system)
    html = client.get(BOARD).content.decode()
    assert "eference systems" not in html
    assert 'class="reference oracle' not in html
    assert 'class="reference guessing"' in html
    Version.objects.update(guessing={})
    html = client.get(BOARD).content.decode()
    assert 'class="reference' not in html
    assert "#reference-lines" not in html


def test_of_several_oracles_the_best_is_drawn_and_guessing_beside_it(contested):
    rows = [row for row in board_rows(contested) if row.reference]
    guessing = Guessing(0.4, "Random line of the key")
    drawn = references.lines(rows, guessing)
    assert [(line.role, line.name, line.value) for line in drawn] == [
        ("guessing", "Random line of the key", 0.4),
        ("oracle", "ledger", 1.0),
    ]
    assert [line.role for line in references.lines([], guessing._replace(value=1.5))] == []
    assert references.lines([]) == []


def test_lines_too_near_each_other_share_a_label():
    guess, oracle = (references.ReferenceLine(role, role, 1.0) for role in ("guessing", "oracle"))
    assert references.labels([guess, oracle]) == [(oracle, "guessing, oracle")]
    low = guess._replace(value=0.06)
    assert references.labels([low, oracle]) == [(low, "guessing"), (oracle, "oracle")]
    assert references.labels([oracle]) == [(oracle, "oracle")]
    assert (low.anchor, oracle.anchor) == ("start", "end")
