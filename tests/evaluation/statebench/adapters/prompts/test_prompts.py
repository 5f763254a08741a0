"""StateBench prompts: three wordings, worked examples, and the earlier prompt to the letter."""

from __future__ import annotations

import hashlib

import pytest

from evaluation.adapters.prompt_sets import PromptChoice
from evaluation.core.errors import SettingsError
from evaluation.statebench.adapters.llama_cpp import StateLlamaSettings
from evaluation.statebench.adapters.openai_compatible import StateServerSettings
from evaluation.statebench.adapters.prompts import CONDENSER, DEFAULT, SETS, STOPS, Prompts
from evaluation.statebench.strategies.condensed import EXTRACT, SUMMARIZE, condensing

ASKED = "Notes:\nAll is well.\n\nQuestion: Is it?"
#: SHA-256 over all that each published prompt sends. A prompt that differs is a new version of its set.
PUBLISHED = {
    ("legacy@1", "a"): "cd648ca488d6e1ec61d8134548d8bb03e42087396f03fc8a425a4a901f73c386",
    ("standard@1", "a"): "09fd043f2b1631c525a848f4591617010daafb5ab14201dbae6b5970c4a0a9ef",
    ("standard@1", "b"): "90233f4ca08d89d1dc600ba48e39094ef6fd7263d3314910033fae6dc2db7220",
    ("standard@1", "c"): "d21ce09ea6898d6f0ad6efd2c0f4dfcb5f5997d6a29ebc917f46af23e01e3eb9",
    ("typed@1", "a"): "ffe96efbe10b9ded1e7906254a74e50928802c2a0e1846fb79bb0f5efb73e7a8",
    ("typed@1", "b"): "b3be06768fa7e460cdfd2670567892031621d292534f09aafcb6f275d812be28",
    ("typed@1", "c"): "8e6f1b71d2fbd7ebfcc8a40b83028235fde87460cca2a423060e3c09ff8f5b22",
}


def test_the_legacy_prompt_is_that_of_before_to_the_letter() -> None:
    prompts = Prompts(PromptChoice(SETS["legacy@1"]))
    kept = (condensing(instruction, "notes", "turns") for instruction in (SUMMARIZE, EXTRACT))
    parts = [prompts.system, CONDENSER, prompts.answer("", ""), *STOPS, *kept]
    before = (
        "395b0a9b279723cb081e4c503be08bb3b5eb0002b9fa3a64bb9050087744a140"  # as runs of that time recorded it
    )
    assert hashlib.sha256("\x1f".join(parts).encode()).hexdigest() == before


@pytest.mark.parametrize("wording", "abc")
def test_notes_and_question_stand_at_the_end_behind_the_worked_examples(wording: str) -> None:
    chosen = SETS[DEFAULT]
    bare, shown = (
        Prompts(PromptChoice(chosen, wording, shots)).answer("All is well.", "Is it?") for shots in (0, 2)
    )
    assert bare == ASKED
    assert shown.endswith(f"\n\n{ASKED}")
    assert all(example["answer"] in shown for example in chosen.examples)


def test_what_is_published_stays_as_it_is_sent() -> None:
    assert {
        (label, wording): Prompts(PromptChoice(each, wording, len(each.examples))).identity()["sha256"]
        for label, each in SETS.items()
        for wording in each.wordings
    } == PUBLISHED


def test_models_and_servers_are_sent_the_same_and_a_wording_has_to_be_in_the_set() -> None:
    assert StateLlamaSettings().prompt_choice == StateServerSettings().prompt_choice
    with pytest.raises(SettingsError, match="wording"):
        StateServerSettings(prompt="legacy@1", wording="c")
