"""Converts facts, writes, notes and ground truths to the format of a release."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from evaluation.statebench.facts.authority import Level, level
from evaluation.statebench.interchange import release as words
from evaluation.statebench.interchange.changes import Changes, moment
from evaluation.statebench.interchange.release import Release
from evaluation.statebench.records import Fact, GroundTruth, WorkingItem, Write

#: Level -> authority in the releases, for titles they lack.
_AUTHORITY = {
    Level.POLICY: "executive",
    Level.MANAGER: "manager",
    Level.EMPLOYEE: "peer",
    Level.GUEST: "unverified",
}
_BOTH = (
    "id",
    "key",
    "value",
    "source",
    "scope",
    "supersedes",
    "depends_on",
    "is_constraint",
    "constraint_type",
)
_WRITE = (*_BOTH, "layer")
_FACT = (*_BOTH, "ts", "superseded_by", "is_valid", "derived_facts")
_TRUTH = (
    "decision",
    "decision_type",
    "must_mention",
    "must_not_mention",
    "allowed_sources",
    "reasoning",
    "required_facts",
    "forbidden_facts",
    "supersession_detection",
    "failure_severity",
    "failure_category",
    "weights",
)
_APPLICABILITY = ("expected_applicability", "transferable_principle", "obsolete_details")
#: Id of a write without one, as in the releases.
NO_ID = "W-AUTO"


def fact(data: Fact, changes: Changes) -> dict[str, Any]:
    """Convert a fact of the initial state to the format of the release. Raises RowError for an invalid time."""
    shaped = _shared(changes.only(data, _FACT, "a fact"), "a fact", changes)
    return shaped | {"ts": moment(data["ts"], f"fact {data['id']!r}")}


def write(data: Write, changes: Changes) -> dict[str, Any] | None:
    """Convert a write to the format of the release. Returns None for a layer that the release cannot write to."""
    if data["layer"] not in words.LAYERS:
        changes.lost[f"a write to the layer {data['layer']!r}, which changes nothing"] += 1
        return None
    return _shared(changes.only(data, _WRITE, "a write"), "a write", changes)


def note(data: WorkingItem, changes: Changes) -> dict[str, Any]:
    kept = changes.only(data, ("item_type", "content", "ts", "priority"), "a note")
    kind = changes.word(data.get("item_type"), words.ITEM_TYPES, "type of a note", "context")
    return kept | {"item_type": kind, "ts": moment(data["ts"], "a note")}


def truth(data: GroundTruth, release: Release, changes: Changes) -> dict[str, object]:
    names = (*_TRUTH, *_APPLICABILITY) if release.kinds else _TRUTH
    shaped = changes.only(data, names, "a ground truth")
    shaped["decision"] = changes.text(data["decision"], "decision of a ground truth")
    for name in ("must_mention", "must_not_mention"):
        shaped[name] = [_mention(item, release, changes) for item in data[name]]
    listed = (
        ("decision_type", words.DECISION_TYPES, "freeform"),
        ("failure_severity", words.SEVERITIES, "medium"),
    )
    for name, known, otherwise in listed:
        if name in shaped:
            shaped[name] = changes.word(shaped[name], known, f"{name} of a ground truth", otherwise)
    if data.get("failure_category") not in (None, *words.CATEGORIES):
        changes.lost[f"failure_category {data['failure_category']!r} of a ground truth"] += 1
        shaped["failure_category"] = None
    if weights := data.get("weights"):
        shaped["weights"] = changes.only(weights, words.WEIGHTS, "weights of a ground truth")
    if "required_facts" in data:  # ours is a list of ids, theirs of objects
        facts = data["required_facts"]
        shaped["required_facts"] = [{"fact_id": item} if isinstance(item, str) else item for item in facts]
    if detection := data.get("supersession_detection"):
        shaped["supersession_detection"] = {"detection_evidence": "", **detection}
    return shaped


def _shared(shaped: dict[str, Any], of: str, changes: Changes) -> dict[str, object]:
    if not isinstance(shaped.get("id"), str):
        changes.filled[f"id of {of}"] += 1
        shaped["id"] = NO_ID
    shaped["value"] = changes.text(shaped["value"], f"value of {of}")
    shaped["source"] = _source(shaped.get("source") or {}, of, changes)
    if "scope" in shaped:  # kinds of place that the releases lack become a task
        shaped["scope"] = changes.word(shaped["scope"] or "global", words.SCOPES, f"scope of {of}", "task")
    if (kind := shaped.get("constraint_type")) not in (None, *words.CONSTRAINT_TYPES):
        # Ours names what is limited, theirs how strict the limit is; ours can be derived from the fact again.
        changes.lost[f"constraint_type {kind!r} of {of}"] += 1
        shaped |= {"is_constraint": True, "constraint_type": None}
    for name in ("depends_on", "derived_facts"):
        if name in shaped:
            shaped[name] = list(shaped[name] or ())
    return shaped


def _source(data: Mapping[str, object], of: str, changes: Changes) -> dict[str, Any]:
    shaped = changes.only(data, ("type", "identity", "authority"), f"the source of {of}")
    if not data:
        changes.filled[f"source of {of}"] += 1
    kind = changes.word(data.get("type"), words.SOURCE_TYPES, f"source type of {of}", "user")
    authority = changes.word(
        data.get("authority") or "peer",
        words.AUTHORITIES,
        f"source authority of {of}",
        lambda title: _AUTHORITY[level(title)],
    )
    return {"identity": None, **shaped, "type": kind, "authority": authority}


def _mention(item: Any, release: Release, changes: Changes) -> str | dict[str, object]:
    if isinstance(item, str):
        return item
    names = ("phrase", "alternatives", "is_regex", "rationale", *(("kind",) if release.kinds else ()))
    shaped = changes.only(item, names, "a mention")
    shaped["alternatives"] = list(item.get("alternatives") or ())
    if release.kinds:
        shaped["kind"] = changes.word(
            item.get("kind") or "other", words.MENTION_KINDS, "kind of a mention", "other"
        )
    return shaped
