"""StateBench through the real llama.cpp: strategies, notes, budgets, limits, stops, repeatable answers."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from evaluation.adapters import STATE_ADAPTERS, load_adapter
from evaluation.adapters.determinism import check_determinism
from evaluation.adapters.estimate import estimate
from evaluation.adapters.forms import Prose
from evaluation.adapters.llama.engine import Engine, EngineSettings
from evaluation.adapters.llama.writing.writer import Task, Writer
from evaluation.adapters.runner import RowResult, RunSummary, run
from evaluation.core.errors import AdapterError, SettingsError
from evaluation.core.rng import Stream
from evaluation.statebench.adapters.timeline_rows import KIND
from evaluation.statebench.adapters.typed_form import MOST_QUOTES
from evaluation.statebench.grading.typed.answers import answer_problem
from evaluation.statebench.strategies import STRATEGIES
from tests.evaluation.conftest import make_timelines
from tests.tiny_gguf import CHAT_TEMPLATE, write_tiny_gguf

pytestmark = pytest.mark.llama
MOST = 24  # tokens of an answer; most of the terse model's are shorter
SMALL = {"context": 4096, "threads": 1, "max_tokens": MOST, "temperature": 1.0}
QUESTIONS = list(KIND.questions(make_timelines()))
LONG = list(KIND.questions(make_timelines("brutal_realistic", count=1)))


@pytest.fixture
def adapter(terse_model: Path) -> Callable[..., Any]:
    return lambda **more: load_adapter(
        "llama_cpp", {"model": str(terse_model), **SMALL, **more}, STATE_ADAPTERS
    )


@pytest.fixture
def engine(tiny_model: Path) -> Engine:
    return Engine(str(tiny_model), EngineSettings(context=1024, batch=64, threads=1, sequences=4))


def answers(adapter: Any, rows: list[dict[str, Any]], **options: Any) -> tuple[list[RowResult], RunSummary]:
    results: list[RowResult] = []
    summary = run(rows, adapter, protocol="closed_book", kind=KIND, on_row=results.append, **options)
    return results, summary


def test_prose_is_at_most_as_long_as_it_may_be(engine: Engine) -> None:
    tasks = [Task(engine.tokenize("Yes: "), (Prose(room),), Stream("t")) for room in (1, 5)]
    Writer(engine, parallel=2).write(tasks)
    assert [task.usage.generated_tokens for task in tasks] == [1, 5]
    assert all(task.cut for task in tasks)
    assert tasks[1].text.startswith(tasks[0].text)


def test_prose_ends_before_a_stop_and_where_the_model_ends_its_turn(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    def write(*stops: str) -> Task:
        task = Task(engine.tokenize("Yes: "), (Prose(12, stops),), Stream("t"))
        Writer(engine).write([task])
        return task

    whole = write()
    middle = whole.text[4]
    cut = write(middle)
    assert cut.text == whole.text[: whole.text.index(middle)]
    assert cut.usage.generated_tokens < 12
    assert (whole.cut, cut.cut) == (True, False)
    third = next(
        token for token in range(engine.vocab_size) if engine.piece(token).decode("latin-1") == middle
    )
    monkeypatch.setattr(engine, "is_end", lambda token: token == third)
    ended = write()
    assert (ended.text, ended.cut) == (cut.text, False)


def test_what_the_model_did_not_end_itself_is_no_answer(adapter: Callable[..., Any]) -> None:
    results, summary = answers(adapter(), QUESTIONS + LONG)
    assert summary.states.keys() == {"answered", "cut_off", "empty"}
    for result in results:
        prediction, written = result.prediction, result.usage.generated_tokens
        assert bool(prediction["response"]) == ("state" not in prediction) == (result.state == "answered")
        assert written == MOST or result.state != "cut_off"
        assert prediction.get("state", "answered") == result.state


@pytest.mark.parametrize(("opening", "states"), [("", {"answered"}), ("<think>\n", {"empty", "cut_off"})])
def test_thinking_that_the_template_begins_is_left_out(
    tmp_path: Path, opening: str, states: set[str]
) -> None:
    """Nothing that this model writes ends its thinking."""
    template = CHAT_TEMPLATE.replace("<|assistant|>", f"<|assistant|>{opening}")
    path = write_tiny_gguf(tmp_path / "m.gguf", chat_template=template, terse=True)
    system = load_adapter("llama_cpp", {"model": str(path), **SMALL}, STATE_ADAPTERS)
    collected = set(answers(system, QUESTIONS + LONG)[1].states)
    assert states & collected
    assert ("answered" in collected) == ("answered" in states)


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_every_strategy_answers_every_query(adapter: Callable[..., Any], strategy: str) -> None:
    results, summary = answers(adapter(strategy=strategy), QUESTIONS[:2])
    assert [KIND.answered(result.prediction) for result in results] == [q["id"] for q in QUESTIONS[:2]]
    for result in results:
        assert result.prediction["tokens_used"] > 0
        assert result.usage.generated_tokens <= MOST * (1 + 16)
    assert summary.provenance["settings"]["strategy"] == strategy


def test_the_model_keeps_the_notes_itself_and_shares_them_between_queries(
    adapter: Callable[..., Any],
) -> None:
    collected = {
        name: answers(adapter(strategy=name, parallel=1), LONG)[0]
        for name in ("no_memory", "rolling_summary")
    }
    bare, noted = ([result.usage.passes for result in results] for results in collected.values())
    assert (
        noted[0] > bare[0]
    )  # the conversation is condensed for the first query, until the model ends its turn
    assert sum(noted[1:]) <= sum(bare[1:]) + MOST * 2 * len(bare)  # and only what is new for the others
    names = [result.prediction["timeline_id"] for result in collected["rolling_summary"]]
    assert len(set(names)) == 1


def test_the_budget_is_counted_in_the_model_s_own_tokens(adapter: Callable[..., Any]) -> None:
    wide, tight = (adapter(strategy="transcript_replay", budget=budget) for budget in (4000, 120))
    assert (
        answers(wide, LONG[-1:])[0][0].usage.prompt_tokens
        > answers(tight, LONG[-1:])[0][0].usage.prompt_tokens
    )
    bare = answers(adapter(strategy="no_memory", budget=1), LONG[-1:])[0][0].usage.prompt_tokens
    assert answers(tight, LONG[-1:])[0][0].usage.prompt_tokens <= bare + 120


def test_a_context_that_does_not_fit_is_cut_and_counted(adapter: Callable[..., Any]) -> None:
    small = adapter(strategy="state_based_reference", context=1100)
    results, summary = answers(small, LONG[-1:])
    assert results[0].usage.prompt_tokens < 1100
    assert summary.provenance["truncated_rows"] == 1


def test_a_context_too_small_for_the_question_is_a_clear_error(adapter: Callable[..., Any]) -> None:
    with pytest.raises(AdapterError, match="does not fit the context of 300"):
        answers(adapter(context=300), QUESTIONS[:1])


def test_answers_are_repeatable_and_the_way_of_batching_changes_none(adapter: Callable[..., Any]) -> None:
    assert check_determinism(QUESTIONS, adapter(), protocol="", kind=KIND) == []
    alone, together = (answers(adapter(parallel=n), QUESTIONS)[0] for n in (1, 4))
    assert any(r.prediction["response"] for r in alone)
    assert [r.prediction["response"] for r in alone] == [r.prediction["response"] for r in together]


def test_the_instruction_is_evaluated_once(adapter: Callable[..., Any]) -> None:
    first, *others = (result.usage for result in answers(adapter(parallel=1), QUESTIONS)[0])
    assert first.reused_tokens == 0
    assert all(usage.reused_tokens > 400 for usage in others)


def test_a_resumed_run_ends_like_an_unbroken_one(adapter: Callable[..., Any]) -> None:
    def responses(results: list[RowResult]) -> list[str]:
        return [result.prediction["response"] for result in results]

    system = adapter(strategy="rolling_summary", parallel=2)
    whole, _ = answers(system, LONG)
    done = [LONG[0]["id"]]
    rest, summary = answers(adapter(strategy="rolling_summary", parallel=2), LONG, done_ids=done)
    assert responses(rest) == responses(whole)[1:]
    assert any(responses(rest))
    assert summary.skipped == 1


def test_a_stop_takes_effect_while_notes_are_written(adapter: Callable[..., Any]) -> None:
    system, asked = adapter(strategy="rolling_summary", max_tokens=1000), []

    def stop() -> bool:
        asked.append(1)
        return len(asked) > 1

    _, summary = answers(system, LONG, should_stop=stop)
    assert (summary.cancelled, summary.asked) == (True, 0)


def test_a_run_is_estimated_from_a_few_queries(adapter: Callable[..., Any]) -> None:
    rows = QUESTIONS + LONG
    expected_work = estimate(rows, adapter(), protocol="closed_book", kind=KIND, calibration_rows=4)
    assert expected_work.rows == len(rows)
    assert expected_work.texts == len(QUESTIONS) + 1
    assert expected_work.seconds > 0


def test_a_model_without_a_chat_template_ends_before_a_question_of_its_own(plain_model: Path) -> None:
    system = load_adapter("llama_cpp", {"model": str(plain_model), **SMALL}, STATE_ADAPTERS)
    [result] = answers(system, QUESTIONS[:1])[0]
    assert "\nQuestion:" not in result.prediction["response"]


@pytest.mark.parametrize(
    ("settings", "name"),
    [
        ({"strategy": "state_baset"}, "strategy"),
        ({"tokenizer": "bytes"}, "tokenizer"),
        ({"budget": 0}, "budget"),
        ({"max_tokens": 0}, "max_tokens"),
        ({"max_tokens": 400, "context": 1000}, "max_tokens"),
        ({"truncation": "recent"}, "truncation"),
    ],
)
def test_bad_settings_are_refused_before_a_model_is_loaded(settings: dict[str, Any], name: str) -> None:
    with pytest.raises(SettingsError) as refused:
        load_adapter("llama_cpp", settings, STATE_ADAPTERS)
    assert list(refused.value.fields) == [name]


def test_provenance_names_model_strategy_budget_and_wording(adapter: Callable[..., Any]) -> None:
    origin, other = adapter(budget=512).provenance(), load_adapter("openai_compatible", {}, STATE_ADAPTERS)
    assert (origin["settings"]["strategy"], origin["settings"]["budget"]) == ("state_based", 512)
    assert origin["model"]["file"] == "terse.gguf"
    assert origin["prompt_template_sha256"] == other.provenance()["prompt_template_sha256"]


def test_a_prompt_that_asks_for_typed_answers_gets_them(adapter: Callable[..., Any]) -> None:
    results, summary = answers(adapter(prompt="typed@1", shots=0, max_tokens=40), QUESTIONS[:2])
    for result in results:
        typed = result.prediction["answer"]
        assert answer_problem(typed) is None
        assert len(typed["because"]) <= MOST_QUOTES
        assert "response" not in result.prediction
    assert summary.provenance["prompt"]["set"] == "typed@1"
