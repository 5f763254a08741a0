"""The HTTP request for a question: chat, plain completion, or Ollama's own API."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Mapping
from typing import Any

from evaluation.adapters.servers.settings import ConnectionSettings

MAX_TOKENS, MAX_COMPLETION_TOKENS = "max_tokens", "max_completion_tokens"
PATHS = {"chat": "chat/completions", "completions": "completions"}


#: Optional parts of a request that a server may refuse -> (setting, pattern of its words in refusals).
SYSTEM = "system role"
OPTIONAL = {
    SYSTEM: (
        "",
        r"system.{0,40}role|role.{0,40}system|system (message|prompt)|roles must alternate|only user and",
    ),
    "response_format": ("constrain", r"response_format|json_schema|json_object|structured.?output|guided"),
    "grammar": ("constrain", r"grammar"),
    "seed": ("seed", r"\bseed\b"),
    "temperature": ("temperature", r"temperature"),
}
#: Parts that the user chose explicitly: a run must not leave them out, only name them in messages.
CHOSEN = {
    "top_p": ("top_p", r"\btop_p\b"),
    "reasoning_effort": ("reasoning_effort", r"reasoning|thinking"),
    "max_tokens": ("max_tokens", r"max_(completion_)?tokens"),
    "extra_body": ("extra_body", r"extra|unrecognized|unknown (field|parameter|argument)"),
}


def refused_in(text: str, body: Mapping[str, object]) -> list[str]:
    """The optional parts of a request that the text of a refusal names."""
    return [name for name in optional_in(body) if re.search(OPTIONAL[name][1], text, re.I)]


def optional_in(body: Mapping[str, Any]) -> list[str]:
    messages = body.get("messages", ())
    has_system = any(turn["role"] == "system" for turn in messages) and len(messages) > 1
    return [name for name in OPTIONAL if name in body or (name == SYSTEM and has_system)]


def settings_in(text: str) -> list[str]:
    known = {**OPTIONAL, **CHOSEN}
    named = (setting for setting, words in known.values() if setting and re.search(words, text, re.I))
    return list(dict.fromkeys(named))


def without(body: Mapping[str, Any], names: Collection[str]) -> dict[str, Any]:
    """The request without some of its `OPTIONAL` parts. Without `SYSTEM` the system text is put into the user turn."""
    left = {name: value for name, value in body.items() if name not in names}
    if SYSTEM in names and SYSTEM in optional_in(body):
        text = "\n\n".join(turn["content"] for turn in body["messages"])
        left["messages"] = [{"role": "user", "content": text}]
    return left


def root_of(base_url: str) -> str:
    return base_url.rstrip("/").removesuffix("/v1")


def address_of(settings: ConnectionSettings) -> str:
    """The URL for a question, relative to `base_url` or absolute."""
    if settings.endpoint == "ollama":
        return f"{root_of(settings.base_url)}/api/chat"
    return PATHS[settings.endpoint]


def body_of(
    settings: ConnectionSettings, system: str, user: str, constraint: Mapping[str, object]
) -> dict[str, Any]:
    """The JSON body for one question; `system` may be empty, and `extra_body` overrides the constraint."""
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


def _for_openai(settings: ConnectionSettings, constraint: Mapping[str, object]) -> dict[str, object]:
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
) -> dict[str, object]:
    """The body for Ollama. It sets the context, because Ollama would cut a longer prompt without an error."""
    options = {
        "num_ctx": settings.context,
        "num_predict": settings.max_tokens,
        "temperature": settings.temperature,
        "top_p": settings.top_p,
        "seed": settings.seed,
    }
    body: dict[str, object] = {
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


def with_limit(body: Mapping[str, object], name: str) -> dict[str, object]:
    """The request with its token limit in the field `name`."""
    return {name if field == MAX_TOKENS else field: value for field, value in body.items()}
