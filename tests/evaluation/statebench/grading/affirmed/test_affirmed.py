"""Properties of the verdict on any answer."""

from __future__ import annotations

import random
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.statebench.grading.affirmed.judge import strict_4
from tests.evaluation.statebench.grading.affirmed.sentences import ALL, QUERIES

JUDGES = {query: strict_4(truth) for query, truth in QUERIES.items()}
CASES = st.sampled_from(
    [(query, answer) for kind, query, answer, _ in ALL if kind not in ("JSON", "thinking")]
)
#: Values that no query knows, of each kind.
FRESH = st.sampled_from(["$7", "$31,500", "Monday", "77%", "December", "Zedtown", "81 testers", "half a day"])
WORDS = (
    "not no yes never if said was is $5 $6 Friday , . ; : ? ! ( ) - ** ~~ | \n > { } [ ] \" ' from to or and "
    "either neither nor cannot share unclear approved cancelled instead of rather than replaced by <think> </think>"
).split(" ")


def verdict(query, answer):
    """The decision and the affirmed phrases of an answer."""
    read = JUDGES[query](answer)
    return read.correct, read.decision, read.hits, read.violations


@given(CASES, FRESH)
def test_denying_what_was_never_said_changes_nothing(case, value):
    query, answer = case
    said = answer.rstrip()
    assert verdict(query, f"{said}\n\nIt is not {value}.") == verdict(query, said) or not said


@given(
    CASES,
    st.sampled_from([str.upper, str.lower, lambda text: f"  {text}\n", lambda text: text.replace(" ", "  ")]),
)
def test_case_and_white_space_change_nothing(case, change):
    query, answer = case
    if "|" not in answer:
        assert verdict(query, change(answer)) == verdict(query, answer)


@given(CASES)
def test_bold_words_change_nothing(case):
    query, answer = case
    if any(sign in answer for sign in "*~`|<>#\n_"):
        return
    bold = " ".join(f"**{word}**" for word in answer.split())
    assert verdict(query, bold) == verdict(query, answer)


@given(CASES)
def test_thinking_changes_nothing(case):
    query, answer = case
    assert verdict(query, f"<think>It is $5, on Tuesday; yes, no.</think>{answer}") == verdict(query, answer)


@given(st.sampled_from(list(QUERIES)), st.text(max_size=300))
def test_any_text_is_judged(query, answer):
    read = JUDGES[query](answer)
    assert read.correct or read.reason


@given(st.sampled_from(list(QUERIES)), st.lists(st.sampled_from(WORDS), max_size=120).map(" ".join))
def test_any_sequence_of_words_is_judged(query, answer):
    read = JUDGES[query](answer)
    assert not (read.correct and any(read.violations))


@pytest.mark.parametrize(
    "kind", ["words", "letters", "brackets", "quotes", "stars", "digits", "blanks", "json", "one word"]
)
def test_long_texts_take_no_time(kind):
    draw = random.Random(kind)
    text = {
        "words": lambda: " ".join(draw.choice(WORDS) for _ in range(6_000)),
        "letters": lambda: "".join(draw.choice("abcdefg $.,\n") for _ in range(20_000)),
        "brackets": lambda: "(" * 20_000,
        "quotes": lambda: '"a": ' * 4_000,
        "stars": lambda: "*_~`" * 5_000,
        "digits": lambda: "$1,000 " * 3_000,
        "blanks": lambda: "a" + " " * 20_000 + "b",
        "json": lambda: '{"a": ' * 3_000,
        "one word": lambda: "not" * 7_000,
    }[kind]()[:20_000]
    started = time.process_time()
    for judge in JUDGES.values():
        judge(text)
    assert (time.process_time() - started) / len(JUDGES) < 0.1
