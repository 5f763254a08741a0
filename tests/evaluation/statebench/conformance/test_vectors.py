"""Vectors from a file: every fault is named with file, line and vector, before any request."""

from __future__ import annotations

import pytest

from evaluation.core import jsonl
from evaluation.core.errors import RowError
from evaluation.statebench import run_conformance
from evaluation.statebench.conformance.requirements import rule
from evaluation.statebench.conformance.vectors import BUILTIN, builtin, read_vectors
from tests.evaluation.statebench import reference_state

GOOD = dict(builtin()[0])


def test_the_vectors_of_the_package_are_a_file_that_can_be_taken(tmp_path):
    path = tmp_path / "vectors.jsonl.gz"
    jsonl.write(path, read_vectors(BUILTIN))
    assert all(verdict.passed for verdict in run_conformance(path))
    assert {vector["name"]: vector["rule"] for vector in builtin()} == {
        vector["name"]: rule(vector["name"]) for vector in builtin()
    }


def test_the_vectors_of_the_reference_can_be_read():
    assert len(read_vectors(reference_state.path("conformance/vectors.jsonl"))) == 31


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"name": ""}, "the name of a vector"),
        ({"name": 3}, "the name of a vector"),
        ({"name": "x" * 101}, "the name of a vector"),
        ({"token_budget": "many"}, "token_budget must be an integer"),
        ({"token_budget": True}, "token_budget must be an integer"),
        ({"token_budget": 0}, "token_budget must be an integer"),
        ({"fact_share": 7}, "fact_share must be a number above 0"),
        ({"constraint_share": 0}, "constraint_share must be a number above 0"),
        ({"fact_share": "half"}, "fact_share must be a number above 0"),
        ({"expect": []}, "expect must be an object, not a list"),
        ({"expect": {"mood": "good"}}, "has unknown expectations: mood. Known: "),
        (
            {"expect": {"valid_keys": "order"}},
            "the expectation valid_keys must be a list of texts, not a text",
        ),
        ({"expect": {"valid_keys": [3]}}, "the expectation valid_keys must be a list of texts"),
        ({"expect": {"is_current": {"a": "yes"}}}, "is_current of 'a' must be true or false, not a text"),
        ({"expect": {"max_tokens": None}}, "max_tokens must be a number ≥ 0, not null"),
        ({"expect": {"turn_scope": ["x"]}}, "turn_scope must be an object, not a list"),
        (
            {"expect": {"links": {"supersedes": {"a": "b"}}}},
            "links of 'supersedes' of 'a' must be a list of texts",
        ),
        ({"timeline": 3}, "a timeline must be a JSON object"),
        ({"timeline": {"id": "x"}}, "a timeline lacks initial_state, events"),
        ({"timeline": GOOD["timeline"] | {"events": []}}, "has no query"),
    ],
)
def test_a_fault_is_named_with_its_line(tmp_path, change, reason):
    path = tmp_path / "vectors.jsonl"
    jsonl.write(path, [GOOD, GOOD | {"name": "second"} | change])
    with pytest.raises(RowError) as caught:
        read_vectors(path)
    assert str(caught.value).startswith(f"{path}:2: ")
    assert reason in str(caught.value)


@pytest.mark.parametrize("lost", ["name", "token_budget", "timeline", "expect"])
def test_a_vector_that_lacks_a_field_says_which(tmp_path, lost):
    path = tmp_path / "vectors.jsonl"
    jsonl.write(path, [{name: value for name, value in GOOD.items() if name != lost}])
    with pytest.raises(RowError, match=f":1: a vector lacks {lost}"):
        read_vectors(path)


@pytest.mark.parametrize(
    ("data", "reason"),
    [(b'{"name": \n', ":1:"), (b"[]\n", ":1: a line must be"), (b"", "contains no vectors")],
)
def test_what_is_no_file_of_vectors_is_refused(tmp_path, data, reason):
    path = tmp_path / "vectors.jsonl"
    path.write_bytes(data)
    with pytest.raises(RowError, match=reason):
        read_vectors(path)


def test_a_name_that_comes_twice_is_refused_with_both_lines(tmp_path):
    path = tmp_path / "vectors.jsonl"
    jsonl.write(path, [GOOD, GOOD])
    with pytest.raises(RowError, match=r":2: vector 'basic_supersession' is already in line 1"):
        read_vectors(path)


def test_vectors_given_themselves_are_checked_alike():
    with pytest.raises(RowError, match="a vector lacks expect"):
        run_conformance([{"name": "x", "token_budget": 8, "timeline": GOOD["timeline"]}])
