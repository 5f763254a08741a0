"""The real llama.cpp with a tiny model: valid answers, shared prefixes, choices, scores, cancel."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from evaluation.adapters import load_adapter
from evaluation.adapters.base import Stopped
from evaluation.adapters.determinism import check_determinism
from evaluation.adapters.forms import Choice, Fixed, Free, Thinking
from evaluation.adapters.llama.engine import Engine, EngineSettings, Feed, common_prefix
from evaluation.adapters.llama.language_model import Ask
from evaluation.adapters.llama.library import may_repack
from evaluation.adapters.llama.writing.writer import Task, Writer
from evaluation.adapters.runner import RowResult, run
from evaluation.core import jsonl
from evaluation.core.errors import AdapterError
from evaluation.core.rng import Stream
from evaluation.goldevidence.adapters.books.artifacts import book_of
from evaluation.goldevidence.adapters.episode_rows import KIND
from evaluation.goldevidence.adapters.prompts import SETS
from evaluation.goldevidence.adapters.selection import Selection
from evaluation.goldevidence.adapters.shown import shown
from evaluation.goldevidence.data.ledger import Entry
from evaluation.goldevidence.generator.modes import MODES
from tests.evaluation.conftest import ENTRIES, condition_row, make_row
from tests.live import ROOT
from tests.tiny_gguf import CHAT_TEMPLATE, write_tiny_gguf

pytestmark = pytest.mark.llama
SMALL = {"context": 4096, "threads": 1, "max_value_chars": 8}


@pytest.fixture
def engine(tiny_model: Path) -> Engine:
    return Engine(str(tiny_model), EngineSettings(context=1024, batch=64, threads=1, sequences=4))


@pytest.fixture
def adapter(tiny_model: Path) -> Callable[..., Any]:
    return lambda name="llama_cpp", **more: load_adapter(name, {"model": str(tiny_model), **SMALL, **more})


def answers(adapter: Any, rows: list[dict[str, Any]], protocol: str = "closed_book") -> list[RowResult]:
    results: list[RowResult] = []
    run(rows, adapter, protocol=protocol, kind=KIND, on_row=results.append)
    return results


def test_tokens_and_text_are_inverse(engine: Engine) -> None:
    text = 'tag.01 = "teal-0042" é'
    assert b"".join(map(engine.piece, engine.tokenize(text))).decode() == text


def test_control_tokens_are_read_only_where_asked(engine: Engine) -> None:
    assert len(engine.tokenize("<|user|>", special=True)) == 1
    assert len(engine.tokenize("<|user|>")) == 8


def test_logits_do_not_depend_on_how_the_prefix_came_into_the_cache(engine: Engine) -> None:
    prompt = engine.tokenize("- [U000001] step=1 SET tag.00 = amber-0001\nQuestion: what is tag.00?")
    engine.set_head([])
    [whole] = engine.decode([Feed(0, 0, prompt)])
    engine.set_head(prompt[:20], reuse=False)
    engine.set_head(prompt[:30])
    assert engine.set_head(prompt[:25]) == 25
    engine.fork(2)
    [forked] = engine.decode([Feed(2, 25, prompt[25:])])
    np.testing.assert_allclose(forked, whole, atol=1e-4)


def test_logits_do_not_depend_on_which_sequences_share_a_batch(engine: Engine) -> None:
    head = engine.tokenize("- [U000001] step=1 SET tag.00 = amber-0001\n" * 5)
    tails = [engine.tokenize(f"Question {n}: what is tag.0{n}?") for n in range(1, 5)]
    engine.set_head(head)
    for seq in range(1, 5):
        engine.fork(seq)
    together = engine.decode([Feed(seq, len(head), tail) for seq, tail in enumerate(tails, 1)])
    for tail, row in zip(tails, together, strict=True):
        engine.set_head(head, reuse=False)
        engine.fork(1)
        [alone] = engine.decode([Feed(1, len(head), tail)])
        np.testing.assert_allclose(alone, row, atol=1e-4)


def test_a_common_prefix_is_found() -> None:
    assert common_prefix([[1, 2, 3], [1, 2], [1, 2, 4]]) == 2
    assert common_prefix([[1], [2]]) == 0
    assert common_prefix([[1, 2]]) == 2


def test_a_choice_is_the_likeliest_option_and_forced_tokens_are_not_sampled(engine: Engine) -> None:
    options = ("U00A001", "U00B001")
    task = Task(engine.tokenize("ids: "), (Fixed("["), Choice(options), Fixed("]")), Stream("t"))
    Writer(engine).write([task])
    assert task.text in ("[U00A001]", "[U00B001]")
    assert task.usage.generated_tokens == 1  # they part at one place
    assert task.usage.passes == 2  # the prompt's head, then prompt end and choice prefix in one batch


@pytest.mark.parametrize("protocol", ["closed_book", "open_book"])
@pytest.mark.parametrize("prompt", ["standard@1", "legacy@1"])
def test_every_answer_cites_at_most_one_line_that_was_shown(
    adapter: Callable[..., Any], protocol: str, prompt: str
) -> None:
    rows = [make_row(n, f"tag.0{n % 2}") for n in range(1, 4)]
    for row, result in zip(rows, answers(adapter(prompt=prompt), rows, protocol), strict=True):
        assert len(result.prediction["support_ids"]) in ((1,) if prompt == "legacy@1" else (0, 1))
        assert set(result.prediction["support_ids"]) <= set(shown(row, protocol).ids)
        value = result.prediction["value"]
        assert value is None or len(value) <= 8


def test_without_citations_the_list_is_empty(adapter: Callable[..., Any]) -> None:
    [result] = answers(adapter(), [make_row(cite=False)])
    assert result.prediction["support_ids"] == []


def test_a_condition_row_may_cite_only_its_candidates(adapter: Callable[..., Any]) -> None:
    [result] = answers(adapter(prompt="legacy@1"), [condition_row(candidates=[ENTRIES[3]])])
    assert result.prediction["support_ids"] == ["U000004"]


def test_a_condition_row_without_candidates_is_answered_without_a_citation(
    adapter: Callable[..., Any],
) -> None:
    for mode in ("answer", "select"):
        [result] = answers(adapter(mode=mode), [condition_row(candidates=[])])
        assert result.prediction["support_ids"] == []


@pytest.mark.parametrize(
    "settings",
    [
        {"mode": "select"},
        {"mode": "select", "calibrate": False},
        {"mode": "select", "prompt": "legacy@1"},
        {"mode": "select_logprob"},
    ],
)
def test_selection_decodes_nothing_and_answers_from_the_line(
    adapter: Callable[..., Any], settings: dict[str, Any]
) -> None:
    [result] = answers(adapter(**settings), [condition_row()])
    chosen = next(entry for entry in ENTRIES if [entry.uid] == result.prediction["support_ids"])
    assert result.prediction["value"] == chosen.value
    assert result.usage.generated_tokens == 0


def test_a_letter_is_chosen_by_what_it_gains_over_a_prompt_without_content(
    adapter: Callable[..., Any],
) -> None:
    system, row = adapter(mode="select", shots=0), condition_row()
    seen, question = shown(row, "closed_book"), row["question"]
    scored = [Selection(system.model, system.prompts, calibrate=each) for each in (True, False)]
    (calibrated, cost), (raw, _) = (each.by_label("a", seen, question) for each in scored)
    free = system.prompts.content_free("candidates", "ABCDEF"[: len(raw)])
    bias, _ = system.model.score_labels(Ask("b", free.system, free.user, ()), "ABCDEF"[: len(raw)])
    assert calibrated == pytest.approx([score - b for score, b in zip(raw, bias, strict=True)], abs=1e-4)
    _, again = scored[0].by_label("a", seen, question)
    assert again.prompt_tokens < cost.prompt_tokens, "what calibrates is asked once"


def test_a_book_with_more_lines_than_letters_is_refused_for_a_choice(adapter: Callable[..., Any]) -> None:
    entries = [Entry(f"U{n:06X}", n, "SET", "tag.00", f"teal-{n:04}") for n in range(1, 54)]
    for mode in ("select", "select_logprob"):
        with pytest.raises(AdapterError, match=r"E0001-Q001.*53 lines of a book is refused.*52 labels"):
            answers(adapter(mode=mode), [make_row() | {"book": book_of(entries, "E0001")}])


@pytest.mark.parametrize("settings", [{"mode": "select_logprob"}, {"mode": "select", "prompt": "legacy@1"}])
def test_a_whole_book_is_never_scored_line_by_line(
    adapter: Callable[..., Any], settings: dict[str, Any]
) -> None:
    with pytest.raises(AdapterError, match=r"E0001-Q001.*lines of a book is refused: scoring every line"):
        answers(adapter(**settings), [make_row()])


def test_a_choice_that_the_context_left_nothing_of_is_no_answer_of_the_model(
    adapter: Callable[..., Any],
) -> None:
    [result] = answers(adapter(mode="select", context=900), [make_row()])
    assert (result.state, result.prediction["state"]) == ("cut_prompt", "cut_prompt")


@pytest.mark.parametrize("mode", ["answer", "select"])
def test_without_truncation_a_text_that_does_not_fit_is_not_asked_about(
    adapter: Callable[..., Any], mode: str
) -> None:
    entries = [Entry(f"U{n:06X}", n, "SET", "tag.00", f"teal-{n:04}") for n in range(1, 99)]
    long, short = make_row(2) | {"book": book_of(entries, "E0001")}, condition_row(1)
    system = adapter(mode=mode, truncation="none", context=1500)
    results = {result.prediction["id"]: result for result in answers(system, [long, short])}
    assert results[long["id"]].prediction["state"] == "cut_prompt"
    assert results[long["id"]].usage.prompt_tokens == 0
    assert results[short["id"]].state in ("answered", "abstained")
    assert system.truncated_rows == 0, "nothing was cut"


def test_reasoning_comes_before_the_grammar_and_out_of_the_answer(adapter: Callable[..., Any]) -> None:
    rows = [make_row(1), condition_row(2)]
    plain, reasoned = answers(adapter(), rows), answers(adapter(mode="reason", reasoning_tokens=12), rows)
    for before, after in zip(plain, reasoned, strict=True):
        assert after.state in ("answered", "abstained")
        assert after.usage.generated_tokens > before.usage.generated_tokens or after.usage.forced_tokens
        assert "think" not in str(after.prediction)


def test_a_model_that_thinks_by_its_template_is_told_so_and_asked_for_no_thoughts(tmp_path: Path) -> None:
    begun = "<|assistant|>{% if enable_thinking %}<think>\n{% else %}<think>\n</think>{% endif %}"
    template = CHAT_TEMPLATE.replace("<|assistant|>", begun)
    path = write_tiny_gguf(tmp_path / "thinking.gguf", chat_template=template)
    system = load_adapter("llama_cpp", {"model": str(path), **SMALL, "mode": "reason", "reasoning_tokens": 5})
    ask = system.ask_for(row := make_row(), shown(row, "closed_book"))
    assert ask.form[0] == Thinking(5, "", "</think>\n\n")
    assert "Answer:" not in ask.user
    [result] = answers(system, [row])
    assert result.state in ("answered", "abstained")


def test_a_question_about_several_lines_may_cite_several(adapter: Callable[..., Any]) -> None:
    row = make_row() | {"question": MODES["relational"].ask_derived.format(manager="nova-137")}
    form = adapter().ask_for(row, shown(row, "closed_book")).form
    assert [type(part) for part in form] == [Fixed, Free]
    assert "{0,2}" in form[1].grammar


def test_the_prefix_of_an_episode_is_evaluated_once(adapter: Callable[..., Any]) -> None:
    rows = [make_row(n) for n in range(1, 7)]
    reused = answers(adapter(parallel=3), rows)
    plain = answers(adapter(parallel=1, reuse_prefix=False), rows)
    assert [r.prediction for r in reused] == [r.prediction for r in plain]
    first, *rest = (result.usage for result in reused)
    assert first.reused_tokens == 0
    for usage in rest:
        assert usage.reused_tokens > 0.8 * usage.prompt_tokens
    evaluated = sum(result.usage.evaluated_tokens for result in reused)
    assert 3 * evaluated < sum(result.usage.evaluated_tokens for result in plain)


def test_a_forced_skeleton_is_not_sampled(adapter: Callable[..., Any]) -> None:
    rows = [make_row(n, f"tag.0{n % 2}") for n in range(1, 4)]
    forced, sampled = answers(adapter(), rows), answers(adapter(force_skeleton=False), rows)
    for result in (*forced, *sampled):
        assert len(result.prediction["support_ids"]) == 1
    assert sum(r.usage.generated_tokens for r in forced) < 0.6 * sum(
        r.usage.generated_tokens for r in sampled
    )


def test_greedy_runs_are_deterministic(adapter: Callable[..., Any]) -> None:
    rows = [make_row(n) for n in range(1, 4)]
    assert check_determinism(rows, adapter(), protocol="closed_book", kind=KIND) == []


def test_sampling_depends_on_the_seed_and_the_row_alone(adapter: Callable[..., Any]) -> None:
    rows = [make_row(n) for n in range(1, 4)]
    one = answers(adapter(temperature=1.5, seed=1), rows)
    again = answers(adapter(temperature=1.5, seed=1), rows)
    other = answers(adapter(temperature=1.5, seed=2), rows)
    assert [r.prediction for r in one] == [r.prediction for r in again]
    assert [r.prediction for r in one] != [r.prediction for r in other]


def test_a_chat_template_that_is_none_is_a_plain_message(tmp_path: Path) -> None:
    path = write_tiny_gguf(tmp_path / "broken.gguf", chat_template="{% if x %}")
    with pytest.raises(AdapterError, match=r"cannot be read .*'endif'.*chat_template=false"):
        load_adapter("llama_cpp", {"model": str(path), "context": 512})
    load_adapter("llama_cpp", {"model": str(path), "context": 512, "chat_template": False}).close()


def test_a_model_without_a_chat_template_is_prompted_in_plain_text(plain_model: Path) -> None:
    adapter = load_adapter("llama_cpp", {"model": str(plain_model), **SMALL})
    [result] = answers(adapter, [make_row()])
    assert len(result.prediction["support_ids"]) == 1


def test_a_book_that_does_not_fit_is_cut_and_counted(adapter: Callable[..., Any]) -> None:
    small = adapter(context=1100)
    [result] = answers(small, [make_row()])
    assert small.truncated_rows == 1
    assert result.usage.prompt_tokens < 1100


def test_a_stop_takes_effect_within_a_row(tiny_model: Path) -> None:
    row = make_row() | {"book": make_row()["book"].replace("## Chapter 1", "## Chapter 1\n" + "word " * 5000)}
    adapter = load_adapter("llama_cpp", {"model": str(tiny_model), **SMALL, "context": 32768})
    calls = []

    def stop_on_the_third_question() -> bool:
        calls.append(time.monotonic())
        return len(calls) >= 3

    summary = run([row], adapter, protocol="closed_book", kind=KIND, should_stop=stop_on_the_third_question)
    assert summary.cancelled
    assert summary.asked == 0
    adapter.stop_when(lambda: False)
    assert adapter.predict(make_row(), protocol="closed_book")["support_ids"]


def test_a_stop_inside_a_decode_raises_stopped(engine: Engine) -> None:
    engine.stop_when(lambda: True)
    with pytest.raises(Stopped):
        engine.set_head(engine.tokenize("word " * 100))


def test_a_long_prompt_is_told_between_its_pieces(engine: Engine) -> None:
    tokens, told = engine.tokenize("word " * 700)[:900], list[tuple[int, int]]()
    engine.tell_reading(lambda read, of: told.append((read, of)))
    engine.set_head(tokens)
    assert [read for read, _ in told] == sorted({read for read, _ in told})
    assert told[-1] == (len(tokens), len(tokens))
    assert len(told) > 1
    before = len(told)
    engine.set_head(engine.tokenize("word"), reuse=False)
    assert len(told) == before  # a short one takes no time


def test_an_error_while_asking_to_stop_is_not_lost(engine: Engine) -> None:
    def broken() -> bool:
        raise LookupError("the database is gone")

    engine.stop_when(broken)
    with pytest.raises(LookupError, match="the database is gone"):
        engine.set_head(engine.tokenize("word " * 100))


def test_provenance_names_what_is_needed_to_repeat_the_run(adapter: Callable[..., Any]) -> None:
    origin = adapter(seed=3).provenance()
    assert origin["model"]["architecture"] == "llama"
    assert len(origin["model"]["sha256"]) == 64
    assert origin["settings"]["seed"] == 3
    assert origin["model"]["file"] == origin["settings"]["model"] == "tiny.gguf"
    assert origin["settings"]["temperature"] == 0.0
    assert {"llama_cpp_python", "llama_cpp", "prompt_template_sha256", "hardware"} <= origin.keys()
    assert origin["prompt"] == {
        "set": "standard@1",
        "wording": "a",
        "shots": SETS["standard@1"].shots,
        "sha256": origin["prompt_template_sha256"],
    }
    assert "retriever" not in origin
    assert adapter(truncation="key_aware").provenance()["retriever"] == "by-key retriever"


def test_a_file_that_is_no_model_is_a_clear_error(tmp_path: Path, tiny_model: Path) -> None:
    (tmp_path / "text.gguf").write_text("hello")
    (tmp_path / "cut.gguf").write_bytes(tiny_model.read_bytes()[:100_000])
    for name, reason in {
        "absent": "no model file",
        "text": "not a GGUF file",
        "cut": "llama.cpp cannot load",
    }.items():
        with pytest.raises(AdapterError, match=reason):
            load_adapter("llama_cpp", {"model": str(tmp_path / f"{name}.gguf")})


def test_llama_cpp_keeps_quiet(tiny_model: Path, capfd: pytest.CaptureFixture[str]) -> None:
    load_adapter("llama_cpp", {"model": str(tiny_model), **SMALL}).predict(make_row(), protocol="closed_book")
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize(
    ("name", "settings"),
    [
        ("streaming", {"stream_mode": "llm", "piece_lines": 3}),
        ("book_builder", {"build_mode": "llm_fullscan", "piece_lines": 3}),
        ("book_builder", {"build_mode": "llm_perkey"}),
        ("retrieval", {"selector": "none", "k": 2}),
        ("retrieval", {"selector": "latest_step", "order": "shuffle", "mode": "select"}),
    ],
)
def test_every_pipeline_runs_a_real_model(
    adapter: Callable[..., Any], name: str, settings: dict[str, Any]
) -> None:
    rows = [make_row(n, f"tag.0{n % 2}") for n in range(1, 4)]
    results = answers(adapter(name, **settings), rows)
    assert len(results) == 3
    assert any(result.usage.evaluated_tokens for result in results)


def test_picking_then_answering_names_the_line_that_was_picked(adapter: Callable[..., Any]) -> None:
    [result] = answers(adapter("retrieval", selector="latest_step"), [make_row()])
    assert result.prediction["selected_uid"] == "U000006"
    [result] = answers(adapter("retrieval", selector="none"), [make_row()])
    assert "selected_uid" not in result.prediction, "the model chose"


def test_a_stronger_builder_model_is_loaded_beside_the_reader(tiny_model: Path, plain_model: Path) -> None:
    settings = {
        "model": str(tiny_model),
        "builder_model": str(plain_model),
        "build_mode": "llm_perkey",
        **SMALL,
    }
    adapter = load_adapter("book_builder", settings)
    [result] = answers(adapter, [make_row()])
    assert result.prediction["support_ids"]
    origin = adapter.provenance()
    assert origin["model"]["sha256"] != origin["builder"]["model"]["sha256"]
    adapter.close()


@pytest.mark.parametrize(
    ("wish", "info", "may"),
    [
        ("auto", b"CPU : AVX512 = 1 | AMX_INT8 = 1 | REPACK = 1", False),
        ("auto", b"CPU : AVX2 = 1 | REPACK = 1", True),
        ("on", b"CPU : AMX_INT8 = 1", True),
        ("off", b"CPU : AVX2 = 1", False),
    ],
)
def test_weights_are_not_repacked_where_amx_may_be_miscompiled(wish: Any, info: bytes, may: bool) -> None:
    assert may_repack(wish, info) is may


def test_a_quantized_model_answers(tmp_path: Path) -> None:
    """Runs in its own process, as it guards against a crash."""
    model = write_tiny_gguf(tmp_path / "q8.gguf", chat_template=CHAT_TEMPLATE, quantized=True)
    jsonl.write(tmp_path / "rows.jsonl", [make_row(n) for n in range(1, 3)])
    words = ["model", "--adapter", "llama_cpp", "--data", str(tmp_path / "rows.jsonl"), "--out", "p.jsonl"]
    pairs = (f"model={model}", "max_value_chars=4", "threads=1")
    words += [f"--set={pair}" for pair in pairs]
    root = ROOT
    environment = os.environ | {"PYTHONPATH": str(root)}
    done = subprocess.run(
        [sys.executable, "-m", "evaluation", *words],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "p.jsonl").read_bytes().count(b"\n") == 2
