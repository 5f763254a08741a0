"""What a model reads: one instruction, three wordings, worked examples, and the prompt of before to the letter."""

from __future__ import annotations

import hashlib
import json
import re

import pytest

from evaluation.adapters.prompt_sets import PromptChoice
from evaluation.core.errors import SettingsError
from evaluation.goldevidence.adapters.llama_cpp import LlamaSettings
from evaluation.goldevidence.adapters.openai_compatible import ServerSettings
from evaluation.goldevidence.adapters.prompts import DEFAULT, SETS, Prompts, bare_question
from evaluation.goldevidence.adapters.shown import Shown, shown
from evaluation.goldevidence.data.ledger import parse_book
from evaluation.goldevidence.generator.config import GeneratorConfig
from evaluation.goldevidence.generator.queries import Query, text
from tests.evaluation.conftest import ENTRIES, condition_row, make_row

QUESTION = "What is the current value of tag.01?"
ASKED = text(Query("tag.01"), GeneratorConfig())
LEGACY = Prompts(PromptChoice(SETS["legacy@1"]))
WORDINGS = [Prompts(PromptChoice(SETS[DEFAULT], wording, 3)) for wording in "abc"]
#: SHA-256 over all that each published prompt sends. A prompt that differs is a new version of its set.
PUBLISHED = {
    ("legacy@1", "a"): "567d4ecb02bb0cc30a38df7f4b861eb97252df6d4d4ae54b02c53f5242ad04dd",
    ("standard@1", "a"): "0d8796eb7fd9afbf9e485e56d7469102d82c2b7819243a84c1013d89dec16678",
    ("standard@1", "b"): "c360d8020105b5cf4739fa3cd807a6d234fa5598c553aa471eb4a8409779367a",
    ("standard@1", "c"): "b2a3ba7b0a2fd299eba6b286257f8f795707dcde76c7a5d9410cc7b4130a4548",
    ("standard@2", "a"): "aad087f2345a76f52cc6a92be74ea657b58976143fdf043e32a409ee9a5cabc8",
    ("standard@2", "b"): "45cbb28e9172103469558cb172d6d3485cc18bab9d36489455a1dc4b837f0d18",
    ("standard@2", "c"): "0af32585c550687cfc54dd6cae44d59a65def883de5343d691847d772491abc2",
}


@pytest.mark.parametrize("prompts", [LEGACY, *WORDINGS])
def test_the_question_stands_behind_the_text_and_in_a_sandwich_before_it_too(prompts: Prompts) -> None:
    seen = shown(make_row(), "closed_book")
    for sandwich in (False, True):
        user = prompts.answer(seen, QUESTION, sandwich=sandwich).user
        assert user.count(f"Question: {QUESTION}") == 1 + sandwich
        assert user.index(seen.text) < user.rindex(QUESTION)


def test_the_legacy_prompt_is_that_of_before_to_the_letter() -> None:
    texts = SETS["legacy@1"].texts("a")
    parts = [texts[name] for name in ("system", "candidates", "book", "log", "extract", "latest")]
    before = (
        "279c5ecc7899b66f43f1134f0c359880b93d716ba214a1dd064d268381ecb8cb"  # as runs of that time recorded it
    )
    assert hashlib.sha256("\x1f".join(parts).encode()).hexdigest() == before
    seen = Shown("candidates", "- [U000001] step=1 SET tag.01 = x", ())
    asked = f"Ledger lines:\n{seen.text}\n\nQuestion: {ASKED}"
    assert LEGACY.answer(seen, ASKED, most=3).user == asked
    assert LEGACY.answer(seen, ASKED, sandwich=True).user == f"Question: {ASKED}\n\n{asked}"


@pytest.mark.parametrize("prompts", WORDINGS)
@pytest.mark.parametrize("most", [0, 1, 3])
def test_the_form_is_told_once_and_as_the_grammar_has_it(prompts: Prompts, most: int) -> None:
    prompt = prompts.answer(shown(make_row(), "closed_book"), ASKED, most=most)
    told = prompt.user[prompt.user.rindex("Question: ") :]
    assert prompt.system.count("{") == 0
    assert told.count('{"value"') == 1
    assert ('"support_ids"' in told) is (most > 0)
    assert [int(n) for n in re.findall(r"\d", told.partition("\n")[2])] == [3] * (most == 3)


@pytest.mark.parametrize(
    ("question", "bare"),
    [
        (ASKED, QUESTION),
        (
            "What is the value of tag.10?\nReturn JSON with keys: value, support_ids.\nmax 3",
            "What is the value of tag.10?",
        ),
        ("A question\nof two lines?", "A question\nof two lines?"),
    ],
)
def test_the_form_that_a_row_tells_is_left_out(question: str, bare: str) -> None:
    assert bare_question(question) == bare


def test_worked_examples_are_right_and_cite_what_they_show() -> None:
    places = []
    for example in SETS[DEFAULT].examples:
        entries = parse_book(f"## State Ledger\n{example['lines']}")
        line = max((entry for entry in entries if entry.authoritative), key=lambda entry: entry.step)
        assert [line.uid] == example["support_ids"]
        assert (line.value or "").startswith(example.get("value", ""))
        places.append(entries.index(line))
    assert sorted(places) == [0, 1, 2], "no place among the lines is taught"


def test_worked_examples_are_shown_as_each_mode_answers() -> None:
    seen = shown(condition_row(candidates=[ENTRIES[3], ENTRIES[0]]), "closed_book")
    labels = {"U000004": "A", "U000001": "B"}
    one = Prompts(PromptChoice(SETS[DEFAULT], "a", 1))
    none = Prompts(PromptChoice(SETS[DEFAULT], "a", 0))
    assert json.dumps({"value": "coral-7731", "support_ids": ["UEA0002"]}) in one.answer(seen, ASKED).user
    assert 'Answer: {"value": "coral-7731"}' in one.answer(seen, ASKED, most=0).user
    assert "Thoughts: " in one.answer(seen, ASKED, reason=True).user
    assert "\nAnswer: B\n" in one.select(seen, ASKED, labels).user
    assert "\nAnswer: [UEA0002] step=9" in one.copy(seen, ASKED).user
    assert "Example" not in none.answer(seen, ASKED).user
    assert one.answer(seen, ASKED).user.endswith(none.answer(seen, ASKED).user)


def test_each_line_of_a_choice_stands_behind_its_letter_and_calibration_shows_nothing() -> None:
    seen = shown(condition_row(candidates=[ENTRIES[3], ENTRIES[0]]), "closed_book")
    prompts = Prompts(PromptChoice(SETS[DEFAULT], "a", 0))
    chosen = prompts.select(seen, ASKED, {"U000004": "A", "U000001": "B"})
    assert "A. [U000004] step=4 SET tag.00 = ochre-0004\nB. [U000001] step=1" in chosen.user
    empty = prompts.content_free("candidates", ["A", "B"])
    assert "A. N/A\nB. N/A\n\nQuestion: N/A\n" in empty.user
    assert empty.user.splitlines()[-1] == chosen.user.splitlines()[-1]


def test_in_the_second_version_a_letter_stands_for_the_id_and_nothing_else_is_different() -> None:
    seen = shown(condition_row(candidates=[ENTRIES[3], ENTRIES[0]]), "closed_book")
    labels = {"U000004": "A", "U000001": "B"}
    first, second = (Prompts(PromptChoice(SETS[label], "b", 2)) for label in ("standard@1", "standard@2"))
    before, chosen = first.select(seen, ASKED, labels), second.select(seen, ASKED, labels)
    assert "A. step=4 SET tag.00 = ochre-0004\nB. step=1" in chosen.user
    assert chosen.user == re.sub(r"\[\w+\] ", "", before.user)
    assert (chosen.system, chosen.shown.entries) == (before.system, before.shown.entries)
    for kind in ("answer", "copy"):
        assert getattr(second, kind)(seen, ASKED) == getattr(first, kind)(seen, ASKED)


def test_an_id_within_a_sentence_stays_where_a_letter_stands_before_it() -> None:
    told = Shown("candidates", "- On the 4th [U000004] the tag became ochre-0004.", ())
    second = Prompts(PromptChoice(SETS["standard@2"], "a", 0))
    assert "\nA. On the 4th [U000004] the" in second.select(told, ASKED, {"U000004": "A"}).user


def test_what_is_published_stays_as_it_is_sent() -> None:
    assert {
        (label, wording): Prompts(PromptChoice(each, wording, len(each.examples))).identity()["sha256"]
        for label, each in SETS.items()
        for wording in each.wordings
    } == PUBLISHED


def test_the_hash_tells_wordings_and_numbers_of_examples_apart() -> None:
    choices = [PromptChoice(SETS[DEFAULT], wording, shots) for wording in "abc" for shots in (0, 2)]
    assert len({Prompts(choice).identity()["sha256"] for choice in choices}) == 6


@pytest.mark.parametrize(
    ("settings", "field"),
    [
        ({"prompt": "standart@1"}, "prompt"),
        ({"wording": "d"}, "wording"),
        ({"prompt": "legacy@1", "wording": "b"}, "wording"),
        ({"shots": 4}, "shots"),
        ({"prompt": "legacy@1", "mode": "reason"}, "mode"),
    ],
)
def test_what_a_set_does_not_have_is_refused(settings: dict[str, str], field: str) -> None:
    with pytest.raises(SettingsError) as refused:
        LlamaSettings(**settings)
    assert list(refused.value.fields) == [field]


def test_models_and_servers_are_sent_the_same_unless_told_otherwise() -> None:
    assert LlamaSettings().prompt_choice == ServerSettings().prompt_choice
    assert LlamaSettings().prompt_choice.prompt_set.label == DEFAULT
