"""Fixtures of an upgraded installation: right after migration, and with the remaining work done."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator
from contextlib import closing, suppress
from typing import Any

import httpx2
import pytest

from tests.installations.comparing import differences
from tests.installations.kept import COMMITS, Kept, Upgraded
from tests.installations.reading import Api
from tests.live import DATABASE, wait_for

#: Jobs that were unfinished, with the states that they end in.
UNFINISHED = {
    "submissions": {"queued": "graded", "half-graded": "graded"},
    "runs": {"queued": "finished", "in the middle": "finished"},
    "benches": {"queued": "finished", "in the middle": "finished"},
}
Differences = list[tuple[str, str]]


@pytest.fixture(scope="module", params=COMMITS)
def upgraded(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Upgraded]:
    """Migrated and served; no worker runs yet."""
    kept, folder = Kept(request.param), tmp_path_factory.mktemp("installation")
    kept.unpack(folder)
    with kept.site(folder) as site:
        site.start_web()
        yield Upgraded(kept, site)


@pytest.fixture(scope="module")
def sam(upgraded: Upgraded) -> Iterator[httpx2.Client]:
    """A maintainer's browser."""
    with upgraded.browser("sam") as browser:
        yield browser


@pytest.fixture(scope="module")
def at_once(upgraded: Upgraded) -> Differences:
    """The differences right after the migration."""
    return list(differences(upgraded.recorded(settled=False), upgraded.read()))


@pytest.fixture(scope="module")
def settled(upgraded: Upgraded, at_once: Differences) -> Upgraded:
    """The installation after a worker of the present code finished the work of the old one."""
    upgraded.site.start_worker()
    with upgraded.api() as api:
        expected = {kind: ends for kind, ends in UNFINISHED.items() if kind in upgraded.cast}
        wait_for(lambda: states(upgraded, api) == expected, seconds=120, what="the worker", every=0.5)
        wait_for(lambda: not ungraded(upgraded, api), seconds=60, what="the runs' grading", every=0.2)
    wait_for(lambda: not versions_without_ranks(upgraded), seconds=60, what="the ranks", every=0.2)
    with suppress(AssertionError):  # the test of the messages tells which are left
        wait_for(lambda: not untaken(upgraded), seconds=60, what="the last message", every=0.2)
    return upgraded


@pytest.fixture(scope="module")
def later(settled: Upgraded) -> Differences:
    """The differences from the record after the old code's work."""
    return list(differences(settled.recorded(settled=True), settled.read()))


def states(upgraded: Upgraded, api: Api) -> dict[str, dict[str, str]]:
    """The states of the jobs that were unfinished."""
    return {
        kind: {name: api.get(f"/{kind}/{upgraded.cast[kind][name]}")["status"] for name in names}
        for kind, names in UNFINISHED.items()
        if kind in upgraded.cast
    }


def ungraded(upgraded: Upgraded, api: Api) -> list[Any]:
    """The submissions of these runs that wait for their score."""
    made = [api.get(f"/runs/{upgraded.cast['runs'][name]}")["submission"] for name in UNFINISHED["runs"]]
    return [pk for pk in made if api.get(f"/submissions/{pk}")["status"] != "graded"]


def versions_without_ranks(upgraded: Upgraded) -> int:
    """The number of versions whose boards are still to be computed."""
    with closing(sqlite3.connect(upgraded.site.folder / DATABASE, timeout=20)) as database:
        counted = database.execute("select count(*) from leaderboard_dueplacements").fetchone()
    return int(counted[0])


def untaken(upgraded: Upgraded) -> dict[str, str]:
    """The messages of the old release that no worker finished."""
    log = "".join(path.read_text() for path in upgraded.site.folder.glob("worker*.log"))
    done = set(re.findall(r"Task \S+\[([0-9a-f-]{36})\] succeeded", log))
    return {pk: task for pk, task in upgraded.cast["messages"].items() if pk not in done}
