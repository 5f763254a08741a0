"""Prompts of GoldEvidenceBench, the same for every model and server, from the prompt sets beside this module.

The question comes last, so that all questions of an episode share one prefix (and its KV cache). The row's sentences
about the form of the answer are replaced by those of the prompt set, which describe the form that the grammar enforces.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field

from evaluation.adapters.prompt_sets import PromptChoice, PromptSets, PromptSettings, SetPrompts
from evaluation.core.settings import OneOf
from evaluation.goldevidence.adapters.shown import Shown
from evaluation.goldevidence.data.ledger import ids_in

NEEDED = (
    "system candidates book log question example turn answer thought extract latest "
    "cited several plain select copy reason"
)
SETS = PromptSets(Path(__file__).parent, NEEDED.split())
DEFAULT = "standard@1"
_FORM_LINE = re.compile(r"\n(?:Reply with one JSON object|Return JSON with keys)\b.*", re.DOTALL)
_LABELS = "ABCDEFGHIJ"  # of the lines of a worked example
#: Placeholder for lines and question in the prompt that calibrates labels (Zhao et al. 2021, "Calibrate before use").
CONTENT_FREE = "N/A"


class EpisodePromptSettings(PromptSettings):
    prompt_sets = SETS
    prompt: Annotated[str, OneOf(SETS)] = Field(DEFAULT, description="The prompt set and its version.")


@dataclass(frozen=True, slots=True)
class Prompt:
    """A prompt as sent to a model. `truncated` is the number of lines left out to fit the context."""

    system: str
    user: str
    shown: Shown
    truncated: int = 0


def bare_question(question: str) -> str:
    """Return the question without the lines that state the form of its answer."""
    return _FORM_LINE.sub("", question)


class Prompts(SetPrompts):
    def __init__(self, choice: PromptChoice) -> None:
        super().__init__(choice)
        self.legacy = choice.prompt_set.legacy

    @property
    def none(self) -> str:
        """Text of the choice "none of these lines"; empty if the prompt set does not offer it."""
        return self._texts.get("none", "")

    @property
    def extract(self) -> str:
        return self._texts["extract"]

    def answer(
        self, seen: Shown, question: str, *, most: int = 1, sandwich: bool = False, reason: bool = False
    ) -> Prompt:
        """Return the prompt that asks for an answer as JSON.

        If `most` is 0, it asks for no citations. `sandwich` asks the question before the text as well. `reason` asks
        the model to write its thoughts first.
        """
        if self.legacy:
            return self._assembled(seen, question, "", sandwich=sandwich)
        form = self._form(most) + (f"\n{self._texts['reason']}" if reason else "")
        examples = [self._answered(each, cites=most > 0, thought=reason) for each in self.choice.examples]
        return self._assembled(seen, bare_question(question), form, examples, sandwich=sandwich)

    def select(
        self,
        seen: Shown,
        question: str,
        labels: Mapping[str, str],
        *,
        none_label: str = "",
        sandwich: bool = False,
    ) -> Prompt:
        """Return the prompt that asks for one of several labelled lines. `labels` maps the ids of the lines to labels.

        Without a `none_label` the model must choose a line. `sandwich` asks the question before the text as well.
        """
        lines = [self._labelled(line, labels) for line in seen.text.splitlines()]
        if none_label:
            lines.append(f"{none_label}. {self.none}")
        may_be_none = bool(none_label)
        examples = [
            self._chosen(each, by_label=True, may_be_none=may_be_none) for each in self._examples(may_be_none)
        ]
        shown = Shown(seen.kind, "\n".join(lines), seen.entries)
        return self._assembled(
            shown, bare_question(question), self._texts["select"], examples, sandwich=sandwich
        )

    def content_free(self, kind: str, labels: Sequence[str]) -> Prompt:
        """Return the prompt of `select` with empty lines and question. It measures the model's prior over `labels`."""
        text = "\n".join(f"{label}. {CONTENT_FREE}" for label in labels)
        return self.select(Shown(kind, text, ()), CONTENT_FREE, {})

    def copy(
        self, seen: Shown, question: str, *, may_be_none: bool = False, sandwich: bool = False
    ) -> Prompt:
        """Return the prompt for scoring each line as the reply. `may_be_none` also offers "none of these lines"."""
        examples = [
            self._chosen(each, by_label=False, may_be_none=may_be_none)
            for each in self._examples(may_be_none)
        ]
        text = f"{seen.text}\n- {self.none}" if may_be_none else seen.text
        shown = Shown(seen.kind, text, seen.entries)
        return self._assembled(
            shown, bare_question(question), self._texts["copy"], examples, sandwich=sandwich
        )

    def latest(self, key: str) -> str:
        return self._texts["latest"].replace("{key}", key)

    def sent(self) -> Collection[str]:
        """Return every prompt text that any mode sends, with placeholders for the parts that come from a row."""
        sent = [self.system, self.extract, self.latest("{key}")]
        for kind in ("candidates", "book", "log"):
            seen = Shown(kind, "{text}", ())
            prompts = [self.answer(seen, "{question}", sandwich=True)]
            if not self.legacy:
                prompts += [self.answer(seen, "{question}", most=most) for most in (0, 3)]
                prompts += [self.answer(seen, "{question}", reason=True), self.copy(seen, "{question}")]
                prompts += [self.select(seen, "{question}", {}), self.content_free(kind, "AB")]
            if self.none:
                prompts += [self.select(seen, "{question}", {}, none_label="B")]
                prompts += [self.copy(seen, "{question}", may_be_none=True)]
            if not self.choice.prompt_set.label_beside_id:
                prompts.append(self.select(Shown(kind, "- [id] {line}", ()), "{question}", {"id": "A"}))
            sent += [prompt.user for prompt in prompts]
        return sent

    def _assembled(
        self, seen: Shown, question: str, form: str, examples: Sequence[str] = (), *, sandwich: bool = False
    ) -> Prompt:
        asked = self._texts["question"].replace("{question}", question)
        parts = [
            *(
                f"{self._texts['example'].replace('{number}', str(number))}\n{example}"
                for number, example in enumerate(examples, 1)
            ),
            *([self._texts["turn"]] if examples else []),
            *([asked] if sandwich else []),
            f"{self._texts[seen.kind]}\n{seen.text}",
            f"{asked}\n{form}" if form else asked,
        ]
        return Prompt(self.system, "\n\n".join(parts), seen)

    def _form(self, most: int) -> str:
        if most == 0:
            return self._texts["plain"]
        return self._texts["cited"] if most == 1 else self._texts["several"].replace("{most}", str(most))

    def _answered(self, example: Mapping[str, Any], *, cites: bool, thought: bool) -> str:
        answer = {"value": example.get("value")} | ({"support_ids": example["support_ids"]} if cites else {})
        written = self._texts["answer"].replace("{answer}", json.dumps(answer))
        thoughts = f"{self._texts['thought'].replace('{why}', example['why'])}\n" if thought else ""
        return f"{self._question_of(example, example['lines'])}\n{thoughts}{written}"

    def _examples(self, may_be_none: bool) -> list[Mapping[str, Any]]:
        return [each for each in self.choice.examples if may_be_none or each["support_ids"]]

    def _chosen(self, example: Mapping[str, Any], *, by_label: bool, may_be_none: bool = False) -> str:
        """Write a worked example of a choice among lines, answered by the label or by the text of a line."""
        lines, none = example["lines"].splitlines(), [self.none] if may_be_none else []
        labels = dict(zip([*ids_in(example["lines"]), *none], _LABELS, strict=False))
        [chosen] = example["support_ids"] or none
        told = chosen if chosen in none else next(line for line in lines if chosen in line)
        if by_label:
            lines = [self._labelled(line, labels) for line in lines]
        lines += [f"{labels[self.none]}. {self.none}" if by_label else f"- {self.none}" for _ in none]
        reply = labels[chosen] if by_label else told.removeprefix("- ")
        written = self._texts["answer"].replace("{answer}", reply)
        return f"{self._question_of(example, chr(10).join(lines))}\n{written}"

    def _labelled(self, line: str, labels: Mapping[str, str]) -> str:
        """Put a label before a line. The label replaces the line's id unless the prompt set shows both.

        The id carries no information and takes a third of the tokens.
        """
        found = next(((uid, label) for uid, label in labels.items() if uid in line), None)
        if found is None:
            return line
        uid, label = found
        bare = line.removeprefix("- ")
        return (
            f"{label}. {bare if self.choice.prompt_set.label_beside_id else bare.removeprefix(f'[{uid}] ')}"
        )

    def _question_of(self, example: Mapping[str, Any], text: str) -> str:
        asked = self._texts["question"].replace("{question}", example["question"])
        return f"{self._texts[example.get('kind', 'candidates')]}\n{text}\n{asked}"
