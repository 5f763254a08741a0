"""A zoo of servers, each a real one on this machine: no wrong null, no lost answer, every run can continue."""

from __future__ import annotations

import codecs
import json
import re
import threading
import time
from collections.abc import Callable
from email.utils import formatdate
from pathlib import Path
from typing import Any

import pytest

from evaluation.core import jsonl
from evaluation.core.errors import AdapterError
from evaluation.core.tokens import pretokens
from tests.evaluation.adapters.server import Raw, Server, serving
from tests.evaluation.adapters.servers.playing import (
    ANSWER,
    ROWS,
    Played,
    bad_for,
    number_in,
    play,
    says,
    text_of,
)

pytestmark = pytest.mark.timing

USAGE = {"prompt_tokens": 900, "completion_tokens": 9, "total_tokens": 909}
HTML = Raw(b"<!doctype html><title>502 Bad Gateway</title>", headers={"Content-Type": "text/html"})


def chunk(content: str | None, finish: str | None = None) -> str:
    return "data: " + json.dumps({"choices": [{"delta": {"content": content}, "finish_reason": finish}]})


def stream(*lines: str) -> Raw:
    return Raw("\n\n".join(lines).encode(), headers={"Content-Type": "text/event-stream"})


def check_whole(played: Played, server: Server, folder: Path, states: dict[str, int]) -> None:
    """Assert that every row has one line, no null was made up, and nothing is asked again."""
    assert played.states == states
    assert (len(played.lines), played.summary.paused, played.summary.cancelled) == (len(ROWS), False, False)
    for line in played.lines.values():
        assert line.get("value") == ("ochre-0004" if "state" not in line else None)
    asked = len(server.requests)
    again = play(server, folder)
    assert (again.states, again.results, len(server.requests)) == (states, [], asked)


OPENAI = {
    "id": "chatcmpl-1",
    "object": "chat.completion",
    "model": "gpt-test",
    "system_fingerprint": "fp_1",
    "usage": USAGE | {"prompt_tokens_details": {"cached_tokens": 128}},
}
LLAMA_SERVER = {"timings": {"predicted_ms": 4.2}, "usage": USAGE, "model": "/models/qwen.gguf"}
LM_STUDIO = {"stats": {"tokens_per_second": 51.4, "stop_reason": "eosFound"}, "usage": USAGE}
SHAPES: dict[str, dict[str, Any]] = {
    "OpenAI": {"reply": says(ANSWER, **OPENAI), "routes": {"/v1/models": {"data": [{"id": "default"}]}}},
    "vLLM": {
        "reply": {
            "choices": [
                {
                    "message": {"content": ANSWER, "reasoning_content": None, "tool_calls": []},
                    "finish_reason": "stop",
                    "stop_reason": None,
                    "logprobs": None,
                }
            ],
            "usage": USAGE | {"prompt_tokens_details": None},
            "prompt_logprobs": None,
        },
        "routes": {"/v1/models": {"data": [{"id": "default", "owned_by": "vllm", "max_model_len": 32768}]}},
    },
    "llama-server": {
        "reply": says(ANSWER, **LLAMA_SERVER),
        "routes": {
            "/v1/models": {"data": [{"id": "/models/qwen.gguf", "owned_by": "llamacpp"}]},
            "/props": {"default_generation_settings": {"n_ctx": 32768}},
        },
    },
    "LM Studio": {
        "reply": says(ANSWER, **LM_STUDIO),
        "routes": {
            "/api/v0/models": {"data": [{"id": "default", "loaded_context_length": 32768}]},
            "/v1/models": {"data": [{"id": "default", "owned_by": "organization_owner"}]},
        },
    },
    "Ollama": {
        "reply": {
            "model": "default",
            "message": {"role": "assistant", "content": ANSWER, "thinking": 'Or {"value": null}?'},
            "done": True,
            "done_reason": "stop",
            "prompt_eval_count": 900,
            "eval_count": 9,
        },
        "routes": {
            "/api/tags": {"models": [{"name": "default:latest"}]},
            "/api/show": {"model_info": {"qwen3.context_length": 40960}},
        },
        "settings": {"endpoint": "ollama"},
    },
}


@pytest.mark.parametrize("name", SHAPES)
def test_the_shapes_of_five_servers_are_read(name: str, tmp_path: Path) -> None:
    shape = SHAPES[name]
    script = lambda body: (200, shape["reply"])  # noqa: E731
    with serving(Server(None, script=script, routes=shape["routes"])) as server:
        played = play(server, tmp_path, **shape.get("settings", {}))
        check_whole(played, server, tmp_path, {"answered": 12})
    assert all(result.usage.prompt_tokens == 900 for result in played.results)
    found = played.summary.provenance["server"]["probe"]
    assert (found["model_listed"], found["answer"]) == (name != "llama-server", "answered")
    assert found.get("context") == {"OpenAI": None, "Ollama": 40960}.get(name, 32768)


ODD: dict[str, tuple[Any, dict[str, Any]]] = {
    "400 for one row": (Raw(b'{"error": {"message": "too many tools"}}', 400), {"state": "error"}),
    "403 for one row": (Raw(b"<html>blocked by the firewall</html>", 403), {"state": "error"}),
    "404 for one row": (Raw(b"no route", 404), {"state": "error"}),
    "413 for one row": (Raw(b"<html>too large</html>", 413), {"state": "error"}),
    "422 for one row": (Raw(b'{"detail": []}', 422), {"state": "error"}),
    "500 for one row": (Raw(b"Internal Server Error", 500), {"state": "error"}),
    "HTML with 200": (HTML, {"state": "error"}),
    "broken JSON": (Raw(b'{"choices": [{"message": {"cont'), {"state": "error"}),
    "bytes that are no text": (Raw(b"\xff\xfe\x00"), {"state": "error"}),
    "a connection cut": (Raw(json.dumps(says(ANSWER)).encode(), cut=True), {"state": "error"}),
    "choices missing": ({"id": "x", "usage": USAGE}, {"state": "error"}),
    "choices empty": ({"choices": []}, {"state": "error"}),
    "choices null": ({"choices": None}, {"state": "error"}),
    "choices of null": ({"choices": [None]}, {"state": "error"}),
    "a choice that is a text": ({"choices": ["ochre-0004"]}, {"state": "error"}),
    "a message that is a text": ({"choices": [{"message": "ochre-0004"}]}, {"state": "error"}),
    "a stream of odd choices": (
        stream('data: {"choices": [5]}', 'data: {"choices": [{"delta": 5}]}', "data: [DONE]"),
        {"state": "empty"},
    ),
    "an error with 200": ({"error": {"message": "the engine died"}}, {"state": "error"}),
    "an error in the choice": (
        {"choices": [{"error": {"code": 502}, "message": {"content": ANSWER}}]},
        {"state": "error"},
    ),
    "a filter with 200": ({"error": {"code": "content_filter"}}, {"state": "refused"}),
    "null content": (says(None), {"state": "empty"}),
    "null content at the limit": (says(None, "length"), {"state": "cut_off"}),
    "an answer only in thinking": (says(f"<think>{ANSWER}</think>"), {"state": "empty"}),
    "a stream with an error": (
        stream(chunk('{"value"'), 'data: {"error": {"message": "died"}}'),
        {"state": "error"},
    ),
    "a stream cut": (stream(chunk('{"value": null, "support_ids": []}')), {"state": "error"}),
    "a stream of broken JSON": (stream(chunk("a"), 'data: {"choi'), {"state": "error"}),
    "an empty stream": (stream("data: [DONE]"), {"state": "empty"}),
}


@pytest.mark.parametrize("name", ODD)
def test_one_row_without_an_answer_is_its_state_and_the_run_goes_on(name: str, tmp_path: Path) -> None:
    reply, output = ODD[name]
    with serving(Server(None, script=bad_for(5, reply))) as server:
        played = play(server, tmp_path, probe=False)
        check_whole(played, server, tmp_path, {"answered": 11, output["state"]: 1})
    assert played.lines["E0001-Q005"] == {"id": "E0001-Q005"} | output


GOOD: dict[str, Any] = {
    "a stream": stream(
        chunk('{"value": "ochre-0004",'), chunk(' "support_ids": ["U000004"]}', "stop"), "data: [DONE]"
    ),
    "a stream with comments": stream(": PROCESSING", chunk(ANSWER), "data: [DONE]"),
    "thinking in content": says(f'<think>Perhaps {{"value": null}}?</think>{ANSWER}'),
    "thinking beside it": {
        "choices": [{"message": {"content": ANSWER, "reasoning_content": '{"value": null}'}}]
    },
    "parts": says([{"type": "thinking", "thinking": "…"}, {"type": "text", "text": ANSWER}]),
    "usage of another form": says(ANSWER, usage=[1, 2]),
    "a number beyond all floats": Raw(
        json.dumps(says(ANSWER, usage={"prompt_tokens": 0})).replace("0}", "1e999}").encode()
    ),
    "a byte order mark": Raw(codecs.BOM_UTF8 + json.dumps(says(ANSWER)).encode()),
    "a stream with U+2028 and U+0085": stream(
        'data: {"choices": [{"delta": {"content": "See\u2028the log\u0085again. "}}]}',
        chunk(ANSWER),
        "data: [DONE]",
    ),
    "a message that is the object": says(json.loads(ANSWER)),
    "arguments of a tool call": {
        "choices": [{"message": {"content": None, "tool_calls": [{"function": {"arguments": ANSWER}}]}}]
    },
    "an odd entry before it": {"choices": [None, says(ANSWER)["choices"][0]]},
    "half a letter in its model": Raw(json.dumps(says(ANSWER, model="m\ud83d\0")).encode()),
    "no usage": says(ANSWER, usage=None),
}


@pytest.mark.parametrize("name", GOOD)
def test_an_answer_in_an_unusual_form_is_one(name: str, tmp_path: Path) -> None:
    with serving(Server(None, script=bad_for(5, GOOD[name]))) as server:
        check_whole(play(server, tmp_path, probe=False), server, tmp_path, {"answered": 12})


PASSING: dict[str, Any] = {
    "HTML with 200": HTML,
    "a connection cut": Raw(json.dumps(says(ANSWER)).encode(), cut=True),
    "502": Raw(b"Bad Gateway", 502),
    "429": Raw(b"", 429),
    "503 while it loads": Raw(b'{"error": {"code": 503, "message": "Loading model"}}', 503),
    "overloaded with 200": {"error": {"type": "overloaded_error", "message": "Overloaded"}},
    "a text with 200 while it loads": {"status": "loading model"},
    "429 with 200": {"error": {"code": 429, "message": "provider is busy"}},
}


@pytest.mark.parametrize("name", PASSING)
def test_temporary_failures_are_asked_again(name: str, tmp_path: Path) -> None:
    with serving(Server(None, script=bad_for(5, PASSING[name], times=1))) as server:
        check_whole(play(server, tmp_path, probe=False), server, tmp_path, {"answered": 12})
        assert [number_in(body) for body in server.requests].count(5) == 2


def test_text_of_a_row_that_a_server_repeats_is_in_no_provenance(tmp_path: Path) -> None:
    """Provenance is public, and rows of a sealed version are not."""
    echo = {
        "detail": [{"input": "Question 5: what is"}],
        "error": {"code": "bad_input", "type": "What is tag.00?"},
    }
    with serving(Server(None, script=bad_for(5, Raw(json.dumps(echo).encode(), 422)))) as server:
        played = play(server, tmp_path, probe=False)
    assert played.summary.provenance["server"]["problems"] == {"no answer: HTTP 422 bad_input": 1}


class Cuts:
    """Reads at most `window` tokens of the prompt of one row, and all of the others."""

    def __init__(self, number: int, window: int) -> None:
        self.number, self.window = number, window

    def __call__(self, body: dict[str, Any]) -> Any:
        text = text_of(body)
        window = self.window if number_in(body) == self.number else 10**6
        tokens = min(round(1.3 * pretokens(text)) + 20, window)
        return 200, says(ANSWER, usage={"prompt_tokens": tokens, "completion_tokens": 9})


def test_an_answer_to_what_seems_a_part_of_a_prompt_is_kept_and_the_run_pauses(tmp_path: Path) -> None:
    """It is asked again when the run is resumed, or kept if the run is told to go on."""
    cuts = Cuts(5, 60)
    with serving(Server(None, script=cuts)) as server:
        played = play(server, tmp_path, probe=False, check_prompt=True, concurrency=1)
        assert (played.summary.paused, played.states, played.summary.doubted) == (True, {"answered": 5}, 1)
        assert played.lines["E0001-Q005"]["value"] == "ochre-0004"
        assert re.search(
            r"Row E0001-Q005: the server counted 60 tokens of a prompt of \d+ or more\. Its answer is kept.*num_ctx",
            played.summary.pause_reason,
        )
        entries = list(jsonl.read(tmp_path / "predictions.jsonl.journal"))
        assert [entry["id"] for entry in entries if "doubt" in entry] == ["E0001-Q005"]
        cuts.window = 10**6
        again = play(server, tmp_path, probe=False, check_prompt=True)
        assert (again.states, again.summary.paused, len(again.lines)) == ({"answered": 12}, False, 12)
        assert [number_in(body) for body in server.requests].count(5) >= 2


def test_a_row_that_never_comes_back_is_a_state(tmp_path: Path) -> None:
    def script(body: dict[str, Any]) -> Any:
        time.sleep(0.5 if number_in(body) == 5 else 0)
        return 200, says(ANSWER)

    with serving(Server(None, script=script)) as server:
        played = play(server, tmp_path, probe=False, timeout_s=0.2, retries=0)
        check_whole(played, server, tmp_path, {"answered": 11, "error": 1})
    [problem] = played.summary.provenance["server"]["problems"]
    assert problem.startswith("no answer after 2 attempts: ReadTimeout")


class Storm:
    """Refuses every request with 429 in the first moments after its first request."""

    def __init__(self, lasts_s: float, retry_after: Callable[[], str] | None) -> None:
        self.lasts_s, self.retry_after = lasts_s, retry_after
        self.began: float | None = None
        self.refused: list[float] = []
        self.answered: list[float] = []

    def __call__(self, body: dict[str, Any]) -> Any:
        now = time.monotonic()
        self.began = now if self.began is None else self.began
        if now < self.began + self.lasts_s:
            self.refused.append(now)
            headers = {"Retry-After": self.retry_after()} if self.retry_after else {}
            return Raw(b'{"error": "slow down"}', 429, headers)
        self.answered.append(now)
        return 200, says(ANSWER)


def in_seconds(seconds: float) -> str:
    return formatdate(time.time() + seconds, usegmt=True)


@pytest.mark.parametrize("as_date", [False, True])
def test_in_a_storm_of_429_all_wait_as_long_as_the_server_asks(tmp_path: Path, as_date: bool) -> None:
    """Five tries per row would have failed; no request is sent too early."""
    storm = Storm(
        0.4, (lambda: in_seconds(2)) if as_date else (lambda: "0.5")
    )  # a date has whole seconds: 1 to 2 of them
    with serving(Server(None, script=storm)) as server:
        played = play(server, tmp_path, probe=False, retries=0, concurrency=8)
        check_whole(played, server, tmp_path, {"answered": 12})
    assert len(storm.refused) <= 8
    assert storm.answered[0] - storm.refused[-1] >= (0.0 if as_date else 0.49)
    assert played.summary.provenance["server"]["fewest_at_a_time"] == 4


@pytest.mark.parametrize("asks", [lambda: "0", lambda: in_seconds(-5)])
def test_a_retry_date_in_the_past_does_not_allow_asking_at_once(
    tmp_path: Path, asks: Callable[[], str]
) -> None:
    storm = Storm(0.5, asks)
    with serving(Server(None, script=storm)) as server:
        played = play(server, tmp_path, probe=False, retries=0, concurrency=8)
        check_whole(played, server, tmp_path, {"answered": 12})
    assert len(storm.refused) < 30


def test_a_storm_without_retry_after_is_waited_for_in_shared_pauses(tmp_path: Path) -> None:
    storm = Storm(0.5, None)
    with serving(Server(None, script=storm)) as server:
        played = play(server, tmp_path, probe=False, retries=0, concurrency=8)
        check_whole(played, server, tmp_path, {"answered": 12})
    assert len(storm.refused) < 8 + 4 + 2 + 8  # eight, then half of them, and so on down to one at a time
    assert played.summary.provenance["server"]["fewest_at_a_time"] == 1


def test_a_straggler_delays_no_other_row_and_the_time_left_is_by_the_wall_clock(tmp_path: Path) -> None:
    def script(body: dict[str, Any]) -> Any:
        time.sleep(0.8 if number_in(body) == 1 else 0.05)
        return 200, says(ANSWER)

    rows = [*ROWS, *({**row, "id": f"{row['id']}b"} for row in ROWS[1:])]
    with serving(Server(None, script=script)) as server:
        started = time.perf_counter()
        played = play(server, tmp_path, rows, probe=False, concurrency=4)
        seconds = time.perf_counter() - started
    assert played.results[-1].id == "E0001-Q001", "all others are saved while it is waited for"
    usage = played.summary.usage
    assert usage.wall_s == pytest.approx(played.summary.seconds, rel=0.1), "shares of the wall clock"
    assert played.summary.seconds <= seconds
    assert seconds < 22 * 0.05 + 0.8, "less than one after the other"
    half = played.results[11]
    assert half.eta_s < 22 * 0.05, "not the sum of what rows are waited for"


def test_a_server_that_is_down_for_a_while_makes_no_row_wrong(tmp_path: Path) -> None:
    """502 may mean that a row ends the engine, or that the engine restarts: then a small question fails as well."""
    down: list[float] = []

    def script(body: dict[str, Any]) -> Any:
        if len(server.requests) > 4 and not down:
            down.append(time.monotonic() + 0.3)
        return Raw(b"Bad Gateway", 502) if down and time.monotonic() < down[0] else (200, says(ANSWER))

    with serving(Server(None, script=script)) as server:
        played = play(server, tmp_path, probe=False, retries=0, concurrency=2)
        check_whole(played, server, tmp_path, {"answered": 12})


def test_one_at_a_time_a_row_that_ends_the_engine_is_told_from_an_engine_that_is_down(tmp_path: Path) -> None:
    with serving(Server(None, script=bad_for(5, Raw(b"engine died", 500)))) as server:
        played = play(server, tmp_path, probe=False, concurrency=1)
        check_whole(played, server, tmp_path, {"answered": 11, "error": 1})


def test_a_key_that_is_refused_ends_the_run_before_anything_is_asked(tmp_path: Path) -> None:
    with serving(Server(None, script=lambda body: Raw(b'{"error": "bad key"}', 401))) as server:
        with pytest.raises(AdapterError, match=r"the server refuses: HTTP 401.*Check the key: key_variable"):
            play(server, tmp_path, probe=False, concurrency=1)
        assert len(server.requests) == 1


@pytest.mark.parametrize(
    ("status", "advice"), [(404, "base_url"), (403, "no access to this model"), (302, "302")]
)
def test_a_failure_of_every_row_ends_the_run_at_once_and_says_what_to_do(
    tmp_path: Path, status: int, advice: str
) -> None:
    with serving(Server(None, script=lambda body: Raw(b"{}", status))) as server:
        with pytest.raises(AdapterError, match=advice):
            play(server, tmp_path, probe=False)
        assert len(server.requests) <= 4


def test_a_server_that_answers_no_row_is_not_asked_row_by_row(tmp_path: Path) -> None:
    with serving(Server(None, script=lambda body: Raw(b"{}", 400))) as server:
        with pytest.raises(AdapterError, match="none of the first 5 rows was answered: no answer: HTTP 400"):
            play(server, tmp_path, probe=False, concurrency=1)
        assert len(server.requests) == 5


class Ends:
    """Answers a number of rows, and then behaves as told."""

    def __init__(self, good: int, reply: Raw) -> None:
        self.good, self.reply = good, reply

    def __call__(self, body: dict[str, Any]) -> Any:
        self.good -= 1
        return (200, says(ANSWER)) if self.good >= 0 else self.reply


@pytest.mark.parametrize(
    ("reply", "why"),
    [
        (Raw(b"{}", 401), "Check the key"),
        (Raw(b"{}", 404), "Check the settings model"),
        (Raw(b'{"error": {"code": "insufficient_quota"}}', 429), "insufficient_quota"),
        (Raw(b"{}", 429), r"not answered for 0.3 s \(patience_s\): HTTP 429"),
        (Raw(b"{}", 429, {"Retry-After": "500"}), r"not answered for 0.3 s \(patience_s\): HTTP 429"),
    ],
)
def test_a_server_that_ends_in_the_middle_pauses_the_run_and_nothing_is_lost(
    tmp_path: Path, reply: Raw, why: str
) -> None:
    with serving(Server(None, script=Ends(5, reply))) as server:
        played = play(server, tmp_path, probe=False, patience_s=0.3)
        assert played.summary.paused
        assert played.states == {"answered": 5}, "no row is wrong for it"
        saved = [int(row_id[-3:]) for row_id in played.lines]
        assert re.search(why, played.summary.pause_reason)
        server.script = lambda body: (200, says(ANSWER))
        check_whole(play(server, tmp_path), server, tmp_path, {"answered": 12})
        rows = [number_in(body) for body in server.requests]
    assert all(rows.count(number) == 1 for number in saved), "no answer is paid for twice"


def test_answers_that_came_are_saved_when_a_later_one_ends_the_run(tmp_path: Path) -> None:
    """Four are under way; the failing one returns first, and the others are paid for."""

    def script(body: dict[str, Any]) -> Any:
        number = number_in(body)
        if number > 4:
            time.sleep(0.05)
            return Raw(b"{}", 401)
        time.sleep(0 if number == 1 else 0.3)
        return 200, says(ANSWER)

    with serving(Server(None, script=script)) as server:
        played = play(server, tmp_path, probe=False, concurrency=4)
    assert (played.summary.paused, played.states) == (True, {"answered": 4})
    assert set(played.lines) == {f"E0001-Q00{number}" for number in range(1, 5)}


def test_a_run_that_is_cancelled_keeps_what_came_and_goes_on_with_the_rest(tmp_path: Path) -> None:
    with serving(Server(None, script=lambda body: (200, says(ANSWER)), delay_s=0.02)) as server:
        seen: list[Any] = []
        played = play(server, tmp_path, probe=False, on_row=seen.append, should_stop=lambda: len(seen) >= 3)
        assert played.summary.cancelled
        saved = [int(row_id[-3:]) for row_id in played.lines]
        assert 3 <= len(saved) == len(seen) < 12
        check_whole(play(server, tmp_path), server, tmp_path, {"answered": 12})
        rows = [number_in(body) for body in server.requests]
    assert all(rows.count(number) == 1 for number in saved), "no answer is paid for twice"


def test_a_run_pauses_with_what_is_under_way(tmp_path: Path) -> None:
    rows = [{**row, "id": f"{row['id']}{part}"} for part in "abcde" for row in ROWS]

    def script(body: dict[str, Any]) -> Any:
        if number_in(body) == 7:
            return Raw(b"{}", 400)
        return 200, says(ANSWER)

    with serving(Server(None, script=script, delay_s=0.01)) as server:
        played = play(server, tmp_path, rows, probe=False, concurrency=4)
        assert played.summary.paused
        assert 50 <= len(played.lines) == len(server.requests) <= 58, "each that was asked is saved"
        server.script = lambda body: (200, says(ANSWER))
        again = play(server, tmp_path, rows)
    assert (again.states, len(again.lines)) == ({"answered": 60}, 60)


def test_a_run_pauses_where_it_has_cost_what_it_may(tmp_path: Path) -> None:
    settings = {"price_in": 100.0, "price_out": 1000.0, "max_cost": 0.5, "concurrency": 2, "probe": False}
    with serving(Server(None, script=lambda body: (200, says(ANSWER, usage=USAGE)))) as server:
        played = play(server, tmp_path, **settings)
        assert played.summary.paused
        assert "max_cost is 0.5" in played.summary.pause_reason
        each = 900 * 100e-6 + 9 * 1000e-6
        assert 6 <= len(played.lines) == len(server.requests) <= 7, "one may be under way"
        assert played.summary.usage.cost == pytest.approx(each * len(played.lines))
        assert played.summary.efficiency()["cost"] == played.summary.usage.cost
        check_whole(play(server, tmp_path, **settings), server, tmp_path, {"answered": 12})
    journal = (tmp_path / "predictions.jsonl.journal").read_text().splitlines()
    assert sum(json.loads(line)["usage"]["cost"] for line in journal[1:]) == pytest.approx(12 * each)


def test_a_server_that_batches_is_asked_more_and_more_at_a_time(tmp_path: Path) -> None:
    rows = [{**row, "id": f"{row['id']}-{part:02d}"} for part in range(25) for row in ROWS]
    with serving(Server(None, script=lambda body: (200, says(ANSWER)), delay_s=0.1)) as server:
        played = play(server, tmp_path, rows)
    assert played.states == {"answered": 300}
    assert server.busiest >= 16, "4 at a time were 40 rows a second, and the server had nothing to do"
    assert played.summary.provenance["server"]["most_at_a_time"] >= 16
    assert played.summary.seconds < 300 * 0.1 / 4
    assert {line["value"] for line in played.lines.values()} == {"ochre-0004"}


def test_a_server_that_works_on_one_at_a_time_is_not_flooded(tmp_path: Path) -> None:
    one = threading.Lock()

    def script(body: dict[str, Any]) -> Any:
        with one:
            time.sleep(0.02)
        return 200, says(ANSWER)

    rows = [{**row, "id": f"{row['id']}-{part:02d}"} for part in range(10) for row in ROWS]
    with serving(Server(None, script=script)) as server:
        played = play(server, tmp_path, rows)
    assert played.states == {"answered": 120}
    assert server.busiest <= 8


def test_a_run_with_a_budget_is_not_asked_for_more_at_a_time(tmp_path: Path) -> None:
    settings = {"price_in": 1.0, "price_out": 1.0, "max_cost": 1e9}
    rows = [{**row, "id": f"{row['id']}-{part:02d}"} for part in range(5) for row in ROWS]
    with serving(Server(None, script=lambda body: (200, says(ANSWER)), delay_s=0.01)) as server:
        play(server, tmp_path, rows, **settings)
    assert server.busiest <= 4


def test_the_time_left_leaves_out_the_time_to_load(tmp_path: Path) -> None:
    loaded: list[bool] = []

    def script(body: dict[str, Any]) -> Any:
        time.sleep(0.05 if loaded else 1.0)
        loaded.append(True)
        return 200, says(ANSWER)

    with serving(Server(None, script=script)) as server:
        played = play(server, tmp_path, probe=False, concurrency=1)
    told = [result.eta_s for result in played.results]
    assert told[0] is None
    assert told[3] is not None
    assert told[3] < 8 * 0.05 * 3
