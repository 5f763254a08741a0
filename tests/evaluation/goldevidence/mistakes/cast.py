"""Helpers for tests of mistakes: rows of small versions, and answers that go wrong in every way."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from evaluation.core import jsonl
from evaluation.core.rng import Stream
from evaluation.goldevidence.data.ledger import parse_book
from evaluation.goldevidence.suite import SUITE

SIZE = {"episodes": 2, "steps": 40, "queries": 5, "keys": 5, "chapters": 2, "note_rate": 0.3, "revision": 2}
CONDITIONS = [
    {"k": 3, "order": "shuffle", "drop_prob": 0.4, "spoof_rate": 0.4},
    {"k": 4, "order": "gold_first", "exact": True, "other_keys": 1},
]
#: What an answer may do.
ACTS = (
    "right", "right", "other line", "value alone", "unknown id", "null", "null and a line", "two lines", "made up",
    "cut off", "unreadable", "retrieved", "missed", "missed and silent",
)  # fmt: skip


def rows_of(mode: str = "kv_commentary", profile: str = "standard", seed: int = 0, **more: Any) -> list[Any]:
    """The rows of a small version, with gold: whole books, and candidates some of which lack their gold line."""
    chosen = {
        "state_modes": [mode],
        "distractor_profiles": [profile],
        "seeds": [seed],
        "conditions": CONDITIONS,
    }
    settings = SUITE.settings.checked({"protocol": "closed", "generator": SIZE, **chosen, **more})
    return [row for item in SUITE.version(settings).generate() for row in item.rows]


def lines_of(row: Any) -> list[Any]:
    """The lines that a row shows, as (uid, step, op, key, value)."""
    if row.get("candidates") is not None:
        return [
            tuple(line[name] for name in ("uid", "step", "op", "key", "value")) for line in row["candidates"]
        ]
    return list(map(tuple, parse_book(row["book"])))


def answer_of(row: Any, seed: int) -> Any:
    """A prediction that does one of `ACTS`."""
    stream = Stream("acts", seed, row["id"])
    act, lines, gold = ACTS[stream.below(len(ACTS))], lines_of(row), row["gold"]
    other = lines[stream.below(len(lines))] if lines else ("U0000F1", 1, "SET", "tag.00", "teal-0001")
    right = {"value": gold["value"], "support_ids": gold["support_ids"]}
    own = [line[0] for line in lines if line[0] not in gold["support_ids"]][:3]
    match act:
        case "right":
            said: dict[str, Any] = right
        case "other line":
            said = {"value": other[4], "support_ids": [other[0]]}
        case "value alone":
            said = {**right, "support_ids": []}
        case "unknown id":
            said = {**right, "support_ids": ["U0000F0"]}
        case "null":
            said = {"value": None, "support_ids": []}
        case "null and a line":
            said = {"value": None, "support_ids": [other[0]]}
        case "two lines":
            said = {**right, "support_ids": [*gold["support_ids"], other[0]]}
        case "made up":
            said = {"value": "mauve-0000", "support_ids": gold["support_ids"]}
        case "cut off":
            said = {"state": "cut_off"}
        case "unreadable":
            said = {"output": "I do not know."}
        case "retrieved":
            said = {**right, "shown_uids": [line[0] for line in lines]}
        case "missed":
            said = {"value": "mauve-0000", "support_ids": own[:1], "shown_uids": own}
        case _:
            said = {"value": None, "support_ids": [], "shown_uids": own}
    return {"id": row["id"], **said}


def written(folder: Path, rows: list[Any], answers: list[Any]) -> tuple[str, str]:
    """Write rows and answers to files; their paths."""
    data, predictions = str(folder / "rows.jsonl"), str(folder / "answers.jsonl")
    jsonl.write(data, rows)
    jsonl.write(predictions, answers)
    return data, predictions
