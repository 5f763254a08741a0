"""The form of a typed answer: a grammar for local models, a JSON schema for servers, and a parser of replies."""

from __future__ import annotations

from evaluation.adapters.forms import Choice, Fixed, Form, Free
from evaluation.adapters.replies import Reply, prose_in, unanswered_output
from evaluation.core.row_states import RowState
from evaluation.statebench.data.typed_gold import DECISIONS
from evaluation.statebench.grading.typed.answers import ANSWER, given

#: Limits on generation: characters of a value, characters of a quote, number of quotes.
LONGEST_VALUE, LONGEST_QUOTE, MOST_QUOTES = 80, 240, 3
_LETTER = r"[^\"\\\x00-\x1F]"
_OWN_LETTER = r'[^"\\\x00-\x1f]'


def typed_form(max_tokens: int) -> Form:
    """Grammar of a typed answer. The value and the evidence may have up to `max_tokens` tokens each."""
    value = f'root ::= "null" | "\\"" {_LETTER}{{1,{LONGEST_VALUE}}} "\\""'
    quotes = "\n".join(
        [
            f'root ::= "[" (quote (", " quote){{0,{MOST_QUOTES - 1}}})? "]"',
            f'quote ::= "\\"" {_LETTER}{{1,{LONGEST_QUOTE}}} "\\""',
        ]
    )
    own = rf'(?:null|"{_OWN_LETTER}{{1,{LONGEST_VALUE}}}")'
    return (
        Fixed('{"decision": "'),
        Choice(DECISIONS),
        Fixed('", "value": '),
        Free(value, room=max_tokens, own=own),
        Fixed(', "because": '),
        Free(quotes, room=max_tokens),
        Fixed("}"),
    )


def typed_constraint() -> dict[str, object]:
    """Request fields that ask a server for typed answers. Servers without support ignore these fields."""
    properties = {
        "decision": {"enum": list(DECISIONS)},
        "value": {"type": ["string", "null"]},
        "because": {"type": "array", "maxItems": MOST_QUOTES, "items": {"type": "string"}},
    }
    schema = {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }
    named = {"name": "answer", "strict": True, "schema": schema}
    return {"response_format": {"type": "json_schema", "json_schema": named}}


def typed_output(reply: Reply) -> dict[str, object]:
    """The typed answer in a reply, or its plain text if the reply has no typed answer."""
    words = prose_in(reply)
    if isinstance(words, RowState):
        return unanswered_output(words)
    typed = given({"response": words}).typed
    return (
        {"response": words} if typed is None else {ANSWER: typed._asdict() | {"because": list(typed.because)}}
    )
