"""Parse almost-JSON as language models write it, when strict JSON fails: other quotes, trailing commas, `None`."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, NamedTuple

_LITERALS = {"null": None, "none": None, "true": True, "false": False}
_MOST_TOKENS = 300  # an answer has a dozen
_DEEPEST = 20
_TOKEN = re.compile(
    r"""\s*(?:
        (?P<mark>[{}\[\]:,])
      | "(?P<double>(?:[^"\\]|\\.)*)"
      | '(?P<single>(?:[^'\\]|\\.)*)'
      | [“”„](?P<curly>[^“”„"{}]*)[“”"]
      | [‘’‚](?P<curved>[^‘’‚{}]*)[‘’]
      | `(?P<tick>[^`{}]*)`
      | (?P<word>[A-Za-z_]\w*|-?\d[\d.eE+-]*)
    )""",
    re.VERBOSE | re.DOTALL,
)


class _Token(NamedTuple):
    kind: str  # mark, text or word
    text: str
    end: int


class _NoObjectError(ValueError):
    """The text at this position is not a JSON object."""


def loose_object(text: str, start: int) -> tuple[dict[str, object], int] | None:
    """The JSON object at `start` and the index after it. None if there is no object. Of equal keys, the last counts."""
    try:
        tokens = _tokens(text, start)
        parsed, end = _value(next(tokens), tokens, 0)
    except (_NoObjectError, StopIteration):
        return None
    return (parsed, end) if isinstance(parsed, dict) else None


def _tokens(text: str, at: int) -> Iterator[_Token]:
    for _ in range(_MOST_TOKENS):
        match = _TOKEN.match(text, at)
        if match is None:
            return
        at = match.end()
        kind, written = str(match.lastgroup), str(match[str(match.lastgroup)])
        if kind in ("double", "single"):
            written = _unescaped(written)
        yield _Token(kind if kind in ("mark", "word") else "text", written, at)


def _unescaped(text: str) -> str:
    if "\\" not in text:
        return text
    quoted = text.replace("\\'", "'").replace('\\"', '"').replace('"', '\\"')
    try:
        return str(json.loads(f'"{quoted}"', strict=False))
    except ValueError:
        return text


def _value(token: _Token, tokens: Iterator[_Token], depth: int) -> tuple[Any, int]:
    if token.kind == "text":
        return token.text, token.end
    if token.kind == "word":
        return _word(token.text), token.end
    if depth < _DEEPEST and token.text == "{":
        return _object(tokens, depth + 1)
    if depth < _DEEPEST and token.text == "[":
        return _list(tokens, depth + 1)
    raise _NoObjectError


def _word(text: str) -> Any:
    if text.lower() in _LITERALS:
        return _LITERALS[text.lower()]
    try:
        return json.loads(text)
    except ValueError:
        raise _NoObjectError from None


def _object(tokens: Iterator[_Token], depth: int) -> tuple[dict[str, object], int]:
    found: dict[str, object] = {}
    token = next(tokens)
    while token[:2] != ("mark", "}"):
        if token.kind == "mark" or next(tokens)[:2] != ("mark", ":"):
            raise _NoObjectError
        found[token.text], _ = _value(next(tokens), tokens, depth)
        token = _behind_item(next(tokens), tokens, "}")
    return found, token.end


def _list(tokens: Iterator[_Token], depth: int) -> tuple[list[Any], int]:
    found: list[Any] = []
    token = next(tokens)
    while token[:2] != ("mark", "]"):
        item, _ = _value(token, tokens, depth)
        found.append(item)
        token = _behind_item(next(tokens), tokens, "]")
    return found, token.end


def _behind_item(token: _Token, tokens: Iterator[_Token], closing: str) -> _Token:
    if token[:2] == ("mark", ","):
        return next(tokens)
    if token[:2] != ("mark", closing):
        raise _NoObjectError
    return token
