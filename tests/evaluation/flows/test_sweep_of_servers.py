"""Sweeps and benches of a model behind a server keep their answers when the server goes away."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import orjson
import pytest

from evaluation.cli import main
from tests.evaluation.adapters.server import Server, serving

pytestmark = pytest.mark.timing
SAID = json.dumps({"value": "teal-0001", "support_ids": []})
ANSWER = {
    "choices": [{"message": {"content": SAID}, "finish_reason": "stop"}],
    "usage": {"prompt_tokens": 5000, "completion_tokens": 9},
}
GRID = "--seeds 1 --queries 3 --steps 24 --no-derived-queries --no-twins --k-list 2,4"


def settings(server: Server) -> list[str]:
    values = {
        "base_url": server.url,
        "pause_s": "0.01",
        "probe": "false",
        "concurrency": "1",
        "check_prompt": "false",
    }
    return [word for name, value in values.items() for word in ("--set", f"{name}={value}")]


def test_a_server_without_money_pauses_the_sweep_which_then_goes_on(tmp_path: Path, capsys) -> None:
    asked, rich = list[dict[str, Any]](), list[bool]()

    def reply(body: dict[str, Any]) -> tuple[int, dict[str, Any]]:
        asked.append(body)
        return (200, ANSWER) if rich or len(asked) <= 4 else (402, {"error": {"message": "no money"}})

    out = str(tmp_path / "s")
    with serving(Server(None, script=reply)) as server:
        words = [
            "sweep",
            "run",
            "--out",
            out,
            "--adapter",
            "openai_compatible",
            *settings(server),
            *GRID.split(),
        ]
        assert main(words) == 3
        assert "run the same command again" in capsys.readouterr().err
        assert len(orjson.loads(Path(out, "combined.json").read_bytes())) == 1
        before = len(asked)
        rich.append(True)
        assert main(words) == 0
    assert "2 runs written" in capsys.readouterr().out
    assert before == 5  # the one that was refused is asked again
    assert len(asked) == 7
    runs = orjson.loads(Path(out, "combined.json").read_bytes())
    assert [run["data"]["n"] for run in runs] == [3, 3]
    assert runs[0]["efficiency"]["tokens_per_q"] == 5009


def test_a_bench_of_a_server_asks_it_for_every_part(tmp_path: Path, capsys) -> None:
    with serving(Server(None, script=lambda body: (200, ANSWER))) as server:
        who = ["--server", server.url, "--model", "some", *settings(server)[2:]]
        words = ["--preset", "smoke", "--seeds", "1", "--parts", "budget,authority", "--out", str(tmp_path)]
        assert main(["bench", *who, *words]) == 1
        assert {body["model"] for body in server.requests} == {"some"}
    bars = {
        bar["name"]: bar["reached"] for bar in orjson.loads((tmp_path / "bench.json").read_bytes())["bars"]
    }
    assert bars == {"notes": None, "authority": False}  # nothing was cited, so no NOTE could be
    assert "authority" in capsys.readouterr().out


def test_the_key_of_a_server_stands_in_no_file(tmp_path: Path, monkeypatch, capsys) -> None:
    monkeypatch.setenv("GOLDEVIDENCEBENCH_API_KEY", "sk-very-secret-key")
    with serving(Server(None, script=lambda body: (200, ANSWER))) as server:
        words = ["--adapter", "openai_compatible", *settings(server), *GRID.split()]
        assert main(["sweep", "run", "--out", str(tmp_path / "s"), *words]) == 0
        assert set(server.keys) == {"Bearer sk-very-secret-key"}
    written = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert not [path for path in written if b"very-secret" in path.read_bytes()]
    capsys.readouterr()
