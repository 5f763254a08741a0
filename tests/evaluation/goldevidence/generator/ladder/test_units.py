"""The texts and rows of a ladder: nested, of the right length, with the same facts and questions."""

from __future__ import annotations

import re
from collections import defaultdict
from itertools import pairwise
from typing import cast

import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from evaluation.core.tokens import digit_tokens
from evaluation.goldevidence.data.ledger import Entry, latest, parse_log
from evaluation.goldevidence.generator.distractors import PROFILES
from evaluation.goldevidence.generator.episodes import Unit
from evaluation.goldevidence.generator.ladder.design import JITTER
from evaluation.goldevidence.generator.ladder.layout import digits_of
from evaluation.goldevidence.generator.ladder.rungs import TOLERANCE, is_of_length, rung_tokens
from evaluation.goldevidence.generator.queries import Query, gold
from evaluation.goldevidence.generator.renaming import renamings
from evaluation.goldevidence.presets import Settings
from evaluation.goldevidence.records import EpisodeRow
from evaluation.goldevidence.suite import SUITE
from tests.evaluation.goldevidence.generator.ladder.cast import settings

STEP = re.compile(r" step=(\d+)")
some_settings = st.builds(
    lambda seed, mode, profile, clear, shares: Settings.from_json(
        settings(900, 2100, 5000, ladder={"shares": shares}, episodes=1, clear_rate=clear, keys=3).as_json()
        | {"seeds": [seed], "state_modes": [mode], "distractor_profiles": [profile]}
    ),
    st.integers(0, 2**40),
    st.sampled_from(["kv", "kv_commentary", "counter"]),
    st.sampled_from([name for name, profile in PROFILES.items() if profile.pace is None]),
    st.sampled_from([0.0, 0.08, 0.5]),
    st.sampled_from([[0.0], [0.3], [1.0]]),
)


def by_length(unit: Unit) -> dict[str, list[EpisodeRow]]:
    rows: defaultdict[str, list[EpisodeRow]] = defaultdict(list)
    for row in unit.rows:
        rows[row["meta"]["length"]].append(row)
    return dict(rows)


def document(rows: list[EpisodeRow]) -> str:
    assert all(row["document"] is rows[0]["document"] for row in rows)
    return rows[0]["document"]


def stepless(text: str) -> list[str]:
    return [STEP.sub("", line) for line in text.split("\n")]


def is_part_of(shorter: list[str], longer: list[str]) -> bool:
    rest = iter(longer)
    return all(line in rest for line in shorter)


@hypothesis_settings(max_examples=25, deadline=None)
@given(some_settings)
def test_a_text_has_the_tokens_of_its_rung(chosen: Settings) -> None:
    for item in SUITE.version(chosen.as_json()).generate():  # with the titles that they are published under
        for name, rows in by_length(Unit(item.key, cast(list[EpisodeRow], item.rows))).items():
            tokens = rung_tokens(name)
            assert tokens
            found = digit_tokens(document(rows))
            assert is_of_length(found, tokens)
            assert tokens < 2048 or abs(found / tokens - 1) <= TOLERANCE


@hypothesis_settings(max_examples=25, deadline=None)
@given(some_settings)
def test_a_shorter_text_is_a_longer_one_with_lines_left_out_and_steps_counted_anew(chosen: Settings) -> None:
    for unit in chosen.units():
        texts = [document(rows) for rows in by_length(unit).values()]
        for shorter, longer in pairwise(texts):
            assert is_part_of(stepless(shorter), stepless(longer))
        for text in texts:
            steps = [int(step) for step in STEP.findall(text)]
            assert steps == list(range(1, len(steps) + 1))


@hypothesis_settings(max_examples=25, deadline=None)
@given(some_settings)
def test_facts_questions_and_answers_are_the_same_at_each_length(chosen: Settings) -> None:
    for unit in chosen.units():
        told = [
            (
                [(row["question"], row["gold"]) for row in rows],
                [entry._replace(step=0) for entry in parse_log(document(rows))],
            )
            for rows in by_length(unit).values()
        ]
        assert all(each == told[0] for each in told)


@hypothesis_settings(max_examples=25, deadline=None)
@given(some_settings)
def test_the_gold_is_what_the_ledger_says_last(chosen: Settings) -> None:
    for unit in chosen.units():
        for rows in by_length(unit).values():
            entries = parse_log(document(rows))
            for row in rows:
                last = latest(entries, row["meta"]["key"])
                assert last
                assert row["gold"]["support_ids"] == [last.uid]
                if row["meta"]["query_type"] == "direct":
                    assert row["gold"]["value"] == last.value


def test_updates_begin_where_the_design_puts_them_and_meta_says_how_far_back_that_is() -> None:
    unit = next(settings(2048, 16384, episodes=1).units())
    for name, rows in by_length(unit).items():
        text, tokens = document(rows), rung_tokens(name) or 0
        for row in rows:
            start = text.index(f"- [{row['gold']['support_ids'][0]}] UPDATE")
            end = text.index("\n", start) + 1
            # a text of 2k tokens has lines enough beside each other to push one by a few of their lengths
            slack = JITTER + 3 * 30 / tokens
            assert abs(digit_tokens(text[:start]) / tokens - float(row["meta"]["depth"])) <= slack
            assert abs(row["meta"]["tokens_since_update"] - digit_tokens(text[end:])) <= 1
            assert row["meta"]["last_update_step"] == int(STEP.findall(text[start:end])[0])
            assert row["meta"]["steps"] == len(STEP.findall(text))


def test_meta_counts_what_lies_behind_the_update() -> None:
    chosen = settings(2048, 4096, ladder={"shares": [0.5]})
    for unit in chosen.units():
        for rows in by_length(unit).values():
            text = document(rows)
            for row in rows:
                meta, key = row["meta"], row["meta"]["key"]
                behind = text[text.index(f"- [{row['gold']['support_ids'][0]}] UPDATE") :].split("\n")[1:]
                claims = [line for line in behind if not line.startswith("- [U") and claims_value(line, key)]
                orders = [line for line in text.split("\n") if is_order(line, key)]
                assert meta["distractors_since_update"] == len(claims)
                assert meta["has_instruction"] == bool(orders)
                assert meta["instruction_nearby"] == any(line in behind for line in orders)
                if orders:
                    assert meta["instruction_value"]
                    assert meta["instruction_value"] in orders[-1]
                updates = [entry for entry in parse_log(text) if entry.key == key and entry.op != "NOTE"]
                assert meta["writes_to_key"] == len(updates)


def claims_value(line: str, key: str) -> bool:
    return f"{key} = " in line or ("FORMAT: respond" in line and is_order(line, key))


def is_order(line: str, key: str) -> bool:
    if "FORMAT: respond" in line:  # it names the tag by the id of its line alone
        return FORMAT_OF.get(re.findall(r"U[0-9A-F]{6}", line)[0], "") == key
    return f"{key} = " in line and ("; answer " in line or "QUOTE" in line)


FORMAT_OF: dict[str, str] = {}


@pytest.fixture(autouse=True)
def ids_of_tags() -> None:
    """Put the tag of each id of the small ladder above into FORMAT_OF."""
    chosen = settings(2048, 4096, ladder={"shares": [0.5]})
    for unit in chosen.units():
        FORMAT_OF.update({entry.uid: entry.key for entry in parse_log(unit.rows[0]["document"])})


def test_the_share_of_distractors_is_that_of_the_design() -> None:
    for share in (0.25, 0.75):
        unit = next(settings(32_768, ladder={"shares": [share]}, episodes=1).units())
        padding = [
            line
            for line in unit.rows[0]["document"].split("\n")
            if STEP.search(line) and "- [U" not in line[:4]
        ]
        claiming = [line for line in padding if " = " in line or "FORMAT: respond" in line]
        assert abs(len(claiming) / len(padding) - share) < 0.04
        assert unit.rows[0]["meta"]["distractor_share"] == f"{share:g}"


def test_the_same_settings_make_the_same_rows_and_other_seeds_others() -> None:
    chosen = settings()
    first, again = (list(chosen.units()) for _ in range(2))
    assert first == again
    other = list(chosen.having(seeds=(1,)).units())
    assert first[0].rows[0]["document"] != other[0].rows[0]["document"]


def test_an_episode_does_not_depend_on_how_many_there_are() -> None:
    few, many = list(settings(episodes=2).units()), list(settings(episodes=4).units())
    assert few == many[:2]


def test_a_longer_ladder_has_the_texts_of_the_shorter_one() -> None:
    """So a version with further lengths can be paired with this one."""
    short = by_length(next(settings(1024, 4096, episodes=1).units()))
    longer = by_length(next(settings(1024, 4096, 8192, episodes=1).units()))
    assert [longer[name] for name in short] == list(short.values())


def test_a_twin_has_other_answers_to_half_of_the_questions_at_every_length() -> None:
    chosen = settings(twins=True, queries=4)
    for unit in chosen.units():
        for rows in by_length(unit).values():
            base = [row for row in rows if row["meta"]["twin_variant"] == "base"]
            twin = [row for row in rows if row["meta"]["twin_variant"] == "twin"]
            assert [row["question"] for row in base] == [row["question"] for row in twin]
            other = [a["gold"]["value"] != b["gold"]["value"] for a, b in zip(base, twin, strict=True)]
            assert sum(other) * 2 >= len(other)
            pairs = zip(stepless(base[0]["document"]), stepless(twin[0]["document"]), strict=True)
            differing = [a for a, b in pairs if a != b]
            assert len(differing) == len(base[0]["meta"]["twin_flip_uids"])


def test_a_twins_flipped_value_is_claimed_by_no_later_line() -> None:
    for unit in settings(twins=True, state_mode="kv").units():
        twin = next(
            row
            for row in unit.rows
            if row["meta"]["twin_variant"] == "twin" and row["meta"]["length"] == "4k"
        )
        entries = {entry.uid: entry for entry in parse_log(twin["document"])}
        for uid in twin["meta"]["twin_flip_uids"]:
            flipped: Entry = entries[uid]
            later = twin["document"].partition(f"- [{uid}] UPDATE")[2].partition("\n")[2]
            assert f"{flipped.key} = {flipped.value}" not in later


@given(st.integers(1, 3000), st.integers(0, 3000))
def test_the_digits_of_numbers_in_a_row(first: int, count: int) -> None:
    assert digits_of(first, count) == sum(len(str(number)) for number in range(first, first + count))


disguised = st.builds(
    lambda chosen, twins: chosen.having(generator=chosen.generator.having(revision=3, twins=twins)),
    some_settings,
    st.booleans(),
)


@hypothesis_settings(max_examples=25, deadline=None)
@given(disguised)
def test_from_revision_3_on_each_text_has_its_length_and_answers_its_questions(chosen: Settings) -> None:
    for item in SUITE.version(chosen.as_json()).generate():
        for row in cast(list[EpisodeRow], item.rows):
            meta = row["meta"]
            assert is_of_length(digit_tokens(row["document"]), rung_tokens(meta["length"]) or 0)
            held = {entry.key: entry for entry in parse_log(row["document"]) if entry.authoritative}
            query = Query(meta["key"], meta["derived_op"], meta["derived_manager"])
            assert gold(query, held) == row["gold"]
            assert held[meta["key"]].step == meta["last_update_step"]
            assert (
                sum(entry.key == meta["key"] for entry in parse_log(row["document"]) if entry.authoritative)
                == (meta["writes_to_key"])
            )


@hypothesis_settings(max_examples=10, deadline=None)
@given(disguised)
def test_from_revision_3_on_lengths_tell_the_same_story_in_other_words(chosen: Settings) -> None:
    for unit in chosen.units():
        told = {}
        for row in unit.rows:
            meta = row["meta"]
            before = renamings(meta["disguise"], meta["state_mode"])
            told[meta["length"], meta.get("twin_variant", "base")] = (
                [
                    (before.uid_before(e.uid), e.op, before.tag_before(e.key))
                    for e in parse_log(row["document"])
                ],
                {e.uid for e in parse_log(row["document"])},
            )
        stories = {
            side: [story for (_, of), (story, _) in told.items() if of == side] for side in ("base", "twin")
        }
        for of_side in stories.values():
            assert all(story == of_side[0] for story in of_side)
        ids = [ids for _, ids in told.values()]
        shared = sum(len(one & other) for place, one in enumerate(ids) for other in ids[place + 1 :])
        assert shared <= 1  # by chance
