"""Answer forms, their grammars, and reading an answer back."""

from __future__ import annotations

from typing import Any

import pytest

from evaluation.adapters.forms import Choice, Fixed, Free
from evaluation.adapters.llama.engine import Engine, EngineSettings
from evaluation.goldevidence.adapters.answer_forms import (
    answer_form,
    answer_grammar,
    answer_schema,
    one_citation_form,
    one_citation_grammar,
    one_citation_schema,
    value_of,
)

IDS = ["U000001", "U00000A"]


@pytest.mark.parametrize(("value", "read"), [("null", None), (None, None), ("nullify", "nullify")])
def test_null_in_quotes_is_null(value: str | None, read: str | None) -> None:
    assert value_of({"value": value}) == read


def test_the_skeleton_is_fixed_and_only_value_and_citation_are_left() -> None:
    fixed, value, tail = answer_form(IDS, most=1, max_chars=10)
    assert (fixed, type(value)) == (Fixed('{"value":'), Free)
    none, *cited = (f', "support_ids": [{uid}]}}' for uid in ("", *(f'"{uid}"' for uid in IDS)))
    assert tail == Choice((none, *cited))
    assert [type(part) for part in answer_form(IDS, most=3, max_chars=10)] == [Fixed, Free]
    legacy = one_citation_form(IDS, cite=True, max_chars=10)
    assert [type(part) for part in legacy] == [Fixed, Free, Fixed, Choice, Fixed]
    assert legacy[3] == Choice(tuple(IDS))


def test_without_a_citation_there_is_no_list_and_to_a_legacy_prompt_an_empty_one() -> None:
    for form in (answer_form(IDS, most=0, max_chars=10), answer_form([], most=1, max_chars=10)):
        assert form[-1] == Fixed("}")
    for form in (
        one_citation_form(IDS, cite=False, max_chars=10),
        one_citation_form([], cite=True, max_chars=10),
    ):
        assert form[-1] == Fixed(', "support_ids": []}')


def test_the_schema_allows_as_many_of_the_ids_as_a_row_does() -> None:
    support = answer_schema(IDS, most=2)["properties"]["support_ids"]
    assert (support.get("minItems"), support["maxItems"], support["items"]) == (None, 2, {"enum": IDS})
    assert answer_schema([], most=1)["required"] == answer_schema(IDS, most=0)["required"] == ["value"]
    one = one_citation_schema(IDS)["properties"]["support_ids"]
    assert (one["minItems"], one["maxItems"], one["items"]) == (1, 1, {"enum": IDS})
    assert one_citation_schema([])["properties"]["support_ids"]["maxItems"] == 0


@pytest.mark.llama
@pytest.mark.parametrize(
    ("text", "most"),
    [
        ('{"value": "teal-0042", "support_ids": ["U000001"]}', {1, 2, "legacy"}),
        ('{"value":null, "support_ids": ["U00000A"]}', {1, 2, "legacy"}),
        ('{"value": "teal-0042", "support_ids": []}', {1, 2}),
        ('{"value": "teal-0042", "support_ids": ["U000001", "U00000A"]}', {2}),
        ('{"value": "teal-0042"}', {0}),
        ('{"value": "teal-0042", "support_ids": ["U000002"]}', set()),
        ('{"value": "a\\n", "support_ids": ["U000001"]}', set()),
        ('{"value": "' + "x" * 13 + '", "support_ids": ["U000001"]}', set()),
        ('{"value": 3, "support_ids": ["U000001"]}', set()),
    ],
)
def test_the_grammar_is_the_language_of_the_contract(
    tiny_model: str, text: str, most: set[int | str]
) -> None:
    from evaluation.adapters.llama.writing.grammar import Grammar

    engine = Engine(str(tiny_model), EngineSettings(context=64, batch=32, threads=1, sequences=1))
    grammars = {most: answer_grammar(IDS, 12, most=most) for most in (0, 1, 2)}
    taken = set()
    for name, language in {**grammars, "legacy": one_citation_grammar(IDS, 12)}.items():
        grammar = Grammar(engine, language)
        if _accepts(grammar, engine.tokenize(text)):
            taken.add(name)
        grammar.close()
    engine.close()
    assert taken == most


def _accepts(grammar: Any, tokens: list[int]) -> bool:
    for token in tokens:
        if not grammar.allows(token):
            return False
        grammar.accept(token)
    return bool(grammar.may_end())
