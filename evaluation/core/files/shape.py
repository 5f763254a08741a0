"""How deep a JSON text nests and how many values it holds, counted in one pass before a parser sees it."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import accumulate

from evaluation.core.jsonl import Fault

_NOT_BRACKETS = bytes(set(range(256)) - set(b"[]{}"))
_STEP = {ord("["): 1, ord("{"): 1, ord("]"): -1, ord("}"): -1}


@dataclass(frozen=True, slots=True)
class Shape:
    """What a JSON text may be: how many levels deep, and of how many values.

    An answer of either suite has 2 levels and, with all citations that it may have, some 110 values; the rest is room
    for what systems write beside it. Counted as values are commas and opening brackets, those in texts left out.
    """

    depth: int = 32
    values: int = 10_000


#: Of a line of a predictions file.
OF_ANSWER = Shape()


def fault(text: bytes, shape: Shape) -> Fault | None:
    """What is wrong with the shape of a text, if anything. Whether it is JSON at all is the parser's to say.

    Args:
        text: One line of JSON.
        shape: How deep it may nest and how many values it may hold.

    Returns:
        The fault; None where the text keeps both bounds.
    """
    opened = text.count(b"[") + text.count(b"{")
    if opened <= shape.depth and opened + text.count(b",") <= shape.values:
        return None  # so it is with nearly every line: what stands in texts need not be told apart
    bare = _outside_texts(text, most=4 * shape.values)
    if bare is None or bare.count(b",") + bare.count(b"[") + bare.count(b"{") > shape.values:
        return Fault("too_many_values", f"the JSON holds too many values: at most {shape.values:,} are taken")
    brackets = bare.translate(None, _NOT_BRACKETS)
    if max(accumulate(map(_STEP.__getitem__, brackets)), default=0) > shape.depth:
        return Fault(
            "nested_too_deeply", f"the JSON is nested too deeply: at most {shape.depth} levels are taken"
        )
    return None


def _outside_texts(text: bytes, *, most: int) -> bytes | None:
    """What stands outside of texts; None where more than `most` quotation marks delimit them."""
    if b"\\" in text:  # pairs first, so that the mark after a pair still ends its text
        text = text.replace(b"\\\\", b"").replace(b'\\"', b"")
    if text.count(b'"') > most:
        return None
    return b"".join(text.split(b'"')[::2])
