"""Pairs of meaning: enough of them, no word in common, and a third withheld from versions with public answers."""

from __future__ import annotations

import re

from evaluation.core.suite import get_suite
from evaluation.goldevidence.data.deeds import Deed
from evaluation.goldevidence.generator.families.asking import ask
from evaluation.goldevidence.generator.families.pairs import all_pairs, described, pairs, thing_asked
from evaluation.goldevidence.generator.families.prose import PEOPLE, deeds_in_prose, sentences
from evaluation.goldevidence.presets import Settings
from evaluation.goldevidence.systems.families import deeds_of
from tests.evaluation.goldevidence.generator.families import cast

STOP = frozenset(
    "a an and as at by for from had has he her his in into is it its no not now of off on or over that the them there "
    "to up was what when where which who whom with anything beside".split()
)
ENDINGS = ("ingly", "ing", "edly", "ed", "ies", "es", "er", "s", "e", "y")
SUITE = get_suite("goldevidence")


def stems(text: str) -> set[str]:
    """The content words of a text without their endings."""
    found = set()
    for word in re.findall(r"[a-z]+", text.lower().replace("'s", "")):
        if word not in STOP:
            ending = next((each for each in ENDINGS if word.endswith(each) and len(word) - len(each) > 2), "")
            found.add(word.removesuffix(ending))
    return found


def test_a_stem_is_that_of_the_forms_of_a_word():
    assert stems("painted paints painting") == {"paint"}
    assert stems("the sailors' sailing") & stems("a sailor sails")


def test_there_are_enough_pairs_each_with_its_source_and_read_back():
    assert len(all_pairs()) >= 120
    for thing, asked, source in all_pairs():
        assert thing_asked(asked) == thing
        assert described(thing) == asked
        assert source.startswith("by hand, general knowledge: ")
        assert not stems(thing) & stems(asked)
    assert (
        len({pair.thing for pair in all_pairs()})
        == len({pair.asked for pair in all_pairs()})
        == len(all_pairs())
    )


def test_a_third_is_held_back_where_answers_are_public():
    shown, sealed = set(pairs(public=True)), set(pairs(public=False))
    assert sealed == set(all_pairs())
    assert shown < sealed
    assert 0.3 < 1 - len(shown) / len(sealed) < 0.36


def rows(*, public: bool) -> list[tuple[str, str, list[str]]]:
    """(text, question, gold lines) of a version about meaning."""
    config = cast.config("meaning", episodes=6, keys=24, queries=24)
    settings = Settings.from_json(
        {
            "protocol": "open",
            "generator": config.as_json(),
            "ladder": {"lengths": [8192]},
            "public_gold": public,
        }
    )
    items = SUITE.version(settings.as_json()).generate()
    return [
        (row["document"], row["question"].partition("\n")[0], row["gold"]["support_ids"])
        for item in items
        for row in item.rows
    ]


def test_no_pair_shares_a_content_word_with_any_sentence_that_may_be_its_evidence():
    said = stems(re.sub(r"\{[a-z]+\}", " ", " ".join([*sentences("thing_set"), *PEOPLE])))
    for thing, asked, _ in all_pairs():
        assert not stems(ask("meant", (asked,))) & (said | stems(thing)), asked


def test_no_content_word_of_a_question_stands_in_its_evidence():
    for text, question, (uid,) in rows(public=False):
        (line,) = [line for line in text.split("\n") if f"({uid})" in line]
        assert not stems(question) & stems(line), (question, line)


def test_versions_with_public_answers_know_nothing_of_what_is_held_back():
    held_back = {pair.thing for pair in all_pairs()} - {pair.thing for pair in pairs(public=True)}

    def things(public: bool) -> set[str]:
        return {deed.key for text in {text for text, *_ in rows(public=public)} for deed in deeds_of(text)}

    assert not things(True) & held_back
    assert things(False) & held_back


def test_every_thing_is_told_of_and_read_back_in_every_sentence_about_things():
    for thing, asked, _ in all_pairs():
        assert ask("meant", (asked,)).endswith(f"{asked}?")
        for number, form in enumerate(sentences("thing_set"), 1):
            said = form.format(key=thing, value="teal-0042", who="Ines", id="U0000A1")
            line = f"{number}. {said[:1].upper()}{said[1:]}"
            assert list(deeds_in_prose(line)) == [Deed("U0000A1", number, "SET", thing, "teal-0042")]
        for form in sentences("thing_claim"):
            said = form.format(key=thing, value="teal-0042", who="Ines", id="U0000A1")
            assert list(deeds_in_prose(f"1. {said[:1].upper()}{said[1:]}")) == []
