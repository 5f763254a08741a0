"""Guesses at questions of families, and the reader that compares words."""

from __future__ import annotations

from typing import Any

import pytest

from evaluation.attacks.goldevidence.families import KindConstant, MostWords
from evaluation.attacks.goldevidence.registry import OF_FAMILIES, attack_plan
from evaluation.attacks.plan import Example, PublicLine
from evaluation.goldevidence.generator.families.asking import ask
from evaluation.goldevidence.presets import PRESETS

LOG = "\n".join(
    [
        "## Episode Log",
        "- [U00000A] UPDATE step=1 SET tag.01 = tag.02",
        "- [U00000B] UPDATE step=2 SET tag.02 = tag.03",
        "- [U00000C] RULE step=3 any role may set odd tags from step 1",
        "- LOG step=4 tag.01 as things are at step 9",
        "- [U00000D] UPDATE step=5 SET tag.03 = tag.01",
    ]
)


def line(question: str, document: str = LOG) -> PublicLine:
    row: Any = {"id": "r1", "question": question, "document": document, "meta": {}}
    return PublicLine(row, 0, 0)


def example(op: str, args: tuple[object, ...], value: str) -> Example:
    shown = line(ask(op, args))
    row: Any = {**shown.row, "gold": {"value": value}}
    return Example(shown, row, 0)


@pytest.mark.parametrize(
    ("key", "uid", "value"), [("tag.02", "U00000B", "tag.03"), ("tag.77", "U00000D", "tag.01")]
)
def test_the_line_with_most_words_of_the_question_is_cited_the_last_of_equal_ones(key, uid, value) -> None:
    [answer] = MostWords([])(line(ask("reached", (key, 3, None))))
    assert (answer["value"], answer["support_ids"]) == (value, [uid])


def test_a_text_without_values_is_answered_with_nothing() -> None:
    [answer] = MostWords([])(
        line(ask("reached", ("tag.02", 3, None)), "- [U00000C] RULE step=3 any role may")
    )
    assert (answer["value"], answer["support_ids"]) == (None, [])


def test_the_most_frequent_answer_to_a_kind_of_question_is_given_whatever_it_asks() -> None:
    counts = [example("count_changed", (1, last), value) for last, value in ((5, "3"), (6, "2"), (7, "3"))]
    reader = KindConstant([*counts, example("reached", ("tag.01", 3, None), "tag.09")])
    [counted], [reached] = (
        reader(line(ask("count_changed", (2, 90)))),
        reader(line(ask("reached", ("tag.04", 5, 7)))),
    )
    assert (counted["value"], reached["value"]) == ("3", "tag.09")


def test_versions_of_families_are_attacked_by_them_and_no_others_are() -> None:
    def names(preset: str) -> set[str]:
        return {each.name for each in attack_plan(PRESETS[preset]).attackers}

    assert set(OF_FAMILIES) <= names("deep_short")
    assert not set(OF_FAMILIES) & names("ladder_short")
