"""Pages: which are public, which only for some, and the number of queries of a board."""

from __future__ import annotations

import gzip
import io
import json

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from leaderboard.benchmarks.models import Version
from leaderboard.submissions.models import System


@pytest.fixture
def board(version, user, submit):
    """Three systems on a board."""
    for name, executor in (("Reader", "ledger"), ("Early", "positional_first"), ("Naive", "naive")):
        submit(version, System.objects.create(owner=user, name=name), executor=executor)
    return version


def test_the_page_of_boards_is_the_featured_board_in_rank_order(client, board):
    response = client.get(reverse("leaderboard:board"))
    assert response.status_code == 200
    assert response.context["rows"][0].system.name == "Reader"


@pytest.mark.parametrize("name", ["front", "board"])
def test_an_empty_site_says_what_to_do(client, db, name):
    response = client.get(reverse(f"leaderboard:{name}"))
    assert response.status_code == 200
    assert "No board yet" in response.content.decode()


@pytest.mark.parametrize(
    "query", ["", "?sort=-value_acc", "?sort=system", "?sort=nonsense", "?verified=on", "?kind=llm&q=re"]
)
def test_a_board_takes_the_same_few_queries_however_many_systems(client, board, user, submit, query):
    def count() -> int:
        with CaptureQueriesContext(connection) as queries:
            assert client.get(board.get_board_url() + query).status_code == 200
        return len(queries)

    few = count()
    for number in range(3):
        submit(board, System.objects.create(owner=user, name=f"More {number}"))
    assert count() <= few <= 15


def test_the_board_can_be_taken_along(client, board):
    url = board.get_board_url()
    rows = json.loads(client.get(f"{url}export.json").content)
    assert (rows[0]["rank"], rows[0]["system"]) == (None, "Reader")
    assert rows[0]["not_ranked"].startswith("2 episodes are too few")
    assert client.get(f"{url}export.csv").content.startswith(b"rank,")
    import pyarrow.parquet as pq

    table = pq.read_table(io.BytesIO(client.get(f"{url}export.parquet").content))
    assert table.num_rows == len(rows)
    assert client.get(f"{url}export.exe").status_code == 404


def test_rows_are_downloaded_without_gold(client, version):
    response = client.get(reverse("leaderboard:version_rows", args=[version.benchmark.slug, version.slug]))
    data = gzip.decompress(b"".join(response.streaming_content))
    rows = [json.loads(line) for line in data.splitlines()]
    assert len(rows) == version.row_count
    assert not any("gold" in row for row in rows)


def test_a_private_submission_looks_like_one_that_does_not_exist(client, version, system, submit, other):
    made = submit(version, system, visibility="private")
    names = ("submission", "submission_status", "submission_rows", "submission_predictions")
    for visitor in (None, other):
        if visitor:
            client.force_login(visitor)
        for name in names:
            assert client.get(reverse(f"leaderboard:{name}", args=[made.pk])).status_code == 404
    client.force_login(system.owner)
    assert client.get(made.get_absolute_url()).status_code == 200


@pytest.mark.parametrize("sealed", [True, False])
def test_failing_rows_are_listed_with_their_reason_and_without_withheld_gold(
    client, make_version, system, submit, sealed
):
    version = make_version(sealed=sealed)
    Version.objects.filter(pk=version.pk).update(figure_step=0)
    made = submit(Version.objects.get(pk=version.pk), system, wrong=2)
    client.force_login(system.owner)
    response = client.get(reverse("leaderboard:submission_rows", args=[made.pk]))
    assert len(response.context["rows"]) == 2
    assert all(row["reason"] and ("gold" in row) is not sealed for row in response.context["rows"])


def test_only_its_submitter_withdraws(client, version, system, submit, other):
    made = submit(version, system)
    url = reverse("leaderboard:submission_withdraw", args=[made.pk])
    client.force_login(other)
    assert client.post(url).status_code == 403
    client.force_login(system.owner)
    client.post(url)
    made.refresh_from_db()
    assert made.status == "withdrawn"


def test_every_figure_of_a_system_has_a_picture_and_a_table(client, make_version, user, submit):
    conditions = [{"k": 4, "order": order} for order in ("gold_first", "gold_last")]
    version = make_version(name="ordered", conditions=conditions)
    made = submit(version, System.objects.create(owner=user, name="Last"), executor="positional_last")
    page = client.get(made.system.get_absolute_url())
    names = [figure.name for figure, _ in page.context["figures"]]
    assert {"decomposition", "order-bias", "failures", "history"} <= set(names)
    for figure, url in page.context["figures"]:
        drawn = json.loads(client.get(url).content)
        assert ("empty" in drawn) == bool(figure.empty)
        assert figure.empty or figure.rows


@pytest.mark.parametrize(
    "address", ["/versions/", "/systems/", "/docs/", "/submit/", "/account/", "/nowhere/"]
)
def test_pages_send_a_policy_without_inline_script_or_eval(client, version, address):
    policy = client.get(address)["Content-Security-Policy"]
    script = next(part for part in policy.split(";") if part.strip().startswith("script-src"))
    assert "unsafe" not in script


def test_an_unknown_address_is_a_page_and_no_traceback(client, db):
    response = client.get("/nowhere/")
    assert response.status_code == 404
    assert "Traceback" not in response.content.decode()
