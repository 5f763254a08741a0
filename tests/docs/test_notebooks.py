"""The notebooks of docs/notebooks run from top to bottom against a site, and show the figures of its API.

`goldevidencebench reproduce` is run against the same site, as docs/python.md says.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import httpx2
import pytest

from evaluation.door.site import Site
from evaluation.remote.client import ClientError
from tests.live import ROOT, LiveSite

FOLDER = ROOT / "docs/notebooks"
NAMES = sorted(path.stem for path in FOLDER.glob("*.ipynb"))
LADDER, ORDERS, SMOKE, SEALED = (
    f"goldevidencebench/{name}"
    for name in ("ladder-short", "order-bias-short", "smoke", "ladder-short-sealed")
)
#: The versions that the notebooks name, made small.
SEED = """
from django.contrib.auth import get_user_model
from leaderboard.benchmarks import seeding
from leaderboard.benchmarks.models import Benchmark, Preset
from leaderboard.boards.placements import computing
from leaderboard.models import ApiToken
from leaderboard.runs import services as runs
from leaderboard.submissions.models import System
seeding.benchmarks()
goldevidence = Benchmark.objects.get(suite="goldevidence")
ladder = {"lengths": [2048, 4096], "depths": [0.1, 0.9], "writes": [2], "shares": [0.25]}
for name, more, executors in (
    ("ladder_short", {"ladder": ladder, "state_modes": ["kv"]}, ("ledger", "latest_step")),
    ("order_bias_short", {"seeds": [0, 1], "state_modes": ["kv"]}, ("ledger", "positional_first", "latest_step")),
    ("smoke", {}, ()),
):
    settings = dict(goldevidence.engine.presets()[name].settings) | more
    settings["generator"] = dict(settings["generator"]) | {"episodes": 2}
    slug = name.replace("_", "-")
    Preset.objects.create(benchmark=goldevidence, name=slug, title=slug, settings=settings)
    version = seeding.frozen("goldevidence", slug, tell=str)
    for executor in executors:
        run = runs.start(version=version, executor=executor, started_by=seeding.site_user(), wake_worker=False)
        runs.execute(str(run.pk), grade_now=True)
    System.objects.update(reference="")
    computing.store(version)
sealed = seeding.sealed("goldevidence", "ladder-short", tell=str)
run = runs.start(version=sealed, executor="ledger", started_by=seeding.site_user(), wake_worker=False)
runs.execute(str(run.pk), grade_now=True)
ada = get_user_model().objects.create_user("ada")
print(ApiToken.objects.issue(user=ada, name="notebook", scopes=["read", "submit"])[1])
"""


def cells(name: str) -> list[dict[str, Any]]:
    notebook = json.loads((FOLDER / f"{name}.ipynb").read_text())
    assert (notebook["nbformat"], notebook["nbformat_minor"]) == (4, 5)
    return notebook["cells"]


@pytest.mark.parametrize("name", NAMES)
def test_a_notebook_begins_with_its_reader_and_keeps_no_output(name: str) -> None:
    first, second, *_ = cells(name)
    text = "".join(first["source"])
    assert first["cell_type"] == "markdown"
    assert "\nFor " in text
    assert "pip install 'goldevidencebench[frames]'" in text
    assert 'SITE = os.environ.get("GOLDEVIDENCEBENCH_URL"' in "".join(second["source"])
    assert len({cell["id"] for cell in cells(name)}) == len(cells(name))
    assert not any(cell.get("outputs") or cell.get("execution_count") for cell in cells(name))


@pytest.fixture(scope="module")
def token() -> list[str]:
    return []


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory, token: list[str]) -> Iterator[LiveSite]:
    with LiveSite(tmp_path_factory.mktemp("site")) as started:
        token.append(started.shell(SEED).splitlines()[-1])
        started.start_worker()
        started.start_web()
        yield started


def shown(site: LiveSite, name: str, folder: Path) -> dict[str, Any]:
    """Cell id -> its result."""
    words = [sys.executable, "-m", "tests.docs.notebook", str(FOLDER / f"{name}.ipynb")]
    env = {**os.environ, "PYTHONPATH": str(ROOT), "GOLDEVIDENCEBENCH_URL": site.url}
    done = subprocess.run(
        words,
        cwd=folder,
        env=env | {"XDG_CONFIG_HOME": str(folder)},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def api(site: LiveSite, path: str) -> Any:
    return httpx2.get(f"{site.url}{path}").raise_for_status().json()


def rounded(record: Mapping[str, Any], *names: str) -> dict[str, Any]:
    """Some fields, with numbers rounded as in the notebooks."""
    return {
        name: pytest.approx(record[name], abs=6e-4) if _is_number(record[name]) else record[name]
        for name in names
    }


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def table(found: Mapping[str, Any], *columns: str) -> list[dict[str, Any]]:
    """The only table of a notebook with these columns."""
    (found_table,) = (
        each for each in found.values() if isinstance(each, list) and each and list(each[0]) == list(columns)
    )
    return found_table


@pytest.mark.worker
@pytest.mark.xdist_group("live")
def test_a_board_is_that_of_the_api(site: LiveSite, tmp_path: Path) -> None:
    found = shown(site, "read_a_board", tmp_path)
    items = api(site, f"/api/v1/leaderboard/{ORDERS}")["items"]
    names = ["rank", "rank_low", "rank_high", "system", "headline", "headline_low", "headline_high"]
    assert table(found, *names) == [rounded(item, *names) for item in items]
    names = ["system", "not_ranked"]
    assert table(found, *names) == [rounded(item, *names) for item in items if item["rank"] is None]
    gates = [name for name in items[0] if name.startswith("gate_")]
    names = ["system", "meets_requirements", *gates]
    assert gates
    assert table(found, *names) == [rounded(item, *names) for item in items]


@pytest.mark.worker
@pytest.mark.xdist_group("live")
def test_curves_have_the_points_of_the_api(site: LiveSite, tmp_path: Path) -> None:
    found = shown(site, "length_and_order", tmp_path)
    ladder = api(site, f"/api/v1/leaderboard/{LADDER}")["items"]
    points = [
        {"system": item["system"], "group": length, **figures["exact_acc"]}
        for item in ladder
        for length, figures in api(site, f"/api/v1/submissions/{item['submission']}/metrics")["groups"][
            "condition"
        ].items()
    ]
    names = ["system", "group", "value", "low", "high"]
    assert len(points) == 4
    assert table(found, *names) == [rounded(point, *names) for point in points]
    names = ["system", "effective_length", "effective_length_low", "effective_length_high", "length_auc"]
    assert table(found, *names) == [rounded(item, *names) for item in ladder]
    by_length, by_order = (each for each in found.values() if "y" in each[0])
    assert [y for curve in by_length for y in curve["y"]] == [
        pytest.approx(each["value"], abs=1e-4) for each in points
    ]

    items = api(site, f"/api/v1/leaderboard/{ORDERS}")["items"]
    orders = [name.removeprefix("order_") for name in items[0] if name.startswith("order_")]
    rates = [{"system": item["system"]} | {name: item[f"order_{name}"] for name in orders} for item in items]
    assert len(orders) > 2
    assert table(found, "system", *orders) == [rounded(each, "system", *orders) for each in rates]
    assert [curve["name"] for curve in by_order] == [item["system"] for item in items]


@pytest.mark.worker
@pytest.mark.xdist_group("live")
def test_a_paired_test_is_that_of_the_site(site: LiveSite, tmp_path: Path) -> None:
    found = shown(site, "paired_test", tmp_path)
    first, second, _ = api(site, f"/api/v1/leaderboard/{ORDERS}")["items"]
    assert table(found, "system", "submission") == [
        rounded(i, "system", "submission") for i in (first, second)
    ]
    lines = [
        line
        for line in api(site, f"/compare/comparison.json?s={first['submission']}&s={second['submission']}")
        if line["letter"] == "B" and line["difference"] is not None
    ]
    names = ["value", "difference", "difference_low", "difference_high", "p"]
    whole = [rounded(line, "metric", *names) for line in lines if line["split"] is None]
    splits = [rounded(line, "split", *names) for line in lines if line["split"]]
    assert whole
    assert splits
    assert table(found, "metric", *names) == whole
    assert table(found, "split", *names) == splits


@pytest.mark.worker
@pytest.mark.xdist_group("live")
def test_a_file_graded_here_has_the_figures_of_the_site(
    site: LiveSite, token: list[str], tmp_path: Path
) -> None:
    found = shown(site, "grade_your_file", tmp_path)
    with Site(site.url, token[0]) as here:
        sent = here.submit(SMOKE, tmp_path / "predictions.jsonl", "Mine", wait=120)
    figures = {each["name"]: each for each in api(site, f"/api/v1/submissions/{sent.id}/metrics")["metrics"]}
    names = ["metric", "value", "low", "high"]
    lines = {line["metric"]: line for line in table(found, *names)}
    assert 0 < lines["exact_acc"]["value"] < 1
    for name in figures.keys() & lines.keys():
        assert lines[name] == rounded(figures[name] | {"metric": name}, *names)
    assert len(figures.keys() & lines.keys()) > 10
    assert table(found, "id", "split", "failure", "reason")


@pytest.mark.worker
@pytest.mark.xdist_group("live")
def test_frames_that_cannot_be_made_are_refused_with_a_sentence(site: LiveSite) -> None:
    with Site(site.url) as here:
        with pytest.raises(ClientError, match="nearest: goldevidencebench/ladder-short"):
            here.board_frame("goldevidencebench/ladder-shor")
        with pytest.raises(ClientError, match="condition"):
            here.board_frame(ORDERS, condition="nowhere")
        with pytest.raises(ClientError, match="two to four public, graded submissions"):
            here.comparison_frame("one")


#: Moves a stored figure by as much.
MOVE = """
from django.db.models import F
from leaderboard.models import Score
Score.objects.filter(submission="{submission}").update(headline=F("headline") + {by})
"""


@pytest.mark.worker
@pytest.mark.xdist_group("live")
def test_reproduce_says_that_a_figure_is_equal_or_changed_and_why_a_sealed_one_cannot_be_computed(
    site: LiveSite, tmp_path: Path
) -> None:
    _, public = api(site, f"/api/v1/leaderboard/{LADDER}")["items"]
    (sealed,) = api(site, f"/api/v1/leaderboard/{SEALED}")["items"]

    def typed(item: Mapping[str, Any]) -> tuple[int, str]:
        done = site.command(tmp_path, "reproduce", f"{site.url}/submissions/{item['submission']}/")
        return done.returncode, done.stdout + done.stderr

    code, said = typed(public)
    assert (code, said.count("yes"), said.count("NO")) == (0, 2, 0), said
    site.shell(MOVE.format(by=2**-20, **public))
    try:
        code, said = typed(public)
    finally:
        site.shell(MOVE.format(by=-(2**-20), **public))
    assert (code, said.count("NO")) == (1, 1), said
    code, said = typed(sealed)
    assert (code, "secret until it is retired" in said) == (2, True), said
