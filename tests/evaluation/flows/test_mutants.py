"""Implementations with a single fault each: exactly the requirements that it breaks turn red."""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

import pytest

from evaluation.core import jsonl
from evaluation.statebench import run_conformance
from evaluation.statebench.conformance.checks.reading import FIELDS
from evaluation.statebench.conformance.protocol import ours
from evaluation.statebench.conformance.suite import report
from evaluation.statebench.data.times import moment

Answer = dict[str, Any]
Mutation = Callable[[Mapping[str, Any], Answer], None]
BUDGETED = ("identity", "environment", "facts", "working_set")


@cache
def right_answer(request: bytes) -> bytes:
    """Our own answer, computed once for all mutants."""
    return jsonl.dumps(ours(jsonl.parse(request)))


def reds(mutation: Mutation) -> dict[str, str]:
    """The requirements that a mutated implementation fails, with their evidence."""

    def mutant(request: Mapping[str, Any]) -> Answer:
        answer: Answer = jsonl.parse(right_answer(jsonl.dumps(request)))
        mutation(request, answer)
        return answer

    result = report(run_conformance(implementation=mutant, timelines=0))
    return {row["id"]: row["evidence"] for row in result["requirements"] if not row["passed"]}


# --- one fault each


def lets_identity_be_set_again(request: Mapping[str, Any], answer: Answer) -> None:
    for one in writes(request, "identity_role"):
        answer["identity"][one["key"]] = one["value"]


def keeps_values_as_texts(request: Mapping[str, Any], answer: Answer) -> None:
    for fact in answer["facts"]:
        fact["value"] = str(fact["value"])


def gives_every_fact_the_time_of_the_query(request: Mapping[str, Any], answer: Answer) -> None:
    for fact in answer["facts"]:
        fact["timestamp"] = request["timeline"]["events"][-1]["ts"]


def forgets_what_depends_on_a_fact(request: Mapping[str, Any], answer: Answer) -> None:
    for fact in answer["facts"]:
        fact["derived_facts"] = []


def gives_one_id_twice(request: Mapping[str, Any], answer: Answer) -> None:
    for fact in answer["facts"]:
        if fact["key"] in ("crates", "sealed"):
            fact["id"] = "F"


def counts_turns_from_one(request: Mapping[str, Any], answer: Answer) -> None:
    for fact in answer["facts"]:
        if fact["source"]["turn_index"] is not None:
            fact["source"]["turn_index"] += 1


def calls_every_source_a_write(request: Mapping[str, Any], answer: Answer) -> None:
    for fact in answer["facts"]:
        fact["source"]["type"] = "state_write"


def reads_superseded_facts_too(request: Mapping[str, Any], answer: Answer) -> None:
    answer["valid_facts"] = [fact["id"] for fact in answer["facts"]]


def reads_the_first_valid_fact_only(request: Mapping[str, Any], answer: Answer) -> None:
    answer["valid_facts"] = answer["valid_facts"][:1]


def takes_unknown_keys_for_current(request: Mapping[str, Any], answer: Answer) -> None:
    known = {fact["key"] for fact in answer["facts"]}
    answer["is_current"] |= {key: True for key in answer["is_current"] if key not in known}


def takes_superseded_keys_for_current(request: Mapping[str, Any], answer: Answer) -> None:
    known = {fact["key"] for fact in answer["facts"]}
    answer["is_current"] |= {key: True for key in answer["is_current"] if key in known}


def puts_the_environment_first(request: Mapping[str, Any], answer: Answer) -> None:
    sections = answer["context"]["sections"]
    if all(sections.values()):
        order = ("environment", "identity", "facts", "working_set")
        answer["context"]["text"] = "\n".join(sections[name] for name in order)


def drops_identity_first(request: Mapping[str, Any], answer: Answer) -> None:
    if request["budget"] == 12:
        answer["context"]["sections"]["identity"] = ""


def shows_the_newest_notes_first(request: Mapping[str, Any], answer: Answer) -> None:
    sections = answer["context"]["sections"]
    left = request["budget"] - sum(len(sections[name].split()) for name in BUDGETED[:3])
    shown: list[str] = []
    for one in reversed(writes(request, "working_set")):
        scoped = one["scope"] != "global" or "[SCOPE" in one["value"]
        if "expires_at" not in one and not scoped and len(one["value"].split()) < left:
            shown.append(one["value"])
            left -= len(one["value"].split())
    if shown:
        show_working_set(answer, ["Said:", *shown])


def cuts_notes_to_fit(request: Mapping[str, Any], answer: Answer) -> None:
    """Add the last words of the first note that does not fit, as a summary would."""
    if request["budget"] == 36:
        show_working_set(answer, [writes(request, "working_set")[0]["value"].split()[-1]])


def shows_supposed_notes(request: Mapping[str, Any], answer: Answer) -> None:
    for one in writes(request, "working_set"):
        if "[SCOPE" in one["value"]:
            show_working_set(answer, [answer["context"]["sections"]["working_set"], one["value"]])


def says_what_a_basis_was(request: Mapping[str, Any], answer: Answer) -> None:
    """Add a trace to the prompt, as the reference prints it: the basis "was" the dead fact."""
    for fact in answer["facts"]:
        if not fact["is_valid"] and fact["derived_facts"]:
            answer["context"]["text"] += f"\n(was: {fact['value']})"


def puts_constraints_last(request: Mapping[str, Any], answer: Answer) -> None:
    sections = answer["context"]["sections"]
    head, *lines = sections["facts"].splitlines() or [""]
    lines.sort(key=lambda line: line.startswith("["))
    facts = "\n".join([head, *lines])
    answer["context"]["text"] = answer["context"]["text"].replace(sections["facts"], facts)
    sections["facts"] = facts


def forgets_after_thirty_days(request: Mapping[str, Any], answer: Answer) -> None:
    asked = moment(request["timeline"]["events"][-1]["ts"])
    old = [fact for fact in answer["facts"] if asked - moment(fact["timestamp"]) > 30 * 86_400]
    for fact in old:
        lines = answer["context"]["text"].splitlines()
        answer["context"]["text"] = "\n".join(line for line in lines if str(fact["value"]) not in line)


def ignores_the_share(request: Mapping[str, Any], answer: Answer) -> None:
    plain = {name: value for name, value in request.items() if name != "fact_share"}
    answer["context"] = ours(plain)["context"]


def tunes_the_wrong_way(request: Mapping[str, Any], answer: Answer) -> None:
    if "fact_share" in request:
        answer["context"] = ours({**request, "fact_share": 1.4 - request["fact_share"]})["context"]


def quotes_the_old_price(request: Mapping[str, Any], answer: Answer) -> None:
    if "wheat" in answer["context"]["text"]:
        answer["context"]["text"] += "\nIt was $210 before."


FAULTS: dict[Mutation, set[str]] = {
    lets_identity_be_set_again: {"L2"},
    puts_constraints_last: {"C2"},
    forgets_after_thirty_days: {"S1", "S3"},
    keeps_values_as_texts: {"L3"},
    gives_every_fact_the_time_of_the_query: {"L3"},
    forgets_what_depends_on_a_fact: {"L3"},
    gives_one_id_twice: {"L3"},
    counts_turns_from_one: {"L4", "SP1"},
    calls_every_source_a_write: {"L4", "SP1"},
    reads_superseded_facts_too: {"R1", "K", "SP1"},
    reads_the_first_valid_fact_only: {"R1", "K"},
    takes_unknown_keys_for_current: {"R2", "SP1"},
    takes_superseded_keys_for_current: {"R2", "SP1"},
    puts_the_environment_first: {"Q1"},
    drops_identity_first: {"Q1"},
    shows_the_newest_notes_first: {"Q4"},
    cuts_notes_to_fit: {"Q4"},
    shows_supposed_notes: {"Q4"},
    says_what_a_basis_was: {"Q6"},
    ignores_the_share: {"TU"},
    tunes_the_wrong_way: {"TU"},
    quotes_the_old_price: {"D4", "K"},
}


@pytest.mark.parametrize("mutation", FAULTS, ids=lambda one: one.__name__)
def test_a_fault_turns_exactly_its_requirement_red(mutation: Mutation) -> None:
    assert set(reds(mutation)) == FAULTS[mutation]


# --- one field left out each

PARTS_LEFT_OUT = {
    "identity": {"L2"},
    "valid_facts": {"R1", "K", "SC2", "SP1"},
    "is_current": {"R2", "SP1"},
    "current_values": {"R3", "SC2", "SP1"},
    "turn_scopes": {"SC1"},
}
FIELDS_LEFT_OUT = {
    "source": {"L3", "L4", "SP1"},
    "ended": {"L3", "SC2"},
    "timestamp": {"L3"},
    "supersedes": {"L3"},
    "depends_on": {"L3"},
    "derived_facts": {"L3"},
    "scope_id": {"L3"},
    "memory_type": {"L3", "M1"},
    "needs_review": {"L3", "S4"},
    "is_constraint": {"L3", "C1"},
    "constraint_type": {"L3", "C1"},
}


@pytest.mark.parametrize("name", PARTS_LEFT_OUT)
def test_a_part_left_out_fails_what_needs_it_and_is_named(name: str) -> None:
    result = reds(lambda request, answer: answer.pop(name))
    assert set(result) == PARTS_LEFT_OUT[name]
    assert any(f"has no field {name!r}" in evidence for evidence in result.values())


@pytest.mark.parametrize("name", FIELDS_LEFT_OUT)
def test_a_field_of_a_fact_left_out_fails_what_needs_it_and_is_named(name: str) -> None:
    def without(request: Mapping[str, Any], answer: Answer) -> None:
        answer["facts"] = [{one: fact[one] for one in fact if one != name} for fact in answer["facts"]]

    result = reds(without)
    assert set(result) == FIELDS_LEFT_OUT[name]
    assert f"has no field {name!r}" in result["L3"]


def test_without_sections_what_is_seen_only_in_sections_fails() -> None:
    result = reds(lambda request, answer: answer["context"].pop("sections"))
    assert set(result) == {"L1", "C2", "Q1", "Q3", "TU", "K"}
    assert "the context has no field 'sections'" in result["Q1"]


@pytest.mark.parametrize("junk", [None, 3, "x", [3], {"x": 3}])
@pytest.mark.parametrize("name", ["context", *PARTS_LEFT_OUT, *(f"facts.{one}" for one in FIELDS)])
def test_no_junk_in_an_answer_breaks_the_run(name: str, junk: Any) -> None:
    def spoiled(request: Mapping[str, Any], answer: Answer) -> None:
        part, _, field = name.partition(".")
        if field:
            answer[part] = [fact | {field: copy.deepcopy(junk)} for fact in answer[part]]
        else:
            answer[part] = copy.deepcopy(junk)

    reds(spoiled)


def writes(request: Mapping[str, Any], layer: str) -> list[dict[str, Any]]:
    events = request["timeline"]["events"]
    return [one for event in events for one in event.get("writes", ()) if one["layer"] == layer]


def show_working_set(answer: Answer, lines: list[str]) -> None:
    sections = answer["context"]["sections"] | {"working_set": "\n".join(lines)}
    answer["context"]["sections"] = sections
    answer["context"]["text"] = "\n".join(sections[name] for name in BUDGETED if sections[name])
