"""StateBench over HTTP: a real server of llama.cpp, strategies and notes, failures, concurrency."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from evaluation.adapters import STATE_ADAPTERS, load_adapter
from evaluation.adapters.runner import RowResult, run
from evaluation.statebench.adapters.timeline_rows import KIND
from tests.evaluation.adapters.server import Server, serving
from tests.evaluation.conftest import make_timelines

QUESTIONS = list(KIND.questions(make_timelines()))
LONG = list(KIND.questions(make_timelines("brutal_realistic", count=1)))


def reply(text: str) -> bytes:
    usage = {"prompt_tokens": 500, "completion_tokens": 5}
    return json.dumps({"choices": [{"message": {"content": text}}], "usage": usage}).encode()


def connect(server: Server, **settings: Any) -> Any:
    given = {"base_url": server.url, "pause_s": 0.01, "probe": False, **settings}
    return load_adapter("openai_compatible", given, STATE_ADAPTERS)


def answers(adapter: Any, rows: list[dict[str, Any]]) -> list[RowResult]:
    results: list[RowResult] = []
    run(rows, adapter, protocol="closed_book", kind=KIND, on_row=results.append)
    return results


@pytest.mark.llama
def test_a_real_model_behind_a_server_answers_queries(tiny_model: Path) -> None:
    with serving(Server(tiny_model)) as server:
        results = answers(connect(server, max_tokens=6), QUESTIONS)
    assert {KIND.answered(result.prediction) for result in results} == {q["id"] for q in QUESTIONS}
    assert all(result.prediction["tokens_used"] > 6 for result in results)


def test_the_server_is_shown_the_context_and_the_query_and_no_schema() -> None:
    with serving(Server(None, body=reply(" Yes. "))) as server:
        [result] = answers(connect(server, strategy="transcript_replay"), QUESTIONS[:1])
    [asked] = server.requests
    system, user = (turn["content"] for turn in asked["messages"])
    assert "begin with Yes or No" in system
    assert user.endswith(f"Question: {QUESTIONS[0]['question']}")
    words = [e["text"] for e in QUESTIONS[0]["timeline"]["events"] if e["type"] == "conversation_turn"]
    assert all(text in user for text in words)
    assert "response_format" not in asked
    assert result.prediction["response"] == "Yes."
    assert result.prediction["tokens_used"] == 505


def test_the_queries_of_a_timeline_share_the_notes_of_the_server_s_model() -> None:
    with serving(Server(None, body=reply("all is well"))) as server:
        results = answers(connect(server, strategy="fact_extraction"), LONG)
    asked = [request["messages"][1]["content"] for request in server.requests]
    notes = [text for text in asked if "New turns:" in text]
    assert len(notes) == len(set(notes)) > 1
    assert len(asked) == len(notes) + len(LONG)
    assert all("all is well" in text for text in asked if "Question:" in text)
    assert sum(result.prediction["tokens_used"] for result in results) == 505 * len(asked)


def test_timelines_are_asked_side_by_side() -> None:
    with serving(Server(None, body=reply("x"), delay_s=0.05)) as server:
        answers(connect(server, concurrency=3), QUESTIONS)
    assert server.busiest in (2, 3)


def test_a_server_that_is_busy_is_asked_again_and_one_that_refuses_a_row_leaves_its_state() -> None:
    with serving(Server(None, body=reply("x"), failures=[503, 429])) as server:
        assert len(answers(connect(server, concurrency=1), QUESTIONS[:1])) == 1
    with serving(Server(None, body=reply("x"), failures=[400])) as server:
        results = answers(connect(server, concurrency=1), QUESTIONS[:2])
    assert [result.state.value for result in results] == ["error", "answered"]


def test_the_queries_of_a_timeline_are_saved_one_by_one_and_not_asked_again() -> None:
    """A timeline may be long: answers from before the server failed are paid for."""

    def script(body: dict[str, Any]) -> tuple[int, dict[str, Any]]:
        refused = len(server.requests) > 2 and down
        return (401, {}) if refused else (200, json.loads(reply("x")))

    down = True
    with serving(Server(None, script=script)) as server:
        first: list[RowResult] = []
        given = {"strategy": "transcript_replay", "concurrency": 2}
        summary = run(LONG, connect(server, **given), protocol="closed_book", kind=KIND, on_row=first.append)
        assert (summary.paused, [result.state.value for result in first]) == (True, ["answered"] * 2)
        down = False
        done = [result.id for result in first]
        rest: list[RowResult] = []
        run(
            LONG,
            connect(server, **given),
            protocol="closed_book",
            kind=KIND,
            on_row=rest.append,
            done_ids=done,
        )
        assert len(server.requests) == 2 + 1 + len(LONG) - 2
    assert {result.id for result in rest} == {row["id"] for row in LONG} - set(done)


def test_a_context_is_cut_to_what_the_server_is_guessed_to_read() -> None:
    [timeline] = make_timelines("supersession", count=1)
    for event in timeline["events"]:
        event |= {"text": event["text"] + " and so on" * 300} if event["type"] == "conversation_turn" else {}
    with serving(Server(None, body=reply("x"))) as server:
        adapter = connect(server, strategy="state_based_reference", context=1000)
        answers(adapter, list(KIND.questions([timeline])))
    assert adapter.provenance()["truncated_rows"] == 1
    assert len(server.requests[0]["messages"][1]["content"]) < 3 * 1000


def test_a_server_is_shown_contexts_that_a_memory_made_before(tmp_path: Path) -> None:
    path = tmp_path / "contexts.jsonl"
    texts = [f"It is context {number}." for number in range(len(QUESTIONS))]
    path.write_text(
        "\n".join(
            json.dumps({"timeline_id": q["timeline"]["id"], "query_idx": q["query_idx"], "text": text})
            for q, text in zip(QUESTIONS, texts, strict=True)
        )
    )
    with serving(Server(None, body=reply("Yes."))) as server:
        adapter = connect(server, contexts=str(path), strategy="rolling_summary")
        answers(adapter, QUESTIONS)
    asked = " ".join(request["messages"][1]["content"] for request in server.requests)
    assert len(server.requests) == len(QUESTIONS)
    assert all(text in asked for text in texts)
    assert adapter.provenance()["contexts"].startswith("contexts@")


@pytest.mark.parametrize(
    ("text", "fields"),
    [
        (
            '{"decision": "value", "value": "$9", "because": ["It is $9."]}',
            {"answer": {"decision": "value", "value": "$9", "because": ["It is $9."]}},
        ),
        (
            'Sure.\n```json\n{"decision": "No"}\n```',
            {"answer": {"decision": "no", "value": None, "because": []}},
        ),
        ("It is $9.", {"response": "It is $9."}),
    ],
)
def test_a_typed_answer_is_asked_for_by_a_schema_and_read_without_one(
    text: str, fields: dict[str, Any]
) -> None:
    with serving(Server(None, body=reply(text))) as server:
        [result] = answers(connect(server, prompt="typed@1"), QUESTIONS[:1])
    [asked] = server.requests
    schema = asked["response_format"]["json_schema"]["schema"]
    assert schema["required"] == ["decision", "value", "because"]
    assert {name: result.prediction.get(name) for name in fields} == fields
    assert ("response" in result.prediction) != ("answer" in result.prediction)
    assert KIND.state(result.prediction) == "answered"
