"""Files that are valid but surely a mistake."""

from __future__ import annotations

import pytest

from evaluation.core.checks import Problem
from evaluation.core.diagnosis import Tally, grouped
from evaluation.core.diagnosis.tally import ranges
from evaluation.core.suite import ExpectedRows, Given
from evaluation.goldevidence.suite import SUITE
from evaluation.statebench.suite import SUITE as STATEBENCH


def warnings(lines: list[dict], *, suite=SUITE, most: int | None = 3) -> dict[str, str]:
    expected = ExpectedRows({}, citations=most)
    tally = Tally(suite, expected)
    for line in lines:
        tally.add(suite.read_line(line, expected).given)
    return {each.code: each.message for each in tally.findings()}


def answers(*values, cited: int = 1) -> list[dict]:
    ids = [f"U{number:06d}" for number in range(cited)]
    return [{"id": f"r{number}", "value": value, "support_ids": ids} for number, value in enumerate(values)]


def test_different_answers_with_their_evidence_are_fine() -> None:
    assert warnings(answers(*map(str, range(40)))) == {}


def test_one_answer_to_everything_is_told() -> None:
    assert warnings(answers(*["amber"] * 40)) == {
        "constant_answers": "All 40 lines give the same answer, 'amber'. Was the right field written?"
    }
    nearly = warnings(answers(*["amber"] * 39, "blue"))
    assert nearly["constant_answers"].startswith("39 of 40 lines give the same answer")
    assert warnings(answers(*["amber"] * 30, *map(str, range(10)))) == {}


def test_few_lines_may_have_one_answer() -> None:
    assert warnings(answers(*["amber"] * 19)) == {}


def test_all_abstentions_are_told_and_owe_no_evidence() -> None:
    assert warnings(answers(*[None] * 40, cited=0)) == {
        "constant_answers": "All 40 lines abstain: their answer is null. Did the system get the questions?"
    }


def test_more_citations_than_count_are_told() -> None:
    found = warnings(answers(*map(str, range(39))) + answers("x", cited=4))
    assert list(found) == ["more_citations_than_count"]
    assert found["more_citations_than_count"].startswith("1 of 40 lines cites more than 3 lines of the text.")
    assert warnings(answers(*map(str, range(40)), cited=3)) == {}


def test_answers_that_cite_nothing_are_told() -> None:
    assert list(warnings(answers(*map(str, range(40)), cited=0))) == ["nothing_cited"]


@pytest.mark.parametrize("suite", [SUITE, STATEBENCH])
def test_lines_that_say_that_nothing_was_answered_are_not_counted(suite) -> None:
    lines = [{"id": "r", "timeline_id": "S", "query_idx": 0, "response": "", "state": "cut_off"}] * 40
    assert warnings(lines, suite=suite) == {}


def test_a_suite_without_citations_hears_nothing_of_them() -> None:
    lines = [{"timeline_id": "S", "query_idx": number, "response": "no"} for number in range(40)]
    assert list(warnings(lines, suite=STATEBENCH, most=None)) == ["constant_answers"]


def test_a_million_different_answers_take_little_room() -> None:
    tally = Tally(SUITE, ExpectedRows({}, citations=3))
    for number in range(5_000):
        tally.add(Given(str(number), 1))
    assert len(tally._answers) == 1_000


def unknown(line: int, row: str, hint: str = "") -> Problem:
    return Problem("unknown_id", f"The version has no row {row!r}.{hint}", line, id=row)


def test_problems_that_differ_by_ids_alone_are_one_kind() -> None:
    problems = [
        unknown(2, "a"),
        unknown(3, "b", " Did you mean 'c'?"),
        Problem("not_json", "Not JSON.", 4),
        unknown(9, "d"),
    ]
    groups = grouped(problems)
    assert [(each.code, each.lines, len(each.problems)) for each in groups] == [
        ("unknown_id", "2–3, 9", 3),
        ("not_json", "4", 1),
    ]
    assert groups[0].first is problems[0]


def test_one_code_with_two_meanings_stays_two() -> None:
    texts = ["'value' must be a text.", "'support_ids' must be a list of texts."]
    assert len(grouped([Problem("wrong_type", text, 1) for text in texts])) == 2


def test_a_problem_of_no_line_has_no_line() -> None:
    assert grouped([Problem("empty_file", "The file is empty.")])[0].lines == ""


def test_many_lines_are_cut() -> None:
    assert ranges(range(1, 30, 2)) == "1, 3, 5, 7, 9, 11, …"
    assert ranges([1_000, 1_001]) == "1,000–1,001"
