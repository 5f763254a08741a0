"""Removes phrases and right decisions from the verdicts that are shown while the ground truth is secret."""

from __future__ import annotations

from collections.abc import Iterator
from typing import cast

from evaluation.core.records import ShownVerdict
from evaluation.core.row_states import REASONS
from evaluation.statebench.data.truth import FABRICATED, OTHER, RESTRICTED, SUPERSEDED
from evaluation.statebench.grading.typed.judge import FREE_TEXT_ONLY
from evaluation.statebench.records import QueryVerdict, TypedVerdict

#: Fields that reveal nothing of the ground truth.
OF_A_ROW = frozenset(
    {
        "id",
        "unit",
        "condition",
        "correct",
        "failure",
        "timeline_id",
        "query_idx",
        "track",
        "difficulty",
        "domain",
        "length",
        "span",
    }
)
#: Fields that contain phrases of the ground truth.
PHRASES = frozenset({"kinds", "skipped", "negated", "reason"})
#: Code of a failure -> reason of a missing response.
_SILENCES: dict[str, str] = {state.value: reason for state, reason in REASONS.items()}
KINDS = {
    SUPERSEDED: "a superseded fact",
    RESTRICTED: "a restricted fact",
    FABRICATED: "an invented fact",
    OTHER: "something off the topic",
}


def redact(verdict: QueryVerdict, *, own: bool) -> ShownVerdict:
    """Return the fields of a verdict that may be shown, and add a reason that does not reveal the ground truth.

    The submitter (`own`) sees all fields except phrases. Other readers see a few general fields, and also a response in
    free text that is wrong, has no required phrase, and says neither yes nor no.
    """
    wrong = bool(verdict["failure"]) and not verdict["decision_correct"] and "1" not in verdict["mm"]
    wrong = wrong and verdict["actual_decision"] is None and "typed" not in verdict
    kept = set(verdict) - PHRASES if own else set(OF_A_ROW) | ({"response"} if wrong else set())
    shown = {name: value for name, value in verdict.items() if name in kept}
    return cast(ShownVerdict, shown | ({"reason": reason} if (reason := _reason(verdict)) else {}))


def _reason(verdict: QueryVerdict) -> str:
    if "typed" in verdict and verdict["response"]:
        return "; ".join(_typed_reasons(verdict, verdict["typed"]))
    if verdict["failure"] is None:
        return ""
    if verdict["response"] is None or not verdict["response"].strip():
        return _SILENCES.get(verdict["failure"], "there is no response")
    parts = [] if verdict["decision_correct"] else ["its decision is wrong"]
    if missed := verdict["mm"].count("0"):
        held = len(verdict["mm"])
        what = f"{missed} of the {held} required phrases" if held > 1 else "the required phrase"
        parts.append(f"it does not mention {what}")
    parts += [f"it mentions {KINDS.get(kind, kind)}" for kind in verdict["kinds"]]
    if "1" in verdict["mnm"] and not verdict["kinds"]:
        parts.append("it mentions a forbidden phrase")
    return "; ".join(parts)


def _typed_reasons(verdict: QueryVerdict, typed: TypedVerdict) -> Iterator[str]:
    if not typed["answered"]:
        yield FREE_TEXT_ONLY
    elif not verdict["decision_correct"]:
        yield "its decision is wrong"
    if verdict["kinds"]:
        yield "it cites superseded evidence" if typed["evidence"] == "dead" else "its value is superseded"
    if typed["note"]:
        yield typed["note"]
