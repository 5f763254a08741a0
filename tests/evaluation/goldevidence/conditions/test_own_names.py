"""Condition rows with their own names: shown lines and derived fields follow the renaming."""

from __future__ import annotations

from typing import Any

import pytest

from evaluation.goldevidence.conditions.rows import shown_entries
from evaluation.goldevidence.data.ledger import latest
from evaluation.goldevidence.generator.modes import MODES
from evaluation.goldevidence.generator.queries import Query, answer, read
from evaluation.goldevidence.suite import SUITE

SETTINGS: dict[str, Any] = {
    "generator": {"episodes": 3, "steps": 60, "keys": 8, "queries": 6, "revision": 3},
    "protocol": "closed",
    "conditions": [{"k": 4, "exact": True, "notes": 1, "drop_prob": 0.3, "spoof_rate": 0.5}],
}


@pytest.mark.parametrize("mode", MODES)
def test_the_gold_of_a_row_follows_from_its_lines(mode: str) -> None:
    shown = dropped = 0
    for item in SUITE.version(SETTINGS | {"state_modes": [mode]}).generate():
        for row in item.rows:
            if "candidates" not in row:
                continue
            asked, meta, gold = read(row["question"]), row["meta"], row["gold"]
            assert asked is not None
            assert (asked.key, asked.derived_op) == (meta["key"], meta["derived_op"])
            lines = {line["uid"]: line for line in row["candidates"]}
            assert set(gold["spoofed"]) <= set(lines)
            if gold["support_ids"][0] not in lines:
                dropped += 1
                continue
            shown += 1
            held = answer(Query(meta["key"], meta["derived_op"]), lines[gold["support_ids"][0]]["value"])
            assert held == gold["value"]
            if gold["present"] and not gold["spoofed"]:
                entry = latest(shown_entries(row), meta["key"])
                assert entry is not None
                assert [entry.uid] == gold["support_ids"]
    assert shown > dropped > 0


def test_a_note_that_quotes_an_update_quotes_its_own_names() -> None:
    quoting = [
        (line, remark)
        for item in SUITE.version(SETTINGS | {"state_modes": ["kv_commentary"]}).generate()
        for row in item.rows
        for line in row.get("candidates", ())
        if (remark := line.get("remark", "")).startswith("UPDATE")
    ]
    assert quoting
    for line, remark in quoting:
        assert remark == f"UPDATE step={line['step']} SET {line['key']} = {line['value']}"
