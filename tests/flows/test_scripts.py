"""The main job by the command line, with a real worker. test_copied_docs.py runs the script of docs/api.md."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pytest

from evaluation.core import jsonl
from evaluation.door import grade, messages, verdict
from evaluation.door.site import Site
from tests.live import LiveSite

pytestmark = [pytest.mark.worker, pytest.mark.xdist_group("live")]
SEED = """
from django.contrib.auth import get_user_model
from leaderboard.benchmarks import seeding
from leaderboard.models import ApiToken
seeding.presets()
seeding.frozen("goldevidence", "smoke", tell=lambda text: None)
ada = get_user_model().objects.create_user("ada")
print(ApiToken.objects.issue(user=ada, name="script", scopes=["read", "submit"])[1])
print(ApiToken.objects.issue(user=ada, name="laptop", scopes=["read", "submit"])[1])
print(ApiToken.objects.issue(user=ada, name="notebook", scopes=["read", "submit"])[1])
"""
Run = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture(scope="module")
def tokens() -> list[str]:
    return []


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory, tokens: list[str]) -> Iterator[LiveSite]:
    with LiveSite(tmp_path_factory.mktemp("site")) as live:
        tokens += live.shell(SEED).splitlines()[-3:]
        live.start_worker()
        live.start_web()
        yield live


@pytest.fixture
def run(site: LiveSite, tmp_path: Path) -> Run:
    """Run the command line in a folder with a home of its own."""
    return partial(site.command, tmp_path)


def test_the_command_line_does_the_main_job(run, site, tokens, tmp_path):
    signed_in = run("login", given=tokens[1] + "\n")
    assert "as ada (read, submit)" in signed_in.stdout, signed_in.stderr
    kept = tmp_path / "config" / "goldevidencebench" / "credentials.json"
    assert kept.stat().st_mode & 0o777 == 0o600

    versions = json.loads(run("versions", "--json").stdout)
    assert [one["id"] for one in versions] == ["goldevidencebench/smoke"]
    downloaded = run("download", "goldevidencebench/smoke")
    assert "checked" in downloaded.stdout, downloaded.stderr
    rows = tmp_path / "goldevidencebench-smoke.rows.jsonl.gz"
    assert run("run", "--data", str(rows), "--out", "preds.jsonl").returncode == 0
    assert run("validate", "--data", str(rows), "--pred", "preds.jsonl").returncode == 0

    sent = run("submit", "goldevidencebench/smoke", "preds.jsonl", "--system", "Mine", "--wait", "--json")
    data = json.loads(sent.stdout)
    assert (data["status"], data["headline"]["value"], data["source"]) == ("graded", 1.0, "cli")
    assert "1.0000" in run("status", data["id"]).stdout
    assert "Mine" in run("leaderboard", "--name", "mine").stdout
    assert "Mine" in run("leaderboard", "--condition", "k4-shuffle").stdout
    assert "Choose one of k4-shuffle" in run("leaderboard", "--condition", "nowhere").stderr
    assert data["id"] in run("history").stdout
    assert [one["id"] for one in json.loads(run("history", "--system", "ada/mine", "--json").stdout)] == [
        data["id"]
    ]

    assert "signed out" in run("logout").stdout
    refused = run("history", GOLDEVIDENCEBENCH_TOKEN=tokens[1])
    assert (refused.returncode, refused.stderr.strip()) == (
        2,
        "goldevidencebench: The token is unknown, expired or revoked.",
    )


def test_a_broken_download_goes_on_where_it_broke_off(run, site, tmp_path):
    whole = tmp_path / "whole.gz"
    run("download", "goldevidencebench/smoke", "--out", str(whole))
    version = json.loads(run("versions", "--json").stdout)[0]
    part = tmp_path / f"again.gz.{version['rows_sha256'][:12]}.part"
    part.write_bytes(whole.read_bytes()[:1000])
    assert run("download", "goldevidencebench/smoke", "--out", "again.gz").returncode == 0
    assert (tmp_path / "again.gz").read_bytes() == whole.read_bytes()
    assert not part.exists()


def test_browser_api_and_offline_check_refuse_a_file_in_the_same_words(run, site, tokens, tmp_path):
    (tmp_path / "bad.jsonl").write_text('{"id": "nobody", "value": "x"}\nno json\n')
    run("download", "goldevidencebench/smoke", "--out", "rows.gz")
    offline = run("validate", "--data", "rows.gz", "--pred", "bad.jsonl")
    words = ["submit", "goldevidencebench/smoke", "bad.jsonl", "--system", "Mine"]
    sent = run(*words, GOLDEVIDENCEBENCH_TOKEN=tokens[0])
    checked = run(*words, "--dry-run", GOLDEVIDENCEBENCH_TOKEN=tokens[0])
    lines = [line for line in offline.stderr.splitlines() if line.startswith("bad.jsonl:")]
    assert len(lines) == 2
    assert offline.returncode == sent.returncode == checked.returncode == 1
    assert sent.stderr.splitlines()[:2] == checked.stderr.splitlines()[:2] == lines


def test_lines_without_an_answer_are_told_before_they_are_sent(run, site, tokens, tmp_path):
    run("download", "goldevidencebench/smoke", "--out", "rows.gz")
    assert "abstained" not in run("run", "--data", "rows.gz", "--out", "preds.jsonl").stderr
    lines = (tmp_path / "preds.jsonl").read_text().splitlines()
    lines[0] = json.dumps({"id": json.loads(lines[0])["id"], "output": "I cannot tell."})
    (tmp_path / "preds.jsonl").write_text("\n".join(lines))
    message = f"1 of {len(lines)} lines holds no readable answer (1 unreadable); it will count as wrong."
    offline = run("validate", "--data", "rows.gz", "--pred", "preds.jsonl")
    assert (offline.returncode, offline.stderr.strip()) == (0, f"preds.jsonl: {message}")
    words = ["submit", "goldevidencebench/smoke", "preds.jsonl", "--system", "Mute"]
    checked = run(*words, "--dry-run", GOLDEVIDENCEBENCH_TOKEN=tokens[0])
    assert (checked.returncode, checked.stderr.strip()) == (0, f"preds.jsonl: {message}")
    refused = run(*words, GOLDEVIDENCEBENCH_TOKEN=tokens[0])
    assert refused.returncode == 1
    assert refused.stderr.startswith(f"goldevidencebench: {message} Nothing was stored.")
    assert "--allow-unanswered" in refused.stderr
    assert run(*words, "--allow-unanswered", GOLDEVIDENCEBENCH_TOKEN=tokens[0]).returncode == 0


def test_what_cannot_work_ends_with_a_sentence_and_no_traceback(run):
    for words, code in {
        ("download", "goldevidencebench/none"): 2,
        ("submit", "goldevidencebench/smoke", "missing.jsonl", "--system", "x"): 2,
        ("versions", "--server", "http://127.0.0.1:9"): 2,
        ("login", "--server", "no address"): 2,
    }.items():
        done = run(*words)
        assert done.returncode == code, words
        assert done.stderr.startswith("goldevidencebench: ")
        assert "Traceback" not in done.stderr


def test_a_script_does_the_main_job_by_the_door(site, tokens, tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    with Site(site.url, tokens[2]) as here:
        assert [each.id for each in here.versions()] == ["goldevidencebench/smoke"]
        version = here.read_version("goldevidencebench/smoke")
        row = version.rows[0]
        assert messages(row)[-1]["role"] == "user"
        assert verdict(row, "anything").score == 0.0
        right = json.dumps({"value": row["gold"]["value"], "support_ids": row["gold"]["support_ids"]})
        assert verdict(row, right).score == 1.0
        lines = [{"id": row["id"], "output": right} for row in version]
        jsonl.write(tmp_path / "preds.jsonl", lines)
        sent = here.submit(
            "goldevidencebench/smoke", tmp_path / "preds.jsonl", "One answer", wait=60, visibility="private"
        )
        assert (sent.status, sent.headline.value) == (
            "graded",
            round(grade(version, lines).metrics["exact_acc"], 4),
        )
        assert here.submission(sent.id).headline.value == sent.headline.value
        assert sent.id in [each.id for each in here.submissions(mine=True)]
        assert "One answer" not in [row.system for row in here.board("goldevidencebench/smoke")]
