"""Contexts made elsewhere: their lines, refusals, and that they measure as contexts made here."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.cli import main
from evaluation.core import jsonl, validation
from evaluation.core.errors import RowError
from evaluation.statebench import public
from evaluation.statebench.data.contexts import (
    MOST_BUDGETS,
    as_response,
    contexts_of,
    holds_contexts,
    read_context_lines,
    tokens,
)
from evaluation.statebench.data.truth import record
from evaluation.statebench.generator.tracks import TRACKS, generate
from evaluation.statebench.memory import find_memory
from evaluation.statebench.strategies import STRATEGIES, build_budgets
from evaluation.statebench.strategies.measure import measure_contexts, measure_memory
from evaluation.statebench.suite import SUITE

ROWS = list(generate(list(TRACKS), 2, 7))
KNOWN = [(public.public_row(row, labels=False), record(row)) for row in ROWS]
BUDGETS = (20, 60, 400)
QUERY = {"timeline_id": "T", "query_idx": 0}


def lines(strategy: str = "state_based", budgets: tuple[int, ...] = BUDGETS) -> list[Any]:
    """A strategy's contexts as another program would send them."""
    return [
        {
            "timeline_id": row["id"],
            "query_idx": query,
            "contexts": {str(budget): each.text for budget, each in zip(budgets, contexts, strict=True)},
        }
        for row in ROWS
        for query, contexts in enumerate(zip(*build_budgets(row, budgets, strategy=strategy), strict=True))
    ]


def checked(tmp_path: Path, sent: list[Any]) -> validation.Intake:
    path = tmp_path / "contexts.jsonl"
    jsonl.write(path, sent)
    return validation.check(path, SUITE, SUITE.expected(known for _, known in KNOWN))


def test_contexts_that_were_sent_have_the_figures_of_the_memory_that_made_them():
    sent = measure_contexts(KNOWN, lines(), "m")
    made = measure_memory(ROWS, "m", find_memory("state_based"), BUDGETS)
    for one, other in zip(sent, made, strict=True):
        assert {**one, "ingest_s": 0, "context_s": 0} == {**other, "ingest_s": 0, "context_s": 0}
        assert "ingest_s" not in one


def test_a_context_that_is_missing_is_empty_and_one_over_its_budget_is_cut():
    [whole, *_] = measure_contexts(KNOWN, lines()[1:], "m")
    assert whole["queries"] == len(lines())
    long = [{**QUERY, "timeline_id": ROWS[0]["id"], "budget": 3, "text": "one two\nthree four"}]
    [cut, *_] = measure_contexts(KNOWN[:1], long, "m")
    assert (cut["tokens_max"], cut["over_budget"]) == (2, 1)


def test_lines_of_answers_have_no_figures():
    assert measure_contexts(KNOWN, [{**QUERY, "response": "No."}], "m") == []


def test_a_text_joined_by_something_else_than_space_is_no_single_token():
    assert tokens("a b c") == 3
    assert tokens(",".join(["budget"] * 100)) == 59  # 699 characters


@pytest.mark.parametrize("strategy", sorted(STRATEGIES))
def test_no_context_of_ours_has_more_tokens_than_by_white_space(strategy):
    for row in ROWS:
        for contexts in build_budgets(row, BUDGETS, strategy=strategy):
            assert all(tokens(each.text) == len(each.text.split()) for each in contexts)


def test_a_file_of_contexts_passes_the_check_and_says_so(tmp_path):
    intake = checked(tmp_path, lines())
    assert intake.ok
    assert intake.apart is not None
    assert (intake.apart.kind, intake.apart.words) == ("memory", "contexts of 20, 60 and 400 tokens")
    one = [
        {**{name: each[name] for name in QUERY}, "budget": 20, "text": each["contexts"]["20"]}
        for each in lines()
    ]
    intake = checked(tmp_path, one)
    assert intake.ok
    assert intake.apart is not None
    assert intake.apart.words == "contexts of 20 tokens"
    assert checked(tmp_path, [{**each, "response": "No."} for each in one]).apart is None


@pytest.mark.parametrize(
    ("change", "code", "said"),
    [
        ({"contexts": {}}, "unreadable_context", "'contexts' must map each budget to its text"),
        ({"contexts": ["a"]}, "unreadable_context", "'contexts' must map each budget to its text"),
        ({"contexts": {"20": 3}}, "unreadable_context", "The context of 20 tokens must be a text, not 3."),
        (
            {"contexts": {"020": "a", "20": "a"}},
            "unreadable_context",
            "The context of 20 tokens is given twice.",
        ),
        (
            {"contexts": {"0": "a"}},
            "unreadable_context",
            "a whole number of tokens from 1 to 131,072, not '0'",
        ),
        ({"contexts": {"½": "a"}}, "unreadable_context", "not '½'"),
        (
            {"contexts": {str(n): "a" for n in range(1, MOST_BUDGETS + 2)}},
            "unreadable_context",
            "The line has contexts of 7 budgets; at most 6 are allowed.",
        ),
        (
            {"contexts": {"20": "a"}},
            "mixed_lines",
            "The line contains contexts of 20 tokens, earlier lines contain contexts of 20, 60 and 400 tokens",
        ),
        ({"contexts": None}, "unreadable_context", "'contexts' must map each budget"),
    ],
)
def test_a_line_that_cannot_be_measured_is_refused_with_its_number(tmp_path, change, code, said):
    sent = lines()
    intake = checked(tmp_path, [*sent[:-1], {**sent[-1], **change}])
    [problem] = intake.problems
    assert (problem.code, problem.line) == (code, len(sent))
    assert said in problem.message


def test_answers_among_contexts_and_missing_and_double_queries_are_refused(tmp_path):
    sent = lines()
    mixed = checked(tmp_path, [*sent[:-1], {**QUERY, **{k: sent[-1][k] for k in QUERY}, "response": "No."}])
    assert "The line contains answers, earlier lines contain contexts" in mixed.problems[0].message
    assert list(checked(tmp_path, sent[1:]).counts) == ["missing_id"]
    assert list(checked(tmp_path, [*sent, sent[0]]).counts) == ["duplicate_id"]


@given(
    st.dictionaries(
        st.sampled_from(["contexts", "budget", "text"]),
        st.recursive(
            st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
            lambda inner: (
                st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3)
            ),
        ),
    )
)
def test_whatever_a_line_holds_is_contexts_or_an_error_with_a_reason(given_line):
    line = {**QUERY, **given_line}
    if not holds_contexts(line):
        return
    try:
        texts = contexts_of(line)
    except RowError:
        return
    assert list(texts) == sorted(texts)
    assert isinstance(as_response(line)["response"], str)


def test_the_command_line_writes_measures_and_reads_the_same_file(tmp_path, capsys):
    timelines, sent = str(tmp_path / "t.jsonl"), tmp_path / "c.jsonl"
    jsonl.write(timelines, ROWS[:4])
    assert (
        main(
            [
                "state",
                "context",
                "--timelines",
                timelines,
                "--memory",
                "state_based",
                "--json",
                "--budget",
                "20",
                "60",
            ]
        )
        == 0
    )
    sent.write_text(capsys.readouterr().out)
    assert set(json.loads(sent.read_text().splitlines()[0])["contexts"]) == {"20", "60"}
    out = str(tmp_path / "r.json")
    assert (
        main(["state", "compare", "--timelines", timelines, "--contexts", str(sent), "--results-json", out])
        == 0
    )
    figures = json.loads(Path(out).read_text())
    assert {(row["memory"], row["budget"]) for row in figures} == {("c.jsonl", 20), ("c.jsonl", 60)}


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ({**QUERY, "response": "No."}, "2: a line of contexts needs"),
        ({**QUERY, "query_idx": 1, "budget": "many", "text": "a"}, "2: the budget of a context must be"),
        ({**QUERY, "budget": 5, "text": "a"}, "2: second line with contexts for query 0 of timeline 'T'"),
    ],
)
def test_a_file_that_is_read_here_names_the_line_at_fault(tmp_path, line, said):
    path = tmp_path / "c.jsonl"
    jsonl.write(path, [{**QUERY, "budget": 5, "text": "a"}, line])
    with pytest.raises(RowError, match=said):
        list(read_context_lines(str(path)))
