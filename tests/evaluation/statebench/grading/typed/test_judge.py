"""The judge of typed answers: decision, value, evidence, staleness, and free text beside them."""

from __future__ import annotations

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.core.errors import RowError
from evaluation.statebench.data.dumps import DUMP
from evaluation.statebench.data.truth import read_record, record, truths
from evaluation.statebench.data.typed_gold import DECISIONS
from evaluation.statebench.generator.tracks import generate
from evaluation.statebench.grading.grade import grade
from evaluation.statebench.grading.rubrics import get_rubric
from evaluation.statebench.grading.typed.judge import CUT
from tests.evaluation.statebench.data.test_typed_gold import with_gold

ANSWERS = st.fixed_dictionaries(
    {"decision": st.sampled_from(DECISIONS), "value": st.text(min_size=1, max_size=20).filter(str.strip)},
    optional={"because": st.lists(st.sampled_from(("E0", "W-001", "F-001", "it is $9", "$7", "?")))},
)


def judge(line, **changed):
    [truth] = read_record(record(with_gold(**changed)))
    return get_rubric("typed@1")(truth).line(line)


def typed(decision=None, value=None, because=()):
    return {"answer": {"decision": decision, "value": value, "because": list(because)}}


@pytest.mark.parametrize(
    ("answer", "right"),
    [
        (typed("value", "9 dollars"), True),
        (typed(None, "$9.00"), True),
        (typed(" VALUE", 9), True),
        (typed("value", "$7"), False),
        (typed("yes", "$9"), False),
        (typed("unclear"), False),
    ],
)
def test_a_value_is_right_if_decision_and_quantity_are(answer, right):
    verdict = judge(answer)
    assert verdict.correct == right
    assert verdict.typed.value == (answer["answer"]["value"] in ("9 dollars", "$9.00", 9, "$9"))


@pytest.mark.parametrize("decision", ["yes", "no", "unclear"])
def test_a_decision_needs_no_value(decision):
    assert judge(typed(decision), decision=decision, value=None).correct
    assert judge(typed(decision, "anything"), decision=decision, value=None).typed.value is None


@pytest.mark.parametrize(
    ("because", "standing"),
    [
        ([], "none"),
        (["E0", "w-001"], "live"),
        (["It is $9, now!"], "live"),
        (["Bob: It is $9 now."], "live"),
        (["price: $9"], "live"),
        (["E0", "F-001"], "dead"),
        (["$7"], "dead"),
        (["E0", "F-999"], "other"),
        (["now"], "other"),  # too short for a quote, and not the whole text
        (["price"], "other"),
    ],
)
def test_evidence_is_an_id_or_a_quote(because, standing):
    verdict = judge(typed("value", "$9", because))
    assert verdict.correct
    assert verdict.typed.evidence == standing
    assert verdict.resurrected == (standing == "dead")


def test_a_quote_of_live_and_dead_texts_is_neither():
    row = with_gold(because=["W-001"])
    row["initial_state"]["persistent_facts"][0]["value"] = "capped at twenty dollars for now"
    row["events"][1]["writes"][0]["value"] = "capped at twenty dollars until June"
    [truth] = read_record(record(row))
    line = typed("value", "$9", ["capped at twenty dollars"])
    assert get_rubric("typed@1")(truth).line(line).typed.evidence == "other"


@pytest.mark.parametrize(
    ("value", "stale"), [("$7", True), ("seven dollars", True), ("$8", False), ("$9", False)]
)
def test_a_dead_value_is_stale(value, stale):
    verdict = judge(typed("value", value))
    assert verdict.resurrected == stale
    assert verdict.failure == ("resurrected" if stale else None if value == "$9" else "wrong_decision")


RIGHT = '{"decision": "value", "value": "$9", "because": ["E0"]}'


@pytest.mark.parametrize(
    "response",
    [
        RIGHT,
        f"```json\n{RIGHT}\n```",
        f'<think>{{"decision": "no"}}</think>\n{RIGHT}',
        f'{{"decision": "no"}} Wait. {RIGHT}',
        f'{{"timeline_id": "T", "answer": {RIGHT}}}',
        '{"Decision": "Value", "value": "$9", "because": "E0", "confidence": 1}',
        "{'value': '$9', 'because': ['E0'],}",
    ],
)
def test_the_object_may_stand_in_the_response(response):
    verdict = judge({"response": response})
    assert verdict.correct
    assert verdict.typed.evidence == "live"


@pytest.mark.parametrize(
    "response", ["It is $9.", '{"decision": "perhaps"}', '{"decision": "value"}', "{}", "{"]
)
def test_free_text_takes_no_typed_decision(response):
    verdict = judge({"response": response})
    assert (verdict.decision, verdict.correct, verdict.typed.answered) == (None, False, False)
    assert verdict.answered
    assert "free text" in verdict.reason


def test_free_text_is_judged_beside_the_typed_answer():
    both = judge({"response": "It is $7.", **typed("value", "$9")})
    assert (both.correct, both.typed.free_text) == (True, False)
    assert judge({"response": f"It is $9. {RIGHT}"}).typed.free_text
    assert judge({"response": RIGHT}).typed.free_text is None


def test_free_text_is_cut_after_eighty_words():
    late, early = "so " * 80 + "it is $9.", "so " * 77 + "it is $9. And more."
    assert not judge({"response": late}).typed.free_text
    assert CUT in judge({"response": late}).reason
    assert judge({"response": early}).typed.free_text


def dumped(lines):
    row = with_gold(decision="no", value=None)
    for n in range(lines):
        row["initial_state"]["working_set"].append(
            {"content": f"note number {n} says nothing", "ts": row["events"][0]["ts"]}
        )
    return row


@pytest.mark.parametrize(("repeated", "dump"), [(2, False), (5, False), (8, True), (10, True)])
def test_a_dump_of_the_timeline_counts_as_unclear(repeated, dump):
    row = dumped(10)  # with fact, turn, write and environment some 14 lines
    [truth] = read_record(record(row))
    notes = " ".join(item["content"] for item in row["initial_state"]["working_set"][:repeated])
    answer = '{"decision": "no"}'
    verdict = get_rubric("typed@1")(truth).line({"response": f"No. {notes}. {answer}"})
    assert (DUMP in (verdict.reason or "")) == dump
    assert verdict.decision == ("unclear" if dump else "no")
    beside = get_rubric("typed@1")(truth).line({"response": notes, **typed("no")})
    assert beside.decision == "no"


@pytest.mark.parametrize(("repeated", "dump"), [(2, False), (5, False), (8, True), (10, True)])
def test_a_dump_behind_no_is_no_refusal_in_words_either(repeated, dump):
    row = dumped(10)
    row["events"][-1]["ground_truth"] |= {"decision": "no", "must_mention": [], "must_not_mention": []}
    [truth] = read_record(record(row))
    notes = " ".join(item["content"] for item in row["initial_state"]["working_set"][:repeated])
    verdict = get_rubric("strict@4")(truth)(f"No. {notes}.")
    assert (verdict.correct, verdict.reason == DUMP) == (not dump, dump)


def test_a_query_without_typed_gold_is_refused():
    [truth, *_] = truths(generate(("supersession",), 1, 0))
    with pytest.raises(RowError, match="has no typed gold"):
        get_rubric("typed@1")(truth)


@given(ANSWERS)
def test_a_field_and_an_object_in_the_response_are_judged_alike(answer):
    one, other = judge({"answer": answer}), judge({"response": orjson.dumps(answer).decode()})
    assert one.as_row() == other.as_row()


@given(st.one_of(ANSWERS, st.none()), st.text(max_size=80))
def test_a_verdict_never_contradicts_itself(answer, response):
    line = {"response": response} | ({"answer": answer} if answer else {})
    verdict = judge(line)
    assert verdict.correct <= bool(verdict.typed.answered)
    assert verdict.correct <= bool(verdict.typed.value)
    assert (verdict.reason is None) <= (verdict.failure is None)
    assert verdict.resurrected == (verdict.violations == [True])


def test_the_figures_of_a_file():
    known = read_record(record(with_gold()))
    figures = grade(
        known, {known[0].key: {**typed("value", "$9", ["E0"]), "response": "$7."}}, rubric="typed@1"
    ).metrics
    shown = (
        "decision_accuracy",
        "value_accuracy",
        "evidence_rate",
        "stale_rate",
        "typed_rate",
        "free_text_accuracy",
    )
    assert [figures[name] for name in shown] == [1, 1, 1, 0, 1, 0]
    nothing = grade(known, {}, rubric="typed@1").metrics
    assert [nothing[name] for name in shown] == [0, 0, None, None, 0, None]
