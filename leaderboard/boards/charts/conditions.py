"""Conditions of a version beside the figures a score has for them."""

from __future__ import annotations

from typing import Any

from leaderboard.boards.charts.figure import Subject

Condition = dict[str, Any]


def conditions(subject: Subject) -> list[tuple[Condition, dict[str, Any] | None]]:
    """(settings, figures) of every condition of the version, in its order; figures None where not reported."""
    figures = subject.group("condition")
    return [
        (condition, figures.get(condition["name"]))
        for condition in subject.version.settings.get("conditions", [])
    ]


def family(condition: Condition, *, without: str) -> str:
    """What a condition shares with those that differ from it in one setting only, in words."""
    parts = {
        "retriever": "" if condition.get("retriever", "key") == "key" else condition["retriever"],
        "k": f"k = {condition['k']}",
        "order": condition["order"].replace("_", " "),
        "wrong_type": ""
        if condition["wrong_type"] == "same_key"
        else condition["wrong_type"].replace("_", " "),
        "drop": f"drop {condition['drop_prob']:g}" if condition.get("drop_prob") else "",
        "spoof": f"spoofed {condition['spoof_rate']:g}" if condition.get("spoof_rate") else "",
    }
    return ", ".join(text for name, text in parts.items() if text and name != without)
