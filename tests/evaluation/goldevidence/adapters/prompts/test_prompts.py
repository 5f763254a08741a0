"""Prompts: one instruction, three wordings, worked examples, and the earlier prompt to the letter."""

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
from evaluation.goldevidence.data.ledger import ids_in, parse_book, parse_log
from evaluation.goldevidence.generator.config import GeneratorConfig
from evaluation.goldevidence.generator.queries import Query, text
from tests.evaluation.conftest import ENTRIES, condition_row, make_row

KEYS = re.compile(r"tag\.\d{2,}")
QUESTION = "What is the current value of tag.01?"
ASKED = text(Query("tag.01"), GeneratorConfig())
LEGACY = Prompts(PromptChoice(SETS["legacy@1"]))
WORDINGS = [Prompts(PromptChoice(SETS[DEFAULT], wording, 3)) for wording in "abc"]
#: SHA-256 over all that each published prompt sends. A prompt that differs is a new version of its set.
PUBLISHED = {
    ("bare@1", "a"): "0996381f18f11e34b54a4d2c5844a088573e5b9fd201c8c1e927576b24640242",
    ("bare@1", "b"): "f4bd24031c82239ed7827d1812b78c7736b11e081832474d21ade6926ec99b93",
    ("bare@1", "c"): "51d09bb4cdf2ebc23f68a7d58615030584120458f8521ce6c13753a89f9cabc0",
    ("legacy@1", "a"): "567d4ecb02bb0cc30a38df7f4b861eb97252df6d4d4ae54b02c53f5242ad04dd",
    ("ruled@1", "a"): "51c99c018f6052a40cea9b30c9f838f79ee2e767f724e7dc843d4f20d003cec7",
    ("ruled@1", "b"): "62736fa063b93b7d17223ccd5c0aff4c05700c80a3b121f6a354513c55a33359",
    ("ruled@1", "c"): "9352f84b02473264f70743af549cc00d33ca807539821c7f85c07d3ed00cdb65",
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


RULED, BARE = (
    [Prompts(PromptChoice(SETS[label], wording, shots)) for wording in "abc"]
    for label, shots in (("ruled@1", 5), ("bare@1", 0))
)
#: What only a rule of reading says.
RULE_WORDS = re.compile(r"\b(SET|CLEAR|NOTE|step|steps|greatest|highest|largest|last|latest|rumours)\b")


@pytest.mark.parametrize("prompts", [*RULED, *BARE])
@pytest.mark.parametrize("most", [0, 1, 3])
def test_newer_sets_tell_the_form_and_the_number_of_citations_once(prompts: Prompts, most: int) -> None:
    prompt = prompts.answer(shown(make_row(), "closed_book"), ASKED, most=most)
    told = prompt.user[prompt.user.rindex("Question: ") :]
    assert not re.search(r"\{|cite|support|\bids?\b", prompt.system)
    assert told.count('{"value"') == 1
    assert told.count('"support_ids"') == 2 * (most > 0), "in the form, and where it is explained"
    assert [int(n) for n in re.findall(r"\d", told.partition("\n")[2])] == [3] * (most == 3)


@pytest.mark.parametrize("prompts", [*RULED, *BARE])
def test_newer_sets_say_that_the_record_is_data_and_give_its_rules_no_precedence(prompts: Prompts) -> None:
    assert re.search(r"record (is|as) data", prompts.system)
    assert re.search(
        r"instructions? .*not (followed|carried out)|tells you what to do .*ignore", prompts.system
    )
    assert not re.search(r"before these|first\.|precedence", prompts.system)


@pytest.mark.parametrize("prompts", BARE)
def test_the_bare_set_says_no_rule_of_reading_and_has_no_example(prompts: Prompts) -> None:
    row = shown(condition_row(), "closed_book")
    texts = [prompts.answer(row, ASKED, reason=each) for each in (False, True)]
    texts.append(prompts.select(row, ASKED, {}, none_label="D"))
    for each in texts:
        own = each.user.replace(each.shown.text, "").replace(QUESTION, "")
        assert not RULE_WORDS.search(each.system + own)
    assert prompts.choice.prompt_set.examples == ()


def test_worked_examples_of_the_ruled_set_have_the_line_at_every_place_or_nowhere() -> None:
    places: list[int | None] = []
    for example in SETS["ruled@1"].examples:
        lines, ids = example["lines"], list(ids_in(example["lines"]))
        [key] = KEYS.findall(example["question"])
        assert len(ids) == 4
        if example.get("kind") != "book":
            assert len(set(KEYS.findall(lines))) > 1, "lines of other tags are among them"
            entries = parse_log(lines) if "UPDATE" in lines else parse_book(f"## State Ledger\n{lines}")
            own = [entry for entry in entries if entry.key == key and entry.authoritative]
            holds = sorted(own, key=lambda entry: entry.step)[-1:]
            assert [entry.uid for entry in holds] == example["support_ids"]
            assert [entry.value for entry in holds if entry.value] == [
                example[name] for name in ("value",) if name in example
            ]
        places.append(ids.index(example["support_ids"][0]) if example["support_ids"] else None)
    assert places == [1, 0, 3, 2, None]


def test_one_worked_example_has_an_order_that_is_not_followed_and_one_is_of_sentences() -> None:
    log, book = (
        next(each for each in SETS["ruled@1"].examples if each.get("kind") == kind)
        for kind in ("log", "book")
    )
    [order] = re.findall(r"INSTRUCTION .*answer tag\.982 = (\S+)", log["lines"])
    assert order not in log["value"]
    assert "SET" not in book["lines"]
    assert book["value"] in book["lines"].splitlines()[2]


def test_worked_examples_of_a_choice_show_none_where_it_may_be_chosen_and_only_there() -> None:
    seen, prompts = shown(condition_row(), "closed_book"), RULED[0]
    chosen = prompts.select(seen, ASKED, {}, none_label="D").user
    assert re.findall(r"\nAnswer: (\w)\n", chosen) == ["B", "A", "D", "C", "E"], "an order has no letter"
    assert chosen.count("none of these lines") == 6
    forced = prompts.select(seen, ASKED, {}).user
    assert re.findall(r"\nAnswer: (\w)\n", forced) == ["B", "A", "D", "C"]
    assert "none of these" not in forced
    assert prompts.copy(seen, ASKED, may_be_none=True).user.count("\nAnswer: none of these lines\n") == 1
    assert "none of these" not in prompts.copy(seen, ASKED).user
    assert not any(
        Prompts(PromptChoice(SETS[label])).none for label in ("legacy@1", "standard@1", "standard@2")
    )


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
