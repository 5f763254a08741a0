"""The context that a model gets of a timeline: a strategy's, cut to the model's limit; notes are made once."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from evaluation.adapters.base import Usage
from evaluation.adapters.replies import Reply
from evaluation.core import jsonl
from evaluation.core.errors import AdapterError, SettingsError
from evaluation.core.tokens import pretokens
from evaluation.statebench.adapters.contexts import Contexts, Plan, read_made
from evaluation.statebench.language.words import count_tokens
from evaluation.statebench.strategies import STRATEGIES, build_context
from tests.evaluation.conftest import make_timelines

TIMELINE = make_timelines("brutal_realistic", count=1)[0]


class Model:
    """Replies the same each time; counts its calls."""

    def __init__(self) -> None:
        self.names: list[str] = []

    def __call__(self, system: str, user: str, name: str) -> Reply:
        self.names.append(name)
        return Reply("kept by the model", Usage(prompt_tokens=7))


def plan(strategy: str, model: Model | None = None, budget: int = 8192, **changes: Any) -> Plan:
    given = {"tokenizer": count_tokens, "measure": pretokens, "notes_room": lambda _: 1000} | changes
    return Plan(strategy=strategy, budget=budget, ask=model or Model(), **given)


@pytest.mark.parametrize(
    "strategy", [name for name, strategy_class in STRATEGIES.items() if not strategy_class.instruction]
)
def test_a_strategy_without_notes_shows_what_it_always_shows(strategy: str) -> None:
    model = Model()
    contexts = Contexts(TIMELINE, plan(strategy, model, budget=60))
    for query in range(2):
        expected = build_context(TIMELINE, query, strategy=strategy, budget=60).text
        assert contexts.text(query, 10_000) == (expected, False)
    assert model.names == []
    assert contexts.charge() == Usage()


@pytest.mark.parametrize(
    "strategy", [name for name, strategy_class in STRATEGIES.items() if strategy_class.instruction]
)
def test_notes_are_the_model_s_and_paid_for_once(strategy: str) -> None:
    model = Model()
    contexts = Contexts(TIMELINE, plan(strategy, model))
    for query in range(3):
        assert "kept by the model" in contexts.text(query, 10_000)[0]
    assert len(model.names) == len(set(model.names))
    assert contexts.charge().prompt_tokens == 7 * len(model.names) > 0
    assert contexts.charge() == Usage()


@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize("room", [-5, 0, 9, 40])
def test_no_context_is_longer_than_the_model_can_read(strategy: str, room: int) -> None:
    text, cut = Contexts(TIMELINE, plan(strategy)).text(0, room)
    assert pretokens(text) <= max(room, 0)
    assert cut or text == Contexts(TIMELINE, plan(strategy)).text(0, 10_000)[0]


def test_the_share_of_constraints_is_the_plan_s() -> None:
    texts = set()
    for share in (0.0, 1.0):
        contexts = Contexts(TIMELINE, plan("state_based", budget=45, constraint_share=share))
        expected = build_context(TIMELINE, 0, budget=45, constraint_share=share).text
        assert contexts.text(0, 10_000) == (expected, False)
        texts.add(expected)
    assert texts


def test_contexts_that_were_made_before_are_shown_instead_of_a_strategy_s(tmp_path: Path) -> None:
    path = tmp_path / "contexts.jsonl"
    lines = [
        {"timeline_id": TIMELINE["id"], "query_idx": n, "memory": "mine", "text": f"one {n}\ntwo"}
        for n in range(2)
    ]
    jsonl.write(path, lines)
    made = read_made(str(path), 512)
    model = Model()
    contexts = Contexts(TIMELINE, plan("fact_extraction", model, made=made))
    assert contexts.text(0, 10_000) == ("one 0\ntwo", False)
    assert contexts.text(1, 2) == ("one 1", True)
    assert Contexts(TIMELINE, plan("no_memory", made=made, budget=2)).text(1, 10_000) == ("one 1", True)
    assert model.names == []
    assert plan("no_memory", made=made).contexts.startswith("mine@")
    with pytest.raises(AdapterError, match="has no context for"):
        contexts.text(2, 10_000)


def test_of_several_contexts_the_largest_within_the_budget_is_shown(tmp_path: Path) -> None:
    path = tmp_path / "contexts.jsonl"
    line = {"timeline_id": TIMELINE["id"], "query_idx": 0, "contexts": {"64": "few", "128": "many"}}
    jsonl.write(path, [line])
    shown = [read_made(str(path), budget) for budget in (32, 64, 127, 128, 8192)]
    assert [next(iter(made.texts.values())) for made in shown if made] == [
        "few",
        "few",
        "few",
        "many",
        "many",
    ]


@pytest.mark.parametrize(
    ("lines", "reason"),
    [
        ([{"timeline_id": "T", "query_idx": 0}], "2?: has no text"),
        ([{"timeline_id": "T", "query_idx": 0, "text": "a"}] * 2, "2: second context of the same query"),
        (None, "none.jsonl"),
    ],
)
def test_a_file_that_is_none_of_contexts_is_refused(tmp_path: Path, lines: Any, reason: str) -> None:
    path = tmp_path / "none.jsonl"
    if lines is not None:
        jsonl.write(path, lines)
    with pytest.raises(SettingsError, match=rf"contexts: cannot be read: .*{reason}"):
        read_made(str(path), 512)
