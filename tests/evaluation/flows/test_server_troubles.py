"""Misbehaving servers, each a real one on this machine: only real answers count as answers."""

from __future__ import annotations

import json
import time
from typing import Any

import orjson
import pytest

from evaluation.adapters import STATE_ADAPTERS, load_adapter
from evaluation.adapters.runner import RowResult, run
from evaluation.core.errors import AdapterError
from evaluation.core.tokens import pretokens
from evaluation.statebench.adapters.timeline_rows import KIND as TIMELINES
from tests.evaluation.adapters.server import Raw, Server, serving
from tests.evaluation.conftest import condition_row, make_row, make_timelines

pytestmark = pytest.mark.timing

ANSWER = '{"value": "ochre-0004", "support_ids": ["U000004"]}'
GOOD = {"value": "ochre-0004", "support_ids": ["U000004"]}


def says(content: Any, finish: str | None = "stop", **message: Any) -> dict[str, Any]:
    return {"choices": [{"message": {"content": content} | message, "finish_reason": finish}]}


def words_of(body: dict[str, Any]) -> str:
    return "\n".join(turn["content"] for turn in body["messages"])


def asked(server: Server, **settings: Any) -> dict[str, Any]:
    """The adapter's result for one row from this server."""
    adapter = load_adapter("openai_compatible", {"base_url": server.url, "pause_s": 0.01, **settings})
    try:
        output: dict[str, Any] = adapter.predict(make_row(), protocol="closed_book")
        return output
    finally:
        adapter.close()


@pytest.mark.parametrize(
    ("reply", "output"),
    [
        (says(None, "length", reasoning_content="First the ledger"), {"state": "cut_off"}),
        (says("", "length"), {"state": "cut_off"}),
        (says('{"value": "ochre', "length"), {"state": "cut_off"}),
        (says("<think>The ledger says", "length"), {"state": "cut_off"}),
        (says(None, "length", refusal=None, tool_calls=[]), {"state": "cut_off"}),
        (says(None), {"state": "empty"}),
        (says(None, reasoning=ANSWER), {"state": "empty"}),
        (
            {"choices": [{"message": {"reasoning_content": ANSWER}, "finish_reason": "stop"}]},
            {"state": "empty"},
        ),
        (says(f"<think>{ANSWER}"), {"state": "empty"}),
        (says(None, refusal="I cannot help with that."), {"state": "refused"}),
        (says("", "content_filter"), {"state": "refused"}),
        (says("I do not know."), {"state": "unreadable"}),
        (says('{"value": ["x"], "support_id": "U000001"}'), {"state": "unreadable"}),
        (says("", "error"), {"state": "error"}),
        (says('{"value": null, "support_ids": []}'), {"value": None, "support_ids": []}),
        (says(f'<think>Is it {{"value": null}}?</think>\n{ANSWER}'), GOOD),
        (says(f"It is amber.</think>{ANSWER}"), GOOD),
        (says(ANSWER, "length"), GOOD),
        (says(ANSWER, None), GOOD),
        (says(ANSWER, reasoning_content='Or {"value": null}?'), GOOD),
        (says([{"type": "thinking", "thinking": "…"}, {"type": "text", "text": ANSWER}]), GOOD),
        (says(f"<|channel|>analysis<|message|>{{}}<|end|><|channel|>final<|message|>{ANSWER}"), GOOD),
    ],
)
def test_an_answer_is_taken_and_anything_else_is_a_state(
    reply: dict[str, Any], output: dict[str, Any]
) -> None:
    with serving(Server(None, script=lambda body: (200, reply))) as server:
        assert asked(server) == output


def test_the_plain_completions_say_why_they_ended_too() -> None:
    reply = {"choices": [{"text": '{"value": "och', "finish_reason": "length"}]}
    with serving(Server(None, script=lambda body: (200, reply))) as server:
        assert asked(server, endpoint="completions") == {"state": "cut_off"}


@pytest.mark.parametrize(
    ("status", "error"),
    [
        (400, {"code": "content_filter", "message": "no"}),
        (403, {"type": "content_policy_violation", "code": None}),
    ],
)
def test_a_request_that_a_filter_refuses_is_a_row_that_was_refused(
    status: int, error: dict[str, Any]
) -> None:
    with serving(Server(None, script=lambda body: (status, {"error": error}))) as server:
        assert asked(server) == {"state": "refused"}


def test_a_server_that_knows_max_completion_tokens_only_is_asked_so_from_then_on() -> None:
    error = "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead."

    def script(body: dict[str, Any]) -> tuple[int, dict[str, Any]]:
        if "max_tokens" in body:
            return 400, {"error": {"message": error, "code": "unsupported_parameter"}}
        assert body["max_completion_tokens"] == 77
        return 200, says(ANSWER)

    with serving(Server(None, script=script)) as server:
        adapter = load_adapter(
            "openai_compatible", {"base_url": server.url, "max_tokens": 77, "concurrency": 1}
        )
        for number in (1, 2, 3):
            assert adapter.predict(make_row(number), protocol="closed_book") == GOOD
        assert ["max_tokens" in body for body in server.requests] == [True, False, False, False]
        assert adapter.provenance()["server"]["limit_field"] == "max_completion_tokens"


def test_a_server_that_refuses_either_name_is_asked_twice_and_no_more() -> None:
    reply = {"error": {"message": "max_completion_tokens must be at least 500"}}
    with serving(Server(None, script=lambda body: (400, reply))) as server:
        assert asked(server) == {"state": "error"}
    assert len(server.requests) == 2


class Reads:
    """A server that reads at most `window` tokens of a prompt, and reports how many it read."""

    def __init__(self, window: int) -> None:
        self.window = window

    def __call__(self, body: dict[str, Any]) -> tuple[int, dict[str, Any]]:
        tokens = min(round(1.3 * pretokens(words_of(body))) + 20, self.window)
        return 200, says(ANSWER) | {"usage": {"prompt_tokens": tokens, "completion_tokens": 9}}


LONG = make_row() | {"book": make_row()["book"] + "- [U00000F] step=9 SET tag.05 = amber-0001\n" * 400}


@pytest.mark.parametrize(("window", "doubted"), [(10**6, []), (4096, ["E0001-Q001"])])
def test_an_answer_to_a_part_of_the_prompt_is_kept_and_doubted(window: int, doubted: list[str]) -> None:
    with serving(Server(None, script=Reads(window))) as server:
        adapter = load_adapter("openai_compatible", {"base_url": server.url})
        assert adapter.predict(LONG, protocol="closed_book") == GOOD
        assert list(adapter.doubts) == doubted
        shown = {
            "shown_uids": ["U000001", "U000003", "U000004"]
        }  # a choice among candidates says among which
        assert adapter.predict(condition_row(), protocol="closed_book") == GOOD | shown


def test_a_server_that_counts_otherwise_can_be_believed() -> None:
    with serving(Server(None, script=Reads(300))) as server:
        for checked in (True, False):
            adapter = load_adapter("openai_compatible", {"base_url": server.url, "check_prompt": checked})
            assert adapter.predict(make_row(), protocol="closed_book") == GOOD
            assert bool(adapter.doubts) == checked


def test_no_key_is_in_text_that_a_server_repeats(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GOLDEVIDENCEBENCH_API_KEY", "sesame-open")
    reply = {"error": "Incorrect API key provided: sesame-open"}
    with (
        serving(Server(None, script=lambda body: (401, reply))) as server,
        pytest.raises(AdapterError) as refused,
    ):
        asked(server)
    assert "sesame" not in str(refused.value)
    assert "HTTP 401" in str(refused.value)


@pytest.mark.parametrize("variable", ["http_proxy", "ALL_PROXY"])
def test_a_server_of_this_machine_is_asked_past_a_proxy(
    monkeypatch: pytest.MonkeyPatch, variable: str
) -> None:
    monkeypatch.setenv(variable, "http://127.0.0.1:9")
    with serving(Server(None, script=lambda body: (200, says(ANSWER)))) as server:
        assert asked(server) == GOOD


def test_the_line_end_of_a_key_is_dropped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GOLDEVIDENCEBENCH_API_KEY", "sesame-1\n")
    with serving(Server(None, script=lambda body: (200, says(ANSWER)))) as server:
        assert asked(server) == GOOD
    assert server.keys == ["Bearer sesame-1"]


@pytest.mark.parametrize("key", ["sesame-“1”", "Bearer sesame-1"])
def test_a_key_that_can_be_none_is_a_sentence(monkeypatch: pytest.MonkeyPatch, key: str) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", key)
    monkeypatch.delenv("GOLDEVIDENCEBENCH_API_KEY", raising=False)
    with pytest.raises(AdapterError, match="the key in OPENAI_API_KEY contains characters") as refused:
        load_adapter("openai_compatible", {"base_url": "http://127.0.0.1:1/v1"})
    assert "sesame" not in str(refused.value)


@pytest.mark.parametrize(
    "text",
    [
        "<center>The plain HTTP request was sent to HTTPS port</center>",
        "Client sent an HTTP request to an HTTPS server.",
    ],
)
def test_a_request_in_the_clear_to_a_port_of_tls_is_sent_once(text: str) -> None:
    with serving(Server(None, script=lambda body: Raw(text.encode(), 400))) as server:
        with pytest.raises(AdapterError, match="HTTPS"):
            asked(server)
        assert len(server.requests) == 1


def test_permanent_failures_are_not_asked_again() -> None:
    """An https address of an http server fails at once with the cause, instead of after five more tries in 16 s."""
    with serving(Server(None, script=lambda body: (200, says(ANSWER)))) as server:
        server.url = server.url.replace("http://", "https://")
        started = time.monotonic()
        with pytest.raises(
            AdapterError,
            match=r"cannot be reached: the address begins with https://, but the server expects http://",
        ):
            asked(server, pause_s=0.5)
        assert time.monotonic() - started < 2


@pytest.mark.parametrize("address", ["http://127.0.0.1:99999/v1", "http://[::1/v1", "http:///v1"])
def test_an_address_that_is_none_is_refused(address: str) -> None:
    with pytest.raises(Exception, match="base_url: must be an address"):
        load_adapter("openai_compatible", {"base_url": address})


@pytest.mark.parametrize("address", ["http://127.0.0.1:9/v1?api_key=sesame", "http://127.0.0.1:9/v1#sesame"])
def test_an_address_holds_no_key(address: str) -> None:
    with pytest.raises(Exception, match="base_url: must not have a query") as refused:
        load_adapter("openai_compatible", {"base_url": address})
    assert "sesame" not in str(refused.value)


@pytest.mark.parametrize("key", ["sk-sesame-0123", "hf_sesame0123", "sesame open", "sesame_0123"])
def test_a_key_given_for_the_name_of_its_variable_is_kept_nowhere(key: str) -> None:
    with pytest.raises(Exception, match="key_variable") as refused:
        load_adapter("openai_compatible", {"base_url": "http://127.0.0.1:1/v1", "key_variable": key})
    assert "sesame" not in str(refused.value)


def answers(server: Server, timelines: list[dict[str, Any]], **settings: Any) -> list[RowResult]:
    adapter = load_adapter(
        "openai_compatible", {"base_url": server.url, "probe": False, **settings}, STATE_ADAPTERS
    )
    seen: list[RowResult] = []
    run(
        list(TIMELINES.questions(timelines)),
        adapter,
        protocol="closed_book",
        kind=TIMELINES,
        on_row=seen.append,
    )
    adapter.close()
    return seen


@pytest.mark.parametrize(
    ("reply", "response", "state"),
    [
        (says("Yes, on Monday."), "Yes, on Monday.", "answered"),
        (says("<think>On Friday?</think>On Monday."), "On Monday.", "answered"),
        (says("On Monday, unless the", "length"), "", "cut_off"),
        (says("<think>On Friday?", "length"), "", "cut_off"),
        (says(None, reasoning_content="On Friday?"), "", "empty"),
        (says("", "content_filter"), "", "refused"),
    ],
)
def test_a_query_that_was_not_answered_is_a_line_with_its_state(
    reply: dict[str, Any], response: str, state: str
) -> None:
    with serving(Server(None, script=lambda body: (200, reply))) as server:
        [result] = answers(server, make_timelines(count=1)[:1])
    assert (result.prediction["response"], result.state) == (response, state)
    assert result.prediction.get("state", "answered") == state


@pytest.mark.parametrize("value", ["1" + "0" * 400, "NaN", "1e999", "-Infinity", "true", '"\\u0000"'])
def test_a_value_that_no_file_of_ours_can_hold_ends_no_run(value: str) -> None:
    with serving(
        Server(None, script=lambda body: (200, says(f'{{"value": {value}, "support_ids": []}}')))
    ) as server:
        assert orjson.loads(orjson.dumps(asked(server)))["value"] is not None


def test_half_a_surrogate_pair_ends_no_run() -> None:
    """JSON can hold half a surrogate pair, UTF-8 cannot: it would break off a run of thousands of rows."""
    with serving(Server(None, script=lambda body: (200, says(r'{"value": "ochre\ud83d"}')))) as server:
        output = asked(server)
    assert output == {"value": "ochre?", "support_ids": []}
    assert orjson.dumps(output)
    with serving(Server(None, script=lambda body: (200, says("On Monday \ud83d")))) as server:
        [result] = answers(server, make_timelines(count=1)[:1])
    assert (result.prediction["response"], orjson.dumps(result.prediction) != b"") == ("On Monday ?", True)


def test_notes_that_could_not_be_taken_leave_no_answer_behind_them() -> None:
    def script(body: dict[str, Any]) -> tuple[int, dict[str, Any]]:
        notes = "You take notes" in words_of(body)
        return 200, says("<think>The turns say", "length") if notes else says("Yes.")

    with serving(Server(None, script=script)) as server:
        seen = answers(server, make_timelines(count=1)[:1], strategy="rolling_summary")
    assert {result.state.value for result in seen} == {"cut_off"}
    assert all("You take notes" in words_of(body) for body in server.requests)


def test_notes_that_fill_their_room_are_notes_all_the_same() -> None:
    def script(body: dict[str, Any]) -> tuple[int, dict[str, Any]]:
        notes = "You take notes" in words_of(body)
        return 200, says("<think>hm</think>The launch moved to", "length") if notes else says("Yes.")

    with serving(Server(None, script=script)) as server:
        seen = answers(server, make_timelines(count=1)[:1], strategy="rolling_summary")
    assert {result.state.value for result in seen} == {"answered"}
    assert "The launch moved to" in words_of(server.requests[-1])
    assert "hm" not in words_of(server.requests[-1]).split()
    assert json.dumps(server.requests).count("<think>") == 0


def test_a_server_that_counts_nothing_is_charged_by_a_high_guess() -> None:
    with serving(Server(None, script=lambda body: (200, says("Yes, on Monday.")))) as server:
        [result] = answers(server, make_timelines(count=1)[:1], price_in=1e6, price_out=1e6)
        [asked_for] = server.requests
    pieces = pretokens(words_of(asked_for)) + pretokens("Yes, on Monday.")
    assert pieces <= result.usage.cost <= 2 * pieces


def test_headers_and_more_fields_are_sent_with_each_request() -> None:
    with serving(Server(None, script=lambda body: (200, says(ANSWER)))) as server:
        asked(server, headers='{"X-Title": "order bias"}', extra_body='{"min_p": 0.1}', seed="none")
    [request], [headers] = server.requests, server.received
    assert (request["min_p"], "seed" in request, headers["X-Title"]) == (0.1, False, "order bias")
