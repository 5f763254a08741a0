"""The contract of adapters: which outputs are allowed."""

from __future__ import annotations

import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from evaluation.adapters.base import Usage
from evaluation.core.errors import AdapterError
from evaluation.goldevidence.adapters.outputs import MAX_SUPPORT, check_output
from evaluation.goldevidence.adapters.shown import citable_ids
from tests.reference import reference_path

IDS = ["U000001", "U000002", "U000003", "U000004"]


def test_every_case_of_the_reference_contract_is_decided_alike() -> None:
    data = json.loads(reference_path("gold/edge/adapter_contract.json").read_text(encoding="utf-8"))
    for case in data["cases"]:
        row = data["row"] | ({"document": None} if case["closed_row"] else {})
        known, most = citable_ids(row), case["max_support_k"]
        if "error" in case["expected"]:
            with pytest.raises(AdapterError, match="row E0001-Q001: "):
                check_output(case["raw"], row_id=row["id"], known_ids=known, max_support=most)
        else:
            output = check_output(case["raw"], row_id=row["id"], known_ids=known, max_support=most)
            assert output == case["expected"]["ok"], case["id"]


@pytest.mark.parametrize(
    ("output", "rule"),
    [
        ("teal", "the output must be an object, not str"),
        ({}, "`value` is required (it may be null)"),
        ({"value": []}, "`value` must be null, a text or a number, not list"),
        ({"value": "x", "support_ids": IDS}, "at most 3 `support_ids` are allowed, got 4"),
        ({"value": "x", "support_ids": ["UFFFFFF"]}, "support id 'UFFFFFF' does not exist in the episode"),
        ({"value": "x", "support_ids": {"id": 1}}, "`support_ids` must be a list of texts"),
        (
            {"value": "x", "selected_uid": "UFFFFFF"},
            "`selected_uid` must be null or the id of a line of the episode, not 'UFFFFFF'",
        ),
        (
            {"value": "x", "selected_uid": ["U000001"]},
            "`selected_uid` must be null or the id of a line of the episode, not ['U000001']",
        ),
    ],
)
def test_a_broken_rule_is_named_with_its_row(output: object, rule: str) -> None:
    with pytest.raises(AdapterError) as error:
        check_output(output, row_id="E0001-Q002", known_ids=IDS)
    assert str(error.value) == f"row E0001-Q002: {rule}"


def test_the_choice_of_a_selector_stays_beside_the_answer() -> None:
    output = {"value": "x", "support_ids": ["U000001"], "selected_uid": "U000002"}
    assert check_output(output, row_id="r", known_ids=IDS) == output
    assert "selected_uid" not in check_output(output | {"selected_uid": None}, row_id="r", known_ids=IDS)


@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    st.dictionaries(
        st.sampled_from(["value", "support_ids", "support_id", "extra"]),
        st.one_of(
            st.none(), st.text("U01x ", max_size=5), st.integers(), st.lists(st.sampled_from(IDS), max_size=5)
        ),
    )
)
def test_any_output_is_either_refused_or_exactly_value_and_support_ids(output: dict[str, object]) -> None:
    try:
        checked = check_output(output, row_id="r", known_ids=IDS)
    except AdapterError:
        return
    assert list(checked) == ["value", "support_ids"]
    assert checked["value"] is None or isinstance(checked["value"], str)
    assert len(checked["support_ids"]) <= MAX_SUPPORT
    assert set(checked["support_ids"]) <= set(IDS)


def test_usages_add_up() -> None:
    total = Usage(prompt_tokens=10, passes=1, wall_s=0.5) + Usage(prompt_tokens=5, passes=2, wall_s=0.25)
    assert (total.prompt_tokens, total.passes, total.wall_s) == (15, 3, 0.75)


def test_a_cost_stands_among_the_figures_where_something_has_a_price() -> None:
    assert "cost" not in Usage(prompt_tokens=5).as_dict()
    assert (Usage(cost=0.25) + Usage(cost=0.5)).as_dict()["cost"] == 0.75
