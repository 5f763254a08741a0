"""Shared helpers for grading tests: one episode, its questions, answers to them, and how they are graded."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from evaluation.core import jsonl
from evaluation.core.report import Report
from evaluation.goldevidence import grade_files

LEDGER = (
    "- [U000001] UPDATE step=1 SET tag.00 = cobalt-0001",
    "- [U000002] UPDATE step=2 SET tag.01 = jade-0002",
    "- [U000003] UPDATE step=3 SET tag.00 = amber-0003",
    "- [U000004] UPDATE step=4 NOTE tag.00 = teal-0004",
)
OLD, OTHER, GOLD, NOTE = "U000001", "U000002", "U000003", "U000004"
UNKNOWN = "U0000FF"


def document(lines: tuple[str, ...] = LEDGER) -> str:
    """An episode log."""
    return "\n".join(["# GoldEvidenceBench Episode E0001", "", "## Episode Log", *lines, ""])


def book(lines: tuple[str, ...] = LEDGER) -> str:
    """The book of an episode, its ledger alone."""
    return "\n".join(["# Book", "", "## State Ledger", *(line.replace("UPDATE ", "") for line in lines), ""])


def row(row_id: str = "E0001-Q001", *, lines: tuple[str, ...] = LEDGER, **changes: Any) -> dict[str, Any]:
    """A question about tag.00; `value` and `support_ids` change the gold, other names the meta."""
    gold = {"value": changes.pop("value", "amber-0003"), "support_ids": changes.pop("support_ids", [GOLD])}
    meta = {
        "requires_citation": True,
        "key": "tag.00",
        "q_index": 1,
        "state_mode": "kv_commentary",
        "query_type": "direct",
        "derived_op": None,
        "derived_manager": None,
        "has_instruction": False,
        "instruction_value": None,
    }
    return {
        "id": row_id,
        "episode_id": row_id.split("-")[0],
        "document": document(lines),
        "book": book(lines),
        "question": "What is the current value of tag.00?",
        "gold": gold,
        "meta": meta | changes,
    }


def shows(*lines: tuple[str, int, str, str | None]) -> dict[str, Any]:
    """The question of `row` with candidates instead of a book: (id, step, operation, value) each."""
    question = row("E0001-Q001@k1", condition="k1")
    del question["document"], question["book"]
    fields = ("uid", "step", "op", "value")
    candidates = [{"key": "tag.00"} | dict(zip(fields, line, strict=True)) for line in lines]
    return question | {"candidates": candidates}


def says(value: Any, *cited: str, row_id: str = "E0001-Q001") -> dict[str, Any]:
    """A prediction."""
    return {"id": row_id, "value": value, "support_ids": list(cited)}


def graded(folder: Path, rows: list[Any], predictions: list[Any], **options: Any) -> Report:
    """The report of rows and predictions, through files."""
    jsonl.write(folder / "data.jsonl", rows)
    jsonl.write(folder / "pred.jsonl", predictions)
    return grade_files(folder / "data.jsonl", folder / "pred.jsonl", **options)
