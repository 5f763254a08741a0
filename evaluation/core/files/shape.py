"""Nesting depth and number of values of a JSON text, counted in one pass before parsing."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import accumulate

from evaluation.core.jsonl import Fault

_NOT_BRACKETS = bytes(set(range(256)) - set(b"[]{}"))
_STEP = {ord("["): 1, ord("{"): 1, ord("]"): -1, ord("}"): -1}


@dataclass(frozen=True, slots=True)
class Shape:
    """Bounds on a JSON text: nesting levels and values.

    An answer of either suite has 2 levels and, with all possible citations, some 110 values; systems may add fields.
    Commas and opening brackets outside of texts count as values.
    """

    depth: int = 32
    values: int = 10_000


#: Bounds for a line of a predictions file.
OF_ANSWER = Shape()


def fault(text: bytes, shape: Shape) -> Fault | None:
    """Return the bound that one line of JSON exceeds, or None if it exceeds no bound. Does not check the syntax."""
    opened = text.count(b"[") + text.count(b"{")
    if opened <= shape.depth and opened + text.count(b",") <= shape.values:
        return None  # true of nearly every line: no need to look at where texts begin and end
    bare = _outside_texts(text, most=4 * shape.values)
    if bare is None or bare.count(b",") + bare.count(b"[") + bare.count(b"{") > shape.values:
        return Fault(
            "too_many_values", f"the JSON has too many values: at most {shape.values:,} are accepted"
        )
    brackets = bare.translate(None, _NOT_BRACKETS)
    if max(accumulate(map(_STEP.__getitem__, brackets)), default=0) > shape.depth:
        return Fault(
            "nested_too_deeply", f"the JSON is nested too deeply: at most {shape.depth} levels are accepted"
        )
    return None


def _outside_texts(text: bytes, *, most: int) -> bytes | None:
    if b"\\" in text:  # pairs first, so that the mark after a pair still ends its text
        text = text.replace(b"\\\\", b"").replace(b'\\"', b"")
    if text.count(b'"') > most:
        return None
    return b"".join(text.split(b'"')[::2])
