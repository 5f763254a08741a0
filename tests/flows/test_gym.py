"""Gym loops on a real site: a real Celery worker, kill -9, and a browser."""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass
from typing import Any

import pytest
from playwright.sync_api import expect

from tests.live import LiveSite, kill, sign_in, wait_for

pytestmark = [pytest.mark.worker]
PASSWORD = "a-long-pass-phrase-1"
SETUP = f"""
from django.contrib.auth import get_user_model
get_user_model().objects.create_superuser("sam", "sam@example.org", {PASSWORD!r})
"""
START = """
from django.contrib.auth import get_user_model
from leaderboard.runs.gym import services as gym
sam = get_user_model().objects.get(username="sam")
print(gym.start(learner="selector", rounds=3, tasks=40, unseen=40, started_by=sam).pk)
"""
STATE = "select status, progress_done as done, at_hand, outcome, error from leaderboard_gymloop where id = ?"


@dataclass
class State:
    """A loop as the database has it."""

    status: str
    done: int
    at_hand: dict[str, Any]
    outcome: dict[str, Any]
    error: str


class Site(LiveSite):
    """A live site with gym loops."""

    def state(self, pk: str) -> State:
        with closing(sqlite3.connect(self.folder / "site.sqlite3", timeout=20)) as database:
            database.row_factory = sqlite3.Row
            found = dict(database.execute(STATE, [pk.replace("-", "")]).fetchone())
            return State(**{**found, **{name: json.loads(found[name]) for name in ("at_hand", "outcome")}})

    def wait_until(self, pk: str, check: Callable[[State], bool], what: str) -> State:
        def look() -> State | None:
            state = self.state(pk)
            return state if check(state) else None

        found: State = wait_for(look, seconds=180, what=what)
        return found


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    live = Site(tmp_path_factory.mktemp("site"))
    with live:
        live.shell(SETUP)
        live.start_worker()
        yield live


def test_a_loop_whose_worker_is_killed_is_picked_up_after_its_last_round(site: Site) -> None:
    pk = site.shell(START).strip().splitlines()[-1]
    before = site.wait_until(pk, lambda state: state.done >= 1, "a round")
    for process in site.processes:
        kill(process)
    site.start_worker()
    state = site.wait_until(pk, lambda state: state.status == "finished", "the picked-up loop")
    assert state.outcome["rounds"][: before.done] == before.outcome["rounds"][: before.done]
    assert state.outcome["held_out"]["low"] > 0
    assert state.error == ""
    [trained] = (site.folder / "models" / "gym").iterdir()
    assert json.loads(trained.read_text())["learner"] == "selector"


@pytest.mark.browser
def test_staff_start_a_loop_watch_it_cancel_resume_and_find_its_curve(site: Site, new_page: Any) -> None:
    site.start_web()
    page = new_page()
    sign_in(page, site, "sam", PASSWORD)
    page.goto(f"{site.url}/gym/")
    page.get_by_role("link", name="Start a loop").first.click()
    page.get_by_label("gate: sorts lines").check()
    page.get_by_label("Rounds at most").fill("8")
    page.get_by_label("Tasks per round").fill("150")
    page.get_by_label("Unseen tasks").fill("40")
    page.get_by_role("button", name="Start the loop").click()
    status = page.locator("#loop-status")
    expect(status).to_contain_text(re.compile("(mining|judging), tasks"), timeout=60_000)
    page.get_by_role("button", name="Cancel").click()
    expect(status).to_contain_text("Cancelled", timeout=60_000)
    page.get_by_role("button", name="Resume").or_(page.get_by_role("button", name="Try again")).click()
    expect(page.locator("#run-events")).to_contain_text("Queued again", timeout=30_000)
    expect(status).to_contain_text(re.compile("Waiting for a worker|Running"), timeout=30_000)
    page.get_by_role("link", name="Gym", exact=True).first.click()
    expect(page.locator(".loops > li").first).to_contain_text("Gate")
