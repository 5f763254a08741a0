"""Distractor profiles: the traps they add, none of which is true."""

from __future__ import annotations

import re

import pytest

from evaluation.goldevidence import generate
from evaluation.goldevidence.data.ledger import parse_log
from evaluation.goldevidence.generator.modes import MODES


def test_profiles_lay_the_traps_they_name():
    marks = {
        "easy": set(),
        "standard": set(),
        "adversarial": {"STALE", "SUMMARY"},
        "instruction": {"INSTRUCTION", "FORMAT", "SUMMARY"},
        "instruction_suite": {"INSTRUCTION", "FORMAT", "SUMMARY", "QUOTE"},
    }
    for profile, expected in marks.items():
        document = next(generate({"episodes": 1, "distractor_profile": profile}))["document"]
        matches = set(re.findall(r"STALE|SUMMARY|INSTRUCTION|FORMAT|QUOTE", document))
        assert matches == expected, profile


@pytest.mark.parametrize("mode", MODES)
def test_no_trap_tells_the_truth_when_it_is_laid(mode):
    """A decoy never has the key's value at that line."""
    for row in generate(
        {"state_mode": mode, "distractor_profile": "instruction_suite", "episodes": 2, "twins": False}
    ):
        held: dict[str, str | None] = {}
        for line in row["document"].splitlines():
            if entry := next(iter(parse_log(line)), None):
                if entry.authoritative:
                    held[entry.key] = entry.value
            elif claim := re.search(r"(tag\.\d+) = ([^\s\"]+?)\.?(?:\s|$)", line):
                assert held.get(claim[1]) != claim[2], line


def test_odd_tags_are_never_ordered_about():
    for row in generate({"distractor_profile": "instruction_suite", "episodes": 3}):
        if row["meta"]["key"][-1] in "13579":
            assert not row["meta"]["has_instruction"]


def test_easy_distractors_name_only_the_key_just_written():
    for row in generate({"distractor_profile": "easy", "episodes": 2}):
        for entry in parse_log(row["document"]):
            matches = re.findall(rf"^- DISTRACTOR step={entry.step} (tag\.\d+)", row["document"], re.M)
            assert set(matches) <= {entry.key}
