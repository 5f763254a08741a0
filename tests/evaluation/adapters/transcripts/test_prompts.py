"""A prompt is rebuilt from its row, and shown only if it is the one that was sent."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from evaluation.adapters import STATE_ADAPTERS, load_adapter
from evaluation.adapters.runner import RowResult, run
from evaluation.adapters.transcripts.prompts import PromptError, rebuilt_prompt
from evaluation.cli import main
from evaluation.core import jsonl
from evaluation.goldevidence.adapters.episode_rows import KIND
from evaluation.goldevidence.adapters.prompts import bare_question
from evaluation.statebench.adapters.timeline_rows import KIND as TIMELINES
from tests.evaluation.adapters.server import Server, serving
from tests.evaluation.adapters.servers.playing import ANSWER, number_in, says
from tests.evaluation.conftest import condition_row, make_row, make_timelines

QUERIES = list(TIMELINES.questions(make_timelines("brutal_realistic", count=1)))
LOCAL = {"context": 4096, "threads": 1, "max_value_chars": 4}


def exchanged(adapter: Any, rows: list[dict[str, Any]], kind: Any) -> dict[str, str]:
    """Row -> the hash of its prompt."""
    results: list[RowResult] = []
    run(rows, adapter, protocol=None, kind=kind, on_row=results.append, record=True)
    return {result.id: result.exchange.prompt_sha256 for result in results if result.exchange}


@pytest.mark.parametrize(
    ("kind", "adapters", "rows", "more"),
    [
        (KIND, {}, [make_row(), condition_row(2)], {}),
        (TIMELINES, {"adapters": STATE_ADAPTERS}, QUERIES, {"strategy": "state_based", "budget": 60}),
    ],
)
def test_what_a_server_was_asked_is_made_anew_without_it(
    kind: Any, adapters: dict[str, Any], rows: list[dict[str, Any]], more: dict[str, Any]
) -> None:
    with serving(Server(None, script=lambda body: (200, says(ANSWER)))) as server:
        settings = {"base_url": server.url, "probe": False, "concurrency": 1, **more}
        hashes = exchanged(load_adapter("openai_compatible", settings, **adapters), rows, kind)
        asked = [tuple(turn["content"] for turn in body["messages"]) for body in server.requests]
    away = {**settings, "base_url": "http://127.0.0.1:9/v1", "key_variable": "NO_SUCH_KEY"}
    load = partial(load_adapter, "openai_compatible", away, **adapters)
    for row in rows:
        prompt = rebuilt_prompt(row, load=load, kind=kind, protocol=None, expected_sha256=hashes[row["id"]])
        assert (prompt.system, prompt.user) in asked


@pytest.mark.llama
@pytest.mark.parametrize("mode", ["answer", "select"])
def test_what_a_model_was_asked_is_made_anew_and_with_it_where_its_tokens_decide(
    tiny_model: Path, mode: str
) -> None:
    rows = [make_row(), condition_row(2)]
    for context, with_model in ((4096, False), (1100 if mode == "select" else 900, True)):
        settings = {**LOCAL, "model": str(tiny_model), "mode": mode, "context": context}
        hashes = exchanged(load_adapter("llama_cpp", settings), rows, KIND)
        make = partial(
            rebuilt_prompt,
            rows[0],
            load=partial(load_adapter, "llama_cpp", settings),
            kind=KIND,
            protocol=None,
        )
        prompt = make(expected_sha256=hashes[rows[0]["id"]], with_model=with_model)
        assert bare_question(rows[0]["question"]) in prompt.user
        if with_model:
            with pytest.raises(PromptError, match="cut by counting the model's tokens"):
                make(expected_sha256=hashes[rows[0]["id"]])


@pytest.mark.parametrize(
    ("adapter", "row", "kind", "settings", "message"),
    [
        ("openai_compatible", make_row(), KIND, {}, "differs from the one sent"),
        ("ledger", make_row(), KIND, {}, "no model is asked"),
        (
            "openai_compatible",
            QUERIES[0],
            TIMELINES,
            {"strategy": "rolling_summary"},
            "earlier model output",
        ),
    ],
)
def test_no_other_prompt_is_shown_for_it(
    adapter: str, row: dict[str, Any], kind: Any, settings: dict[str, Any], message: str
) -> None:
    load = partial(load_adapter, adapter, settings, kind.adapters)
    with pytest.raises(PromptError, match=message):
        rebuilt_prompt(row, load=load, kind=kind, protocol=None, expected_sha256="0" * 64)


def test_the_command_shows_what_was_asked_and_replied(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data, out = tmp_path / "rows.jsonl", tmp_path / "preds.jsonl"
    jsonl.write(data, [make_row(number) | {"gold": {"value": "secret"}} for number in (1, 2)])
    with serving(
        Server(None, script=lambda body: (200, says(f"No. {number_in(body)}", model="m")))
    ) as server:
        words = ["--adapter", "openai_compatible", "--set", f"base_url={server.url}", "--set", "probe=false"]
        assert (
            main(["model", "--data", str(data), "--out", str(out), *words, "--transcripts", "lengths"]) == 0
        )
    assert not out.with_name("preds.transcripts.jsonl").exists()
    assert out.with_name("preds.transcripts.jsonl.gz").exists()
    capsys.readouterr()
    show = ["transcript", "--data", str(data), "--run", str(tmp_path), "--id", "E0001-Q002"]
    assert main(show) == 0
    printed = capsys.readouterr().out
    assert "state: unreadable\nfinish reason: stop\n" in printed
    assert "--- user ---\n" in printed
    assert "Question 2: what is the current value of tag.00?" in printed
    assert "--- reply ---\nNo. 2\n\n--- prediction ---\n" in printed
    assert "secret" not in printed
    jsonl.write(data, [make_row(number, "tag.01") for number in (1, 2)])
    assert main([*show, "--json"]) == 1
    shown = json.loads(capsys.readouterr().out)
    assert (shown["prompt"], shown["reply"], shown["model"]) == (None, "No. 2", "m")
    assert main([*show[:-1], "nobody"]) == 2
    assert "no transcript of row 'nobody'" in capsys.readouterr().err
