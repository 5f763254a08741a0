"""Model servers for runs, from MODEL_SERVERS. Users choose servers by name, so API keys go to no other address."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from django.core.exceptions import ImproperlyConfigured

NAME = re.compile(r"[a-z0-9][a-z0-9_.-]{0,39}")
VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
EXAMPLE = '{"local": {"base_url": "http://127.0.0.1:8080/v1", "key": "LOCAL_KEY"}}'


@dataclass(frozen=True, slots=True)
class ModelServer:
    """A model server. `key` names the environment variable with its API key; empty if the server needs no key."""

    base_url: str
    key: str = ""


def read(text: str) -> dict[str, ModelServer]:
    """Parse MODEL_SERVERS into name -> server, in the given order. Raises ImproperlyConfigured."""
    if not text.strip():
        return {}
    try:
        configured = json.loads(text)
    except json.JSONDecodeError as error:
        raise ImproperlyConfigured(f"MODEL_SERVERS is not JSON ({error}). For example: {EXAMPLE}") from error
    if not isinstance(configured, dict):
        raise ImproperlyConfigured(f"MODEL_SERVERS must be a JSON object of servers by name: {EXAMPLE}")
    return {name: _server(name, fields) for name, fields in configured.items()}


def _server(name: str, fields: Any) -> ModelServer:
    if problem := _problem(name, fields):
        raise ImproperlyConfigured(f"MODEL_SERVERS, server {name!r}: {problem}")
    return ModelServer(fields["base_url"], fields.get("key", ""))


def _problem(name: str, fields: Any) -> str:
    if not NAME.fullmatch(name):
        return "a name has at most 40 characters of a-z, 0-9, '_', '.' and '-'."
    if not isinstance(fields, dict) or fields.keys() - {"base_url", "key"}:
        return f"must be an object with base_url and, if needed, key, for example {EXAMPLE}"
    if not _is_address(fields.get("base_url")):
        return "base_url must be an http:// or https:// address without user and password."
    key = fields.get("key", "")
    if key and not (isinstance(key, str) and VARIABLE.fullmatch(key)):
        return "key must be the name of an environment variable, not the key itself."
    return ""


def _is_address(url: Any) -> bool:
    if not isinstance(url, str):
        return False
    try:
        parts = urlsplit(url)
        return parts.scheme in ("http", "https") and bool(parts.hostname) and "@" not in parts.netloc
    except ValueError:
        return False
