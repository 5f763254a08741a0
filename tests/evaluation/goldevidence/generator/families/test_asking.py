"""Questions of the families are read back from their text; other questions are not."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from evaluation.goldevidence.data.families import FAMILY_OF
from evaluation.goldevidence.generator import queries
from evaluation.goldevidence.generator.families.asking import FORMS, SLOTS, ask, read
from tests.evaluation.goldevidence.generator.families import cast

steps = st.integers(1, 10**6)
whens = st.none() | steps
tags = st.integers(0, 140).map(lambda number: f"tag.{number:02d}")
numbers = st.integers(2, 12)
questions = st.one_of(
    st.tuples(st.sampled_from(["count_changed", "most_changed"]), st.tuples(steps, steps)),
    st.tuples(st.just("count_holding"), st.tuples(st.sampled_from(["teal", "amber"]), whens)),
    st.tuples(st.sampled_from(["reached", "nth"]), st.tuples(tags, numbers, whens)),
    st.tuples(st.just("held"), st.tuples(tags, whens)),
)


@given(questions)
def test_a_question_is_read_as_it_was_asked(question: tuple[str, tuple[Any, ...]]):
    op, args = question
    asked = queries.read(queries.with_form(ask(op, args), cast.config()))
    assert asked is not None
    assert (asked.derived_op, asked.args, asked.most) == (op, args, 8)
    assert asked.key == (args[0] if "key" in SLOTS[op] else None)


@given(st.text(max_size=80))
def test_any_text_is_a_question_or_none(text: str):
    assert read(text) is None or text in map(str.strip, text.splitlines())


def test_every_kind_of_question_has_a_form_and_a_family():
    assert FORMS.keys() == SLOTS.keys() == FAMILY_OF.keys()
    assert all("\n" not in form for form in FORMS.values())


def test_questions_of_no_family_have_no_parameters():
    asked = queries.read("What is the current value of tag.03?\nReply")
    assert asked is not None
    assert (asked.key, asked.args) == ("tag.03", None)
