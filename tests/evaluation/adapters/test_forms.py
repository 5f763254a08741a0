"""Answer forms, their grammars, and reading an answer back."""

from __future__ import annotations

import pytest

from evaluation.adapters.forms import Choice, Fixed, Free
from evaluation.adapters.llama.engine import Engine
from evaluation.goldevidence.adapters.answer_forms import answer_form, answer_grammar, answer_schema, value_of

IDS = ["U000001", "U00000A"]


@pytest.mark.parametrize(("value", "read"), [("null", None), (None, None), ("nullify", "nullify")])
def test_null_in_quotes_is_null(value: str | None, read: str | None) -> None:
    assert value_of({"value": value}) == read


def test_the_skeleton_is_fixed_and_only_value_and_citation_are_left() -> None:
    form = answer_form(IDS, cite=True, max_chars=10)
    assert [type(part) for part in form] == [Fixed, Free, Fixed, Choice, Fixed]
    assert form[3] == Choice(tuple(IDS))


@pytest.mark.parametrize(
    "form", [answer_form(IDS, cite=False, max_chars=10), answer_form([], cite=True, max_chars=10)]
)
def test_without_a_citation_the_list_is_empty(form: tuple[object, ...]) -> None:
    assert form[-1] == Fixed(', "support_ids": []}')


def test_the_schema_allows_exactly_one_of_the_ids() -> None:
    support = answer_schema(IDS)["properties"]["support_ids"]
    assert (support["minItems"], support["maxItems"], support["items"]) == (1, 1, {"enum": IDS})
    assert answer_schema([])["properties"]["support_ids"]["maxItems"] == 0


@pytest.mark.llama
@pytest.mark.parametrize(
    ("text", "allowed"),
    [
        ('{"value": "teal-0042", "support_ids": ["U000001"]}', True),
        ('{"value":null, "support_ids": ["U00000A"]}', True),
        ('{"value": "teal-0042", "support_ids": []}', False),
        ('{"value": "teal-0042", "support_ids": ["U000002"]}', False),
        ('{"value": "a\\n", "support_ids": ["U000001"]}', False),
        ('{"value": "' + "x" * 13 + '", "support_ids": ["U000001"]}', False),
        ('{"value": 3, "support_ids": ["U000001"]}', False),
    ],
)
def test_the_grammar_is_the_language_of_the_contract(tiny_model: str, text: str, allowed: bool) -> None:
    from evaluation.adapters.llama.grammar import Grammar

    engine = Engine(str(tiny_model), context=64, batch=32, threads=1, gpu_layers=0, sequences=1)
    grammar = Grammar(engine, answer_grammar(IDS, 12))
    for token in engine.tokenize(text):
        if not grammar.allows(token):
            assert not allowed
            break
        grammar.accept(token)
    else:
        assert grammar.may_end() is allowed
    grammar.close()
    engine.close()
