"""Constructed answers, judged by what they affirm."""

from __future__ import annotations

import pytest

from evaluation.statebench.grading.affirmed.judge import strict_4
from tests.evaluation.statebench.grading.affirmed import later_sentences as later
from tests.evaluation.statebench.grading.affirmed.sentences import ALL, COST, QUERIES, SEND

JUDGES = {query: strict_4(truth) for query, truth in later.QUERIES.items()}
LATER = [(query, *each) for query, group in later.SENTENCES.items() for each in group]
MISREAD = [(query, *each) for query, group in later.MISREAD.items() for each in group]


def read(query, answer):
    verdict = JUDGES[query](answer)
    return verdict.correct, any(verdict.violations)


@pytest.mark.parametrize(("kind", "query", "answer", "expected"), ALL)
def test_an_answer_is_judged_by_what_it_affirms(kind, query, answer, expected):
    assert read(query, answer) == expected, JUDGES[query](answer).reason


@pytest.mark.parametrize(("query", "answer", "expected"), LATER)
def test_an_answer_that_was_written_later_is_judged_alike(query, answer, expected):
    assert read(query, answer) == expected, JUDGES[query](answer).reason


@pytest.mark.parametrize(("query", "answer", "expected"), MISREAD)
@pytest.mark.xfail(strict=True)
def test_some_answers_are_misread(query, answer, expected):
    assert read(query, answer) == expected


@pytest.mark.parametrize(
    ("query", "answer", "reason"),
    [
        (COST, "", "there is no response"),
        (COST, "$6. $7.", "it affirms both '$6' and '$7'"),
        (COST, "Is it $6?", "it only asks about '$6'"),
        (COST, "It is no longer $6.", "it denies '$6'"),
        (COST, "It might be $6.", "it leaves open '$6'"),
        (COST, "banana", "it does not state '$6'"),
        (COST, "I don't know.", "it says that the answer is unknown or withheld"),
        (COST, "It costs $7.", "it affirms '$7' and not '$6'"),
        (COST, "$6, formerly $5.", None),
        (COST, "$5 and $6", "it affirms '$5' (superseded)"),
        (SEND, "Yes. No.", "it says both yes and no"),
        (SEND, "banana", "it makes no decision where the answer is 'no'"),
        (SEND, "I don't know.", "it says 'unclear' where the answer is 'no'"),
        (COST, "$6 " + "and so on " * 40, "only its first 80 words are graded"),
    ],
)
def test_a_verdict_says_why(query, answer, reason):
    told = JUDGES[query](answer).reason
    assert told is None if reason is None else reason in told


def test_only_the_first_80_words_are_graded():
    filler = "and so on " * 30
    assert JUDGES[COST](f"$6 {filler}").correct
    assert not JUDGES[COST](f"{filler} $6").correct
    assert JUDGES[COST](f"<think>{filler}</think> $6").correct


def test_a_forbidden_phrase_is_told_by_its_kind_and_one_that_is_not_affirmed_apart():
    verdict = JUDGES[COST]("$6, formerly $5.")
    assert (verdict.negated, verdict.kinds) == (["$5"], {})
    assert JUDGES[COST]("$5").kinds == {"superseded": ["$5"]}


def test_queries_of_both_lists_are_the_same():
    assert later.QUERIES.items() >= QUERIES.items()
