"""A question in the form that each kind of server takes."""

from __future__ import annotations

from typing import Any

from evaluation.adapters.servers.requests import address_of, body_of, root_of, with_limit
from evaluation.adapters.servers.settings import ConnectionSettings

SCHEMA = {"type": "object"}
FORM = {"response_format": {"type": "json_schema", "json_schema": {"name": "answer", "schema": SCHEMA}}}


def body(**given: Any) -> dict[str, Any]:
    return body_of(ConnectionSettings(**given), "Be brief.", "What?", FORM)


def test_with_defaults_requests_stay_the_same() -> None:
    """Runs from before further settings existed continue with the same requests."""
    assert body() == {
        "model": "default",
        "temperature": 0.0,
        "seed": 0,
        "max_tokens": 300,
        "messages": [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "What?"}],
        **FORM,
    }


def test_what_is_set_is_sent_and_none_is_not() -> None:
    sent = body(top_p=0.9, seed=None, reasoning_effort="low", extra_body='{"min_p": 0.1}')
    assert (sent["top_p"], sent["reasoning_effort"], sent["min_p"], "seed" in sent) == (
        0.9,
        "low",
        0.1,
        False,
    )
    assert body(extra_body='{"response_format": null}')["response_format"] is None


def test_plain_completions_have_a_prompt_and_no_turns() -> None:
    sent = body(endpoint="completions")
    assert (sent["prompt"], "messages" in sent) == ("Be brief.\n\nWhat?\nAnswer: ", False)
    assert address_of(ConnectionSettings(endpoint="completions")) == "completions"


def test_ollama_is_told_its_context_and_the_schema_in_its_own_words() -> None:
    settings = ConnectionSettings(
        base_url="http://127.0.0.1:11434/v1", endpoint="ollama", context=4096, max_tokens=50, seed=None
    )
    sent = body_of(settings, "", "What?", FORM)
    assert address_of(settings) == "http://127.0.0.1:11434/api/chat"
    assert sent == {
        "model": "default",
        "messages": [{"role": "user", "content": "What?"}],
        "stream": False,
        "options": {"num_ctx": 4096, "num_predict": 50, "temperature": 0.0},
        "format": SCHEMA,
    }
    assert body(endpoint="ollama", reasoning_effort="none")["think"] is False
    assert body(endpoint="ollama", reasoning_effort="high")["think"] == "high"


def test_a_server_begins_before_its_version() -> None:
    assert root_of("http://127.0.0.1:8080/v1/") == root_of("http://127.0.0.1:8080") == "http://127.0.0.1:8080"


def test_the_longest_answer_has_the_name_that_the_server_takes() -> None:
    assert with_limit({"max_tokens": 5, "seed": 0}, "max_completion_tokens") == {
        "max_completion_tokens": 5,
        "seed": 0,
    }
