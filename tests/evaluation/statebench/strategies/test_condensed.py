"""Notes that a model keeps of a conversation: bounded calls, shared by the queries of a timeline."""

from __future__ import annotations

from typing import Any

from evaluation.statebench.language.words import count_tokens
from evaluation.statebench.strategies.condensed import MAX_CALLS, PIECE_TURNS, SUMMARIZE, Condenser, Notes


def timeline(turns: int, queries: tuple[int, ...]) -> dict[str, Any]:
    """A timeline with a query after each of these numbers of turns."""
    events: list[dict[str, Any]] = []
    for n in range(turns + 1):
        asked = [
            {"type": "query", "ts": f"2025-01-01T{n // 60:02}:{n % 60:02}:00", "prompt": "And now?"}
            for at in queries
            if at == n
        ]
        events += asked
        if n < turns:
            message = {
                "type": "conversation_turn",
                "ts": f"2025-01-01T{n // 60:02}:{n % 60:02}:00",
                "speaker": "user",
            }
            events.append(message | {"text": f"turn {n}"})
    identity = {"user_name": "Ada", "authority": "VP", "department": "Sales", "organization": "Acme"}
    initial = {"identity_role": identity, "persistent_facts": [], "working_set": [], "environment": {}}
    return {"id": "T1", "initial_state": initial, "events": events}


class Model:
    """Records its prompts, and answers with numbered notes."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, str]] = []

    def __call__(self, prompt: str, name: str) -> str:
        self.asked.append((name, prompt))
        return f"older\nnote {len(self.asked)} about fifty percent"


def notes(row: dict[str, Any], model: Model, room: int = 1000) -> Notes:
    return Notes(row, SUMMARIZE, Condenser(model, room, count_tokens))


def test_the_conversation_is_read_in_pieces_and_the_notes_are_carried_on() -> None:
    model = Model()
    context = notes(timeline(6, (6,)), model).context(0, 100, count_tokens)
    assert [name for name, _ in model.asked] == ["T1/notes4", "T1/notes6"]
    first, second = (prompt for _, prompt in model.asked)
    assert "user: turn 0\nuser: turn 1\nuser: turn 2\nuser: turn 3" in first
    assert "note 1 about" in second
    assert "turn 3" not in second
    assert "user: turn 4\nuser: turn 5" in second
    assert first.startswith("New turns:")  # there are no notes yet, and nothing stands for them
    assert second.endswith(SUMMARIZE)
    assert context.text.startswith("User: Ada")
    assert "note 2 about" in context.text


def test_queries_share_the_notes_of_the_turns_that_they_share() -> None:
    model = Model()
    kept = notes(timeline(9, (8, 8, 9)), model)
    for query in range(3):
        kept.context(query, 100, count_tokens)
    assert [name for name, _ in model.asked] == ["T1/notes4", "T1/notes8", "T1/notes9"]


def test_a_query_sees_nothing_that_was_said_after_it() -> None:
    model = Model()
    notes(timeline(8, (2, 8)), model).context(0, 100, count_tokens)
    assert "turn 2" not in model.asked[0][1]


def test_a_long_conversation_is_read_in_larger_pieces() -> None:
    model, turns = Model(), MAX_CALLS * PIECE_TURNS * 3
    notes(timeline(turns, (turns,)), model).context(0, 100, count_tokens)
    assert len(model.asked) == MAX_CALLS
    assert f"turn {turns - 1}" in model.asked[-1][1]


def test_without_a_turn_the_model_is_not_asked() -> None:
    model = Model()
    assert notes(timeline(1, (0,)), model).context(0, 100, count_tokens).text.startswith("User: Ada")
    assert model.asked == []


def test_what_does_not_fit_is_left_out_of_the_piece_and_of_the_context() -> None:
    model = Model()
    row = timeline(1, (1,))
    row["events"][0]["text"] = "long " * 50
    context = notes(row, model, room=10).context(0, 10, count_tokens)
    assert model.asked[0][1].count("long") == 9
    assert context.tokens <= 10
    assert "about fifty percent" in context.text  # the newest line
    assert "older" not in context.text
