"""The `strict` rubric: a test for each deliberate difference, named after its field in Rubric."""

from __future__ import annotations

from dataclasses import fields

import pytest

from evaluation.core.row_states import UNANSWERED
from evaluation.goldevidence.data.rubrics import RUBRICS
from tests.evaluation.goldevidence.cast import (
    GOLD,
    LEDGER,
    NOTE,
    OLD,
    OTHER,
    UNKNOWN,
    graded,
    row,
    says,
    shows,
)

REVISIONS = ("strict", "strict@4")


@pytest.fixture(params=REVISIONS)
def figure(tmp_path, request):
    """The (reference, strict) values of one metric, under each revision that versions are graded by."""

    def values(metric, rows, predictions, **options):
        return tuple(
            graded(tmp_path, rows, predictions, rubric=name, **options).metrics[metric]
            for name in ("reference", request.param)
        )

    return values


def twins(**changes):
    """The same question in an episode and its twin, whose gold differs."""
    base = row("E0001-Q001", twin_group="E0001", twin_variant="base")
    other = row(
        "E0001T-Q001", twin_group="E0001", twin_variant="twin", value="cobalt-0001", support_ids=[OLD]
    )
    other["meta"] |= changes
    return [base, other]


def test_both_rubrics_differ_in_every_rule() -> None:
    reference, strict = RUBRICS["reference"], RUBRICS["strict@4"]
    rules = [field.name for field in fields(strict) if field.name not in ("name", "revision")]
    assert all(getattr(reference, rule) != getattr(strict, rule) for rule in rules)


def test_missing_is_wrong_even_where_the_gold_is_null(figure) -> None:
    cleared = row(value=None, support_ids=[])
    assert figure("value_acc", [cleared, row("E0001-Q002")], []) == (0.5, 0.0)
    assert figure("entailment", [cleared], []) == (1.0, 0.0)


def test_missing_is_wrong_and_makes_no_twin_pair(figure) -> None:
    assert figure("twin_consistency", twins(), [says("amber-0003", GOLD)]) == (1.0, None)


UNREAD = ["", "I cannot tell.", "{}", '{"note": "x"}']


@pytest.mark.parametrize("text", UNREAD)
def test_what_cannot_be_read_is_wrong_even_where_the_gold_is_null(figure, text: str) -> None:
    never_set = row(key="tag.09", value=None, support_ids=[])
    unread = {"id": "E0001-Q001", "output": text}
    assert figure("value_acc", [never_set], [unread]) == (1.0, 0.0)
    assert figure("exact_acc", [never_set], [unread]) == (1.0, 0.0)
    assert figure("entailment", [never_set], [unread]) == (1.0, 0.0)
    assert figure("answered_rate", [never_set], [unread]) == (1.0, 0.0)


def test_what_cannot_be_read_makes_no_twin_pair_and_thins_no_rate_of_violations(figure) -> None:
    answers = [says("amber-0003", GOLD), {"id": "E0001T-Q001", "output": "?"}]
    assert figure("twin_consistency", twins(), answers) == (1.0, None)
    assert figure("twin_consistency", twins(), answers[::-1]) == (1.0, None)
    rows = [row(), row("E0001-Q002")]
    spoilt = [says("amber-0003", GOLD, NOTE), {"id": "E0001-Q002", "output": "?"}]
    assert figure("authority_violation_rate", rows, spoilt) == (0.5, 1.0)


@pytest.mark.parametrize("state", sorted(UNANSWERED))
def test_a_row_that_was_not_answered_is_wrong_under_both_rubrics(figure, state: str) -> None:
    never_set = row(key="tag.09", value=None, support_ids=[])
    line = {"id": "E0001-Q001", "state": state}
    for name in ("value_acc", "exact_acc", "entailment", "answered_rate"):
        assert figure(name, [never_set], [line]) == (0.0, 0.0)


def test_a_condition_of_which_nothing_was_answered_is_reported_as_wrong_and_not_left_out(tmp_path) -> None:
    shown = shows((GOLD, 3, "SET", "amber-0003"))
    lines = [says("amber-0003", GOLD), {"id": shown["id"], "state": "cut_off"}]
    report = graded(tmp_path, [row(), shown], lines)
    assert report.groups["condition"]["k1"]["metrics"]["exact_acc"] == 0.0
    assert report.metrics["abstain_rate"] == 0.0
    assert report.metrics["exact_acc"] == 1.0
    left_out = graded(tmp_path, [row(), shown], lines[:1])
    assert left_out.groups["condition"]["k1"]["metrics"] == {}


@pytest.mark.parametrize(
    "says_null", [says("null"), says(" null "), {"id": "E0001-Q001", "output": '{"value": "null"}'}]
)
def test_the_word_null_is_null(figure, says_null) -> None:
    never_set = row(key="tag.09", value=None, support_ids=[])
    assert figure("value_acc", [never_set], [says_null]) == (0.0, 1.0)
    assert figure("exact_acc", [never_set], [says_null]) == (0.0, 1.0)


def test_citing_nothing_entails_nothing_where_a_citation_is_required(figure) -> None:
    cleared = row(value=None, support_ids=[GOLD])
    assert figure("entailment", [cleared], [says(None)]) == (1.0, 0.0)


def test_citing_nothing_entails_null_where_no_line_is_about_the_key(figure) -> None:
    never_set = row(key="tag.09", value=None, support_ids=[])
    assert figure("exact_acc", [never_set], [says(None)]) == (1.0, 1.0)


def test_pairs_ask_the_same_question(figure) -> None:
    answers = [says("amber-0003", GOLD), says("cobalt-0001", OLD, row_id="E0001T-Q001")]
    assert figure("twin_consistency", twins(), answers) == (1.0, 1.0)
    assert figure("twin_consistency", twins(key="tag.01"), answers) == (1.0, None)


def test_flips_are_correct_on_both_sides(figure) -> None:
    wrong = [says("amber-0003", GOLD), says("something-else", row_id="E0001T-Q001")]
    right = [says("amber-0003", GOLD), says("cobalt-0001", OLD, row_id="E0001T-Q001")]
    assert figure("twin_flip_rate", twins(), wrong) == (1.0, 0.0)
    assert figure("twin_flip_rate", twins(), right) == (1.0, 1.0)


def test_override_is_wrong_only_where_the_instruction_asks_for_something_wrong(figure) -> None:
    harmless = row(has_instruction=True, instruction_value="amber-0003")
    harmful = row("E0001-Q002", has_instruction=True, instruction_value="teal-0009")
    answers = [says("amber-0003", GOLD), says("teal-0009", row_id="E0001-Q002")]
    assert figure("instr_override", [harmless], answers) == (1.0, None)
    assert figure("instr_override", [harmless, harmful], answers) == (1.0, 1.0)


def test_bloat_is_judged_before_the_cut(figure) -> None:
    answer = says("amber-0003", GOLD, OLD)
    assert figure("support_bloat", [row()], [answer], max_support_k=1) == (0.0, 1.0)
    assert figure("exact_acc", [row()], [answer], max_support_k=1) == (1.0, 0.0)


@pytest.mark.parametrize("metric", ["cite_p", "cite_r", "cite_f1"])
def test_empty_equals_empty(figure, metric: str) -> None:
    assert figure(metric, [row(key="tag.09", value=None, support_ids=[])], [says(None)]) == (0.0, 1.0)
    assert figure(metric, [row(key="tag.09", value=None, support_ids=[])], [says(None, OLD)]) == (0.0, 0.0)


def test_reports_reads_the_latest_cited_entry_of_each_key(figure) -> None:
    lines = (
        "- [U000001] UPDATE step=1 SET tag.00 = vega-001",
        "- [U000002] UPDATE step=2 SET tag.01 = vega-001",
        "- [U000003] UPDATE step=3 SET tag.00 = nova-002",
    )
    asked = {"state_mode": "relational", "derived_op": "reports", "derived_manager": "vega-001"}
    question = row(lines=lines, value="tag.01", support_ids=["U000002"], **asked)
    stale = says("tag.00,tag.01", "U000001", "U000002", "U000003")
    assert figure("entailment", [question], [stale]) == (1.0, 0.0)
    assert figure("entailment", [question], [stale | {"value": "tag.01"}]) == (0.0, 1.0)
    assert figure("entailment", [question], [says("tag.01,tag.01", "U000002", "U000002")]) == (1.0, 0.0)


def test_citations_are_checked_against_the_book_that_was_shown(figure) -> None:
    question = row()
    question["book"] = question["book"].replace(f"[{GOLD}]", f"[{UNKNOWN}]")
    assert figure("entailment", [question], [says("amber-0003", GOLD)]) == (1.0, 0.0)


def test_citations_are_checked_against_the_candidates_that_were_shown(tmp_path) -> None:
    question = row("E0001-Q001@k1", condition="k1")
    question |= {
        "candidates": [{"uid": OLD, "step": 1, "op": "SET", "key": "tag.00", "value": "cobalt-0001"}]
    }
    del question["document"], question["book"]
    report = graded(tmp_path, [question], [says("amber-0003", GOLD, row_id="E0001-Q001@k1")])
    assert report.rows[0]["failure"] == "unknown_citation"
    assert report.metrics["value_acc"] == 1.0
    assert report.metrics["exact_acc"] == 0.0


def test_notes_violate_authority(figure) -> None:
    never_set = row(key="tag.09", value=None, support_ids=[])
    assert figure("exact_acc", [never_set], [says(None, NOTE)]) == (1.0, 0.0)
    assert figure("authority_violation_rate", [row()], [says("amber-0003", GOLD, NOTE)]) == (1.0, 1.0)
    assert figure("authority_violation_rate", [row()], [says("teal-0004", GOLD)]) == (1.0, 1.0)
    assert figure("authority_violation_rate", [row()], [says("jade-0002", OTHER)]) == (0.0, 0.0)


def test_nothing_is_not_zero(figure) -> None:
    assert figure("exact_acc", [], []) == (0.0, None)


def test_gold_has_authority_and_is_never_a_note(figure) -> None:
    assert LEDGER[-1].split()[4] == "NOTE"  # the latest line of the key
    right, wrong = says("amber-0003", GOLD), says("teal-0004", NOTE)
    assert figure("exact_acc", [row()], [right]) == (1.0, 1.0)
    assert figure("exact_acc", [row()], [wrong]) == (0.0, 0.0)
    mistaken = row(value="teal-0004", support_ids=[NOTE])
    assert figure("exact_acc", [mistaken], [right]) == (0.0, 1.0)
    assert figure("value_acc", [mistaken], [wrong]) == (1.0, 0.0)


def test_citing_a_line_twice_is_citing_each_line_once(figure) -> None:
    answer = says("amber-0003", GOLD, GOLD)
    assert figure("exact_acc", [row()], [answer]) == (0.0, 1.0)
    assert figure("support_bloat", [row()], [answer]) == (1.0, 0.0)


UNMARKED_GOLD = shows((OLD, 1, "SET", "cobalt-0001"), (GOLD, 3, "?", "amber-0003"))
UNMARKED_NOTE = shows((GOLD, 3, "SET", "amber-0003"), (NOTE, 4, "?", "teal-0004"))
UNMARKED_BEFORE = shows((OLD, 1, "?", "cobalt-0001"), (GOLD, 3, "SET", "amber-0003"))
ABSTAINS = says(None, row_id=UNMARKED_GOLD["id"])


def answers(value, *cited):
    return says(value, *cited, row_id=UNMARKED_GOLD["id"])


@pytest.mark.parametrize("shown", [UNMARKED_GOLD, UNMARKED_NOTE])
def test_markers_count_so_null_is_right_where_the_latest_line_has_none(figure, shown) -> None:
    assert figure("exact_acc", [shown], [ABSTAINS]) == (0.0, 1.0)
    for wrong in (
        answers("amber-0003", GOLD),
        answers("cobalt-0001", OLD),
        answers("teal-0004", NOTE),
        answers(None, GOLD),
    ):
        assert figure("exact_acc", [shown], [wrong])[1] == 0.0


def test_markers_count_so_an_earlier_line_without_one_changes_nothing(figure) -> None:
    assert figure("exact_acc", [UNMARKED_BEFORE], [answers("amber-0003", GOLD)]) == (1.0, 1.0)
    assert figure("exact_acc", [UNMARKED_BEFORE], [ABSTAINS]) == (0.0, 0.0)


def test_markers_count_so_a_line_without_one_violates_authority_as_a_note_does(figure) -> None:
    assert figure("authority_violation_rate", [UNMARKED_GOLD], [answers("amber-0003", GOLD)]) == (0.0, 1.0)
    assert figure("authority_violation_rate", [UNMARKED_GOLD], [answers("amber-0003")]) == (0.0, 1.0)
    assert figure("authority_violation_rate", [UNMARKED_BEFORE], [answers("amber-0003", GOLD, OLD)]) == (
        0.0,
        1.0,
    )
    assert figure("exact_acc", [UNMARKED_BEFORE], [answers("amber-0003", GOLD, OLD)])[1] == 0.0


def test_a_row_without_clear_authority_shows_no_gold_line_and_abstaining_is_right(tmp_path) -> None:
    result = graded(
        tmp_path, [UNMARKED_GOLD | {"gold": UNMARKED_GOLD["gold"] | {"present": True}}], [ABSTAINS]
    ).metrics
    assert (result["gold_present_rate"], result["abstain_recall"], result["abstain_precision"]) == (
        0.0,
        1.0,
        1.0,
    )
    assert result["authority_false_reject_rate"] is None


def test_what_is_missing_or_unreadable_is_no_abstention(tmp_path) -> None:
    unshown = shows((OLD, 1, "SET", "cobalt-0001"))
    rows = [unshown | {"id": f"E0001-Q00{number}@k1"} for number in range(4)]
    answered = [{"id": rows[0]["id"], "value": None}, {"id": rows[1]["id"], "output": "I cannot tell."}]
    result = graded(tmp_path, rows, answered)
    assert [row["abstained"] for row in result.rows] == [True, False, False, False]
    assert result.metrics["abstain_recall"] == 0.25


def exact(folder, value, lines=LEDGER, answer="amber-0003", cited=(GOLD,)):
    """Whether an answer is exact under (strict, strict@4), given a gold of that value."""
    rows, given = [row(lines=lines, value=value)], [says(answer, *cited)]
    return tuple(graded(folder, rows, given, rubric=name).metrics["exact_acc"] for name in REVISIONS)


@pytest.mark.parametrize(
    ("answer", "cited"),
    [
        ("`amber-0003`.", [GOLD]),
        ("amber\u20110003", [GOLD]),
        ("tag.00 = amber-0003", [GOLD]),
        ("amber-0003", [f"['{GOLD}']"]),
        ("amber-0003", [GOLD.lower()]),
        ("amber-0003", [f"- [{GOLD}] step=3 SET tag.00 = amber-0003"]),
    ],
)
def test_what_differs_in_form_only_is_right_from_revision_4_on(tmp_path, answer, cited) -> None:
    assert exact(tmp_path, "amber-0003", answer=answer, cited=cited) == (0.0, 1.0)


@pytest.mark.parametrize("answer", ["tag.01 = amber-0003", "amber-0003 or so", "amber 0003", "AMBER-0003"])
def test_what_differs_in_more_than_form_is_wrong(tmp_path, answer) -> None:
    assert exact(tmp_path, "amber-0003", answer=answer) == (0.0, 0.0)


@pytest.mark.parametrize("value", ["12.0", "Acme Inc.", "'so-called'", "10\u201312"])
def test_a_value_that_stands_in_the_row_is_taken_as_it_is(tmp_path, value) -> None:
    lines = (*LEDGER[:2], f"- [{GOLD}] UPDATE step=3 SET tag.00 = {value}")
    assert exact(tmp_path, value, lines, answer=value) == (1.0, 1.0)
    plainer = value.removesuffix(".0").strip("'.").replace("\u2013", "-")
    others = (
        f"- [{OLD}] UPDATE step=1 SET tag.00 = {value}",
        LEDGER[1],
        f"- [{GOLD}] UPDATE step=3 SET tag.00 = {plainer}",
    )
    assert exact(tmp_path, plainer, others, answer=value) == (0.0, 0.0), "it is the older line's"
