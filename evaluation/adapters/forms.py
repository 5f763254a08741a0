"""The shape of a model's answer: what is fixed, what is free, and what is one of a list.

Only the free parts cost a decoding step each. Fixed text is fed in one batch, and a choice costs a step only
where its options part; what follows the last decision is never evaluated at all.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from evaluation.goldevidence.answers import NULL_WORD


@dataclass(frozen=True, slots=True)
class Fixed:
    """Text that stands there anyway."""

    text: str


@dataclass(frozen=True, slots=True)
class Free:
    """Text written by the model under a GBNF grammar (its start is `root`).

    It ends when the grammar allows the end (`eager`), else when the model ends its turn. `room` is how many
    tokens it may take (a token is at least one character).
    """

    grammar: str
    room: int
    eager: bool = True


@dataclass(frozen=True, slots=True)
class Choice:
    """Exactly one of these texts. None may be the beginning of another."""

    options: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Prose:
    """Text as the model likes: until it ends its turn, one of `stops` comes, or `room` tokens are written."""

    room: int
    stops: tuple[str, ...] = ()


Part: TypeAlias = Fixed | Free | Choice | Prose
Form: TypeAlias = tuple[Part, ...]

PRINTABLE = (
    r"[ !#-\[\]-~]"  # printable ASCII but quote and backslash: every value of the benchmark is made of it
)


def answer_form(ids: Sequence[str], *, cite: bool, max_chars: int, skeleton: bool = True) -> Form:
    """`{"value": …, "support_ids": […]}` with exactly one of `ids` where a citation is asked for.

    Without `skeleton` the same language is one grammar and every token of it is sampled: the plain way, which
    `tests/benchmarks/llama.py` compares with.
    """
    cites = cite and bool(ids)
    if not skeleton:
        return (Free(answer_grammar(ids if cites else (), max_chars), room=max_chars + 64),)
    value = Free(f'root ::= " "? ({_value(max_chars)})', room=max_chars + 3)
    if not cites:
        return (Fixed('{"value":'), value, Fixed(', "support_ids": []}'))
    return (Fixed('{"value":'), value, Fixed(', "support_ids": ["'), Choice(tuple(ids)), Fixed('"]}'))


def answer_grammar(ids: Sequence[str], max_chars: int) -> str:
    """The whole answer as one GBNF grammar, for the plain way and for servers that take one."""
    options = " | ".join(f'"{uid}"' for uid in ids)
    support = rf'"\"" ({options}) "\""' if ids else '""'
    return "\n".join(
        [
            'root ::= "{\\"value\\":" " "? value ", \\"support_ids\\": [" support "]}"',
            f"value ::= {_value(max_chars)}",
            f"support ::= {support}",
        ]
    )


def answer_schema(ids: Sequence[str]) -> dict[str, Any]:
    """The whole answer as a JSON schema, for servers that take one."""
    support: dict[str, Any] = {"type": "array", "maxItems": 0, "items": {"type": "string"}}
    if ids:
        support = {"type": "array", "minItems": 1, "maxItems": 1, "items": {"enum": list(ids)}}
    return {
        "type": "object",
        "properties": {"value": {"type": ["string", "null"]}, "support_ids": support},
        "required": ["value", "support_ids"],
        "additionalProperties": False,
    }


def citation_form(ids: Sequence[str]) -> Form:
    """`{"support_ids": ["<one of ids>"]}`: what selection-only scoring compares."""
    return (Fixed('{"support_ids": ["'), Choice(tuple(ids)), Fixed('"]}'))


def ledger_lines_form(max_lines: int, max_chars: int) -> Form:
    """Lines of a state ledger, as many as the model likes (at most `max_lines`)."""
    grammar = "\n".join(
        [
            f"root ::= line{{0,{max_lines}}}",
            'line ::= "- [U" hex{6} "] step=" [0-9]{1,6} (set | clear) "\\n"',
            f'set ::= " SET " key " = " {PRINTABLE}{{1,{max_chars}}}',
            'clear ::= " CLEAR " key',
            'key ::= "tag." [0-9]{2,5}',
            "hex ::= [0-9A-F]",
        ]
    )
    return (Free(grammar, room=max_lines * (max_chars + 40), eager=False),)


def value_of(answer: dict[str, Any]) -> Any:
    """The value of an answer. "null" in quotes is null: small models write it so, and no value is that word."""
    value = answer.get("value")
    return None if value == NULL_WORD else value


def _value(max_chars: int) -> str:
    return rf'"null" | "\"" {PRINTABLE}{{0,{max_chars}}} "\""'
