"""A command-line run against a server, killed or interrupted at any moment, continues where it was."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from evaluation.adapters.transcripts.files import read_transcripts, transcripts_of
from evaluation.cli import main
from evaluation.core import jsonl
from tests.evaluation.adapters.server import Server, serving
from tests.evaluation.adapters.servers.playing import number_in, says
from tests.evaluation.conftest import make_row

pytestmark = pytest.mark.timing

COUNT = 24


class Holds:
    """A server with another answer for each row; some answers are late, so that requests are under way at the end."""

    def __init__(self, *held: int) -> None:
        self.held = set(held)

    def __call__(self, body: dict[str, Any]) -> tuple[int, dict[str, Any]]:
        number = number_in(body)
        time.sleep(30 if number in self.held else 0.01)
        return 200, says(json.dumps({"value": f"amber-{number:04}", "support_ids": ["U000004"]}))


@pytest.mark.parametrize(("sign", "code"), [(signal.SIGKILL, -9), (signal.SIGINT, 130)])
def test_a_run_that_was_ended_has_what_came_and_gets_the_rest(tmp_path: Path, sign: int, code: int) -> None:
    data, out = tmp_path / "rows.jsonl", tmp_path / "predictions.jsonl"
    jsonl.write(data, [make_row(number) for number in range(1, COUNT + 1)])
    script = Holds(10, 11)
    with serving(Server(None, script=script)) as server:
        settings = ["--set", f"base_url={server.url}", "--set", "concurrency=4", "--set", "probe=false"]
        words = ["model", "--adapter", "openai_compatible", "--data", str(data), "--out", str(out), *settings]
        process = subprocess.Popen([sys.executable, "-m", "evaluation", *words], stderr=subprocess.DEVNULL)
        try:
            until = time.monotonic() + 60
            while _lines(out) < COUNT - 2 and time.monotonic() < until:
                time.sleep(0.02)
            process.send_signal(sign)
            assert process.wait(20) == code, "it waits for nothing that is under way"
        finally:
            process.kill()
            process.wait()
        assert _lines(out) == COUNT - 2, "all but the two that never came"
        assert read_transcripts(transcripts_of(out)).keys() >= {line["id"] for line in jsonl.read(out)}
        script.held.clear()
        assert main([*words, "--resume"]) == 0
        rows = [number_in(body) for body in server.requests]
    assert len(rows) == COUNT + 2, "no answer is paid for twice but those under way"
    values = {line["id"]: line["value"] for line in jsonl.read(out)}
    replies = {name: line["reply"] for name, line in read_transcripts(transcripts_of(out)).items()}
    assert {name: json.loads(reply)["value"] for name, reply in replies.items()} == values, (
        "none lost, none twice"
    )
    assert values == {f"E0001-Q{number:03}": f"amber-{number:04}" for number in range(1, COUNT + 1)}


def _lines(path: Path) -> int:
    return path.read_bytes().count(b"\n") if path.exists() else 0
