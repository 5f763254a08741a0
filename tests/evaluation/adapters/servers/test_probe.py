"""The probe of a server before a run: faults are reported with advice before a row is asked."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from evaluation.adapters import STATE_ADAPTERS, load_adapter
from evaluation.adapters.runner import run
from evaluation.core.errors import AdapterError
from evaluation.statebench.adapters.timeline_rows import KIND as TIMELINES
from tests.evaluation.adapters.server import Raw, Server, serving
from tests.evaluation.adapters.servers.playing import ANSWER, number_in, play, says
from tests.evaluation.conftest import make_timelines


def listed(*names: str, **more: Any) -> dict[str, Any]:
    return {"/v1/models": {"data": [{"id": name, **more} for name in names]}}


def good(body: dict[str, Any]) -> Any:
    return 200, says(ANSWER)


def test_one_small_question_is_asked_once_with_the_settings_of_the_run(tmp_path: Path) -> None:
    with serving(Server(None, script=good)) as server:
        played = play(server, tmp_path, max_tokens=77, concurrency=1)
    assert [number_in(body) for body in server.requests] == [0, *range(1, 13)]
    probe = server.requests[0]
    assert (probe["max_tokens"], probe["response_format"]["type"]) == (77, "json_schema")
    assert len(str(probe["messages"])) < 1500
    assert played.summary.provenance["server"]["probe"] == {"answer": "answered"}


def test_it_can_be_left_out_and_a_run_that_is_done_needs_none(tmp_path: Path) -> None:
    with serving(Server(None, script=good)) as server:
        play(server, tmp_path, probe=False)
        assert 0 not in map(number_in, server.requests)
        play(server, tmp_path)
        assert len(server.requests) == 12


@pytest.mark.parametrize(
    ("routes", "settings"),
    [
        (listed("default", owned_by="vllm", max_model_len=4096), {}),
        (
            listed("/m.gguf", owned_by="llamacpp")
            | {"/props": {"default_generation_settings": {"n_ctx": 4096}}},
            {},
        ),
        (
            {"/api/v0/models": {"data": [{"id": "default", "loaded_context_length": 4096}]}}
            | listed("default", owned_by="organization_owner"),
            {},
        ),
        ({"/api/show": {"model_info": {"llama.context_length": 4096}}}, {"endpoint": "ollama"}),
        (listed("default", context_length=4096), {}),
    ],
    ids=["vLLM", "llama-server", "LM Studio", "Ollama", "others"],
)
def test_a_context_that_is_too_small_is_found_before_a_question_is_asked(
    tmp_path: Path, routes: dict[str, Any], settings: dict[str, Any]
) -> None:
    with serving(Server(None, script=good, routes=routes)) as server:
        with pytest.raises(
            AdapterError, match=r"context is 4,096 tokens, .* is 32,768.* or set context=4096"
        ):
            play(server, tmp_path, **settings)
        assert server.requests == []
        if "endpoint" not in settings:
            assert play(server, tmp_path, context=4096).states == {"answered": 12}


def test_what_ollama_has_in_memory_is_seen_after_the_question(tmp_path: Path) -> None:
    routes = listed("default", owned_by="library") | {
        "/api/ps": {"models": [{"name": "default:latest", "context_length": 4096}]}
    }
    with serving(Server(None, script=good, routes=routes)) as server:
        with pytest.raises(AdapterError, match="context is 4,096 tokens"):
            play(server, tmp_path)
        assert len(server.requests) == 1


def test_a_model_that_the_server_does_not_have_is_named_with_those_it_has(tmp_path: Path) -> None:
    script = lambda body: Raw(b'{"error": "model not found"}', 404)  # noqa: E731
    with (
        serving(Server(None, script=script, routes=listed("qwen3-8b", "gemma"))) as server,
        pytest.raises(
            AdapterError, match=r"HTTP 404.*The server lists qwen3-8b, gemma, but not 'qwen3-8'.*qwen3-8b"
        ),
    ):
        play(server, tmp_path, model="qwen3-8")


@pytest.mark.parametrize(
    ("reply", "why"),
    [
        (
            Raw(b'{"error": {"message": "unknown field response_format"}}', 400),
            "unknown field response_format",
        ),
        (Raw(b"<!doctype html>"), "is not JSON: <!doctype html>"),
        (Raw(b'{"id": 1}'), "no choices"),
    ],
)
def test_a_request_that_no_row_could_send_ends_the_run(tmp_path: Path, reply: Raw, why: str) -> None:
    with (
        serving(Server(None, script=lambda body: reply)) as server,
        pytest.raises(AdapterError, match=f"does not answer a small test question: .*{why}"),
    ):
        play(server, tmp_path)


def test_a_page_for_people_in_place_of_an_answer_is_a_wrong_address_at_once(tmp_path: Path) -> None:
    with serving(Server(None, script=lambda body: Raw(b"<!DOCTYPE html><title>Chat</title>"))) as server:
        with pytest.raises(
            AdapterError, match=r"is not JSON: <!DOCTYPE html>.*Check the setting base_url: it usually ends"
        ):
            play(server, tmp_path, pause_s=5.0, retries=5)
        assert len(server.requests) == 1


def test_a_server_that_still_loads_is_waited_for(tmp_path: Path) -> None:
    with serving(Server(None, script=good, failures=[503, 503])) as server:
        assert play(server, tmp_path).states == {"answered": 12}


def test_what_a_weak_model_says_is_a_warning_and_stands_in_the_provenance(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    script = lambda body: (200, says("", "length") if number_in(body) == 0 else says(ANSWER))  # noqa: E731
    with serving(Server(None, script=script, routes=listed("other"))) as server:
        played = play(server, tmp_path)
    assert played.summary.provenance["server"]["probe"] == {"answer": "cut_off", "model_listed": False}
    assert "Raise max_tokens" in caplog.text
    assert "lists other, but not 'default'" in caplog.text


def test_a_run_over_timelines_is_probed_in_words() -> None:
    with serving(Server(None, script=lambda body: (200, says("Yes.")))) as server:
        adapter = load_adapter("openai_compatible", {"base_url": server.url}, STATE_ADAPTERS)
        questions = list(TIMELINES.questions(make_timelines(count=1)))
        summary = run(questions, adapter, protocol="closed_book", kind=TIMELINES)
    assert summary.provenance["server"]["probe"] == {"answer": "answered"}
    assert len(server.requests) == 1 + len(questions)


def test_a_stop_does_not_wait_for_the_probe(tmp_path: Path) -> None:
    with serving(Server(None, script=good, delay_s=1.0)) as server:
        asked: list[int] = []
        played = play(server, tmp_path, should_stop=lambda: len(server.requests) > 0 and not asked.append(1))
        assert (played.summary.cancelled, played.lines, played.summary.seconds < 0.9) == (True, {}, True)


def has(body: dict[str, Any], part: str) -> bool:
    if part == "system role":
        return any(turn["role"] == "system" for turn in body["messages"])
    return part in body


class Refuses:
    """Refuses requests that have certain parts, with an error message for each part."""

    def __init__(self, *parts: tuple[str, str], status: int = 400) -> None:
        self.parts, self.status = parts, status

    def __call__(self, body: dict[str, Any]) -> Any:
        for part, words in self.parts:
            if has(body, part):
                return Raw(json.dumps({"error": {"message": words}}).encode(), self.status)
        return 200, says(ANSWER)


REFUSALS = {
    "a template of Gemma": Refuses(("system role", "System role not supported"), status=500),
    "a template of Mistral": Refuses(("system role", "Conversation roles must alternate user/assistant")),
    "a reasoning model": Refuses(("temperature", "'temperature' does not support 0 with this model")),
    "a server without seeds": Refuses(("seed", "unknown field seed")),
    "a server without schemas": Refuses(("response_format", "This response_format type is unavailable")),
    "several": Refuses(
        ("temperature", "temperature: extra fields not permitted"),
        ("seed", "seed: extra fields not permitted"),
        ("system role", "no system message, please"),
    ),
    "without a word": Refuses(("seed", "Bad request")),
    "all of them, without a word": Refuses(("seed", "no"), ("temperature", "no")),
}


@pytest.mark.parametrize("name", REFUSALS)
def test_what_a_server_refuses_is_left_out_and_that_is_said(
    name: str, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    script = REFUSALS[name]
    with serving(Server(None, script=script)) as server:
        played = play(server, tmp_path, pause_s=0.5, retries=5)
        rows = [body for body in server.requests if number_in(body)]
    parts = [part for part, _ in script.parts]
    assert played.states == {"answered": 12}
    left_out = played.summary.provenance["server"]["left_out"]
    assert set(parts) <= set(left_out)
    assert name.startswith("all") or sorted(left_out) == sorted(parts)
    assert not any(has(body, part) for body in rows for part in left_out)
    assert "left out of all further requests" in caplog.text
    if "system role" in parts:
        assert "You answer" in rows[0]["messages"][0]["content"] or len(rows[0]["messages"]) == 1


def test_a_setting_that_was_chosen_is_not_left_out_but_named(tmp_path: Path) -> None:
    script = Refuses(("reasoning_effort", "unsupported: reasoning_effort"))
    with (
        serving(Server(None, script=script)) as server,
        pytest.raises(
            AdapterError, match=r"unsupported: reasoning_effort.* names these settings: reasoning_effort\."
        ),
    ):
        play(server, tmp_path, reasoning_effort="low")


def test_without_a_probe_the_message_names_the_setting(tmp_path: Path) -> None:
    script = Refuses(("response_format", "json_schema is not supported"))
    with (
        serving(Server(None, script=script)) as server,
        pytest.raises(
            AdapterError,
            match=r"none of the first 5 rows.*json_schema is.* names these settings: constrain\.",
        ),
    ):
        play(server, tmp_path, probe=False)


@pytest.mark.parametrize(
    ("said", "state"),
    [
        (ANSWER, "answered"),
        ("It is amber.", "unreadable"),
        ("<think>hm</think>", "empty"),
        (f"<think>{ANSWER}</think>", "empty"),
    ],
)
def test_its_answer_is_read_as_a_row_is_and_told_where_it_cannot_be(
    said: str, state: str, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with serving(Server(None, script=lambda body: (200, says(said)))) as server:
        played = play(server, tmp_path)
    probe = played.summary.provenance["server"]["probe"]
    assert played.states == {state: 12}
    assert probe == {"answer": state} | ({"said": said} if state == "unreadable" else {})
    assert ("The server said: It is amber." in caplog.text) == (state == "unreadable")
    assert ("constrain=json_schema" in caplog.text) == (state == "unreadable")
    assert played.summary.first_unread[1] == (said if state == "unreadable" else "")
