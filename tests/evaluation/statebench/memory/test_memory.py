"""The door for memory systems: the events they get, the answers they may give, and our strategies behind it."""

from __future__ import annotations

import json
from functools import partial
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.core.errors import AdapterError, UnknownNameError
from evaluation.statebench.data.tokens import TOKENIZERS, get_tokenizer
from evaluation.statebench.generator.tracks import TRACKS, generate
from evaluation.statebench.memory import find_memory, plain, recall, served
from evaluation.statebench.memory.asking import told
from evaluation.statebench.memory.protocol import read_context
from evaluation.statebench.memory.remote import HttpMemory
from evaluation.statebench.strategies import STRATEGIES, build_budgets
from evaluation.statebench.strategies.measure import ALL, measure, measure_memory
from tests.evaluation.statebench.writing import fact, say, supersede, timeline

COUNT = get_tokenizer(None)
ROWS = list(generate(list(TRACKS), 1, 7))
BUDGETS = (20, 60, 4000)


class Everything:
    """Keeps each event as lines and shows all of them, whatever the budget."""

    def __init__(self) -> None:
        self.events: list[dict[str, Any]] = []

    def ingest(self, event: dict[str, Any]) -> None:
        self.events.append(event)

    def context(self, query: Any, budget: int) -> Any:
        items = [{"text": line, "source": [event["index"]]} for event in self.events for line in plain(event)]
        return {"text": "\n".join(item["text"] for item in items), "items": items}


def asked(row: Any, memory: Any, *budgets: int) -> Any:
    return recall(row, lambda: memory, budgets or (4000,), COUNT)


@pytest.mark.parametrize("strategy", sorted(STRATEGIES))
def test_a_strategy_behind_the_door_shows_what_it_always_shows(strategy: str) -> None:
    for row in ROWS:
        for budget, contexts, through in zip(
            BUDGETS,
            build_budgets(row, BUDGETS, strategy=strategy),
            recall(row, find_memory(strategy), BUDGETS, COUNT),
            strict=True,
        ):
            shown = [context.text for context in contexts if context.tokens <= budget]
            assert shown == [each.text for each in through if each.told <= budget]


def test_a_memory_is_told_the_start_and_then_what_happens_and_no_gold() -> None:
    row = timeline(
        say("It rains."),
        supersede("status", "shut", of="status"),
        query="Well?",
        facts=[fact("status", "open")],
        notes=["call Jo"],
        environment={"alert": "none"},
    )
    row["timezone"] = "Europe/Berlin"
    [(events, query)] = told(row)
    kinds = list(dict.fromkeys(event["type"] for event in events))
    assert kinds == ["start", "fact", "note", "signal", "conversation_turn", "supersession"]
    assert [event["index"] for event in events] == list(range(len(events)))
    assert events[0]["timezone"] == "Europe/Berlin"
    assert query["prompt"]
    assert "ground_truth" not in json.dumps([events, query])


def test_events_come_in_order_of_time_and_none_from_after_the_query() -> None:
    row = timeline(say("first"), say("before all"), say("much later"), query="Well?")
    row["events"][1]["ts"] = "2001-01-01T00:00:00"
    row["events"].append(row["events"].pop(2) | {"ts": "2099-01-01T00:00:00"})
    [(events, _)] = told(row)
    assert [event["text"] for event in events if event["type"] == "conversation_turn"] == [
        "before all",
        "first",
    ]


def test_queries_of_a_timeline_share_a_memory_that_is_told_every_event_once() -> None:
    made: list[Everything] = []

    def make() -> Everything:
        made.append(Everything())
        return made[-1]

    row = ROWS[-1]
    [contexts] = recall(row, make, (4000,), COUNT)
    assert len(contexts) == 3
    assert len(made) == 1
    indexes = [event["index"] for event in made[0].events]
    assert len(indexes) == len(set(indexes))


def test_a_context_over_the_budget_is_cut_and_counted() -> None:
    row = timeline(*[say(f"It is {number} already.") for number in range(9)], query="Well?")
    [[whole], [cut]] = asked(row, Everything(), 4000, 20)
    assert whole.text.startswith(cut.text)
    assert cut.tokens <= 20 < cut.told == whole.tokens
    assert measure_memory([ROWS[0]], "m", Everything, (5,))[0]["over_budget"] > 0


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (None, "an invalid context for .*: a context must be an object"),
        ({"items": []}, 'a text "text"'),
        ({"text": 3}, 'a text "text"'),
        ({"text": "", "items": "all"}, '"items" of a context must be a list'),
        ({"text": "", "items": [{"source": [1]}]}, "an item of a context"),
        ({"text": "", "items": [{"text": "x", "source": 1}]}, '"source" of an item must be a list'),
        ({"text": "", "items": [{"text": "x", "source": [99]}]}, "the event 99, which the memory has not"),
        ({"text": "", "items": [{"text": "x", "source": [True]}]}, "the event True"),
        ({"text": "", "items": [{"text": "x", "source": [{}]}]}, "the event {}"),
    ],
)
def test_what_is_no_context_is_refused_with_the_reason(answer: Any, reason: str) -> None:
    class Odd(Everything):
        def context(self, query: Any, budget: int) -> Any:
            return answer

    with pytest.raises(AdapterError, match=reason):
        asked(timeline(say("Hello."), query="Well?"), Odd())


JSON = st.recursive(
    st.sampled_from([None, True, 0, 1, 2, -1, 0.5, "", "x"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["text", "items", "source", "more"]), inner, max_size=3)
    ),
    max_leaves=12,
)


@given(JSON)
def test_any_answer_is_a_context_or_an_error(answer: Any) -> None:
    try:
        context = read_context(answer, {0, 1})
    except AdapterError:
        return
    assert isinstance(context["text"], str)
    assert all(set(item["source"]) <= {0, 1} for item in context["items"])


def test_a_memory_that_breaks_is_named_with_timeline_and_event() -> None:
    class Broken(Everything):
        def ingest(self, event: Any) -> None:
            if event["index"] == 2:
                raise ValueError("disk full")

    row = timeline(say("Hello."), query="Well?", facts=[fact("status", "open")])
    with pytest.raises(AdapterError, match=rf"timeline '{row['id']}'.* at event 2: ValueError: disk full"):
        asked(row, Broken())


def test_a_memory_is_closed_once_its_timeline_is_over() -> None:
    closed = []

    class Closing(Everything):
        def close(self) -> None:
            closed.append(len(self.events))

    asked(timeline(say("Hello."), query="Well?"), Closing())
    assert len(closed) == 1


def test_the_figures_through_the_door_are_those_of_the_strategy() -> None:
    direct = measure(ROWS[:5], "state_based", BUDGETS[1:])
    through = measure_memory(ROWS[:5], "ours", find_memory("state_based"), BUDGETS[1:])
    for one, other in zip(direct, through, strict=True):
        assert {**one, "memory": "ours"}.items() - other.items() == {
            ("strategy", "state_based"),
            ("contexts", one["contexts"]),
        }
        assert other["ingest_s"] >= 0 < other["context_s"]


def test_everything_shows_all_live_values_and_all_dead_ones_and_all_constraints() -> None:
    [figures] = [row for row in measure_memory(ROWS, "all", Everything, (4000,)) if row["track"] == ALL]
    assert figures["live_values"] == figures["dead_values"] == figures["constraints"] == 1
    assert figures["constraints_of"] > 0
    assert figures["constraints_low"] <= 1 <= figures["constraints_high"]


def test_a_name_that_is_none_fails_helpfully(tmp_path: Any, monkeypatch: Any) -> None:
    with pytest.raises(UnknownNameError, match=r"unknown memory 'state_baset'\. Did you mean 'state_based'"):
        find_memory("state_baset")
    with pytest.raises(AdapterError, match="memory 'nowhere:Memory' cannot be loaded"):
        find_memory("nowhere:Memory")


def through_json(answer: Any, request: Any) -> Any:
    return json.loads(json.dumps(answer(json.loads(json.dumps(request)))))


def test_over_http_a_memory_is_asked_with_the_same_objects() -> None:
    ask = partial(through_json, served(Everything))
    for row in ROWS[:3]:
        direct = recall(row, Everything, BUDGETS, COUNT)
        remote = recall(row, lambda: HttpMemory(ask), BUDGETS, COUNT)
        assert [[each.text for each in one] for one in direct] == [
            [each.text for each in one] for one in remote
        ]
        assert [each.items for each in direct[0]] == [each.items for each in remote[0]]


def test_tokens_are_those_of_the_named_tokenizer() -> None:
    row = timeline(say("Hello."), query="Well?")
    for count in TOKENIZERS.values():
        [[context]] = recall(row, Everything, (4000,), count)
        assert context.tokens == count(context.text)
