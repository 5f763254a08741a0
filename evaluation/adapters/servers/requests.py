"""A question as a server takes it: chat, plain completion, or Ollama's own API."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from evaluation.adapters.servers.settings import ConnectionSettings

MAX_TOKENS, MAX_COMPLETION_TOKENS = "max_tokens", "max_completion_tokens"
PATHS = {"chat": "chat/completions", "completions": "completions"}


def root_of(base_url: str) -> str:
    """Where a server itself begins: its address without the `/v1` of OpenAI's API."""
    return base_url.rstrip("/").removesuffix("/v1")


def address_of(settings: ConnectionSettings) -> str:
    """Where a question is sent, from `base_url` on or whole."""
    if settings.endpoint == "ollama":
        return f"{root_of(settings.base_url)}/api/chat"
    return PATHS[settings.endpoint]


def body_of(
    settings: ConnectionSettings, system: str, user: str, constraint: Mapping[str, Any]
) -> dict[str, Any]:
    """The request for one question.

    Args:
        settings: Of the connection.
        system: The system prompt; it may be empty.
        user: The user's turn.
        constraint: Fields of OpenAI's API that bind the answer's form.

    Returns:
        What is sent as JSON; `extra_body` wins over the constraint.
    """
    turns = [("system", system), ("user", user)]
    messages = [{"role": role, "content": content} for role, content in turns if content]
    if settings.endpoint == "ollama":
        body = _for_ollama(settings, messages, constraint)
    else:
        body = _for_openai(settings, constraint)
        body |= {"messages": messages} if settings.endpoint == "chat" else {"prompt": _plain(system, user)}
    more: dict[str, Any] = json.loads(settings.extra_body or "{}")
    return body | more


def _plain(system: str, user: str) -> str:
    return f"{system}\n\n{user}\nAnswer: "


def _for_openai(settings: ConnectionSettings, constraint: Mapping[str, Any]) -> dict[str, Any]:
    effort = settings.reasoning_effort
    body = {
        "model": settings.model,
        "temperature": settings.temperature,
        "top_p": settings.top_p,
        "seed": settings.seed,
        "reasoning_effort": None if effort == "default" else effort,
        MAX_TOKENS: settings.max_tokens,
    }
    return {name: value for name, value in body.items() if value is not None} | dict(constraint)


def _for_ollama(
    settings: ConnectionSettings, messages: list[dict[str, str]], constraint: Mapping[str, Any]
) -> dict[str, Any]:
    """Ollama cuts a prompt to its context without a word, which is why it is told how long that has to be."""
    options = {
        "num_ctx": settings.context,
        "num_predict": settings.max_tokens,
        "temperature": settings.temperature,
        "top_p": settings.top_p,
        "seed": settings.seed,
    }
    body: dict[str, Any] = {
        "model": settings.model,
        "messages": messages,
        "stream": False,
        "options": {name: value for name, value in options.items() if value is not None},
    }
    if settings.reasoning_effort != "default":
        body["think"] = settings.reasoning_effort if settings.reasoning_effort != "none" else False
    form = constraint.get("response_format")
    if form:
        body["format"] = form["json_schema"]["schema"] if form["type"] == "json_schema" else "json"
    return body


def with_limit(body: Mapping[str, Any], name: str) -> dict[str, Any]:
    """The request with the longest answer under the name that the server takes.

    Args:
        body: The request.
        name: `max_tokens`, or what a newer server calls it.
    """
    return {name if field == MAX_TOKENS else field: value for field, value in body.items()}
