"""StateBench with a model on a real site: a Celery worker, the real llama.cpp, kill -9, and a browser."""

from __future__ import annotations

import json

import pytest
from playwright.sync_api import expect

from tests.flows.test_runs import PASSWORD, SLOW, Site
from tests.leaderboard.runs.gguf import tiny_model
from tests.live import kill, sign_in

pytestmark = [pytest.mark.worker, pytest.mark.llama]
TIMELINES = {"tracks": ["supersession", "brutal_realistic"], "count": 3}
SETUP = f"""
from django.contrib.auth import get_user_model
from leaderboard.benchmarks import freezing
from leaderboard.models import Benchmark, Preset
get_user_model().objects.create_superuser("sam", "sam@example.org", {PASSWORD!r})
named = dict(benchmark=Benchmark.objects.get(suite="statebench"), name="states", title="States")
preset = Preset.objects.create(settings={TIMELINES!r}, **named)
assert freezing.freeze(freezing.start(preset=preset, open_demo=True, wake_worker=False).pk)
"""
QUERIES = 3 * (1 + 3)


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    with Site(tmp_path_factory.mktemp("site")) as live:
        live.shell(SETUP)
        tiny_model(live.folder / "models", "quick.gguf")
        tiny_model(live.folder / "models", "slow.gguf", **SLOW)
        live.start_worker()
        yield live


def saved(site: Site, pk: str) -> list[tuple[str, int]]:
    """The answered queries, in the order of their lines."""
    path = site.folder / "runs" / f"{pk}.jsonl"
    lines = [json.loads(line) for line in path.read_bytes().split(b"\n")[:-1]] if path.exists() else []
    return [(line["timeline_id"], line["query_idx"]) for line in lines]


def test_a_run_whose_worker_is_killed_goes_on_and_ends_graded_and_verified(site):
    pk = site.start_run("slow.gguf", strategy="rolling_summary", budget=512, max_tokens=24, parallel=1)
    site.wait_until(pk, lambda state: state.done >= 3, "the first queries")
    for process in site.processes:
        kill(process)
    before = saved(site, pk)
    site.start_worker()
    site.wait_until(pk, lambda state: state.done > len(before), "the reaper")
    after = saved(site, pk)
    assert after[: len(before)] == before
    assert len(set(after)) == len(after)
    state = site.wait_until(pk, lambda state: state.over, "the picked-up run", seconds=120)
    assert (state.status, state.verified) == ("finished", True)
    assert state.rows == state.total == QUERIES
    assert {"supersession", "brutal_realistic"} <= state.groups["track"].keys()
    assert state.provenance["settings"]["strategy"] == "rolling_summary"


@pytest.mark.browser
def test_staff_choose_a_strategy_and_the_result_says_so(site, new_page):
    site.start_web()
    page = new_page()
    sign_in(page, site, "sam", PASSWORD)
    page.goto(f"{site.url}/models/")
    page.get_by_label("File in the folder").select_option("quick.gguf")
    page.get_by_role("button", name="Register").click()
    page.get_by_role("link", name="Run it").click()
    page.get_by_text("each at its default").click()
    page.get_by_label("strategy").select_option("fact_extraction")
    page.get_by_label("budget").fill("300")
    page.get_by_label("max tokens").fill("8")
    page.get_by_label("threads").fill("1")
    page.get_by_label("threads").blur()
    page.get_by_role("button", name="Calibrate").click()
    expect(page.locator("#run-estimate")).to_contain_text("calibrated on", timeout=60_000)
    page.get_by_role("button", name="Start the run").click()
    expect(page.locator("#run-status")).to_contain_text("Finished", timeout=120_000)
    page.get_by_role("link", name="See the result").click()
    expect(page.get_by_text("verified").first).to_be_visible()
    expect(page.locator(".provenance")).to_contain_text("fact_extraction")
    expect(page.locator(".provenance")).to_contain_text("Token budget")
    page.goto(f"{site.url}/boards/statebench/states/")
    expect(page.locator("table.board")).to_contain_text("fact extraction")
