"""A conformance report from the command line to the badge: a real server under test, a real site, a real token."""

from __future__ import annotations

import json
import subprocess
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx2
import pytest

from evaluation.core import jsonl
from evaluation.statebench.conformance.checks.properties import PROPERTIES
from evaluation.statebench.conformance.protocol import ours
from evaluation.statebench.conformance.remote import make_server
from evaluation.statebench.conformance.suite import whole
from evaluation.statebench.conformance.vectors import builtin
from tests.live import LiveSite

pytestmark = pytest.mark.xdist_group("live")
SEED = """
from django.contrib.auth import get_user_model
from leaderboard.models import ApiToken
ada = get_user_model().objects.create_user("ada")
print(ApiToken.objects.issue(user=ada, name="laptop", scopes=["read", "submit"])[1])
print(ApiToken.objects.issue(user=ada, name="reader", scopes=["read"])[1])
"""
Run = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture(scope="module")
def tokens() -> list[str]:
    return []


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory, tokens: list[str]) -> Iterator[LiveSite]:
    with LiveSite(tmp_path_factory.mktemp("site")) as live:
        tokens += live.shell(SEED).splitlines()[-2:]
        live.start_web()
        yield live


@pytest.fixture(scope="module")
def forgetful() -> Iterator[str]:
    """Run an implementation behind HTTP that does not know which facts are current."""

    def answer(request: Any) -> Any:
        return {name: value for name, value in ours(request).items() if name != "is_current"}

    server = make_server("127.0.0.1", 0, answer)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}/"
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture
def run(site: LiveSite, tokens: list[str], tmp_path: Path) -> Run:
    """`goldevidencebench state conformance …` in a folder of its own."""
    words = ("state", "conformance")
    return lambda *more, **variables: site.command(
        tmp_path, *words, *more, **{"GOLDEVIDENCEBENCH_TOKEN": tokens[0], **variables}
    )


def test_a_report_is_made_sent_and_shown(run: Run, site: LiveSite, forgetful: str) -> None:
    done = run(
        "--seed", "7", "--url", forgetful, "--name", "forgetful 0.1", "--upload", "--system", "Forgetful"
    )
    assert done.returncode == 1, done.stderr
    assert "39 of 41 requirements" in done.stdout
    assert "is_current cannot be checked: the answer has no field 'is_current'" in done.stdout
    assert "\nis_fact_current" in done.stdout
    assert done.stderr == ""
    page = httpx2.get(done.stdout.splitlines()[-1]).text
    assert "forgetful 0.1" in page
    assert "has no field &#x27;is_current&#x27;" in page
    assert "39 of 41 requirements" in httpx2.get(f"{site.url}/systems/ada/forgetful/").text
    assert "Forgetful" in httpx2.get(f"{site.url}/conformance/").text


def test_an_implementation_in_process_is_all_green_and_sent_once(run: Run, site: LiveSite) -> None:
    words = ("--seed", "7", "--upload", "--system", "Ours", "--json")
    first, again = (json.loads(run(*words).stdout) for _ in range(2))
    assert first["conforms"]
    assert again["id"] == first["id"]
    response = httpx2.get(f"{site.url}/api/v1/conformance/{first['id']}").json()
    assert response["implementation"] == "evaluation.statebench"
    assert all(row["passed"] for row in response["requirements"])


def test_the_site_counts_the_vectors_that_a_report_leaves_out(run: Run, tmp_path: Path) -> None:
    """A report of the first vector alone is all green here, and the site counts the vectors it leaves out."""
    (tmp_path / "one.jsonl").write_bytes(jsonl.dumps(dict(builtin()[0])) + b"\n")
    done = run("--vectors", "one.jsonl", "--upload", "--system", "Part")
    assert "Part: the site stored the report: " in done.stdout, done.stderr
    run_here = 1 + len(PROPERTIES)
    assert f"of 41 requirements pass, {run_here} of {len(whole())} vectors were run" in done.stdout


def test_what_an_upload_lacks_is_said_before_anything_runs(run: Run) -> None:
    for words, variables, reason in [
        (("--upload",), {}, "--upload needs --system"),
        (("--system", "Mine"), {}, "--system needs --upload"),
        (("--upload", "--system", "Mine"), {"GOLDEVIDENCEBENCH_TOKEN": ""}, "no token for http://127.0.0.1"),
        (("--url", "localhost:1"), {}, "'localhost:1' is not a valid address"),
        (("--vectors", "none.jsonl"), {}, "none.jsonl: No such file"),
    ]:
        done = run(*words, **variables)
        assert (done.returncode, done.stdout) == (2, "")
        assert done.stderr.startswith("goldevidencebench: ")
        assert reason in done.stderr


def test_a_site_that_refuses_is_quoted(run: Run, tokens: list[str]) -> None:
    reader = run("--upload", "--system", "Mine", GOLDEVIDENCEBENCH_TOKEN=tokens[1])
    assert reader.returncode == 2
    assert reader.stderr == "goldevidencebench: This request needs a token with the scope 'submit'.\n"
    long = run("--upload", "--system", "x" * 81)
    assert long.returncode == 1
    assert "at most 80 characters" in long.stderr
    assert "Traceback" not in long.stderr + reader.stderr
