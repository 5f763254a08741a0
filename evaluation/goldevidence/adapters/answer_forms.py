"""Grammars and JSON schemas that constrain the answers of a model: a value with citations, or lines of a ledger."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from evaluation.adapters.forms import Choice, Fixed, Form, Free
from evaluation.core.records import JsonObject
from evaluation.goldevidence.data.answers import NULL_WORD

HEAD = '{"value":'  # how every answer begins
PRINTABLE = (
    r"[ !#-\[\]-~]"  # printable ASCII but quote and backslash: every value of the benchmark is made of it
)


def answer_form(ids: Sequence[str], *, most: int, max_chars: int, skeleton: bool = True) -> Form:
    """Return the form of an answer: a JSON object with `value` and `support_ids`, or only `value` if `most` is 0.

    The model may cite fewer than `most` ids. If `skeleton` is false, the model also generates the fixed parts of the
    JSON, under an equivalent grammar.
    """
    most = min(most, len(ids))
    room = max_chars + 64 + 12 * most
    if not skeleton:
        return (Free(answer_grammar(ids, max_chars, most=most), room=room),)
    if most > 1:  # where the list ends is a decision behind every id
        return (Fixed(HEAD), Free(_grammar("", ids, max_chars, most), room=room))
    value = Free(f'root ::= " "? ({_value(max_chars)})', room=max_chars + 3, own=_own_value(max_chars))
    if most == 0:
        return (Fixed(HEAD), value, Fixed("}"))
    cited = (f', "support_ids": ["{uid}"]}}' for uid in ids)
    return (Fixed(HEAD), value, Choice((', "support_ids": []}', *cited)))


def one_citation_form(ids: Sequence[str], *, cite: bool, max_chars: int, skeleton: bool = True) -> Form:
    """Return the form of an answer that cites exactly one id, or no id if `cite` is False or `ids` is empty."""
    cites = cite and bool(ids)
    if not skeleton:
        return (Free(one_citation_grammar(ids if cites else (), max_chars), room=max_chars + 64),)
    value = Free(f'root ::= " "? ({_value(max_chars)})', room=max_chars + 3, own=_own_value(max_chars))
    if not cites:
        return (Fixed(HEAD), value, Fixed(', "support_ids": []}'))
    return (Fixed(HEAD), value, Fixed(', "support_ids": ["'), Choice(tuple(ids)), Fixed('"]}'))


def answer_grammar(ids: Sequence[str], max_chars: int, *, most: int) -> str:
    """Return one GBNF grammar for the whole answer. If `most` is 0, the answer has no citations."""
    return _grammar(HEAD, ids, max_chars, most)


def _grammar(head: str, ids: Sequence[str], max_chars: int, most: int) -> str:
    begins = '"' + head.replace('"', r"\"") + '" ' if head else ""
    rules = [f"value ::= {_value(max_chars)}"]
    if not ids or most == 0:
        return "\n".join([f'root ::= {begins}" "? value "}}"', *rules])
    more = f'(", " id){{0,{most - 1}}}' if most > 1 else ""
    options = " | ".join(f'"{uid}"' for uid in ids)
    rules.append(rf'id ::= "\"" ({options}) "\""')
    support = rf'", \"support_ids\": [" (id {more})? "]}}"'
    return "\n".join([f'root ::= {begins}" "? value {support}', *rules])


def one_citation_grammar(ids: Sequence[str], max_chars: int) -> str:
    """Return the GBNF grammar of an answer to a legacy prompt: exactly one id, or an empty list if `ids` is empty."""
    options = " | ".join(f'"{uid}"' for uid in ids)
    support = rf'"\"" ({options}) "\""' if ids else '""'
    return "\n".join(
        [
            'root ::= "{\\"value\\":" " "? value ", \\"support_ids\\": [" support "]}"',
            f"value ::= {_value(max_chars)}",
            f"support ::= {support}",
        ]
    )


def answer_schema(ids: Sequence[str], *, most: int) -> dict[str, object]:
    """Return the JSON schema of the whole answer. If `most` is 0, the answer has no citations."""
    if not ids or most == 0:
        return _object({})
    return _object({"support_ids": {"type": "array", "maxItems": most, "items": {"enum": list(ids)}}})


def one_citation_schema(ids: Sequence[str]) -> dict[str, object]:
    """Return the JSON schema of an answer to a legacy prompt: exactly one id, or an empty list if `ids` is empty."""
    support: dict[str, object] = {"type": "array", "maxItems": 0, "items": {"type": "string"}}
    if ids:
        support = {"type": "array", "minItems": 1, "maxItems": 1, "items": {"enum": list(ids)}}
    return _object({"support_ids": support})


def _object(more: dict[str, Any]) -> dict[str, object]:
    properties = {"value": {"type": ["string", "null"]}, **more}
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def citation_form(ids: Sequence[str]) -> Form:
    """Return the form of a reply that cites one of `ids`. A model can score each of these replies."""
    return (Fixed('{"support_ids": ["'), Choice(tuple(ids)), Fixed('"]}'))


def ledger_lines_form(max_lines: int, max_chars: int) -> Form:
    """Return the form of up to `max_lines` ledger lines whose values have up to `max_chars` characters."""
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


def value_of(answer: JsonObject) -> Any:
    """Return an answer's value. The text "null" becomes None: small models write it, and no real value is "null"."""
    value = answer.get("value")
    return None if value == NULL_WORD else value


def _value(max_chars: int) -> str:
    return rf'"null" | "\"" {PRINTABLE}{{0,{max_chars}}} "\""'


def _own_value(max_chars: int) -> str:
    return rf' ?(?:null|"{PRINTABLE}{{0,{max_chars}}}")'
