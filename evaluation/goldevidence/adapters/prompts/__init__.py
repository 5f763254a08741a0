"""What a language model is sent, the same for every model and server: the texts of a prompt set around a row's own.

The sets are the files beside this module. The question stands at the end, so that all questions of an episode share one
prefix (and its KV cache). A row's question tells its form in the words of the benchmark; a set tells it in its own, and
so leaves the row's out: the model reads one instruction, which is the one that the grammar holds it to.
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
#: What stands for a line in the prompt that calibrates labels, and for its question (Zhao et al. 2021, "Calibrate
#: before use"): it says nothing of either.
CONTENT_FREE = "N/A"


class EpisodePromptSettings(PromptSettings):
    """The prompt of GoldEvidenceBench."""

    prompt_sets = SETS
    prompt: Annotated[str, OneOf(SETS)] = Field(DEFAULT, description="The prompt set and its version.")


@dataclass(frozen=True, slots=True)
class Prompt:
    """What a model is asked. `truncated` counts the lines left out so that the prompt fits."""

    system: str
    user: str
    shown: Shown
    truncated: int = 0


def bare_question(question: str) -> str:
    """A question without the lines that tell the form of its answer."""
    return _FORM_LINE.sub("", question)


class Prompts(SetPrompts):
    """The prompts of GoldEvidenceBench."""

    def __init__(self, choice: PromptChoice) -> None:
        super().__init__(choice)
        self.legacy = choice.prompt_set.legacy

    @property
    def none(self) -> str:
        """The words below the lines of a choice for none of them; empty where a set knows no such choice."""
        return self._texts.get("none", "")

    @property
    def extract(self) -> str:
        """The instruction to copy state changes out of a log."""
        return self._texts["extract"]

    def answer(
        self, seen: Shown, question: str, *, most: int = 1, sandwich: bool = False, reason: bool = False
    ) -> Prompt:
        """The prompt for an answer as JSON.

        Args:
            seen: The text that it is about.
            question: The question as the row asks it.
            most: How many lines may be cited; 0 where no citation is asked for.
            sandwich: Whether the question stands before the text as well.
            reason: Whether the model is to write down its thoughts first.

        Returns:
            The system prompt, the user's turn, and the text that it shows.
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
        """The prompt for a choice among labelled lines.

        Args:
            seen: The text that it is about.
            question: The question as the row asks it.
            labels: The label of each id in the text.
            none_label: The label of none of them; empty where one has to be chosen.
            sandwich: Whether the question stands before the text as well.

        Returns:
            The prompt; its text is labelled.
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
        """The prompt of `select` with nothing in its lines and its question: what it prefers by itself.

        Args:
            kind: What is shown: candidates, book or log.
            labels: The labels, that of none among them: here it says no more than the others.
        """
        text = "\n".join(f"{label}. {CONTENT_FREE}" for label in labels)
        return self.select(Shown(kind, text, ()), CONTENT_FREE, {})

    def copy(
        self, seen: Shown, question: str, *, may_be_none: bool = False, sandwich: bool = False
    ) -> Prompt:
        """The prompt after which the text of a line is scored.

        Args:
            seen: The text that it is about.
            question: The question as the row asks it.
            may_be_none: Whether `none` is one of the lines.
            sandwich: Whether the question stands before the text as well.
        """
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
        """The question for the line that holds for a key."""
        return self._texts["latest"].replace("{key}", key)

    def sent(self) -> Collection[str]:
        """All that is sent in any mode, with placeholders for rows."""
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
        """A worked example of an answer."""
        answer = {"value": example.get("value")} | ({"support_ids": example["support_ids"]} if cites else {})
        written = self._texts["answer"].replace("{answer}", json.dumps(answer))
        thoughts = f"{self._texts['thought'].replace('{why}', example['why'])}\n" if thought else ""
        return f"{self._question_of(example, example['lines'])}\n{thoughts}{written}"

    def _examples(self, may_be_none: bool) -> list[Mapping[str, Any]]:
        """The worked examples of a choice: those without a line only where none may be chosen."""
        return [each for each in self.choice.examples if may_be_none or each["support_ids"]]

    def _chosen(self, example: Mapping[str, Any], *, by_label: bool, may_be_none: bool = False) -> str:
        """A worked example of a choice: by the label of its line, or by the line itself."""
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
        """A line behind the label of the id that it carries; a line without one as it is.

        Where the label stands for the id, an id in front is left out: it says nothing, and takes a third of the line's
        tokens.
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
