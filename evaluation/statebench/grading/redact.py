"""What of a verdict may be told where a version withholds its ground truth: no phrase of it, and no right decision."""

from __future__ import annotations

from collections.abc import Iterator
from typing import cast

from evaluation.core.records import ShownVerdict
from evaluation.core.row_states import REASONS
from evaluation.statebench.data.truth import FABRICATED, OTHER, RESTRICTED, SUPERSEDED
from evaluation.statebench.grading.typed.judge import FREE_TEXT_ONLY
from evaluation.statebench.records import QueryVerdict, TypedVerdict

#: What says nothing of the ground truth.
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
#: What names its phrases.
PHRASES = frozenset({"kinds", "skipped", "negated", "reason"})
#: Why there is no response, by the code of the failure.
_SILENCES: dict[str, str] = {state.value: reason for state, reason in REASONS.items()}
KINDS = {
    SUPERSEDED: "what was superseded",
    RESTRICTED: "what is restricted",
    FABRICATED: "what was never said",
    OTHER: "what is off the topic",
}


def redact(verdict: QueryVerdict, *, own: bool) -> ShownVerdict:
    """What of a verdict may be told.

    Args:
        verdict: The verdict on one response.
        own: Whether it is told to its sender, who sees all but phrases. Others see a response that is wrong and holds
            no phrase it should hold. A wrong yes or no is not shown to them: it would be as good as the right one. Nor
            is anything that is graded by a typed rubric, of which no phrase tells how much of it is right.

    Returns:
        The fields that may be told, with a reason that has no word of the ground truth.
    """
    wrong = bool(verdict["failure"]) and not verdict["decision_correct"] and "1" not in verdict["mm"]
    wrong = wrong and verdict["actual_decision"] is None and "typed" not in verdict
    kept = set(verdict) - PHRASES if own else set(OF_A_ROW) | ({"response"} if wrong else set())
    shown = {name: value for name, value in verdict.items() if name in kept}
    return cast(ShownVerdict, shown | ({"reason": reason} if (reason := _reason(verdict)) else {}))


def _reason(verdict: QueryVerdict) -> str:
    """Why a response is not perfect, without a word of the ground truth."""
    if "typed" in verdict and verdict["response"]:
        return "; ".join(_typed_reasons(verdict, verdict["typed"]))
    if verdict["failure"] is None:
        return ""
    if verdict["response"] is None or not verdict["response"].strip():
        return _SILENCES.get(verdict["failure"], "there is no response")
    parts = [] if verdict["decision_correct"] else ["its decision is not the right one"]
    if missed := verdict["mm"].count("0"):
        held = len(verdict["mm"])
        what = f"{missed} of the {held} phrases" if held > 1 else "the phrase"
        parts.append(f"it lacks {what} that it has to hold")
    parts += [f"it mentions {KINDS.get(kind, kind)}" for kind in verdict["kinds"]]
    if "1" in verdict["mnm"] and not verdict["kinds"]:
        parts.append("it mentions what it must not")
    return "; ".join(parts)


def _typed_reasons(verdict: QueryVerdict, typed: TypedVerdict) -> Iterator[str]:
    if not typed["answered"]:
        yield FREE_TEXT_ONLY
    elif not verdict["decision_correct"]:
        yield "its decision is not the right one"
    if verdict["kinds"]:
        yield "it cites what no longer holds" if typed["evidence"] == "dead" else "its value no longer holds"
    if typed["note"]:
        yield typed["note"]
