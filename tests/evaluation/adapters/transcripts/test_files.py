"""Transcripts: a line for each row asked, written during the run, through pauses and incomplete lines."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from evaluation.adapters import STATE_ADAPTERS, load_adapter
from evaluation.adapters.run_files import RunFiles
from evaluation.adapters.runner import run
from evaluation.adapters.transcripts.files import TranscriptFile, read_transcripts, transcripts_of
from evaluation.adapters.transcripts.record import Exchange, Keep
from evaluation.core import jsonl
from evaluation.core.errors import BenchmarkError
from evaluation.goldevidence.adapters.episode_rows import KIND
from evaluation.statebench.adapters.timeline_rows import KIND as TIMELINES
from tests.evaluation.adapters.server import Raw, Server, serving
from tests.evaluation.adapters.servers.playing import ANSWER, ROWS, bad_for, play, says
from tests.evaluation.conftest import make_timelines

USAGE = {
    "prompt_tokens": 900,
    "completion_tokens": 40,
    "prompt_tokens_details": {"cached_tokens": 800},
    "completion_tokens_details": {"reasoning_tokens": 30},
}
SAID = {"model": "qwen-72b", "system_fingerprint": "fp_1", "usage": USAGE}


def thoughtful(body: dict[str, Any]) -> tuple[int, dict[str, Any]]:
    reply = says(ANSWER, **SAID)
    reply["choices"][0]["message"]["reasoning_content"] = "The fourth line holds."
    return 200, reply


def lines(folder: Path) -> dict[str, Any]:
    return dict(read_transcripts(transcripts_of(folder)))


def test_a_server_s_replies_are_kept_raw_with_what_it_says_of_them(tmp_path: Path) -> None:
    with serving(Server(None, script=thoughtful)) as server:
        play(server, tmp_path, probe=False)
    kept = lines(tmp_path)
    assert kept.keys() == {row["id"] for row in ROWS}
    line = kept["E0001-Q003"]
    assert line["latency_ms"] > 0
    expected = {
        "state": "answered",
        "reply": ANSWER,
        "reasoning": "The fourth line holds.",
        "finish_reason": "stop",
        "tokens": {"prompt": 900, "completion": 40, "reasoning": 30, "cached": 800},
        "model": "qwen-72b",
        "fingerprint": "fp_1",
    }
    assert {name: line[name] for name in expected} == expected
    assert line["prediction"] == next(
        each for each in jsonl.read(tmp_path / "predictions.jsonl") if each["id"] == "E0001-Q003"
    )
    assert len({each["prompt_sha256"] for each in kept.values()}) == len(ROWS)


def test_a_row_that_got_no_reply_says_why_and_no_key_or_address(tmp_path: Path) -> None:
    with serving(Server(None, script=bad_for(3, Raw(b'{"error": "too long"}', 400)))) as server:
        play(server, tmp_path, probe=False)
        address = server.url
    line = lines(tmp_path)["E0001-Q003"]
    assert (line["state"], line["reply"]) == ("error", "")
    assert "too long" in line["problem"]
    assert address not in line["problem"]


def test_the_last_line_of_a_row_counts_and_a_torn_one_does_not(tmp_path: Path) -> None:
    rows = ROWS[:2]
    with serving(Server(None, script=lambda body: (200, says("I do not know.")))) as server:
        play(server, tmp_path, rows, probe=False, concurrency=1)
        path = transcripts_of(tmp_path)
        path.write_bytes(path.read_bytes()[:-9])
        saved = tmp_path / "predictions.jsonl"
        saved.write_bytes(saved.read_bytes()[:-9])
        server.script = thoughtful
        play(server, tmp_path, [*rows, ROWS[2]], probe=False)
    states = {name: line["state"] for name, line in lines(tmp_path).items()}
    assert states == {"E0001-Q001": "unreadable", "E0001-Q002": "answered", "E0001-Q003": "answered"}


def test_packing_leaves_one_line_a_row_and_gives_the_same_bytes(tmp_path: Path) -> None:
    def packed(folder: str) -> bytes:
        (tmp_path / folder).mkdir()
        file = TranscriptFile(tmp_path / folder / "p.jsonl")
        for row, reply in (("a", "1"), ("b", "2"), ("a", "3")):
            file.save(Exchange("", reply), row, "answered", {})
        first = file.pack()
        file.save(None, "b", "error", {})  # goes on where it was packed before; no model was asked
        assert read_transcripts(transcripts_of(tmp_path / folder)).keys() == {"a", "b"}
        assert first is not None
        assert file.pack() == first == transcripts_of(tmp_path / folder)
        return first.read_bytes()

    data = packed("one")
    assert data == packed("two")
    kept = [json.loads(line) for line in gzip.decompress(data).splitlines()]
    assert [(line["id"], line["reply"], line["state"]) for line in kept] == [
        ("a", "3", "answered"),
        ("b", "", "error"),
    ]


def test_without_a_model_or_if_switched_off_there_are_no_transcripts(tmp_path: Path) -> None:
    for adapter, keep in (("ledger", Keep.FULL), ("openai_compatible", Keep.OFF)):
        with serving(Server(None, script=thoughtful)) as server:
            settings = {"base_url": server.url, "probe": False} if keep is Keep.OFF else {}
            system = load_adapter(adapter, settings)
            with RunFiles(tmp_path / f"{adapter}.jsonl", {}, kind=KIND, keep=keep) as files:
                run(ROWS[:1], system, protocol=None, kind=KIND, on_row=files.save, record=True)
        assert files.transcripts.pack() is None
    with pytest.raises(BenchmarkError, match="Systems without a model have none"):
        transcripts_of(tmp_path)


def test_a_fresh_run_forgets_the_transcripts_of_another_and_two_are_told_apart(tmp_path: Path) -> None:
    for name in ("a", "b"):
        file = TranscriptFile(tmp_path / f"{name}.jsonl")
        file.save(Exchange("", "x"), "Q1", "answered", {})
        file.close()
    with pytest.raises(BenchmarkError, match=r"a.transcripts.jsonl, b.transcripts.jsonl"):
        transcripts_of(tmp_path)
    with RunFiles(tmp_path / "a.jsonl", {}, kind=KIND):
        assert transcripts_of(tmp_path).name == "b.transcripts.jsonl"


def test_a_query_of_a_timeline_is_named_by_both(tmp_path: Path) -> None:
    [question] = list(TIMELINES.questions(make_timelines("causality", count=1)))
    with serving(Server(None, script=lambda body: (200, says("Yes.")))) as server:
        adapter = load_adapter("openai_compatible", {"base_url": server.url, "probe": False}, STATE_ADAPTERS)
        with RunFiles(tmp_path / "p.jsonl", {}, kind=TIMELINES) as files:
            run([question], adapter, protocol=None, kind=TIMELINES, on_row=files.save, record=True)
    [line] = lines(tmp_path).values()
    assert (line["id"], line["query_idx"], line["reply"]) == (question["id"], 0, "Yes.")
    assert line["tokens"]["prompt"] is None, "this server counts none"
    assert not next(jsonl.read(tmp_path / "p.jsonl")).keys() & {"reply", "prompt_sha256"}
