"""Problems of one kind stand together."""

from __future__ import annotations

from evaluation.core.checks import Problem
from evaluation.core.diagnosis import grouped
from evaluation.core.diagnosis.groups import ranges


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
