"""A smoke test of a model file: do its weights know English, and does its chat template lead to an answer?

The test takes seconds and does not measure quality. It finds truncated, wrongly converted or damaged files, and
templates that do not open the model's turn, before a long run ends with a bad score.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from evaluation.adapters.base import ShouldStop
from evaluation.adapters.llama import model_file
from evaluation.adapters.llama.chat import ChatTemplate, turn, turns_of
from evaluation.adapters.llama.engine import Engine, EngineSettings, Feed
from evaluation.adapters.llama.writing.scorer import log_softmax
from evaluation.adapters.thinking import thinking_marks
from evaluation.core.errors import AdapterError

#: After the preamble of the Universal Declaration of Human Rights (United Nations, 1948).
SENTENCE = (
    "Recognition of the inherent dignity and of the equal and inalienable rights of all members of the human family "
    "is the foundation of freedom, justice and peace in the world."
)
#: The geometric mean of 13.5, the perplexity of SmolLM2-135M-Instruct in 4 bits (the smallest model measured here), and
#: 256, that of a guess among bytes, the smallest vocabulary that spells every text. Random weights have 440 to 620 with
#: 271 tokens; SmolLM2 with 5 of its 272 tensors shuffled has 78, with a twentieth of the file zeroed 49,152, the size
#: of its vocabulary.
SUSPICIOUS_ABOVE = 60.0
CONTEXT = 512  # tokens: a vocabulary of bytes needs 171 for the sentence
STEPS = 3  # read the file, load the weights, compute the sentence
SYSTEM, USER, ANSWER = "SYSTEM-WORDS", "USER-WORDS", "ANSWER-WORDS"

OnStep: TypeAlias = Callable[[int, int], None]  # (done, total)


@dataclass(frozen=True, slots=True)
class TemplateReport:
    """Behaviour of a chat template with a system and a user turn. `there` is False if the file has no template."""

    there: bool
    takes_system: bool = False
    opens_answer: bool = False
    thinking: str = "none"  # or: switched, always
    doubts: tuple[str, ...] = ()

    def sentence(self) -> str:
        if not self.there:
            return "The file has no chat template: prompts are given as plain text."
        system = (
            "takes a system turn"
            if self.takes_system
            else "takes no system turn: it goes into the user's turn"
        )
        opens = " and opens the model's turn" if self.opens_answer else ""
        return f"The chat template {system}{opens}; {_THINKING[self.thinking]}."


_THINKING = {
    "none": "it has no marks for thinking",
    "switched": "thinking can be switched on and off",
    "always": "it has marks for thinking, which cannot be switched off",
}


@dataclass(frozen=True, slots=True)
class SmokeTest:
    """Result of a smoke test: perplexity over `tokens` predicted tokens; `vocabulary` is the size of the vocabulary."""

    perplexity: float
    tokens: int
    vocabulary: int
    template: TemplateReport
    seconds: float

    @property
    def doubts(self) -> tuple[str, ...]:
        high = self.perplexity > SUSPICIOUS_ABOVE
        return (*((self._perplexity_doubt(),) if high else ()), *self.template.doubts)

    @property
    def passed(self) -> bool:
        return not self.doubts

    def sentences(self) -> list[str]:
        found = f"Perplexity {self.perplexity:,.1f} over {self.tokens} tokens of an English sentence"
        known = (
            ""
            if self.perplexity > SUSPICIOUS_ABOVE
            else f", below {SUSPICIOUS_ABOVE:g}: the weights know English"
        )
        return [f"{found}{known}.", self.template.sentence()]

    def as_dict(self) -> dict[str, Any]:
        return asdict(self) | {
            "sentence": SENTENCE,
            "suspicious_above": SUSPICIOUS_ABOVE,
            "found": self.sentences(),
            "doubts": list(self.doubts),
        }

    def _perplexity_doubt(self) -> str:
        guess = " That is no better than a guess." if self.perplexity > self.vocabulary / 2 else ""
        return (
            f"Its perplexity over a plain English sentence is {self.perplexity:,.0f}, and models that know English "
            f"have less than {SUSPICIOUS_ABOVE:g}: the file may be damaged, untrained, or of another language.{guess}"
        )


def smoke_test(
    path: str | Path,
    *,
    threads: int = 0,
    on_step: OnStep = lambda done, total: None,
    should_stop: ShouldStop | None = None,
) -> SmokeTest:
    """Test a model file; `on_step` is called with (steps done, `STEPS`). Raises AdapterError, and `base.Stopped`."""
    started = time.perf_counter()
    on_step(0, STEPS)
    model_file.check_file(path)
    on_step(1, STEPS)
    engine = Engine(str(path), EngineSettings(context=CONTEXT, batch=CONTEXT, threads=threads))
    with closing(engine):
        on_step(2, STEPS)
        if should_stop is not None:
            engine.stop_when(should_stop)
        value, tokens = perplexity(engine, SENTENCE)
        report = check_template(engine)
        on_step(STEPS, STEPS)
        return SmokeTest(value, tokens, engine.vocab_size, report, round(time.perf_counter() - started, 3))


def perplexity(engine: Engine, text: str) -> tuple[float, int]:
    """Perplexity of a text (exp of the mean negative log likelihood per token), and the number of tokens predicted.

    The first token is predicted only if the model puts a token of its own (BOS) before it. Raises AdapterError if the
    text is too long or too short, or the logits are not finite.
    """
    tokens = engine.tokenize(text, begin=engine.wants_begin)
    if not 2 <= len(tokens) <= engine.context:
        raise AdapterError(
            f"the tokenizer makes {len(tokens)} tokens of the test sentence; it must be 2 to {engine.context}"
        )
    # nothing read before may precede the text
    engine.cut(0)
    [logits] = engine.decode([Feed(0, 0, tokens, every=True)])
    likely = log_softmax(logits[:-1])
    losses = -likely[np.arange(len(tokens) - 1), tokens[1:]]
    mean = float(losses.mean())
    if not np.isfinite(mean):
        raise AdapterError("the model computes NaN or infinity: its weights are damaged")
    # exp of more overflows
    return float(np.exp(min(mean, 700.0))), len(losses)


def check_template(engine: Engine) -> TemplateReport:
    try:
        template = ChatTemplate.from_engine(engine)
        return TemplateReport(there=False) if template is None else template_report(template)
    except Exception as error:  # a template raises whatever its author wrote
        return TemplateReport(there=True, doubts=(f"Its chat template fails: {_short(error)}.",))


def template_report(template: ChatTemplate) -> TemplateReport:
    """Test a template with a system and a user turn. Exceptions of the template are not caught.

    A template opens the model's turn if it adds its beginning, or if the answer directly follows the user's turn
    (Mistral).
    """
    takes_system = _takes_system(template)
    asked = turns_of(SYSTEM, USER) if takes_system else [turn("user", f"{SYSTEM}\n\n{USER}")]
    prompt = template.render(asked)
    doubts = [f"Its chat template drops {what}." for what, words in _DROPPED.items() if words not in prompt]
    opens = USER in prompt and _opens_answer(template, asked)
    if not opens and USER in prompt:
        doubts.append(
            "Its chat template does not open the model's turn, so the model must guess that it should answer."
        )
    thinking = _thinking(template, asked)
    if thinking == "always":
        doubts.append(
            "Its chat template has marks for thinking but cannot switch thinking off: the model may think although "
            "no tokens are provided for it. Run it with mode=reason."
        )
    return TemplateReport(True, takes_system, opens, thinking, tuple(doubts))


_DROPPED = {"what the system turn says": SYSTEM, "what the user says": USER}


def _takes_system(template: ChatTemplate) -> bool:
    try:
        return SYSTEM in template.render(turns_of(SYSTEM, USER))
    except Exception:  # the template's way to refuse one
        return False


def _opens_answer(template: ChatTemplate, asked: Sequence[dict[str, str]]) -> bool:
    opened = _behind_user(template.render(asked))
    closed = _behind_user(template.render(asked, opens=False))
    if len(opened) > len(closed) and opened.startswith(closed):
        return True
    try:
        answered = _behind_user(template.render([*asked, turn("assistant", ANSWER)], opens=False))
    except Exception:  # it cannot render an answer, so where one begins is unknown
        return False
    return answered.partition(ANSWER)[0].strip() == opened


def _behind_user(text: str) -> str:
    return text.rpartition(USER)[2].strip()


def _thinking(template: ChatTemplate, asked: Sequence[dict[str, str]]) -> str:
    if thinking_marks(template.text) is None:
        return "none"
    on, off = (template.render(asked, thinks=thinks) for thinks in (True, False))
    return "switched" if on != off else "always"


def _short(error: Exception) -> str:
    return " ".join(str(error).split())[:200].rstrip(".") or type(error).__name__
