"""A server that reports far fewer prompt tokens than were sent has not read the prompt."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.adapters.prompt_check import PromptCheck, spread_sample
from evaluation.adapters.prompt_sets import PromptChoice
from evaluation.core.tokens import pretokens
from evaluation.goldevidence.adapters.prompts import DEFAULT, SETS, Prompts
from evaluation.goldevidence.adapters.shown import shown
from evaluation.goldevidence.presets import PRESETS
from evaluation.goldevidence.suite import SUITE

ROW = next(SUITE.generate(PRESETS["reference_v1"].as_json())).rows[0]  # the one preset with both texts
PROMPTS = {
    protocol: Prompts(PromptChoice(SETS[DEFAULT])).answer(shown(ROW, protocol), ROW["question"]).user
    for protocol in ("closed_book", "open_book")
}
TEMPLATE = 60  # tokens that a chat template adds
#: Tokens per piece of real tokenizers over these texts, and of one of bytes.
RATES = (1.0, 1.3, 1.43, 3.5)


class Model:
    """A server that makes `rate` tokens of a piece and reads at most `window` of them."""

    def __init__(self, rate: float, window: int = 10**9) -> None:
        self.rate, self.window, self.asked = rate, window, 0

    def read(self, text: str) -> int:
        return min(round(self.rate * pretokens(text)) + TEMPLATE, self.window)

    def measure(self, text: str) -> int:
        self.asked += 1
        return self.read(text)


@pytest.mark.parametrize("rate", RATES)
@pytest.mark.parametrize("prompt", PROMPTS.values(), ids=PROMPTS)
def test_a_prompt_that_was_read_whole_is_never_called_cut(prompt: str, rate: float) -> None:
    model = Model(rate)
    check = PromptCheck(model.measure)
    for length in (40, 400, 4_000, len(prompt)):
        assert not check.is_cut(prompt[:length], model.read(prompt[:length]))


@pytest.mark.parametrize("rate", RATES)
@pytest.mark.parametrize("window", [512, 2048, 2900])
@pytest.mark.parametrize("prompt", PROMPTS.values(), ids=PROMPTS)
def test_a_prompt_that_was_cut_by_a_fifth_is_told_whatever_the_tokenizer(
    prompt: str, window: int, rate: float
) -> None:
    model = Model(rate, window)
    assert rate * pretokens(prompt) > 1.25 * window  # else nothing, or next to nothing, was cut
    assert PromptCheck(model.measure).is_cut(prompt, model.read(prompt))


def test_the_rate_is_measured_once_and_only_for_prompts_that_might_be_too_long() -> None:
    model, prompt = Model(1.3), PROMPTS["closed_book"]
    check = PromptCheck(model.measure)
    assert not check.is_cut(prompt[:2000], model.read(prompt[:2000]))
    assert (model.asked, check.tokens_per_piece) == (0, None)
    for _ in range(3):
        assert not check.is_cut(prompt, model.read(prompt))
    assert model.asked == 1
    assert check.tokens_per_piece == pytest.approx(1.3, rel=0.1)


@pytest.mark.parametrize("measure", [lambda text: None, lambda text: 0])
def test_a_server_that_cannot_be_measured_is_judged_by_the_rule_alone(
    measure: Callable[[str], int | None],
) -> None:
    prompt = PROMPTS["closed_book"]
    assert not PromptCheck(measure).is_cut(prompt, pretokens(prompt))
    assert PromptCheck(measure).is_cut(prompt, pretokens(prompt) // 2)


def test_a_server_that_reports_nothing_cannot_be_judged() -> None:
    assert not PromptCheck(lambda text: 9).is_cut(PROMPTS["closed_book"], 0)
    assert not PromptCheck(lambda text: 9).is_cut("", 5)


@given(st.text(max_size=9000))
def test_a_sample_is_of_the_text_and_short(text: str) -> None:
    sample = spread_sample(text)
    assert len(sample) <= 2500
    assert len(sample) == len(text) or len(text) > 2400
