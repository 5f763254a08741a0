"""What a server sent, read: a completion, a stream put together, or a failure that says whom it concerns."""

from __future__ import annotations

import json
from typing import Any

import pytest

from evaluation.adapters.servers.answers import (
    BROKEN_STREAM,
    NO_CHOICE,
    Said,
    parsed,
    said_in,
    text_in,
    usage_in,
)
from evaluation.adapters.servers.failures import Failure, Meaning
from evaluation.core.row_states import RowState


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
def test_what_is_no_reply_says_whom_it_concerns(text: str, meaning: Meaning, problem: str) -> None:
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
