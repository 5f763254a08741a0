"""`goldevidencebench model` and `estimate` from a shell: real processes, kill -9, Ctrl-C, resume."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from evaluation.adapters.transcripts.files import read_transcripts, transcripts_of
from evaluation.cli import main
from evaluation.core import jsonl
from tests.evaluation.adapters.server import Server, serving
from tests.evaluation.conftest import make_row, make_timelines
from tests.live import ROOT

pytestmark = pytest.mark.timing

SLOW = """
import time
class Slow:
    def predict(self, row, *, protocol):
        time.sleep(0.05)
        return {"value": row["id"]}
def make():
    return Slow()
def liar():
    slow = Slow()
    slow.predict = lambda row, protocol: {"value": "x", "support_ids": ["U999999"]}
    return slow
"""


@pytest.fixture
def data(tmp_path: Path) -> Path:
    rows = [make_row(n, f"tag.0{n % 2}") | {"gold": {"value": "secret"}} for n in range(1, 13)]
    jsonl.write(tmp_path / "rows.jsonl", rows)
    (tmp_path / "slow_system.py").write_text(SLOW)
    return tmp_path / "rows.jsonl"


def command(data: Path, adapter: str, *more: str) -> list[str]:
    return ["model", "--adapter", adapter, "--data", str(data), "--out", str(data.parent / "p.jsonl"), *more]


def start(data: Path, adapter: str, *more: str) -> subprocess.Popen[bytes]:
    words = [sys.executable, "-m", "evaluation", *command(data, adapter, *more)]
    root = str(ROOT)
    environment = os.environ | {"PYTHONPATH": root}
    return subprocess.Popen(words, cwd=data.parent, env=environment, stderr=subprocess.DEVNULL)


def wait_for_lines(path: Path, count: int) -> None:
    until = time.monotonic() + 60
    while time.monotonic() < until:
        if path.exists() and path.read_bytes().count(b"\n") >= count:
            return
        time.sleep(0.005)
    raise AssertionError(f"{path} did not reach {count} lines")


def predictions(data: Path) -> list[dict[str, Any]]:
    return list(jsonl.read(data.parent / "p.jsonl"))


def test_results_json_holds_efficiency_and_the_command_to_repeat(
    data: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    results = data.parent / "r.json"
    assert main(command(data, "retrieval", "--set", "k=4", "--results-json", str(results))) == 0
    assert "12 answered" in capsys.readouterr().out
    content = json.loads(results.read_text())
    assert content["answered"] == 12
    assert content["provenance"]["command"].startswith("goldevidencebench model --adapter retrieval --data ")
    assert content["provenance"]["command"].endswith("--protocol closed_book --set k=4")
    assert content["efficiency"]["wall_s_per_query"] >= 0


class Halting:
    """A server whose answers are cut off, except `good` ones, until it is mended."""

    def __init__(self, good: int) -> None:
        self.good = good

    def __call__(self, body: dict[str, Any]) -> tuple[int, dict[str, Any]]:
        self.good -= 1
        text, finish = ('{"value": "teal-0002"}', "stop") if self.good >= 0 else ("<think>Well", "length")
        return 200, {"choices": [{"message": {"content": text}, "finish_reason": finish}]}


@pytest.fixture
def server() -> Iterator[Server]:
    with serving(Server(None, script=Halting(good=30))) as server:
        yield server


@pytest.fixture
def sixty(tmp_path: Path) -> Path:
    jsonl.write(tmp_path / "rows.jsonl", [make_row(n) for n in range(1, 61)])
    return tmp_path / "rows.jsonl"


def ask(server: Server, data: Path, *more: str) -> int:
    """The exit code of `model`, one row after the other; continues if there is something to continue."""
    where = ["--set", f"base_url={server.url}", "--set", "concurrency=1", "--set", "probe=false"]
    return main(command(data, "openai_compatible", *where, "--resume", *more))


def test_a_run_whose_rows_are_not_answered_pauses_with_advice_and_says_how_to_go_on(
    server: Server, sixty: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    results = sixty.parent / "r.json"
    assert ask(server, sixty, "--results-json", str(results)) == 3
    printed = capsys.readouterr()
    assert (
        "paused: 50 of 60 rows asked, 0 of them in earlier attempts\n30 answered, 20 cut off\n" in printed.out
    )
    assert "20 of 50 rows hold no readable answer (20 cut off)" in printed.err
    assert "Cut off: Raise max_tokens" in printed.err
    assert "add --resume" in printed.err
    assert "--go-on" in printed.err
    content = json.loads(results.read_text())
    assert content["row_states"] == {"answered": 30, "cut_off": 20}
    assert (content["paused"], content["asked"], content["answered"]) == (True, 50, 30)
    lines = predictions(sixty)
    assert lines[30] == {"id": "E0001-Q031", "state": "cut_off"}
    assert not any(line.get("value") is None for line in lines if "value" in line)


def test_after_a_pause_resuming_asks_again_what_was_not_answered(
    server: Server, sixty: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    results = sixty.parent / "r.json"
    assert ask(server, sixty) == 3
    server.script = Halting(good=99)
    assert ask(server, sixty, "--results-json", str(results)) == 0
    assert (
        "done: 60 of 60 rows asked, 30 of them in earlier attempts\n60 answered\n" in capsys.readouterr().out
    )
    content = json.loads(results.read_text())
    assert (content["row_states"], content["asked_again"]) == ({"answered": 60}, 20)
    ids = [line["id"] for line in predictions(sixty)]
    assert len(ids) == len(set(ids)) == 60


def test_a_run_told_to_go_on_leaves_them_wrong_and_is_not_stopped_again(
    server: Server, sixty: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert ask(server, sixty) == 3
    assert ask(server, sixty, "--go-on") == 0
    assert "30 answered, 30 cut off\n" in capsys.readouterr().out


def test_a_short_run_ends_with_the_count_of_rows_that_could_not_be_read_and_with_advice(
    server: Server, sixty: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    server.script = lambda body: (200, {"choices": [{"message": {"content": "It is ochre."}}]})
    assert ask(server, sixty, "--limit", "9") == 0
    printed = capsys.readouterr().err
    assert "9 of 9 rows hold no readable answer (9 unreadable); they will count as wrong." in printed
    assert "Unreadable: Let the server constrain the answer (constrain=json_schema" in printed
    assert re.search(r"First unreadable reply, to E0001-Q\d+: It is ochre\.", printed)


def test_a_run_that_shall_go_on_does_not_pause(server: Server, sixty: Path) -> None:
    assert ask(server, sixty, "--go-on") == 0
    assert len(predictions(sixty)) == 60


def test_a_run_goes_on_with_the_same_settings_and_prompt_only(
    server: Server, sixty: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert ask(server, sixty) == 3
    assert ask(server, sixty, "--set", "max_tokens=4000") == 2
    assert "started with a different settings" in capsys.readouterr().err
    monkeypatch.setenv("GOLDEVIDENCEBENCH_MAX_TOKENS", "4000")
    assert ask(server, sixty) == 2
    assert "started with a different settings" in capsys.readouterr().err
    monkeypatch.delenv("GOLDEVIDENCEBENCH_MAX_TOKENS")
    monkeypatch.setenv("GOLDEVIDENCEBENCH_WORDING", "b")
    assert ask(server, sixty) == 2
    assert "started with a different prompt" in capsys.readouterr().err


def test_gold_never_reaches_the_system(data: Path) -> None:
    (data.parent / "spy.py").write_text(
        "class Spy:\n"
        "    def predict(self, row, *, protocol):\n"
        "        return {'value': str('gold' in row)}\n"
        "make = Spy\n"
    )
    assert start(data, "spy:make").wait(60) == 0
    assert {row["value"] for row in predictions(data)} == {"False"}


@pytest.mark.parametrize(("signal_number", "code"), [(signal.SIGKILL, -signal.SIGKILL), (signal.SIGINT, 130)])
def test_a_killed_or_interrupted_run_goes_on_from_the_last_saved_row(
    data: Path, signal_number: int, code: int
) -> None:
    process = start(data, "slow_system:make")
    wait_for_lines(data.parent / "p.jsonl", 3)
    process.send_signal(signal_number)
    assert process.wait(60) == code
    saved = predictions(data)
    assert 3 <= len(saved) < 12
    assert start(data, "slow_system:make", "--resume").wait(60) == 0
    assert predictions(data)[: len(saved)] == saved
    assert [row["id"] for row in predictions(data)] == [f"E0001-Q{n:03d}" for n in range(1, 13)]


@pytest.mark.llama
def test_a_killed_model_run_ends_like_an_unbroken_one(data: Path, tiny_model: Path) -> None:
    settings = [f"--set=model={tiny_model}", "--set=max_value_chars=8", "--set=parallel=2", "--set=threads=1"]
    assert start(data, "llama_cpp", *settings).wait(120) == 0
    unbroken = predictions(data)
    (data.parent / "p.jsonl").unlink()
    process = start(data, "llama_cpp", *settings)
    wait_for_lines(data.parent / "p.jsonl", 1)
    process.kill()
    process.wait(60)
    assert start(data, "llama_cpp", *settings, "--resume").wait(120) == 0
    assert predictions(data) == unbroken
    kept = read_transcripts(transcripts_of(data.parent))
    assert {name: json.loads(line["reply"])["value"] for name, line in kept.items()} == {
        line["id"]: line["value"] for line in unbroken
    }


@pytest.mark.llama
def test_determinism_and_estimate_on_demand(
    data: Path, tiny_model: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    settings = ["--set", f"model={tiny_model}", "--set", "max_value_chars=4", "--set", "threads=1"]
    assert main(command(data, "llama_cpp", "--limit", "4", *settings, "--check-determinism")) == 0
    assert "4 of 4 rows answered the same twice" in capsys.readouterr().out
    assert main(command(data, "llama_cpp", *settings, "--estimate")) == 0
    assert "12 rows over 1 text: " in capsys.readouterr().out
    words = [
        "estimate",
        "--adapter",
        "llama_cpp",
        "--data",
        str(data),
        *settings,
        "--calibrate",
        "2",
        "--json",
    ]
    assert main(words) == 0
    assert json.loads(capsys.readouterr().out)["rows"] == 12


def test_a_broken_contract_is_one_clear_line(
    data: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(data.parent)
    monkeypatch.setattr(sys, "path", [*sys.path])
    assert main(command(data, "slow_system:liar")) == 2
    message = "goldevidencebench: row E0001-Q001: support id 'U999999' does not exist in the episode\n"
    assert message in capsys.readouterr().err


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (["--set", "k"], "k: must be written key=value"),
        (["--set", "kk=1"], "Did you mean 'k'"),
        (["--set", "k=x"], "k: must be a whole number, not 'x'"),
    ],
)
def test_bad_settings_are_told_before_anything_runs(
    data: Path, capsys: pytest.CaptureFixture[str], more: list[str], message: str
) -> None:
    assert main(command(data, "retrieval", *more)) == 2
    assert message in capsys.readouterr().err
    assert not (data.parent / "p.jsonl").exists()


def test_an_empty_data_file_is_a_clear_error(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "rows.jsonl").write_text("\n")
    assert main(command(tmp_path / "rows.jsonl", "ledger")) == 2
    assert "no rows" in capsys.readouterr().err


@pytest.mark.llama
def test_timelines_are_known_by_their_rows_and_their_responses_can_be_graded(
    tmp_path: Path, tiny_model: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    timelines, out = tmp_path / "timelines.jsonl", tmp_path / "p.jsonl"
    jsonl.write(timelines, make_timelines())
    settings = [f"--set={pair}" for pair in (f"model={tiny_model}", "max_tokens=4", "threads=1")]
    words = command(timelines, "llama_cpp", *settings, "--set=strategy=transcript_replay", "--set=budget=200")
    assert main([*words, "--limit", "3"]) == 0
    assert main([*words, "--resume", "--check-determinism"]) == 0
    assert "4 of 4 rows answered the same twice" in capsys.readouterr().out
    assert out.read_bytes().count(b"\n") == 4
    assert main([*words, "--estimate"]) == 0
    assert "4 rows over 4 texts: " in capsys.readouterr().out
    assert main(["state", "grade", "--timelines", str(timelines), "--responses", str(out)]) == 0
    assert "supersession" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([{"id": "x"}], "the first row is neither a question"),
        ([{"id": "Q1", "question": "?"}, {"id": "Q2"}], "rows.jsonl: row 2 has no id or no question"),
        ([{"initial_state": {}, "events": []}], "rows.jsonl: a timeline lacks id"),
    ],
)
def test_rows_that_cannot_be_asked_are_a_clear_error(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], rows: list[dict[str, Any]], message: str
) -> None:
    jsonl.write(tmp_path / "rows.jsonl", rows)
    assert main(command(tmp_path / "rows.jsonl", "ledger")) == 2
    assert message in capsys.readouterr().err


def test_an_adapter_for_other_rows_is_refused_with_those_that_fit(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    jsonl.write(tmp_path / "rows.jsonl", make_timelines())
    assert main(command(tmp_path / "rows.jsonl", "retrieval")) == 2
    assert "unknown adapter 'retrieval'. Known: llama_cpp, openai_compatible" in capsys.readouterr().err
