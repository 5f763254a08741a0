"""The page of figures: its parts, filters, files, links, and its number of queries."""

from __future__ import annotations

import csv
import io

import pytest
from django.urls import reverse

from leaderboard.benchmarks.storage import DamagedFileError
from leaderboard.boards import slices
from leaderboard.boards.figures import item_answers
from leaderboard.boards.placements import computing
from leaderboard.submissions.models import Submission
from leaderboard.web.results_cache import cache


def lines(response) -> list[dict[str, str]]:
    assert response.status_code == 200
    return list(csv.DictReader(io.StringIO(response.content.decode())))


@pytest.fixture
def several(small, contest):
    return contest(
        small, {"Far": 2, "Middle": 9, "Near": 20}, tokens={"Far": 100.0, "Middle": 50.0, "Near": 10.0}
    )


def test_the_page_has_each_figure_with_sentence_table_and_files(client, small, several, address) -> None:
    page = client.get(address(small)).content.decode()
    for name in ("cost", "order", "splits", "requirements", "failures", "items"):
        assert f'data-figure-url="{address(small, name)}"' in page
        assert f'href="{address(small, name, "csv")}" download' in page
        assert client.get(address(small, name)).json()["data"]
    assert page.count('class="said"') == 6
    assert page.count("<summary>The same numbers as a table</summary>") == 5
    assert page.count("<summary>The hardest items as a table</summary>") == 1
    assert "figure-lengths" not in page
    assert client.get(address(small, "lengths")).status_code == 404
    assert client.get(address(small, "unknown")).status_code == 404


def test_references_of_equal_figures_share_a_line_and_are_all_in_the_file(
    client, small, several, contest, address, figure
) -> None:
    contest(small, {"floor one": 0, "floor two": 0, "another": 20}, kind="selector", reference="floor")
    drawn = figure(small, "failures")
    assert [row[0] for row in drawn.rows][3:] == ["floor one, floor two", "another"]
    assert "3 baselines, not ranked; baselines with equal figures share a line." in drawn.caption
    assert [name for name in drawn.layout["yaxis"]["ticktext"] if name.startswith("floors: ")]
    in_file = {line["system"] for line in lines(client.get(address(small, "failures", "csv")))}
    assert in_file >= {"floor one", "floor two", "another"}


def test_the_title_names_page_benchmark_and_version(client, small, several, address) -> None:
    page = client.get(address(small)).content.decode()
    title = page.partition("<title>")[2].partition("</title>")[0]
    assert title.startswith("Charts · GoldEvidenceBench Small ·")
    assert '<meta name="description" content="Cost, order, splits' in page


def test_the_board_leads_to_its_figures_and_back_with_its_filters(client, small, several, address) -> None:
    board = client.get(f"{small.get_board_url()}?q=Far&view=figures").content.decode()
    assert f'href="{address(small)}?q=Far"' in board
    page = client.get(f"{address(small)}?q=Far").content.decode()
    assert f'href="{small.get_board_url()}?q=Far"' in page
    assert f'data-figure-url="{address(small, "cost")}?q=Far"' in page


def test_every_figure_is_in_the_site_map(client, small, address) -> None:
    answer = client.get(reverse("leaderboard:sitemap_section", args=["charts"])).content.decode()
    assert f"{address(small)}</loc>" in answer


def test_filters_choose_the_systems_of_every_figure_and_file(client, small, several, address) -> None:
    for name, column in (("cost", "name"), ("splits", "system"), ("failures", "system")):
        assert {line[column] for line in lines(client.get(address(small, name, "csv")))} == {
            "Far",
            "Middle",
            "Near",
        }
        found = lines(client.get(address(small, name, "csv"), {"q": "far"}))
        assert {line[column] for line in found} == {"Far"}, name
    page = client.get(address(small), {"q": "far"}).content.decode()
    assert "Middle" not in page


def test_a_part_of_the_rows_is_what_quality_is_of(client, small, several, figure) -> None:
    split = list(small.conditions)[-1]
    whole, part = figure(small, "cost"), figure(small, "cost", f"condition={split}")
    at = [row[0] for row in part.rows].index("Near")
    group = several["Near"].score.groups["condition"][split]
    assert part.rows[at][2] == pytest.approx(group["metrics"][part_metric(small, split)], abs=1e-6)
    assert part.rows != whole.rows
    assert (
        "The chart covers the whole version, not only the chosen part."
        in figure(small, "failures", f"condition={split}").caption
    )


def part_metric(version, split: str) -> str:
    return slices.headline(version, slices.board_slice(version, {"condition": split})).name


def test_cells_and_bars_lead_to_the_rows_that_failed_and_names_to_systems(
    client, small, several, figure
) -> None:
    system = several["Near"].system.get_absolute_url()
    page = client.get(reverse("leaderboard:board_figures", args=[small.benchmark.slug, small.slug]))
    assert page.content.decode().count(f'href="{system}"') > 2
    near = figure(small, "failures", "q=Near")
    rows = reverse("leaderboard:submission_rows", args=[several["Near"].pk])
    addresses = [url for trace in near.traces for url in trace["meta"]["urls"]]
    assert all(url.startswith(f"{rows}?failure=") for url in addresses)
    assert client.get(addresses[0]).status_code == 200
    cells = figure(small, "splits", "q=Near").traces[0]["meta"]["urls"]
    assert client.get(cells[0]).status_code == 200


def test_an_item_leads_to_its_row(client, small, several, figure) -> None:
    url = figure(small, "items").linked_rows[0][0][1]
    assert client.get(url).status_code == 200


def test_a_formula_in_a_name_is_text_in_files(client, small, contest, address) -> None:
    contest(small, {"=1+1": 2, "Other": 3}, tokens={"=1+1": 5.0, "Other": 6.0})
    assert "'=1+1" in {line["name"] for line in lines(client.get(address(small, "cost", "csv")))}


def test_the_number_of_queries_does_not_grow_with_the_systems(
    client, small, contest, address, django_assert_max_num_queries
) -> None:
    contest(small, {f"System {number}": number for number in range(6)})
    for name in ("", "cost", "splits", "failures", "items"):
        cache.clear()
        computing.store(small)
        with django_assert_max_num_queries(30 if not name else 18):
            client.get(address(small, name))


def test_items_that_are_not_there_yet_are_asked_for_and_no_such_page_is_kept(
    client, small, several, address
) -> None:
    cache.clear()
    page = client.get(address(small))
    assert "Statistics of the items are being computed." in page.content.decode()
    assert page["Cache-Control"] == "no-store"
    assert (
        client.get(address(small, "items")).json()["empty"] == "Statistics of the items are being computed."
    )
    computing.store(small)
    assert "were answered correctly by all of the" in client.get(address(small)).content.decode()


def test_a_new_result_reads_one_more_file_of_verdicts(small, several, contest, monkeypatch) -> None:
    assert item_answers.store(small) == 0
    contest(small, {"New": 4})
    read: list[str] = []
    right = item_answers._right
    monkeypatch.setattr(
        item_answers, "_right", lambda sha256, places: read.append(sha256) or right(sha256, places)
    )
    Submission.objects.filter(system__name="Near").update(shown=False)
    contest(small, {"Last": 6})
    assert len(read) == 1
    items = item_answers.read(small)
    assert items is not None
    assert items.systems == 4


def test_of_more_systems_than_the_limit_the_best_are_read_and_the_rest_counted(
    small, several, monkeypatch, figure
) -> None:
    monkeypatch.setattr(item_answers, "MOST_SYSTEMS", 2)
    cache.clear()
    assert item_answers.store(small) == 2
    assert "Left out: 1 system, beyond the first 2" in figure(small, "items").caption


def test_a_damaged_file_leaves_its_system_out(small, several, figure, monkeypatch) -> None:
    opened, damaged = item_answers.files.opened, several["Near"].score.verdicts_sha256

    def broken(sha256: str):
        if sha256 == damaged:
            raise DamagedFileError("damaged")
        return opened(sha256)

    monkeypatch.setattr(item_answers.files, "opened", broken)
    cache.clear()
    computing.store(small)
    items = item_answers.read(small)
    assert items is not None
    assert (items.systems, items.left_out) == (2, 1)


def test_a_file_that_two_systems_share_counts_twice(version, contest) -> None:
    contest(version, {"One": 2, "Same": 2})
    items = item_answers.read(version)
    assert items is not None
    assert items.systems == 2
