"""Comparison of model names as servers write them."""

from __future__ import annotations

import re

UNNAMED = "default"  # of the settings: the server chooses
#: Suffix for a state of the same model: a date, or Ollama's tag.
_STATE = re.compile(r"[-:@](latest|\d{4}-\d{2}-\d{2}|\d{8}|\d{4}|\d{2}-\d{4}|\d{2}-\d{2})$", re.I)
_FILE = re.compile(r"\.gguf$", re.I)


def public(name: str) -> str:
    """A model name to publish: a file path on the server is reduced to the file name."""
    return re.split(r"[/\\]", name)[-1] if re.match(r"/|\\|[A-Za-z]:[/\\]", name) else name


def is_same(asked: str, answered: str) -> bool:
    """True if two model names are the same apart from provider, folder and tag, or if one of them is empty."""
    if asked == UNNAMED or not answered:
        return True
    return _plain(asked) == _plain(answered)


def _plain(name: str) -> str:
    last = re.split(r"[/\\]", name.strip())[-1]
    return _FILE.sub("", _STATE.sub("", last)).casefold()
