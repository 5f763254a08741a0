"""The grader's verdict on a reply to a task, through the whole path of an upload."""

from __future__ import annotations

from typing import Any

from evaluation.core.suite import Line
from evaluation.gym import Task
from evaluation.statebench.records import row_id


def line_of(task: Task, reply: str) -> dict[str, Any]:
    """The line of a predictions file that gives a reply."""
    if "timeline_id" in task.record:
        query = task.record["asked"][0]
        return {"timeline_id": task.record["timeline_id"], "query_idx": query, "response": reply}
    return {"id": task.row["id"], "output": reply}


def verdict_of(task: Task, reply: str) -> dict[str, Any]:
    """The row of a report over this reply alone; missing if the intake refuses it."""
    line, suite = line_of(task, reply), task.version.suite
    taken = suite.read_line(line, suite.expected([task.record], lines=True))
    report = task.version.grade([task.record], [line] if isinstance(taken, Line) else [])
    [verdict] = list(report.rows)
    assert verdict["id"] == suite.row_id(line) or verdict["id"] == row_id(*line.values())
    return verdict


def graded_total(task: Task, reply: str) -> float:
    """The worth of a reply by the grader's verdict, as `Score.total` is documented."""
    verdict = verdict_of(task, reply)
    if verdict.get("gold_present") is False:
        return float(verdict["abstained"])
    return float(verdict["correct"])
