"""Requirements of the specification, the vectors that test each of them, and how vectors decide a requirement."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, NotRequired, TypedDict, cast

Whole = Mapping[str, Sequence[str]]  # vector -> requirements it shows
NOTHING_MORE: Whole = MappingProxyType({})

REQUIREMENTS: dict[str, str] = {
    "L1": "Four separate layers, each with its own way to read and write",
    "L2": "Who asks is set once, read-only, and decides what may be shown",
    "L3": "A fact has every field of the schema, and holds any JSON value",
    "L4": "The source of a fact tells its type, and the turn or authority that it comes from",
    "L5": "Working-set items live for a session and never become facts",
    "L6": "The environment keeps the freshest value and is not changed by what is said",
    "S1": "Facts are created, read or superseded, never deleted or edited",
    "S2": "A supersession links old and new, and the chain can be followed",
    "S3": "Only valid facts are in a context",
    "S4": "What depends on a superseded fact needs review, transitively",
    "S5": "Hypothetical and draft statements never change global facts",
    "M1": "Memory is organizational, capability or user",
    "C1": "Constraints are recognised and typed",
    "C2": "All constraints of the scope come first among the facts, asked for or not, within their share",
    "SC1": "The scope of a statement is inferred, and what a task, a session or a project writes stays in it",
    "SC2": "The facts of a task, a session or a project hold while it is active, before wider ones, and end with it",
    "SP1": "What is said becomes a fact where none holds; questions, wishes, hearsay and suppositions do not",
    "W1": "A pointer is taken by id or by key; one that leads nowhere does no harm",
    "W2": "Lower authority does not supersede higher",
    "R1": "Reading the valid facts gives all of them and no other",
    "R2": "Whether a fact is current can be asked by its key; an unknown one is not",
    "R3": "The current value follows the chain",
    "P1": "Restricted facts are shown only to who may see them",
    "D1": "Explicit wording of change supersedes",
    "D2": "The same entity with a conflicting value supersedes; other entities do not",
    "D3": "Policy overrides manager, manager employee, employee guest",
    "D4": "The newer word on a time-sensitive fact supersedes",
    "Q1": "A context is identity, environment, facts, working set, in this order",
    "Q2": "Facts are ranked by relevance to the query",
    "Q3": "Facts take at most their share of the remaining budget",
    "Q4": "The working set is shown only where it is relevant and fits",
    "Q5": "A context never exceeds its budget",
    "Q6": "No superseded fact is in any context",
    "TU": "The share of facts can be tuned: 0.7 by default, lower and higher on request",
    "T1": "Test: basic supersession",
    "T2": "Test: repetition does not beat supersession",
    "T3": "Test: authority overrides",
    "A1": "Anti-pattern: superseded facts in the context",
    "A2": "Anti-pattern: the latest mention instead of the chain",
    "A3": "Anti-pattern: anyone may write policy facts",
    "K": "Checklist: layers, supersession, valid reads, authority, time and budget together",
}

# The requirement that sums up others: its name for each part -> that requirement.
CHECKLIST = "K"
PARTS: dict[str, str] = {
    "layer separation": "L1",
    "supersession tracking": "S2",
    "valid-only reads": "R1",
    "authority awareness": "W2",
    "temporal awareness": "D4",
    "budget management": "Q5",
}

# Vector name or prefix -> requirements it shows. The longest prefix counts.
SHOWS: dict[str, tuple[str, ...]] = {
    "basic_supersession": ("T1", "S2", "S3", "W1", "R3"),
    "basic_supersession_by_id": ("T1", "S3", "W1"),
    "emphatic_repetition": ("T2", "S3"),
    "authority_override": ("T3", "W2"),
    "layers_same_key": ("L1",),
    "identity": ("L2",),
    "fact_record": ("L3",),
    "fact_source": ("L4",),
    "values_": ("L3",),
    "chain_of_three": ("S1", "S2", "S3", "R3"),
    "dangling_pointer": ("W1",),
    "superseding_a_superseded_fact": ("S2", "S3"),
    "id_collision": ("W1", "S1"),
    "scoped_draft_before_a_pointer": ("S5", "S2", "S3", "W1", "R3"),
    "scoped_hypothetical_before_a_pointer": ("S5", "S2", "S3", "W1", "R3"),
    "scoped_draft_before_a_second_write": ("S5", "S3"),
    "scoped_hypothetical_points_at_a_fact": ("S5", "W1", "R2", "R3"),
    "scoped_draft_is_never_current": ("S5", "R1", "R2", "R3"),
    "scoped_draft_replaces_a_draft": ("S5", "S2"),
    "scoped_draft_leaves_dependents_firm": ("S4",),
    "scoped_draft_restated": ("S5", "S3"),
    "scoped_draft_beside_a_turn": ("S5", "D1"),
    "scoped_hypothetical_note": ("S5", "L1"),
    "scoped_hypothetical_signal": ("S5", "L6"),
    "scoped_task_before_a_pointer": ("SC1", "S3", "W1", "R3"),
    "scoped_session_before_a_second_write": ("SC1", "S3", "R3"),
    "scoped_task_points_at_a_fact": ("SC1", "W1", "R3"),
    "scoped_project_is_not_reached_from_outside": ("SC1", "W1"),
    "scoped_task_leaves_another_task_alone": ("SC1", "S2", "R3"),
    "places_": ("SC2",),
    "spoken_": ("SP1",),
    "spoken_takeover": ("SP1", "D1", "D2"),
    "spoken_succession": ("SP1", "D1", "S3"),
    "spoken_difference": ("SP1", "D1", "D2"),
    "spoken_authority": ("SP1", "W2", "D3"),
    "spoken_explicit_rule": ("SP1", "D1"),
    "spoken_implicit_rule": ("SP1", "D2"),
    "spoken_temporal_rule": ("SP1", "D4"),
    "dependency": ("S4",),
    "hypothetical_scope": ("S5", "SC1"),
    "draft_scope": ("S5", "SC1"),
    "task_scope": ("SC1",),
    "memory_types": ("M1",),
    "constraint_types": ("C1",),
    "constraints_": ("C2",),
    "months_": ("S1",),
    "months_later_superseded": ("S1", "S2", "S3"),
    "paraphrased_": ("Q2", "S3"),
    "environment": ("L1", "L6"),
    "environment_freshest": ("L6",),
    "out_of_order_events": ("D1", "S1"),
    "read_valid_facts": ("R1",),
    "is_fact_current": ("R2",),
    "temporal_rule": ("D4",),
    "implicit_rule": ("D2",),
    "explicit_rule": ("D1",),
    "authority_rule": ("D3", "W2"),
    "complementary_facts_coexist": ("D2",),
    "restricted": ("L2", "P1"),
    "context_order": ("Q1",),
    "budget": ("Q2", "Q3", "Q5"),
    "tiny_budget": ("Q5",),
    "working_set": ("L1", "L5"),
    "working_set_expired": ("L5",),
    "working_set_relevant": ("Q4",),
    "working_set_that_does_not_fit": ("Q4",),
    "tuned_share": ("TU",),
    "anti_pattern_superseded_in_context": ("A1", "S3"),
    "anti_pattern_latest_mention": ("A2", "R3"),
    "anti_pattern_anyone_writes_policy": ("A3", "W2"),
    "generated_versions": ("S1", "S2", "W1", "W2"),
    "generated_narrow_versions": ("SC1", "SC2"),
    "generated_unreal_versions": ("S5",),
    "generated_spoken_versions": ("SP1",),
    "generated_review": ("S4",),
    "generated_valid_facts": ("R1",),
    "generated_is_current": ("R2",),
    "generated_current_values": ("R3",),
    "generated_dead_values": ("S3", "Q6"),
    "generated_unreal_values": ("S5",),
    "generated_inactive_values": ("SC2",),
    "generated_live_values": ("S3",),
    "generated_narrow_values": ("SC2",),
    "generated_restricted_values": ("P1",),
    "generated_notes": ("L5",),
    "generated_environment": ("L6",),
    "generated_budget": ("Q5",),
    "generated_constraints": ("C2",),
    "property_superseded_never_included": ("Q6",),
    "property_unreal_never_included": ("S5",),
    "property_within_budget": ("Q5",),
}

# Requirement -> the expectations that bear on it, where a vector states others as well. A missing section of
# facts then counts against their share (Q3), not against the ranking (Q2) shown by the same vector.
_CONTEXT = frozenset(("context_contains", "context_not_contains"))
_LINKED = frozenset(("superseded_by", "superseded_keys", "valid_keys", "is_valid"))
SHOWN_BY: dict[str, frozenset[str]] = {
    "S1": _LINKED | {"context_contains"},
    "S2": _LINKED,
    "S3": _CONTEXT | {"facts_section_not_contains"},
    "S5": _CONTEXT | _LINKED | {"unreal_never_included"},
    "SC1": _CONTEXT | _LINKED | {"turn_scope"},
    "W1": _CONTEXT | _LINKED,
    "R1": frozenset(("valid_facts",)),
    "R2": frozenset(("is_current",)),
    "R3": frozenset(("current_value",)),
    "Q2": frozenset(("context_contains",)),
    "Q3": frozenset(("facts_section_max_fraction_of_remaining",)),
    "Q5": frozenset(("max_tokens", "within_budget")),
    "T1": _CONTEXT,
    "A2": _CONTEXT | _LINKED,
}


class Judged(TypedDict):
    """The verdict on a vector, reduced to the fields that decide requirements."""

    name: str
    passed: bool
    requirements: Sequence[str]
    failed: Sequence[str]
    evidence: str


class Requirement(TypedDict):
    id: str
    text: str
    passed: bool | None  # None: one of its vectors was not run
    vectors: list[str]
    vectors_passed: NotRequired[int]  # absent in older reports and in the checklist
    missing: list[str]
    evidence: str


def credit(row: Mapping[str, Any]) -> str:
    """Number of vectors that pass, as "3 of 4". Empty if unknown, as in older reports."""
    passed = row.get("vectors_passed")
    return "" if passed is None or not row["vectors"] else f"{passed} of {len(row['vectors'])}"


def shows(name: str) -> tuple[str, ...]:
    known = [beginning for beginning in SHOWS if name.startswith(beginning)]
    return SHOWS[max(known, key=len)] if known else ()


def bears_on(requirement: str, expectation: str) -> bool:
    """True if the expectation is evidence for or against the requirement."""
    return expectation in SHOWN_BY.get(requirement, (expectation,))


def rule(name: str) -> str:
    return "; ".join(REQUIREMENTS[requirement] for requirement in shows(name))


def judge(rows: Sequence[Judged], whole: Whole = NOTHING_MORE) -> list[Requirement]:
    """Judge every requirement by the verdicts on its vectors.

    `passed` is False if a vector fails, and True if all vectors pass. If none fails, `passed` is None if no vector was
    run, or if a vector of `whole` (the full suite) is missing.
    """
    judged = {name: _requirement(name, rows, whole) for name in REQUIREMENTS if name != CHECKLIST}
    judged[CHECKLIST] = _checklist(judged)
    return [judged[name] for name in REQUIREMENTS]


def completed(kept: Iterable[Mapping[str, Any]], whole: Whole) -> list[Requirement]:
    """Add missing vectors and requirements to a stored report that an earlier suite may have made.

    `whole` has all vectors of this suite. Requirements that the report lacks are returned as not run.
    """
    judged = {row["id"]: _completed(row, whole) for row in kept}
    if judged:
        judged = _in_order(judged | _later(judged, whole))
    if CHECKLIST in judged and all(name in judged for name in PARTS.values()):
        judged[CHECKLIST] |= _checklist(judged)
    return list(judged.values())


def _later(judged: Collection[str], whole: Whole) -> dict[str, Requirement]:
    shown = {name for requirements in whole.values() for name in requirements}
    return {name: _requirement(name, (), whole) for name in REQUIREMENTS if name in shown - set(judged)}


def _in_order(judged: Mapping[str, Requirement]) -> dict[str, Requirement]:
    listed = [name for name in REQUIREMENTS if name in judged]
    return {name: judged[name] for name in (*listed, *(name for name in judged if name not in listed))}


def _requirement(name: str, rows: Iterable[Judged], whole: Whole) -> Requirement:
    shown = [row for row in rows if name in row["requirements"]]
    failed = [row for row in shown if name in row["failed"]]
    vectors = [row["name"] for row in shown]
    missing = _missing(name, vectors, whole)
    evidence = [f"{row['name']}: {row['evidence']}" for row in failed or shown]
    if missing and not failed:
        evidence.insert(0, _left_out(vectors, missing))
    passed = False if failed else None if missing or not shown else True
    verdict = _verdict(name, passed, vectors, missing, "; ".join(evidence))
    verdict["vectors_passed"] = len(shown) - len(failed)
    return verdict


def _completed(row: Mapping[str, Any], whole: Whole) -> Requirement:
    vectors, before = list(row.get("vectors", ())), list(row.get("missing", ()))
    missing = _missing(row["id"], vectors, whole)
    merged = cast(Requirement, {**row, "text": REQUIREMENTS.get(row["id"], row["text"])})
    merged["vectors"], merged["missing"] = vectors, missing
    if missing == before or row["passed"] is False or row["id"] == CHECKLIST:
        return merged
    evidence = row["evidence"].removeprefix(f"{_left_out(vectors, before)}; ")
    if missing:
        evidence = f"{_left_out(vectors, missing)}; {evidence}"
    merged["passed"], merged["evidence"] = None if missing else bool(vectors) or None, evidence
    return merged


def _missing(name: str, vectors: Sequence[str], whole: Whole) -> list[str]:
    return [vector for vector, shown in whole.items() if name in shown and vector not in vectors]


def _left_out(vectors: Sequence[str], missing: Sequence[str]) -> str:
    total = len(vectors) + len(missing)
    return f"{len(vectors)} of {total} vectors were run, not {', '.join(missing)}"


def _checklist(judged: Mapping[str, Requirement]) -> Requirement:
    verdicts = {part: judged[name]["passed"] if name in judged else None for part, name in PARTS.items()}
    words = {True: "pass", False: "FAIL", None: "not run"}
    evidence = "; ".join(f"{part} ({PARTS[part]}): {words[passed]}" for part, passed in verdicts.items())
    passed = False if False in verdicts.values() else None if None in verdicts.values() else True
    parts = [judged[name] for name in PARTS.values() if name in judged]
    vectors, missing = (
        list(dict.fromkeys(vector for part in parts for vector in part[key]))
        for key in ("vectors", "missing")
    )
    return _verdict(CHECKLIST, passed, vectors, missing, evidence)


def _verdict(
    name: str, passed: bool | None, vectors: list[str], missing: list[str], evidence: str
) -> Requirement:
    return {
        "id": name,
        "text": REQUIREMENTS[name],
        "passed": passed,
        "vectors": vectors,
        "missing": missing,
        "evidence": evidence,
    }
