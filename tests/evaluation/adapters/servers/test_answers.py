"""Reading a server's reply: a completion, a stream, or a failure with its scope."""

from __future__ import annotations

import codecs
import json
from contextlib import suppress
from typing import Any

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evaluation.adapters.servers.answers import (
    BROKEN_STREAM,
    NO_CHOICE,
    Answered,
    Said,
    parsed,
    read,
    said_in,
    text_in,
    usage_in,
)
from evaluation.adapters.servers.failures import Failure, Meaning
from evaluation.adapters.transcripts.record import Keep, line_of
from evaluation.core.row_states import RowState
from tests.evaluation.adapters.servers.playing import ANSWER


def event(**choice: Any) -> str:
    return f"data: {json.dumps({'choices': [choice]})}\n\n"


END = "data: [DONE]\n\n"


def test_a_stream_is_put_together_with_its_end_and_its_usage() -> None:
    counts = {"choices": [], "usage": {"prompt_tokens": 5, "completion_tokens": 2}}
    text = (
        ": keep-alive\n\n"
        + event(delta={"role": "assistant", "reasoning_content": "hm"})
        + event(delta={"content": "Yes"})
        + event(delta={"content": "."}, finish_reason="length")
        + f"data: {json.dumps(counts)}\n\n"
        + END
    )
    data = parsed(text)
    assert text_in(data, "chat") == ("Yes.", RowState.CUT_OFF)
    assert usage_in(data, 2.0).generated_tokens == 2
    assert said_in(data, "chat")[:3] == ("hm", "length", "")
    plain = parsed(event(text="Yes") + event(text=".", finish_reason="stop"))
    assert text_in(plain, "completions") == ("Yes.", None)


@pytest.mark.parametrize(
    ("text", "meaning", "problem"),
    [
        (event(delta={"content": "Yes"}), Meaning.LOST, BROKEN_STREAM),
        ("data: {", Meaning.LOST, "not JSON"),
        ('data: {"error": {"code": 503}}\n\n', Meaning.BUSY, "503"),
        ("<html>", Meaning.LOST, "not JSON: <html>"),
        ("[]", Meaning.LOST, "not a JSON object"),
        ("[" * 100_000, Meaning.LOST, "not JSON"),
        ("", Meaning.LOST, "not JSON"),
        ('{"error": {"code": 429}}', Meaning.BUSY, "429"),
        ('{"error": {"code": 401}}', Meaning.ALL, "401"),
        ('{"error": "died"}', Meaning.ROW, "died"),
    ],
)
def test_a_body_that_is_no_reply_is_a_failure_with_its_scope(
    text: str, meaning: Meaning, problem: str
) -> None:
    with pytest.raises(Failure) as failed:
        parsed(text)
    assert failed.value.meaning is meaning
    assert problem in failed.value.problem


@pytest.mark.parametrize(
    ("data", "endpoint", "read"),
    [
        ({"message": {"content": "Yes."}, "done_reason": "stop"}, "ollama", ("Yes.", None)),
        ({"message": {"content": ""}, "done_reason": "length"}, "ollama", ("", RowState.CUT_OFF)),
        ({"choices": [{"text": "Yes."}], "error": None}, "completions", ("Yes.", None)),
        ({"choices": [{"message": {"refusal": "No."}}]}, "chat", ("", RowState.REFUSED)),
        (
            {"choices": [{"message": {"content": "Yes"}, "error": {"code": 502}}]},
            "chat",
            ("", RowState.ERROR),
        ),
    ],
)
def test_the_text_of_an_answer_and_what_is_said_against_it(
    data: dict[str, Any], endpoint: str, read: tuple[str, RowState | None]
) -> None:
    assert text_in(data, endpoint) == read


@pytest.mark.parametrize("data", [{}, {"choices": []}, {"choices": "x"}, {"choices": [{"message": None}]}])
def test_a_reply_without_a_text_is_a_failure_of_its_row(data: dict[str, Any]) -> None:
    with pytest.raises(Failure, match=NO_CHOICE.replace("[", r"\[").replace("]", r"\]")) as failed:
        text_in(data, "chat")
    assert failed.value.meaning is Meaning.ROW


@pytest.mark.parametrize("usage", [None, [], 5, {"prompt_tokens": "many"}, {"prompt_tokens_details": 3}])
def test_a_usage_that_cannot_be_read_counts_nothing(usage: Any) -> None:
    counted = usage_in({"usage": usage}, 2.0)
    assert (counted.prompt_tokens, counted.generated_tokens, counted.passes, counted.wall_s) == (0, 0, 1, 2.0)


def test_tokens_from_a_cache_were_not_evaluated() -> None:
    usage = {"prompt_tokens": 100, "completion_tokens": 7, "prompt_tokens_details": {"cached_tokens": 64}}
    counted = usage_in({"usage": usage}, 0.0)
    assert (counted.evaluated_tokens, counted.reused_tokens) == (43, 64)
    ollama = usage_in({"prompt_eval_count": 100, "eval_count": 7}, 0.0)
    assert (ollama.prompt_tokens, ollama.generated_tokens) == (100, 7)


@pytest.mark.parametrize(
    ("message", "reasoning"),
    [
        ({"reasoning_content": "a", "content": "x"}, "a"),
        ({"reasoning": "b"}, "b"),
        ({"thinking": "c"}, "c"),
        (
            {
                "content": [
                    {"type": "thinking", "thinking": [{"type": "text", "text": "d"}]},
                    {"type": "text"},
                ]
            },
            "d",
        ),
        ({"content": [{"type": "thinking", "thinking": "e"}]}, "e"),
        ({"reasoning": {"summary": 1}, "content": None}, ""),
    ],
)
def test_thinking_is_found_wherever_a_server_puts_it(message: dict[str, Any], reasoning: str) -> None:
    data = {"choices": [{"message": message, "finish_reason": None}], "usage": "none", "model": None}
    assert said_in(data, "chat") == Said(reasoning=reasoning)
    ollama = {"message": message, "done_reason": "stop", "model": "q"}
    assert said_in(ollama, "ollama") == Said(reasoning, "stop", "q")


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(st.characters(exclude_categories=()), max_size=20)
    | st.sampled_from(["stop", "length", "error", "overloaded", "thinking", "text", ANSWER, 10**400]),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(
                "choices message content text delta finish_reason done_reason error code type detail status object "
                "usage prompt_tokens completion_tokens prompt_tokens_details cached_tokens timings cache_n prompt_n "
                "eval_count prompt_eval_count model system_fingerprint reasoning_content tool_calls function "
                "arguments refusal value support_ids completion_tokens_details reasoning_tokens".split()
            ),
            inner,
            max_size=6,
        )
    ),
    max_leaves=20,
)
#: Bodies that get far: each level is there, and may be of another form.
REPLIES = st.fixed_dictionaries(
    {},
    optional={
        "choices": st.lists(JSON, max_size=3) | JSON,
        "message": JSON,
        "usage": JSON,
        "timings": JSON,
        "model": JSON,
        "error": JSON,
        "prompt_eval_count": JSON,
    },
)


def reply_or_failure(content: bytes, endpoint: str) -> Answered | None:
    try:
        return read(content, None, endpoint, 0.1)
    except Failure:
        return None


@settings(max_examples=500, deadline=None)
@given(JSON | REPLIES, st.sampled_from(["chat", "completions", "ollama"]), st.booleans())
def test_no_body_raises_anything_but_a_failure_of_its_row(data: Any, endpoint: str, streams: bool) -> None:
    text = json.dumps(data)
    body = f"data: {text}\n\ndata: [DONE]\n\n" if streams else text
    answered = reply_or_failure(body.encode(), endpoint)
    if answered is None:
        return
    usage = answered.usage
    for count in (usage.prompt_tokens, usage.generated_tokens, usage.reused_tokens, usage.evaluated_tokens):
        assert type(count) is int
        assert 0 <= count < 1 << 42
    line = line_of(answered.exchange("p"), "x", "answered", prediction={}, keep=Keep.FULL)
    assert orjson.dumps([usage.as_dict(), line])
    assert all(name.isprintable() for name in (line["model"], line["fingerprint"], line["finish_reason"]))


@settings(deadline=None)
@given(st.binary(max_size=200), st.sampled_from([None, "utf-16", "hex", "no such", "idna", "latin-1"]))
def test_no_bytes_raise_anything_but_a_failure_of_their_row(content: bytes, charset: str | None) -> None:
    with suppress(Failure):
        read(content, charset, "chat", 0.1)


SEPARATORS = "Let me see\u2028the log\u0085again."


@pytest.mark.parametrize("end", ["\n\n", "\r\n\r\n", "\r\r"])
def test_a_stream_breaks_at_line_ends_alone(end: str) -> None:
    lines = [
        "data: " + json.dumps({"choices": [{"delta": {"content": text}}]}, ensure_ascii=False)
        for text in (SEPARATORS, "Yes")
    ]
    body = end.join(["id: 1", *lines, "data:", "data: [DONE]", ""])
    answered = read(body.encode(), None, "chat", 0.1)
    assert answered.text == SEPARATORS + "Yes"


@pytest.mark.parametrize("body", [json.dumps({"choices": [{"text": "Yes"}]}), event(text="Yes") + END])
def test_a_byte_order_mark_is_no_part_of_a_body(body: str) -> None:
    assert read(codecs.BOM_UTF8 + body.encode(), None, "chat", 0.1).text == "Yes"


def test_bytes_that_are_not_utf_8_are_read_as_the_server_says() -> None:
    body = json.dumps({"choices": [{"text": "ü"}]}, ensure_ascii=False).encode("latin-1")
    assert read(body, "latin-1", "chat", 0.1).text == "ü"


@pytest.mark.parametrize("odd", [None, 5, "x", [], True])
def test_an_odd_entry_of_choices_is_passed_over(odd: Any) -> None:
    data = {"choices": [odd, {"message": {"content": "Yes"}}]}
    assert read(json.dumps(data).encode(), None, "chat", 0.1).text == "Yes"
    streamed = f"data: {json.dumps({'choices': [odd]})}\n\n" + event(delta={"content": "Yes"}) + END
    assert read(streamed.encode(), None, "chat", 0.1).text == "Yes"


@pytest.mark.parametrize(
    ("content", "text"),
    [
        ({"value": "amber", "support_ids": []}, '{"value": "amber", "support_ids": []}'),
        ({"type": "text", "text": "Yes"}, "Yes"),
        (5, "5"),
        (False, ""),
    ],
)
def test_a_content_that_is_no_text_is_read_as_what_it_means(content: Any, text: str) -> None:
    assert text_in({"choices": [{"message": {"content": content}}]}, "chat") == (text, None)


def test_the_arguments_of_the_only_tool_call_are_the_text_where_there_is_no_other() -> None:
    def call(arguments: Any, count: int = 1) -> dict[str, Any]:
        return {"content": None, "tool_calls": [{"function": {"name": "f", "arguments": arguments}}] * count}

    for message, text in (
        (call('{"value": 1}'), '{"value": 1}'),
        (call({"value": 1}), '{"value": 1}'),
        (call("{}", 2), ""),
        (call("{}") | {"content": "Yes"}, "Yes"),
    ):
        assert text_in({"choices": [{"message": message}]}, "chat")[0] == text
    streamed = event(delta=call('{"value"')) + event(delta=call(": 1}")) + END
    assert read(streamed.encode(), None, "chat", 0.1).text == '{"value": 1}'


@pytest.mark.parametrize(
    ("error", "meaning"),
    [
        ({"error": "overloaded"}, Meaning.BUSY),
        ({"error": {"type": "overloaded_error", "message": "Overloaded"}}, Meaning.BUSY),
        ({"error": {"message": "Loading model", "type": "x"}}, Meaning.BUSY),
        ({"error": "Model m is currently loading", "estimated_time": 20}, Meaning.BUSY),
        ({"status": "loading model"}, Meaning.BUSY),
        ({"detail": "Server is busy, try again later"}, Meaning.BUSY),
        ({"object": "error", "message": "rate limit reached", "code": None}, Meaning.BUSY),
        ({"object": "error", "message": "x", "code": 503}, Meaning.BUSY),
        ({"error": {"code": "invalid_api_key"}}, Meaning.ALL),
        ({"error": True}, Meaning.ROW),
        ({"error": {"message": "This response_format type is unavailable"}}, Meaning.ROW),
        ({"error": {"message": "The service is temporarily unavailable"}}, Meaning.BUSY),
        ({"error": {"message": "no such field. " + "x" * 200 + " overloaded"}}, Meaning.ROW),
        ({"error": {"code": float("inf")}}, Meaning.ROW),
        ({"choices": [{"error": {"code": 429}, "message": {"content": "Yes"}}]}, Meaning.BUSY),
    ],
)
def test_an_error_with_200_says_whether_it_passes(error: dict[str, Any], meaning: Meaning) -> None:
    with pytest.raises(Failure) as failed:
        read(json.dumps(error).encode(), None, "chat", 0.1)
    assert failed.value.meaning is meaning


@pytest.mark.parametrize(
    "count", [float("nan"), float("inf"), -float("inf"), 1e308, 10**400, -5, True, "9", [9], {"n": 9}]
)
def test_a_number_that_is_none_is_no_count(count: Any) -> None:
    usage = {
        "prompt_tokens": count,
        "completion_tokens": 7,
        "prompt_tokens_details": {"cached_tokens": count},
    }
    counted = usage_in({"usage": usage}, 0.0)
    assert (counted.prompt_tokens, counted.reused_tokens, counted.generated_tokens) == (0, 0, 7)


@pytest.mark.parametrize(
    ("reply", "prompt", "reused"),
    [
        ({"usage": {"prompt_tokens": 900, "prompt_tokens_details": {"cached_tokens": 800}}}, 900, 800),
        ({"usage": {"prompt_tokens": 100, "prompt_tokens_details": {"cached_tokens": 800}}}, 900, 800),
        ({"usage": {"prompt_tokens": 900, "prompt_cache_hit_tokens": 800}}, 900, 800),
        ({"usage": {"prompt_tokens": 900}, "timings": {"prompt_n": 100, "cache_n": 800}}, 900, 800),
        ({"usage": {"prompt_tokens": 100}, "timings": {"prompt_n": 100, "cache_n": 80}}, 180, 80),
        ({"timings": {"prompt_n": 100, "cache_n": 80, "predicted_n": 7}}, 180, 80),
    ],
)
def test_the_cached_part_is_added_where_the_count_evidently_leaves_it_out(
    reply: dict[str, Any], prompt: int, reused: int
) -> None:
    counted = usage_in(reply, 0.0)
    assert (counted.prompt_tokens, counted.reused_tokens) == (prompt, reused)
