"""An installation of an old release migrates, continues its work, and shows the same as before.

Each folder beside this file is one, made by the code of the commit that it is called by; its README.md says what is in
it. `changed_on_purpose.py` lists what may show otherwise, and why.
"""

from __future__ import annotations

import csv
import gzip
import hashlib
import io
import subprocess
import sys
import zipfile
from pathlib import Path

import httpx2
import pytest

from tests.installations.changed_on_purpose import AFTER_THE_NEXT_WORK, AT_ONCE
from tests.installations.comparing import idle, unexcused
from tests.installations.conftest import Differences, untaken
from tests.installations.kept import Upgraded, predictions, row_counts
from tests.live import ROOT, wait_for

pytestmark = [pytest.mark.worker, pytest.mark.xdist_group("upgrade")]
OF_ALL = (
    "/",
    "/versions/",
    "/systems/",
    "/history/",
    "/conformance/",
    "/runs/",
    "/models/",
    "/feed.atom",
    "/account/",
)
OF_A_VERSION = (
    "/boards/{}/", "/boards/{}/export.json", "/boards/{}/export.parquet", "/versions/{}/", "/versions/{}/changes/",
    "/versions/{}/cite.bib", "/versions/{}/feed.atom",
)  # fmt: skip
OF_A_SUBMISSION = ("/submissions/{}/", "/submissions/{}/status/", "/submissions/{}/predictions.jsonl.gz")
OF_WHAT_IS_GRADED = ("/submissions/{}/rows/", "/submissions/{}/rows/?failure=", "/submissions/{}/cite.bib")
#: A submission of each kind; the others have no other pages.
TYPICAL = (
    "command line",
    "private",
    "withdrawn",
    "failed",
    "half-graded",
    "regraded 1",
    "released",
    "look-alike",
    "declared",
    "repeat 1",
    "built",
)
#: Messages under every name of a task that queues had, and more of the same.
TASKS = {
    "freeze_version", "verify_version", "grade_submission", "execute_run", "calibrate", "run_conformance", "reap",
}  # fmt: skip
#: Tasks that came with benches, ranks by a worker and pages that lie ready.
LATER_TASKS = {"execute_bench", "calibrate_bench", "mark_late_placements", "render_pages"}
#: The installation of a release whose scores kept no sums by unit.
FIRST = "c53810c"
#: What Compare says of such scores.
OLDER = "graded by an earlier release"


# --- migrated, no worker yet


def test_every_row_of_the_old_database_is_still_there(upgraded: Upgraded, tmp_path: Path) -> None:
    upgraded.kept.unpack(tmp_path)
    before = row_counts(tmp_path / "site.sqlite3")
    after = row_counts(upgraded.site.folder / "site.sqlite3")
    assert {name: count for name, count in before.items() if after.get(name, 0) < count} == {}
    assert before["leaderboard_score"] > 40


def test_everything_shows_what_it_showed(upgraded: Upgraded, at_once: Differences) -> None:
    assert unexcused(at_once, AT_ONCE[upgraded.kept.commit]) == []


def test_frozen_files_still_verify_and_are_those_that_were_downloaded(upgraded: Upgraded) -> None:
    assert "BAD" not in upgraded.site.manage("verify_versions")
    with upgraded.api("ada") as api:
        for version, recorded in upgraded.kept.figures["before"]["versions"].items():
            packed = api.fetch(f"/versions/{version}/rows.jsonl.gz").content
            assert hashlib.sha256(gzip.decompress(packed)).hexdigest() == recorded["rows_sha256"], version


def test_old_tokens_sign_in_and_those_that_were_refused_still_are(upgraded: Upgraded) -> None:
    for name in ("ada", "ben", "sam"):
        with upgraded.api(name) as api:
            assert api.get("/tokens/current")["user"] == name
    for name in ("expired", "revoked"):
        with upgraded.api(name) as api, pytest.raises(AssertionError, match="answered 401"):
            api.get("/tokens/current")


def test_all_accounts_sign_in_with_their_old_passwords(upgraded: Upgraded) -> None:
    for mail in upgraded.cast["people"].values():
        with upgraded.browser(mail) as browser:
            assert browser.get("/account/").status_code == 200, mail


def test_old_addresses_still_answer(upgraded: Upgraded, sam: httpx2.Client) -> None:
    record, sent = upgraded.kept.figures["before"], upgraded.cast["submissions"]
    typical = [sent[name] for name in TYPICAL if name in sent]
    addresses = [page.format(version) for version in record["versions"] for page in OF_A_VERSION]
    addresses += [page.format(pk) for pk in typical for page in OF_A_SUBMISSION]
    addresses += [page.format(pk) for pk in typical if pk in record["figures"] for page in OF_WHAT_IS_GRADED]
    addresses += [f"/systems/{system}/" for system in record["systems"] if not system.startswith("site/")]
    addresses += [f"/systems/site/ledger/{page}" for page in ("", "badge.svg")]
    addresses += [f"/runs/{pk}/" for pk in upgraded.cast["runs"].values()]
    addresses += [f"/benches/{pk}/" for pk in upgraded.cast.get("benches", {}).values()]
    addresses += [f"/conformance/{pk}/" for pk in record["conformance"]]
    answers = {address: sam.get(address).status_code for address in [*OF_ALL, *addresses]}
    assert {address: status for address, status in answers.items() if status != 200} == {}


def test_what_only_its_owner_may_read_stays_so(upgraded: Upgraded) -> None:
    private = f"/submissions/{upgraded.cast['submissions']['private']}"
    with upgraded.api("ada") as api:
        assert api.get(private)["visibility"] == "private"
    with upgraded.api("ben") as api, pytest.raises(AssertionError, match="answered 404"):
        api.get(private)


def test_sending_again_under_an_old_key_makes_no_second_submission(
    upgraded: Upgraded, sam: httpx2.Client
) -> None:
    pk = upgraded.cast["submissions"]["keyed"]
    answer = httpx2.post(
        f"{upgraded.site.url}/api/v1/submissions",
        params={"version": "goldevidencebench/sealed", "system": "Wrong often"},
        headers=upgraded.token("ben") | {"Idempotency-Key": "once"},
        content=predictions(sam, pk),
        timeout=60,
    )
    assert (answer.status_code, answer.json()["id"]) == (200, pk)


def test_shipped_runs_that_were_taken_are_not_taken_again(upgraded: Upgraded) -> None:
    words = [sys.executable, "-m", "leaderboard.management.shipped", "load"]
    done = subprocess.run(words, env=upgraded.site.env, cwd=ROOT, capture_output=True, text=True)
    assert done.stdout.splitlines()[-1:] == ["There are no new runs."], done.stdout + done.stderr


# --- a worker of the present code goes on


def test_messages_under_old_task_names_are_taken(settled: Upgraded) -> None:
    assert untaken(settled) == {}
    taken = set(settled.cast["messages"].values())
    assert taken == TASKS if settled.kept.commit == FIRST else taken >= TASKS | LATER_TASKS


def test_what_was_queued_or_half_done_ends_as_with_the_old_code(
    settled: Upgraded, later: Differences
) -> None:
    commit = settled.kept.commit
    assert unexcused(later, AT_ONCE[commit] | AFTER_THE_NEXT_WORK[commit]) == []


def test_the_run_in_the_middle_answers_no_row_again(settled: Upgraded, sam: httpx2.Client) -> None:
    pk = settled.cast["runs"]["in the middle"]
    saved = (settled.kept.folder / "runs" / f"{pk}.jsonl").read_bytes()
    with settled.api() as api:
        made = api.get(f"/runs/{pk}")
    sent = predictions(sam, made["submission"])
    assert saved.count(b"\n") == 5
    assert sent.startswith(saved)
    assert sent.count(b"\n") == made["rows_total"] > 5
    assert any("Picked up again" in event["what"] for event in made["events"])


def test_the_bench_in_the_middle_runs_no_cell_again(settled: Upgraded, sam: httpx2.Client) -> None:
    if "benches" not in settled.cast:
        pytest.skip("that release had no benches")
    pk = settled.cast["benches"]["in the middle"]
    folder = settled.kept.folder / "benches" / pk
    saved = [*folder.glob("*/*/results.json")]
    with settled.api() as api:
        made = api.get(f"/benches/{pk}")
    assert len(saved) == 3
    assert made["cells_done"] == made["cells_total"] > 3
    assert any("Picked up again" in event["what"] for event in made["events"])
    with zipfile.ZipFile(io.BytesIO(sam.get(f"/benches/{pk}/files.zip").content)) as archive:
        for path in [*saved, *(each.with_name("preds.jsonl") for each in saved)]:
            name = path.relative_to(folder).as_posix()
            assert archive.read(name) == path.read_bytes(), name


def test_versions_left_before_and_in_the_middle_of_their_freeze_are_frozen(settled: Upgraded) -> None:
    with settled.api() as api:
        for version in ("goldevidencebench/waiting", "statebench/halfway"):
            result = api.get(f"/versions/{version}")
            assert result["status"] == "frozen"
            assert result["rows"]
            assert len(result["sha256"]) == 64


def test_our_own_implementation_was_checked_again_beside_the_old_reports(settled: Upgraded) -> None:
    with settled.api() as api:
        reports = api.items("/conformance")
    assert len(reports) == len(settled.kept.figures["before"]["conformance"]) + 1
    assert (reports[0]["verified"], reports[0]["conforms"]) == (True, True)


def test_the_list_of_changes_on_purpose_is_true(
    settled: Upgraded, at_once: Differences, later: Differences
) -> None:
    assert idle(at_once, AT_ONCE[settled.kept.commit]) == []
    assert idle(later, AFTER_THE_NEXT_WORK[settled.kept.commit]) == []


def test_a_cancelled_run_is_resumed_from_its_last_saved_row(settled: Upgraded, sam: httpx2.Client) -> None:
    pk = settled.cast["runs"]["cancelled"]
    saved = (settled.kept.folder / "runs" / f"{pk}.jsonl").read_bytes()
    resume = f"{settled.site.url}/api/v1/runs/{pk}/resume"
    assert httpx2.post(resume, headers=settled.token("sam"), timeout=60).status_code == 202
    with settled.api() as api:
        wait_for(lambda: api.get(f"/runs/{pk}")["status"] == "finished", seconds=60, what="the resumed run")
        made = api.get(f"/runs/{pk}")["submission"]
    assert saved
    assert predictions(sam, made).startswith(saved)


def test_a_regrade_adds_the_paired_tests_of_what_the_old_code_graded(
    settled: Upgraded, sam: httpx2.Client
) -> None:
    if settled.kept.commit != FIRST:
        pytest.skip("its scores keep their sums")
    with settled.api() as api:
        board = api.get("/leaderboard/goldevidencebench/open", limit=4)["items"]
    pair = {"s": [row["submission"] for row in board]}

    def differences_of_figures() -> dict[str, dict[str, str]]:
        text = sam.get("/compare/differences.csv", params=pair).text
        return {line["metric"]: line for line in csv.DictReader(io.StringIO(text))}

    before = differences_of_figures()
    assert OLDER in sam.get("/compare/", params=pair).text
    assert with_intervals(before) <= {"exact_acc", "worst_condition_exact_acc"}
    settled.site.manage("regrade", "--version", "goldevidencebench/open")
    wait_for(lambda: OLDER not in sam.get("/compare/", params=pair).text, seconds=90, what="the regrade")
    after = differences_of_figures()
    assert set(before) <= set(after)
    assert len(with_intervals(after)) > 3


def with_intervals(differences: dict[str, dict[str, str]]) -> set[str]:
    """The figures for which some difference from A has an interval."""
    return {
        name
        for name, line in differences.items()
        if any(line[column] for column in line if column.endswith("-A low"))
    }
