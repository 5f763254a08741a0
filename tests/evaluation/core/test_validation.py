"""For any upload, the answer names the line, the fault and the remedy."""

from __future__ import annotations

import gzip
import json
from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from evaluation.core import validation
from evaluation.core.suite import ExpectedRows, Problem
from evaluation.core.validation import Limits
from evaluation.goldevidence.suite import SUITE
from evaluation.statebench.suite import SUITE as STATEBENCH
from tests.proportion import soon

IDS = [f"E0001-Q{number:03d}" for number in range(1, 5)]
EXPECTED = ExpectedRows(
    dict.fromkeys(IDS, "closed_book") | {f"{row_id}@k4-shuffle": "k4-shuffle" for row_id in IDS}
)
SMALL = Limits(max_bytes=1 << 25, max_expanded_bytes=1 << 22, max_line_bytes=2000, max_rows=50)


def line(row_id: str, **changes) -> bytes:
    return json.dumps({"id": row_id, "value": "x", "support_ids": ["U000001"]} | changes).encode()


GOOD = [line(row_id) for row_id in IDS]


@pytest.fixture
def check(tmp_path):
    def checked(content: bytes | list[bytes], limits: Limits = SMALL):
        path = tmp_path / "pred.jsonl"
        path.write_bytes(content if isinstance(content, bytes) else b"\n".join(content) + b"\n")
        return validation.check(path, SUITE, EXPECTED, limits=limits)

    return checked


def test_a_good_file_is_taken_with_its_splits(check) -> None:
    checked = check(GOOD)
    assert checked.ok
    assert (checked.rows, checked.splits, checked.problems) == (4, {"closed_book": 4}, [])
    assert check(gzip.compress(b"\n".join(GOOD))).ok
    assert check(b"\n\n" + b"\r\n".join(GOOD)).ok


BAD_LINES = {
    "not_json": (b'{"id": }', 8),
    "not_an_object": (b'["E0001-Q002"]', 1),
    "not_utf8": (b'{"id": "E0001-Q002", "value": "\xe9"}', 32),
    "not_a_number": (b'{"id": "E0001-Q002", "value": NaN}', 31),
    "nested_too_deeply": (b'{"id": ' + b"[" * 1500, None),
    "no_id": (b'{"value": "x"}', None),
    "unknown_id": (line("E0001-Q02"), None),
    "duplicate_id": (line("E0001-Q001"), None),
    "wrong_type": (line("E0001-Q004", value=["x"]), None),
    "too_many_support_ids": (line("E0001-Q004", support_ids=["U000001"] * 101), None),
    "no_answer": (b'{"id": "E0001-Q004", "confidence": 1}', None),
    "line_too_long": (line("E0001-Q004", value="x" * 3000), None),
}


STATE = ExpectedRows({"T#0": "causality", "T#1": "causality"})


@pytest.mark.parametrize(
    ("suite", "bad", "reason"),
    [
        (SUITE, {"value": "x"}, "give the row's 'id', a text."),
        (SUITE, {"id": 7, "value": "x"}, "its 'id' must be a text, not a number."),
        (STATEBENCH, {"id": "E0001-Q001"}, "it needs 'timeline_id', a text and 'query_idx', a whole number."),
        (STATEBENCH, {"timeline_id": "T"}, "it needs 'query_idx', a whole number."),
        (
            STATEBENCH,
            {"timeline_id": "T", "query_idx": True},
            "'query_idx' must be a whole number, not true or false.",
        ),
        (STATEBENCH, {"timeline_id": "T", "query_idx": 1.0}, "'query_idx' must be a whole number, not 1.0."),
        (
            STATEBENCH,
            {"timeline_id": 1, "query_idx": "0"},
            "'timeline_id' must be a text, not a number, and 'query_idx' must be a whole number, not a text.",
        ),
    ],
)
def test_a_line_without_a_row_says_what_names_one_in_its_suite(tmp_path, suite, bad, reason) -> None:
    (tmp_path / "pred.jsonl").write_bytes(json.dumps(bad).encode() + b"\n")
    (problem,) = validation.check(
        tmp_path / "pred.jsonl", suite, EXPECTED if suite is SUITE else STATE
    ).problems
    assert (problem.code, problem.message) == ("no_id", f"The line names no row: {reason}")


@pytest.mark.parametrize(
    ("tokens", "mean"),
    [((40, 2.5), 21.25), ((0, 0), 0), ((40, None), None), ((None, None), None), ((1e300, 1e308), None)],
)
def test_tokens_per_query_are_the_mean_where_every_line_says_them(tmp_path, tokens, mean) -> None:
    rows = [
        {"timeline_id": "T", "query_idx": number, "response": "no"}
        | ({} if used is None else {"tokens_used": used})
        for number, used in enumerate(tokens)
    ]
    (tmp_path / "pred.jsonl").write_bytes(b"".join(json.dumps(row).encode() + b"\n" for row in rows))
    checked = validation.check(tmp_path / "pred.jsonl", STATEBENCH, STATE)
    assert (checked.ok, checked.tokens_per_query) == (True, mean)


def test_a_line_that_says_nothing_of_tokens_leaves_them_not_reported(check) -> None:
    assert check(GOOD).tokens_per_query is None


@pytest.mark.parametrize("code", BAD_LINES)
def test_a_bad_line_is_named_with_its_number(check, code: str) -> None:
    bad, column = BAD_LINES[code]
    checked = check([GOOD[0], bad, *GOOD[1:3]], replace(SMALL, allow_missing=True))
    assert [(problem.code, problem.line, problem.column) for problem in checked.problems] == [
        (code, 2, column)
    ]
    assert checked.counts == {code: 1}
    assert checked.problems[0].message.endswith((".", "?"))


@pytest.mark.parametrize(
    "changes",
    [
        {"value": True},
        {"value": {"v": 1}},
        {"support_ids": True},
        {"support_ids": [1]},
        {"support_ids": [None]},
        {"support_id": ["U000001"]},
        {"selected_uid": 5},
        {"selected_uid": ["U000001"]},
        {"shown_uids": "U000001"},
        {"shown_uids": [1]},
        {"output": 5},
        {"text": {"value": "x"}},
    ],
)
def test_wrong_types_are_refused(check, changes) -> None:
    (problem,) = check([*GOOD[:3], line(IDS[3], **changes)]).problems
    assert (problem.code, problem.id) == ("wrong_type", IDS[3])
    assert repr(next(iter(changes))) in problem.message


@pytest.mark.parametrize(
    "changes",
    [
        {"value": 12},
        {"value": 1.5},
        {"value": None},
        {"support_ids": "U1"},
        {"support_ids": []},
        {"selected_uid": None},
        {"selected_uid": "U000001"},
        {"shown_uids": None},
        {"shown_uids": []},
        {"shown_uids": ["U000001", "U000002"]},
    ],
)
def test_other_types_are_taken(check, changes) -> None:
    assert check([*GOOD[:3], line(IDS[3], **changes)]).ok


def test_lines_that_an_answerer_saw_are_lines_of_the_row_each_once(tmp_path) -> None:
    held = ExpectedRows({"r": "closed_book"}, lines={"r": "U000001 U000002"})
    refused = {
        "unknown_shown_uid": ["U000001", "U00000F"],
        "duplicate_shown_uid": ["U000001", "U000001"],
        "too_many_shown_uids": ["U000001", "U000002", "U000003"],
    }
    for code, uids in refused.items():
        (tmp_path / "pred.jsonl").write_bytes(line("r", shown_uids=uids) + b"\n")
        (problem,) = validation.check(tmp_path / "pred.jsonl", SUITE, held).problems
        assert (problem.code, problem.line, problem.id) == (code, 1, "r")
        assert "'shown_uids'" in problem.message
        assert "U000002" not in problem.message
    (tmp_path / "pred.jsonl").write_bytes(line("r", shown_uids=["U000002", "U000001"]) + b"\n")
    assert validation.check(tmp_path / "pred.jsonl", SUITE, held).ok


def test_an_answer_without_an_end_is_refused_by_versions_that_read_to_the_letter(check) -> None:
    bad = json.dumps({"id": IDS[0], "output": '{"value": %s' % ("[" * 100_000)}).encode()
    bounds = replace(SMALL, max_line_bytes=1 << 20)
    intake = check([bad, *GOOD[1:]], bounds)
    assert (intake.ok, intake.states["unreadable"]) == (True, 1)
    problem = SUITE.read_line(json.loads(bad), ExpectedRows({IDS[0]: "closed"}, rubric="strict"))
    assert isinstance(problem, Problem)
    assert problem.code == "unreadable_answer"


def test_both_lines_of_a_duplicate_are_named(check) -> None:
    (problem,) = check([*GOOD, GOOD[1]]).problems
    assert problem.message == "Row 'E0001-Q002' is answered in line 2 and in line 5: keep one of them."


def test_an_unknown_id_gets_its_nearest_match(check) -> None:
    (problem,) = check([*GOOD, line("E0001-q003")]).problems
    assert "Did you mean 'E0001-Q003'?" in problem.message


def test_missing_rows_are_counted_by_covered_condition(check) -> None:
    checked = check([*GOOD[:1], line(f"{IDS[0]}@k4-shuffle"), line(f"{IDS[1]}@k4-shuffle")])
    assert checked.counts == {"missing_id": 5}
    assert checked.splits == {"closed_book": 1, "k4-shuffle": 2}
    assert checked.problems[0].message.startswith(
        "3 rows of 'closed_book' have no prediction: E0001-Q002, E0001-Q003"
    )
    assert checked.problems[1].message.startswith("2 rows of 'k4-shuffle' have no prediction")
    assert check(GOOD[:1], replace(SMALL, allow_missing=True)).ok


def test_where_rows_do_not_say_their_condition_no_message_does(tmp_path) -> None:
    splits = {"r1": "closed_book", "r2": "k4-gold_first", "r3": "k4-gold_first", "r4": "k4-gold_last"}
    forms = {name: "closed_book" if text == "closed_book" else "candidates" for name, text in splits.items()}
    path = tmp_path / "pred.jsonl"
    path.write_bytes(line("r2") + b"\n" + line("r3"))
    checked = validation.check(path, SUITE, ExpectedRows(splits, forms))
    assert [problem.message for problem in checked.problems] == [
        "1 row of 'candidates' has no prediction: r4. Answer every row of a kind, or leave the kind out."
    ]
    path.write_bytes(b"\n".join(map(line, ("r4", "r3", "r2"))))
    checked = validation.check(path, SUITE, ExpectedRows(splits, forms))
    assert (checked.ok, checked.splits) == (True, {"k4-gold_first": 2, "k4-gold_last": 1})


def test_a_condition_may_be_left_out_altogether(check) -> None:
    assert check(GOOD).splits == {"closed_book": 4}


@pytest.mark.parametrize("content", [b"", b"\n  \n", gzip.compress(b"", mtime=0)])
def test_an_empty_file_is_refused(check, content: bytes) -> None:
    (problem,) = check(content).problems
    assert problem.code == "empty_file"


def test_a_byte_order_mark_is_taken_at_the_start_and_nowhere_else(check) -> None:
    marked = b"\xef\xbb\xbf"
    assert check(marked + b"\n".join(GOOD)).ok
    checked = check(GOOD[0] + b"\n" + marked + b"\n".join(GOOD[1:]))
    assert (checked.problems[0].code, checked.problems[0].line) == ("bom", 2)


@pytest.mark.parametrize("cut", [12, 40, -6])
def test_damaged_gzip_is_refused(check, cut: int) -> None:
    checked = check(gzip.compress(b"\n".join(GOOD))[:cut])
    assert checked.problems[-1].code == "damaged_gzip"


def test_a_file_over_the_limit_is_refused_unread(tmp_path) -> None:
    path = tmp_path / "huge.jsonl"
    with open(path, "wb") as handle:
        handle.truncate(2 << 30)  # sparse
    (problem,) = validation.check(path, SUITE, EXPECTED).problems
    assert problem.code == "file_too_large"
    assert problem.message == "The file has 2,048 MB; at most 256 MB are accepted."


def test_a_gzip_bomb_is_refused(check) -> None:
    bomb = gzip.compress(b" " * (5 << 20))
    assert check(bomb).problems[-1].code == "expands_too_far"
    bomb = gzip.compress((b" " * 999_999 + b"\n") * 17)
    assert check(bomb, Limits()).problems[-1].code == "expands_too_far"


def test_lines_are_bounded_by_the_rows_of_the_version(check) -> None:
    """The limit is twice the rows plus a thousand, as a file may have a blank line after each."""
    most = 2 * len(EXPECTED.splits) + 1_000
    assert check(b"\n\n".join(GOOD) + b"\n" * (most - 6), Limits()).ok
    checked = check(b"\n\n".join(GOOD) + b"\n" * (most - 5), Limits())
    assert (checked.problems[-1].code, checked.problems[-1].line) == ("too_many_rows", most + 1)
    assert "more than 1,016 lines, blank ones included" in checked.problems[-1].message


def test_blank_lines_are_counted_too(check) -> None:
    checked = check(gzip.compress(b"\n" * (17 << 20)), Limits())
    assert (checked.problems[-1].code, checked.problems[-1].line) == ("too_many_rows", 1_017)
    assert check(b"\n" * 51).problems[-1].line == 51  # where the limit is lower than that


def test_the_check_stops_at_the_last_problem_that_it_tells(check) -> None:
    checked = check([b"{"] * 45)
    assert (len(checked.problems), checked.problem_count, checked.total) == (20, 20, 20)
    assert checked.stopped
    assert checked.summary == "The check stopped after 20 problems; there may be more."
    assert "missing_id" not in checked.counts


def test_fewer_problems_are_all_told(check) -> None:
    checked = check([b"{"] * 19 + GOOD)
    assert (checked.problem_count, checked.stopped, checked.summary) == (
        19,
        False,
        "The file has 19 problems.",
    )
    assert check([b"{", *GOOD]).summary == "The file has 1 problem."


def test_splits_that_miss_rows_stop_the_check_alike(tmp_path) -> None:
    expected = ExpectedRows({f"{row}@{name}": f"c{name}" for name in range(30) for row in "ab"})
    (tmp_path / "pred.jsonl").write_bytes(b"\n".join(line(f"a@{name}") for name in range(30)))
    checked = validation.check(tmp_path / "pred.jsonl", SUITE, expected)
    assert (checked.counts, checked.stopped) == ({"missing_id": 20}, True)


BOMBS = {
    "seven million bad lines in 14.6 kB": lambda: gzip.compress(b"x\n" * (7 << 20)),
    "objects that are no answers": lambda: gzip.compress(b"{}\n" * (5 << 20)),
    "ids not asked for": lambda: b'{"id":"Q"}\n' * (1 << 20),
    "the same row": lambda: GOOD[0] + b"\n" + (GOOD[0] + b"\n") * 300_000,
    "blank lines": lambda: gzip.compress(b"\n" * (100 << 20)),
    "deep nesting": lambda: (
        gzip.compress(b'{"id":' + b'{"a":' * 190_000 + b"1" + b"}" * 190_000 + b"}\n") * 20
    ),
    "a million keys": lambda: (b"{" + b",".join(b'"%x":1' % n for n in range(100_000)) + b"}\n") * 15,
    "the same key": lambda: gzip.compress((b"{" + b'"a":1,' * 170_000 + b'"b":1}\n') * 15),
    "giant numbers": lambda: gzip.compress((b'{"id":"E0001-Q001","value":' + b"9" * 1_000_000 + b"}\n") * 15),
    "members without end": lambda: gzip.compress(b"x\n" * 500) * 50_000,
    "empty members": lambda: gzip.compress(b"") * 500_000,
    "one line": lambda: gzip.compress(bytes(1 << 20)) * 1024,
}


#: Of these a hundred megabytes and more have to be unpacked to find that nothing is in them.
INFLATED = ("blank lines", "one line")


@pytest.mark.parametrize("name", BOMBS)
def test_no_file_keeps_the_check_busy(check, name) -> None:
    bomb = BOMBS[name]()
    with soon(10 if name in INFLATED else 1.5):
        assert not check(bomb, Limits()).ok


@pytest.mark.parametrize(("excess", "taken"), [(0, True), (1, False), (2, False), (3000, False)])
def test_lines_as_long_as_the_limit_are_taken(check, excess: int, taken: bool) -> None:
    length = SMALL.max_line_bytes + excess
    long = line(IDS[0], value="x" * (length - len(line(IDS[0])) + 1))
    assert len(long) == length
    checked = check([long, *GOOD[1:]], replace(SMALL, allow_missing=True))
    assert (checked.ok, checked.rows) == (taken, 4 if taken else 3)
    assert check([*GOOD[1:], long], replace(SMALL, allow_missing=True)).ok == taken


@settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(
    content=st.lists(st.sampled_from(GOOD) | st.binary(max_size=20), max_size=8),
    packed=st.booleans(),
    cut=st.integers(0, 9),
)
def test_any_bytes_are_taken_or_refused(check, content, packed: bool, cut: int) -> None:
    joined = b"\n".join(content)
    data = gzip.compress(joined) if packed else joined
    checked = check(data[: len(data) - cut])
    assert checked.ok == (checked.total == 0) == (not checked.problems)
    assert checked.rows <= sum(checked.splits.values()) <= len(IDS)
