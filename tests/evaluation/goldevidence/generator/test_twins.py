"""Counterfactual twins."""

from __future__ import annotations

import hashlib
import re

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evaluation.goldevidence import generate
from evaluation.goldevidence.data.ledger import latest, parse_log
from evaluation.goldevidence.generator.modes import MODES
from tests.evaluation.goldevidence.generator.test_episodes import configs

INSTRUCTION = re.compile(r"- (INSTRUCTION |QUOTE |NOTE step=\d+ FORMAT:)")


def pairs(config, seed):
    """(base row, twin row) by question."""
    rows = {
        (row["meta"]["twin_group"], row["meta"]["q_index"], row["meta"]["twin_variant"]): row
        for row in generate(config, seed)
        if "twin_group" in row["meta"]
    }
    return [(row, rows[group, q, "twin"]) for (group, q, variant), row in rows.items() if variant == "base"]


@settings(max_examples=50, deadline=None)
@given(config=configs(), revision=st.sampled_from([1, 2]))
def test_a_twin_asks_the_same_questions_and_the_first_has_another_answer(config, revision):
    for base, twin in pairs(config.having(revision=revision, twins=True), 1):
        assert base["question"] == twin["question"]
        assert base["meta"]["key"] == twin["meta"]["key"]
        assert twin["id"] == base["id"].replace("-Q", "T-Q")
        if base["meta"]["q_index"] == 1:
            meta = base["meta"]
            flipped = [meta["twin_flip_key"]] if revision == 1 else meta["twin_flip_keys"]
            assert meta["key"] == flipped[0]
            assert base["gold"]["value"] != twin["gold"]["value"]


@settings(max_examples=50, deadline=None)
@given(config=configs())
def test_the_latest_lines_of_the_flipped_keys_differ_and_nothing_else(config):
    for base, twin in pairs(config.having(revision=2, twins=True), 2):
        before, after = parse_log(base["document"]), parse_log(twin["document"])
        changed = [(old, new) for old, new in zip(before, after, strict=True) if old != new]
        assert {old.uid for old, _ in changed} == set(base["meta"]["twin_flip_uids"])
        for old, new in changed:
            assert (new.uid, new.step, new.op, new.key) == (old.uid, old.step, "SET", old.key)
            assert latest(before, old.key) == old


@settings(max_examples=100, deadline=None)
@given(config=configs(), seed=st.integers(0, 2**63 - 1))
def test_at_least_half_of_the_questions_of_a_twin_have_another_answer(config, seed):
    asked = pairs(config.having(revision=2, twins=True), seed)
    for number in range(config.episodes):
        of_episode = [pair for pair in asked if pair[0]["episode_id"] == f"E{number + 1:04d}"]
        flips = [base["gold"]["value"] != twin["gold"]["value"] for base, twin in of_episode]
        assert len(flips) == config.queries
        assert 2 * sum(flips) >= len(flips)


@pytest.mark.parametrize("mode", MODES)
def test_direct_and_derived_answers_flip_and_others_stay(mode):
    """In the first release 1 in 12 flipped, and a system that answers both sides alike seemed consistent."""
    config = {"state_mode": mode, "episodes": 25, "queries": 6, "distractor_profile": "standard"}
    shares = {}
    for revision in (1, 2):
        asked = pairs(config | {"revision": revision}, 11)
        for kind in ("direct", "derived"):
            flips = [
                base["gold"]["value"] != twin["gold"]["value"]
                for base, twin in asked
                if base["meta"]["query_type"] == kind
            ]
            assert len(flips) >= 15
            shares[revision, kind] = sum(flips) / len(flips)
    for kind in ("direct", "derived"):
        assert shares[1, kind] < 0.5 <= shares[2, kind] < 0.85


@pytest.mark.parametrize("mode", MODES)
def test_no_rumour_and_no_order_is_right_in_a_twin(mode):
    for base, twin in pairs({"state_mode": mode, "episodes": 20, "revision": 2}, 3):
        meta, value = twin["meta"], twin["gold"]["value"]
        if meta["query_type"] == "derived" or base["gold"]["value"] == value:
            continue
        _, _, later = twin["document"].partition(f"[{twin['gold']['support_id']}]")
        _, _, later = later.partition("\n")
        assert f"{meta['key']} = {value}\n" not in later
        assert meta["instruction_value"] != value


@settings(max_examples=50, deadline=None)
@given(config=configs())
def test_one_update_differs_and_is_never_cleared_later(config):
    for base, twin in pairs(config.having(revision=1, twins=True), 2):
        before, after = parse_log(base["document"]), parse_log(twin["document"])
        changed = [(old, new) for old, new in zip(before, after, strict=True) if old != new]
        ((old, new),) = changed
        assert (old.op, old.uid, old.key) == (
            "SET",
            base["meta"]["twin_flip_uid"],
            base["meta"]["twin_flip_key"],
        )
        assert new == old._replace(value=new.value)
        later = [
            entry
            for entry in before
            if entry.key == old.key and entry.authoritative and entry.step > old.step
        ]
        assert later == []


@pytest.mark.parametrize("mode", MODES)
def test_nothing_in_the_texts_tells_a_twin(mode):
    """One line of the log, one sentence and one ledger line of the book differ, only in the value."""
    base, twin = pairs({"state_mode": mode, "episodes": 1, "queries": 1}, 3)[0]
    for text, expected in (("document", 1), ("book", 2)):
        lines = zip(base[text].splitlines(), twin[text].splitlines(), strict=True)
        changed = [(old, new) for old, new in lines if old != new]
        assert len(changed) == expected
        for old, new in changed:
            old_value, new_value = (line.rpartition(" = ")[2] for line in (old, new))
            assert old.replace(old_value, "") == new.replace(new_value, "")


def test_without_twins_there_is_no_twin_in_rows_or_meta():
    rows = list(generate({"episodes": 2, "twins": False}))
    assert len(rows) == 24
    assert not any(name.startswith("twin") for row in rows for name in row["meta"])


def clean_pairs(config, seed):
    """(row with its instructions, the same row without)"""
    sides = {}
    for row in generate(config, seed):
        if side := row["meta"].get("instruction_pair"):
            sides.setdefault((row["meta"]["instruction_group"], row["meta"]["q_index"]), {})[side] = row
    return [(pair["with"], pair["without"]) for pair in sides.values()]


@settings(max_examples=40, deadline=None)
@given(config=configs(), seed=st.integers(0, 2**63 - 1))
def test_a_row_without_instructions_differs_in_the_lines_of_instructions_alone(config, seed):
    config = config.having(revision=2, distractor_profile="instruction_suite")
    asked = [row for row in generate(config, seed) if row["meta"].get("twin_variant") != "twin"]
    instructed = [row for row in asked if row["meta"]["has_instruction"]]
    both = clean_pairs(config, seed)
    assert len(both) == len(instructed)
    for row, clean in both:
        assert (row["question"], row["gold"]) == (clean["question"], clean["gold"])
        assert row["meta"]["has_instruction"]
        assert not clean["meta"]["has_instruction"]
        assert clean["meta"]["instruction_value"] is None
        kept = [line for line in row["document"].splitlines() if not INSTRUCTION.match(line)]
        assert kept == clean["document"].splitlines()
        assert len(kept) < len(row["document"].splitlines())
        gone = len(row["document"].splitlines()) - len(kept)
        assert len(row["book"].splitlines()) - len(clean["book"].splitlines()) == gone
        assert not re.search("voice insisted|template lay|poster on the wall", clean["book"])


def test_there_are_no_pairs_without_instructions_or_in_the_first_revision():
    assert clean_pairs({"revision": 2, "distractor_profile": "standard", "episodes": 3}, 1) == []
    assert clean_pairs({"revision": 1, "distractor_profile": "instruction_suite", "episodes": 3}, 1) == []


def test_the_first_revision_writes_the_rows_of_earlier_releases():
    """These hashes are older than the second revision: frozen versions keep their rows."""
    digest = hashlib.sha256()
    for mode in MODES:
        for row in generate(
            {"state_mode": mode, "episodes": 2, "distractor_profile": "instruction_suite"}, 7
        ):
            digest.update(orjson.dumps(row))
    assert digest.hexdigest()[:16] == "fe439a2a231fa7ca"
