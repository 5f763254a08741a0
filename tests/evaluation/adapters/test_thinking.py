"""Thinking is removed from a model's output, however it is marked."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.adapters.thinking import begins_inside, thinking_marks, without_thinking
from tests.proportion import soon

ANSWER = '{"value": "teal-0002"}'
DRAFT = 'Perhaps {"value": "wrong"}? No.'


@pytest.mark.parametrize(
    "text",
    [
        f"<think>{DRAFT}</think>{ANSWER}",
        f"<think>\n\n</think>\n\n{ANSWER}",
        f"<thinking>{DRAFT}</thinking>\n{ANSWER}",
        f"<Thought>{DRAFT}</Thought>{ANSWER}",
        f'<reasoning effort="high">{DRAFT}</reasoning>{ANSWER}',
        f"<seed:think>{DRAFT}</seed:think>{ANSWER}",
        f"[THINK]{DRAFT}[/THINK]{ANSWER}",
        f"<|START_THINKING|>{DRAFT}<|END_THINKING|><|START_RESPONSE|>{ANSWER}<|END_RESPONSE|>",
        f"<|begin_of_thought|>{DRAFT}<|end_of_thought|><|begin_of_solution|>{ANSWER}<|end_of_solution|>",
        f"<|inner_prefix|>{DRAFT}<|inner_suffix|>{ANSWER}",
        f"◁think▷{DRAFT}◁/think▷{ANSWER}",
        f"<|channel>thought\n{DRAFT}<channel|>{ANSWER}",
        f"{DRAFT}</think>{ANSWER}",  # the template opened it, in the prompt
        f"<think>{DRAFT}</think>{ANSWER}<think>{DRAFT}",  # thinking that was begun again and never ended
        f"<think>one</think><think>{DRAFT}</think>{ANSWER}",
        f"<think>{DRAFT}<think>again</think>{ANSWER}",
        f"<|channel|>analysis<|message|>{DRAFT}<|end|><|start|>assistant<|channel|>final<|message|>{ANSWER}<|return|>",
        f"<|channel|>analysis<|message|>{DRAFT}<|end|><|channel|>final <|constrain|>json<|message|>{ANSWER}",
        f"<|start|>assistant<|channel|>final<|message|>{ANSWER}<|return|>",
        f"analysis{DRAFT}assistantfinal{ANSWER}",
        f"{ANSWER}<|im_end|>",
        ANSWER,
    ],
)
def test_what_remains_is_the_answer(text: str) -> None:
    assert without_thinking(text) == ANSWER


@pytest.mark.parametrize(
    "text",
    [
        f"<think>{DRAFT}",
        f"<think>{DRAFT}</think>",
        f"{DRAFT}</thinking>  ",
        f"<|channel|>analysis<|message|>{DRAFT}",
        "<|channel|>anal",
        "",
    ],
)
def test_thinking_alone_leaves_nothing(text: str) -> None:
    assert without_thinking(text) == ""


@pytest.mark.parametrize(
    "text", ["Yes. I think so.", "2 < 3 and a <b> tag", "The final analysis: no.", "a|b <|"]
)
def test_words_that_are_no_marks_stay(text: str) -> None:
    assert without_thinking(text) == text


@pytest.mark.parametrize(
    ("prompt", "inside"), [("…<think>\n", True), ("[THINK]", True), ("…</think>\n", False)]
)
def test_a_prompt_that_ends_with_a_mark_is_told(prompt: str, inside: bool) -> None:
    assert begins_inside(prompt) is inside


@pytest.mark.parametrize(
    ("template", "marks"),
    [
        ("{{ x }}<think>\n\n</think>", ("<think>\n", "</think>\n\n")),
        ("{{ x }}[THINK]{{ y }}[/THINK]", ("[THINK]", "[/THINK]")),
        ("{{ x }}<|channel|>final", None),
        ("", None),
    ],
)
def test_the_marks_of_a_template_are_told(template: str, marks: tuple[str, str] | None) -> None:
    assert thinking_marks(template) == marks


@given(
    st.lists(st.sampled_from(["<think>", "</think>", "a", "{", "}", "<|channel|>", "final", "<|message|>"]))
)
def test_any_mixture_of_marks_is_read(parts: list[str]) -> None:
    result = without_thinking("".join(parts))
    assert "think>" not in result
    assert "<|" not in result


@pytest.mark.parametrize("text", ["<think>", "</think>", "<|channel|>final", "analysis", "<think </think"])
def test_a_model_that_repeats_itself_is_read_in_no_time(text: str) -> None:
    with soon(2):
        without_thinking(text * 20_000)
