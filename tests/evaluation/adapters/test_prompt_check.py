"""A server that reports far fewer prompt tokens than were sent has not read the prompt."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.adapters.prompt_check import PromptCheck, rate_of, spread_sample
from evaluation.adapters.prompt_sets import PromptChoice
from evaluation.core.tokens import pretokens
from evaluation.goldevidence.adapters.prompts import DEFAULT, SETS, Prompts
from evaluation.goldevidence.adapters.shown import shown
from evaluation.goldevidence.presets import PRESETS
from evaluation.goldevidence.suite import SUITE

ROW = next(SUITE.version(PRESETS["reference_v1"].as_json()).generate()).rows[
    0
]  # the one preset with both texts
PROMPTS = {
    protocol: Prompts(PromptChoice(SETS[DEFAULT])).answer(shown(ROW, protocol), ROW["question"]).user
    for protocol in ("closed_book", "open_book")
}
TEMPLATE = 60  # tokens that a chat template adds
#: Tokens per piece of real tokenizers over these texts, and of one of bytes.
RATES = (1.0, 1.3, 1.43, 3.5)


class Model:
    """A server that counts `rate` tokens per piece and reads at most `window` of them.

    `counts`: how it counts the part it read of a text (`Model.caching`, `characters`); by default, its tokens.
    """

    def __init__(self, rate: float, window: int = 10**9, template: int = TEMPLATE) -> None:
        self.rate, self.window, self.template, self.asked = rate, window, template, 0
        self.cache = ""

    def read(self, text: str) -> int:
        return min(round(self.rate * pretokens(text)) + self.template, self.window)

    def measure(self, text: str) -> int:
        self.asked += 1
        return self.read(text)


class Caching(Model):
    """Counts only what is not in its cache: the part after the beginning shared with the last prompt."""

    def read(self, text: str) -> int:
        same = (index for index, pair in enumerate(zip(self.cache, text, strict=False)) if len(set(pair)) > 1)
        held = next(same, min(len(self.cache), len(text)))
        self.cache = text
        return min(round(self.rate * pretokens(text[held:])) + 1, self.window)


class Characters(Model):
    """Estimates: a quarter of the characters."""

    def read(self, text: str) -> int:
        return min(len(text) // 4, self.window)


@pytest.mark.parametrize("template", [TEMPLATE, 500])
@pytest.mark.parametrize("rate", RATES)
@pytest.mark.parametrize("prompt", PROMPTS.values(), ids=PROMPTS)
def test_a_prompt_that_was_read_whole_is_never_doubted(prompt: str, rate: float, template: int) -> None:
    """Nor if the template puts its own long system prompt before samples, which have none."""
    model, sampled = Model(rate), Model(rate, template=template)
    check = PromptCheck(sampled.measure)
    for length in (40, 400, 4_000, len(prompt)):
        assert not check.doubt(prompt[:length], model.read(prompt[:length]))


@pytest.mark.parametrize("rate", RATES)
@pytest.mark.parametrize("window", [512, 2048, 2900])
@pytest.mark.parametrize("prompt", PROMPTS.values(), ids=PROMPTS)
def test_a_prompt_that_was_cut_by_a_fifth_is_told_whatever_the_tokenizer(
    prompt: str, window: int, rate: float
) -> None:
    model = Model(rate, window)
    assert rate * pretokens(prompt) > 1.25 * window  # else nothing, or next to nothing, was cut
    why = PromptCheck(model.measure).doubt(prompt, model.read(prompt))
    assert why.startswith(f"the server counted {window:,} tokens of a prompt of ")


@pytest.mark.parametrize("prompt", PROMPTS.values(), ids=PROMPTS)
def test_a_server_that_estimates_by_characters_is_measured_and_believed(prompt: str) -> None:
    model = Characters(0)
    check = PromptCheck(model.measure)
    for length in (1_000, 4_000, len(prompt)):
        assert not check.doubt(prompt[:length], model.read(prompt[:length]))
    model.window = model.read(prompt) // 2
    assert PromptCheck(model.measure).doubt(prompt, model.read(prompt))


@pytest.mark.parametrize("prompt", PROMPTS.values(), ids=PROMPTS)
def test_a_server_that_leaves_out_its_cache_is_found_out_by_asking_again(prompt: str) -> None:
    model = Caching(1.3)
    check = PromptCheck(model.measure)
    for question in ("And tag.01?", "And tag.02?", "And tag.03?"):
        asked = f"{prompt}\n{question}"
        model.read(asked + " ")
        assert not check.doubt(asked, model.read(asked))
    assert check.leaves_out_cache
    assert model.asked == 3 + 3 + 1, "samples twice, and the prompt once more"


def test_cached_tokens_that_are_told_count_once_the_server_is_known_to_leave_them_out() -> None:
    prompt, model = PROMPTS["closed_book"], Model(1.3)
    whole = model.read(prompt)
    check = PromptCheck(model.measure)
    assert not check.doubt(prompt, whole // 3, cached=whole - whole // 3)
    assert check.leaves_out_cache
    assert check.doubt(prompt, whole // 4, cached=10)


def test_cached_tokens_do_not_hide_a_cut_where_they_are_counted_already() -> None:
    prompt, model = PROMPTS["closed_book"], Model(1.3, window=2048)
    assert PromptCheck(model.measure).doubt(prompt, 2048, cached=2000)


def test_the_server_is_measured_once_and_only_for_prompts_that_might_be_too_long() -> None:
    model, prompt = Model(1.3), PROMPTS["closed_book"]
    check = PromptCheck(model.measure)
    assert not check.doubt(prompt[:2000], model.read(prompt[:2000]))
    assert (model.asked, check.tokens_per_piece) == (0, None)
    for _ in range(3):
        assert not check.doubt(prompt, model.read(prompt))
    assert model.asked == 3
    assert check.tokens_per_piece == pytest.approx(1.3, rel=0.1)


@pytest.mark.parametrize("measure", [lambda text: None, lambda text: 0])
def test_a_server_that_cannot_be_measured_is_judged_by_the_rule_alone(
    measure: Callable[[str], int | None],
) -> None:
    prompt = PROMPTS["closed_book"]
    assert not PromptCheck(measure).doubt(prompt, pretokens(prompt))
    assert PromptCheck(measure).doubt(prompt, pretokens(prompt) // 2)


@pytest.mark.parametrize("number", [1, 20, 900])
def test_a_server_that_says_the_same_of_every_prompt_counts_nothing(number: int) -> None:
    assert not PromptCheck(lambda text: number).doubt(PROMPTS["closed_book"], number)


def test_a_server_that_reports_nothing_cannot_be_judged() -> None:
    assert not PromptCheck(lambda text: 9).doubt(PROMPTS["closed_book"], 0)
    assert not PromptCheck(lambda text: 9).doubt("", 5)


def test_samples_of_which_the_longest_was_cut_are_measured_by_the_short_ones() -> None:
    assert rate_of([(75, 158), (300, 450), (900, 1230)]) == pytest.approx(1.3)
    assert rate_of([(75, 158), (300, 450), (900, 512)]) == pytest.approx(1.3, rel=0.01)
    assert rate_of([(300, 300)]) == 1


@given(st.text(max_size=9000))
def test_a_sample_is_of_the_text_and_short(text: str) -> None:
    sample = spread_sample(text)
    assert len(sample) <= 2500
    assert len(sample) == len(text) or len(text) > 2400
