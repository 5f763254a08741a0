"""Lets a model select the line that most likely establishes the answer. It scores lines and generates no text.

    select          one letter per line; their log probabilities as the first token of the reply
    select_logprob  the log probability of each line's text as the reply, per token

Each letter costs one token, so no line gains from its length. `calibrate` subtracts the model's prior over letters
(Zhao et al. 2021). If the prompt set has a text for "none of these lines", this text is scored as the last choice.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from evaluation.adapters.base import Usage
from evaluation.adapters.llama.language_model import Ask, LanguageModel
from evaluation.core.errors import AdapterError
from evaluation.goldevidence.adapters.answer_forms import citation_form
from evaluation.goldevidence.adapters.prompts import Prompt, Prompts
from evaluation.goldevidence.adapters.shown import Shown


class Selection:
    """Scores the lines of a text by likelihood. The model's prior over labels is measured once per number of labels."""

    def __init__(
        self, model: LanguageModel, prompts: Prompts, *, calibrate: bool, may_be_none: bool = False
    ) -> None:
        self._model, self._prompts, self._calibrate = model, prompts, calibrate
        self.may_be_none = may_be_none
        self._biases: dict[tuple[str, int], list[float]] = {}

    def check(self, name: str, seen: Shown, *, by_letter: bool) -> None:
        """Raise AdapterError if there are more lines than labels, or if scoring a whole text would cost too much."""
        most, lines = len(self._model.labels) - self.may_be_none, len(seen.ids)
        if lines <= most and (by_letter or seen.kind == "candidates"):
            return
        why = (
            f"the model has only {most} labels of one token{' for lines' if self.may_be_none else ''}"
            if lines > most
            else "scoring every line of a whole text would cost more than generating the answer"
        )
        raise AdapterError(
            f"row {name}: a choice among the {lines} lines of a {seen.kind} is refused: {why}. Use mode=answer, or "
            "rows that show candidates"
        )

    def by_label(
        self, name: str, seen: Shown, question: str, *, sandwich: bool = False
    ) -> tuple[list[float], Usage]:
        """Return the log probability (nats) of each label, in the order of the ids ("none" last), and the cost.

        If `calibrate` is set, the prior is subtracted.
        """
        labels = list(self._model.labels)[: len(seen.ids) + self.may_be_none]
        none_label = labels[-1] if self.may_be_none else ""
        by_id = dict(zip(seen.ids, labels, strict=False))
        prompt = self._prompts.select(seen, question, by_id, none_label=none_label, sandwich=sandwich)
        scores, usage = self._model.score_labels(_ask(name, prompt), labels)
        if not self._calibrate:
            return scores, usage
        biases, spent = self._bias(seen.kind, labels)
        return [score - bias for score, bias in zip(scores, biases, strict=True)], usage + spent

    def by_text(
        self, name: str, seen: Shown, question: str, *, sandwich: bool = False
    ) -> tuple[list[float], Usage]:
        """Return the log probability per token (nats) of each line, in the order of ids ("none" last), and the cost."""
        lines = lines_of(seen)
        texts = [*(lines[uid] for uid in seen.ids), *([self._prompts.none] if self.may_be_none else [])]
        prompt = self._prompts.copy(seen, question, may_be_none=self.may_be_none, sandwich=sandwich)
        return self._model.score_texts(_ask(name, prompt), texts)

    def by_id(
        self, name: str, seen: Shown, question: str, *, sandwich: bool = False
    ) -> tuple[list[float], Usage]:
        """Return the log probability (nats) with which the model cites each id, and the cost. For legacy prompts."""
        prompt = self._prompts.answer(seen, question, sandwich=sandwich)
        return self._model.score(Ask(name, prompt.system, prompt.user, citation_form(seen.ids)))

    def _bias(self, kind: str, labels: Sequence[str]) -> tuple[list[float], Usage]:
        usage = Usage()
        if (kind, len(labels)) not in self._biases:
            ask = _ask("content-free", self._prompts.content_free(kind, labels))
            self._biases[kind, len(labels)], usage = self._model.score_labels(ask, labels)
        return self._biases[kind, len(labels)], usage


def lines_of(seen: Shown) -> Mapping[str, str]:
    """Map each id to its line of the text, without the leading dash."""
    lines = [line.removeprefix("- ") for line in seen.text.splitlines()]
    return {uid: next(line for line in lines if uid in line) for uid in seen.ids}


def _ask(name: str, prompt: Prompt) -> Ask:
    return Ask(name, prompt.system, prompt.user, ())
