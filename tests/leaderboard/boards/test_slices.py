"""A board narrowed to a part of its rows: ranked by these rows only, on the page, in the API and in exports."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.core.suite import Facet
from leaderboard.benchmarks import expected_ids
from leaderboard.boards import rows as boards
from leaderboard.boards import slices
from leaderboard.boards.placements import placements
from leaderboard.boards.placements.ranking import NOT_ABOVE, unit_scores
from leaderboard.boards.slices import WHOLE, BoardSlice
from leaderboard.submissions import services as submissions
from leaderboard.submissions.models import Submission, System
from leaderboard.submissions.scores import score_sums
from tests.leaderboard.conftest import RANKED
from tests.leaderboard.taking_part import taking_part

CONDITIONS = [{"k": 4, "order": order} for order in ("gold_first", "gold_last")]
NOTED = {"state_modes": ["kv", "kv_commentary"], "conditions": CONDITIONS}


@pytest.fixture
def version(make_version):
    """Whole book and two orders, with and without NOTE lines."""
    generator = {"episodes": 3, "steps": 60, "queries": 6, "keys": 4, "chapters": 2, "note_rate": 0.5}
    return make_version(generator=generator, **NOTED)


@pytest.fixture
def positional(user, submit):
    """A system that is right if the gold line comes last, and one that is right if it comes first."""

    def make(version):
        collected = {}
        for name, executor in (("Last", "positional_last"), ("First", "positional_first")):
            system = System.objects.create(owner=user, name=name, kind="selector")
            made = submit(version, system, executor=executor)
            collected[name] = Submission.objects.select_related("score").get(pk=made.pk)
        return collected

    return make


@pytest.fixture
def pair(version, positional):
    return positional(version)


def part_of(version, **chosen) -> BoardSlice:
    return slices.board_slice(version, chosen)


def board(version, **chosen) -> list[boards.BoardRow]:
    part = part_of(version, **chosen)
    shown = Submission.objects.on_board(version)
    return boards.rows(version, placements.board_placements(version, shown, part), part)


def test_under_one_order_a_fixed_place_is_guessing_and_has_no_rank(make_version, positional):
    version = make_version(generator=RANKED, conditions=CONDITIONS)
    positional(version)
    for order, best, worst in (("gold_last", "Last", "First"), ("gold_first", "First", "Last")):
        rows = board(version, condition=f"k4-{order}")
        assert [row.system.name for row in rows] == [best, worst]
        assert (rows[0].value, rows[0].rank, rows[1].rank) == (1.0, None, None)
        assert {row.reason for row in rows} == {NOT_ABOVE}
        assert rows[1].value is not None
        assert rows[1].value < 0.5


def test_gates_stay_those_of_the_whole_version(version, pair):
    assert pair["Last"].score.gated  # it cites NOTE lines
    assert [row.rank for row in board(version, notes="without")] == [None, None]


def test_the_figure_of_a_part_is_the_one_of_its_group(version, pair):
    for row in board(version, condition="k4-gold_last"):
        group = row.score.groups["condition"]["k4-gold_last"]
        assert row.value == pytest.approx(group["metrics"]["exact_acc"])
        low, high = group["intervals"]["exact_acc"]
        assert row.span == (None if low == high else pytest.approx((low, high)))
        figures = {column.name: value for column, value, _ in row.cells}
        assert figures["selection_rate"] == group["metrics"]["selection_rate"]


def test_parts_of_a_facet_add_up_to_the_whole(version, pair):
    for submission in pair.values():
        score = submission.score
        parts = [part_of(version, notes=name) for name in ("with", "without")]
        units = [unit_scores(part.units(score.cells, bytes(score.cell_scores))) for part in parts]
        assert np.array_equal(sum(units), unit_scores(bytes(score.unit_scores)))
        assert all(table[:, 1].sum() > 0 for table in units)


def test_facets_cross(version, pair):
    rows = board(version, condition="k4-gold_last", notes="with")
    assert rows[0].system.name == "Last"
    alone = board(version, condition="k4-gold_last")[0].placement.figure.rows
    assert 0 < rows[0].placement.figure.rows < alone
    assert not rows[0].decomposition  # the decomposition is not kept for every crossing
    assert all(value is None for _, value, _ in rows[0].cells)


def test_a_file_that_leaves_a_condition_out_is_not_reported_there(version, user, predictions):
    path = predictions(version)
    splits = expected_ids.expected_rows(version).splits
    lines = [
        line for line in path.read_text().splitlines() if splits[json.loads(line)["id"]] != "k4-gold_last"
    ]
    path.write_text("\n".join(lines) + "\n")
    accepted = submissions.accept(version, path, partial=True)
    system = System.objects.create(owner=user, name="Partial")
    submission = taking_part(submissions.create(accepted, system=system, submitter=user))
    assert submissions.grade(str(submission.pk))
    (row,) = board(version, condition="k4-gold_last")
    assert (row.value, row.rank) == (None, None)
    assert board(version, condition="k4-gold_first")[0].value == 1.0


def test_a_board_says_what_it_is_ranked_by_and_leads_back(client, version, pair):
    page = client.get(f"{version.get_board_url()}?condition=k4-gold_last&kind=selector").content.decode()
    rows = version.conditions["k4-gold_last"]
    assert f"Ordered by <b>exact accuracy</b> on only the {rows} rows of <b>“4 lines, gold last”</b>" in page
    assert f'href="{version.get_board_url()}?kind=selector">Show the whole board' in page
    assert '<option value="k4-gold_last" selected>' in page


def test_a_part_that_does_not_exist_leaves_the_page_whole_and_is_an_error_of_the_api(client, version, pair):
    address = f"{version.get_board_url()}?condition=k9-nowhere"
    assert "Ranked by" not in client.get(address).content.decode()
    api = f"/api/v1/leaderboard/{version.benchmark.slug}/{version.slug}"
    for query in ("condition=k9-nowhere", "track=supersession"):
        response = client.get(f"{api}?{query}")
        assert response.status_code == 422
        assert response.json()["parameters"][0]["name"] == query.partition("=")[0]


def test_page_api_and_export_agree_on_a_part(client, version, pair):
    query = "condition=k4-gold_first&notes=without"
    shown = json.loads(client.get(f"{version.get_board_url()}export.json?{query}").content)
    api = client.get(f"/api/v1/leaderboard/{version.benchmark.slug}/{version.slug}?{query}").json()
    assert [one["system"] for one in shown] == [one["system"] for one in api["items"]] == ["First", "Last"]
    assert {(one["condition"], one["notes"]) for one in shown} == {("k4-gold_first", "without")}
    assert api["part"] == {"notes": "without", "condition": "k4-gold_first"}
    assert api["facets"]["condition"] == ["k4-gold_first", "k4-gold_last"]


def test_a_part_sorts_by_its_own_figures(client, version, pair):
    part = part_of(version, condition="k4-gold_last")
    shown = Submission.objects.on_board(version)
    ordered = placements.board_placements(version, shown, part)
    for by in ("selection_rate", "value"):
        rising = placements.sort(version, shown, ordered, by, part)
        assert [placement.key for placement in rising] == [pair["First"].pk, pair["Last"].pk], by
        assert placements.sort(version, shown, ordered, f"-{by}", part) == rising[::-1]


def test_a_version_of_one_part_offers_no_choice(make_version):
    version = make_version(name="plain")
    assert [facet.choices for facet in slices.facets_of(version)] == [(), ()]
    assert not part_of(version)


def test_a_statebench_board_is_ranked_by_track(make_version, user, submit, client):
    version = make_version("statebench", "tracks", count=2)
    submit(version, System.objects.create(owner=user, name="State"), executor="state_based")
    track = next(iter(version.conditions))
    (row,) = board(version, track=track)
    group = row.score.groups["track"][track]["metrics"]
    assert row.value == pytest.approx(group["decision_accuracy"])
    assert row.placement.figure.rows == version.conditions[track]
    page = client.get(f"{version.get_board_url()}?track={track}").content.decode()
    assert "Ordered by" in page
    assert "without understanding the text" in page  # that is why nothing is ranked


NAMES = st.sampled_from("abc")


@given(
    cells=st.dictionaries(
        st.tuples(NAMES, NAMES),
        st.lists(st.integers(0, 5), min_size=3, max_size=3),
        min_size=1,
    ),
    first=NAMES | st.just(""),
    second=NAMES | st.just(""),
)
def test_a_slice_is_the_sum_of_the_cells_it_holds(cells, first, second):
    facets = (Facet("one", "One", "all"), Facet("two", "Two", "all"))
    report = {
        key: {str(n): (float(rows), rows) for n, rows in enumerate(units)} for key, units in cells.items()
    }
    names, packed = score_sums.packed_cells(report)
    result = BoardSlice(facets, (first, second)).units(names, packed)
    expected = [key for key in cells if first in ("", key[0]) and second in ("", key[1])]
    total = [sum(cells[key][n] for key in expected) for n in range(3)]
    assert (unit_scores(result)[:, 1].tolist() if result else [0, 0, 0]) == total


def test_the_whole_is_no_slice():
    assert not WHOLE
    assert WHOLE.group is None
    assert WHOLE.units([], b"") == b""


def test_a_file_that_answers_a_part_says_so_on_the_board(client, version, user, system, submit, predictions):
    submit(version, system)
    path = predictions(version)
    splits = expected_ids.expected_rows(version).splits
    lines = [
        line for line in path.read_text().splitlines() if splits[json.loads(line)["id"]] != "k4-gold_last"
    ]
    path.write_text("\n".join(lines) + "\n")
    partial = System.objects.create(owner=user, name="Partial")
    made = taking_part(submissions.create(submissions.accept(version, path), system=partial, submitter=user))
    assert submissions.grade(str(made.pk))
    assert {row.system.name: row.covers for row in board(version)} == {
        system.name: None,
        "Partial": (len(version.conditions) - 1, len(version.conditions)),
    }
    there = len(version.conditions)
    assert f"{there - 1} of {there} conditions" in client.get(version.get_board_url()).content.decode()
