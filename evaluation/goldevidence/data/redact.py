"""What of a verdict may be told where a version withholds its gold."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

#: What says nothing of the answer. The sentences of `failures` never name the gold.
OF_A_ROW = frozenset({"id", "unit", "condition", "correct", "failure", "reason"})


def redact(verdict: Mapping[str, Any], *, own: bool) -> dict[str, Any]:
    """Its sender sees all but the gold. Others see a wrong value, and citations of which none is a gold line."""
    if own:
        return {name: value for name, value in verdict.items() if name != "gold"}
    kept = set(OF_A_ROW)
    if not verdict.get("value_ok", True):
        kept.add("value")
        golds = verdict.get("gold", {}).get("support_ids", ())
        if not set(verdict["cited"]) & set(golds):
            kept.add("cited")
    return {name: value for name, value in verdict.items() if name in kept}
