"""A server that speaks the OpenAI API: a real one with the tiny model, and one that misbehaves on purpose."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import pytest

from evaluation.adapters import load_adapter
from evaluation.adapters.runner import RowResult, run
from evaluation.core.errors import AdapterError, SettingsError
from evaluation.goldevidence.adapters.episode_rows import KIND
from tests.evaluation.adapters.server import Server, serving
from tests.evaluation.conftest import condition_row, make_row

pytestmark = pytest.mark.timing


def chat(text: str, **more: Any) -> bytes:
    return json.dumps({"choices": [{"message": {"content": text}}], **more}).encode()


GOOD = chat(
    '{"value": "ochre-0004", "support_ids": ["U000004"]}',
    usage={"prompt_tokens": 900, "completion_tokens": 9},
)


def connect(server: Server, **settings: Any) -> Any:
    return load_adapter(
        "openai_compatible", {"base_url": server.url, "pause_s": 0.01, "probe": False, **settings}
    )


@pytest.mark.llama
@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"constrain": "grammar", "prompt": "standard@1"},
        {"constrain": "grammar", "endpoint": "completions", "prompt": "legacy@1"},
    ],
    ids=["chat and json_schema", "chat and grammar", "completions and grammar"],
)
def test_a_real_server_answers_in_the_form_asked_for(tiny_model: Path, settings: dict[str, Any]) -> None:
    rows = [make_row(1), condition_row(2), make_row(3, cite=False)]
    seen: list[RowResult] = []
    with serving(Server(tiny_model)) as server:
        adapter = connect(server, max_value_chars=8, **settings)
        run(rows, adapter, protocol="closed_book", kind=KIND, on_row=seen.append)
        adapter.close()
    cited = {result.prediction["id"]: len(result.prediction["support_ids"]) for result in seen}
    assert len(cited) == 3
    assert all(result.usage.prompt_tokens > 100 for result in seen)
    if "constrain" in settings:
        assert cited.keys() == {"E0001-Q001", "E0001-Q002@k4-gold_last", "E0001-Q003"}
        assert cited["E0001-Q003"] == 0
        assert max(cited.values()) <= 1
        if settings["prompt"] == "legacy@1":
            assert sum(cited.values()) == 2


def test_requests_run_concurrently_and_each_answer_is_that_of_its_row() -> None:
    rows = [make_row(n) for n in range(1, 13)]
    seen: list[RowResult] = []
    with serving(Server(None, body=GOOD, delay_s=0.05)) as server:
        run(rows, connect(server, concurrency=4), protocol="closed_book", kind=KIND, on_row=seen.append)
        assert 2 <= server.busiest <= 4
    assert sorted(result.prediction["id"] for result in seen) == [row["id"] for row in rows]
    assert seen[0].usage.prompt_tokens == 900
    assert seen[0].usage.generated_tokens == 9


def test_without_truncation_a_text_that_does_not_fit_is_not_sent() -> None:
    with serving(Server(None, body=GOOD)) as server:
        adapter = connect(server, truncation="none", context=300, max_tokens=50)
        assert adapter.predict(make_row(), protocol="closed_book") == {"state": "cut_prompt"}
        assert adapter.provenance()["truncated_rows"] == 0
        assert not server.requests


@pytest.mark.parametrize("status", [429, 500, 503])
def test_temporary_failures_are_retried(status: int) -> None:
    with serving(Server(None, body=GOOD, failures=[status, status])) as server:
        output = connect(server).predict(make_row(), protocol="closed_book")
        assert len(server.requests) == 3
    assert output == {"value": "ochre-0004", "support_ids": ["U000004"]}


def test_the_pause_that_a_server_asks_for_is_kept() -> None:
    with serving(Server(None, body=GOOD, failures=[429], headers={"Retry-After": "0.3"})) as server:
        started = time.monotonic()
        connect(server).predict(make_row(), protocol="closed_book")
        assert time.monotonic() - started >= 0.3


def test_a_server_that_keeps_failing_leaves_rows_without_an_answer_and_says_why() -> None:
    with serving(Server(None, failures=[500] * 9)) as server:
        adapter = connect(server, retries=2)
        assert adapter.predict(make_row(), protocol="closed_book") == {"state": "error"}
        assert len(server.requests) == 3
    [problem] = adapter.provenance()["server"]["problems"]
    assert problem.startswith("no answer after 3 attempts: HTTP 500")


def test_a_refusal_is_not_retried() -> None:
    with serving(Server(None, failures=[401, 401])) as server:
        with pytest.raises(AdapterError, match="the server refuses: HTTP 401"):
            connect(server).predict(make_row(), protocol="closed_book")
        assert len(server.requests) == 1


def test_a_silent_server_times_out() -> None:
    with serving(Server(None, body=GOOD, delay_s=0.5)) as server:
        adapter = connect(server, timeout_s=0.05, retries=0)
        assert adapter.predict(make_row(), protocol="closed_book") == {"state": "error"}
    assert "ReadTimeout" in str(adapter.provenance()["server"]["problems"])


def test_an_absent_server_is_a_clear_error() -> None:
    with serving(Server(None)) as server:
        url = server.url
    adapter = load_adapter("openai_compatible", {"base_url": url, "retries": 0})
    with pytest.raises(AdapterError, match="ConnectError"):
        adapter.predict(make_row(), protocol="closed_book")


@pytest.mark.parametrize("body", [b"no json", b"[]", b"{}", b'{"choices": [{}]}'])
def test_an_answer_of_another_form_is_none(body: bytes) -> None:
    with serving(Server(None, body=body)) as server:
        adapter = connect(server, retries=0)
        assert adapter.predict(make_row(), protocol="closed_book") == {"state": "error"}
    assert "the server's answer" in str(adapter.provenance()["server"]["problems"])


@pytest.mark.parametrize(
    ("text", "value", "support"),
    [
        ('Sure: {"value": "x", "support_ids": ["U999999", "U000004", "U000004"]}', "x", ["U000004"]),
        ('{"value": null, "support_id": "U000001"}', None, ["U000001"]),
        ('{"value": 3, "support_ids": 7}', 3, []),
    ],
)
def test_what_an_unconstrained_model_writes_is_read_leniently(
    text: str, value: Any, support: list[str]
) -> None:
    with serving(Server(None, body=chat(text))) as server:
        output = connect(server, constrain="none").predict(make_row(), protocol="closed_book")
    assert output == {"value": value, "support_ids": support}


@pytest.mark.parametrize(("asked", "kept"), [(None, 3), (5, 5), (1, 1)])
def test_as_many_citations_are_kept_as_the_row_asks_for(asked: int | None, kept: int) -> None:
    row = make_row()
    row["meta"] |= {"max_support_k": asked} if asked else {}
    text = json.dumps({"value": "x", "support_ids": [f"U{n:06}" for n in range(1, 7)]})
    with serving(Server(None, body=chat(text))) as server:
        output = connect(server, constrain="none").predict(row, protocol="open_book")
    assert len(output["support_ids"]) == kept


def test_the_key_comes_from_the_environment_and_is_shown_nowhere(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GOLDEVIDENCEBENCH_API_KEY", "sesame")
    with serving(Server(None, body=GOOD)) as server:
        adapter = connect(server)
        adapter.predict(make_row(), protocol="closed_book")
        assert server.keys == ["Bearer sesame"]
    assert "sesame" not in json.dumps(adapter.provenance())
    with pytest.raises(SettingsError, match="api_key"):
        load_adapter("openai_compatible", {"api_key": "sesame"})


def test_a_stop_does_not_wait_for_a_slow_server() -> None:
    rows = [make_row(n) for n in range(1, 9)]
    with serving(Server(None, body=GOOD, delay_s=1.0)) as server:
        started = time.monotonic()
        stop = lambda: time.monotonic() - started > 0.2  # noqa: E731
        summary = run(
            rows, connect(server, concurrency=2), protocol="closed_book", kind=KIND, should_stop=stop
        )
        assert time.monotonic() - started < 0.9
    assert summary.cancelled


def test_a_base_url_needs_its_scheme() -> None:
    with pytest.raises(SettingsError, match="base_url: must begin with http"):
        load_adapter("openai_compatible", {"base_url": "localhost:8080"})
