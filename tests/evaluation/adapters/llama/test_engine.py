"""The same prompt gives the same bits, whatever was asked before and however rows are ordered, stopped or resumed."""

from __future__ import annotations

import functools
import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evaluation.adapters import load_adapter
from evaluation.adapters.forms import Prose
from evaluation.adapters.llama.engine import PIECE, SHORTEST, Engine, EngineSettings, Feed, common_prefix
from evaluation.adapters.llama.writing.writer import Task, Writer
from evaluation.core.errors import AdapterError, SettingsError
from evaluation.core.rng import Stream
from tests.smollm2 import model_path
from tests.tiny_gguf import WIDTH, write_lora, write_tiny_gguf

pytestmark = pytest.mark.llama
OPENED: list[Engine] = []
KINDS = ["plain", "quantized", pytest.param("smollm2", marks=pytest.mark.tokenizer)]
TEXT = " ".join(f"step={step} SET tag.{step % 7} teal-{step * 37 % 1000}" for step in range(40))


@pytest.fixture(scope="module", autouse=True)
def closed() -> Iterator[None]:
    """Free the engines shared by these tests."""
    yield
    for engine in OPENED:
        engine.close()


@functools.cache
def engine_of(kind: str, **more: object) -> Engine:
    """An engine of one sequence: random weights in 32 or 8 bits, or the real model."""
    if kind == "smollm2":
        path = model_path() or ""
    else:
        name = Path(tempfile.mkdtemp()) / f"{kind}.gguf"
        path = str(
            write_tiny_gguf(name, quantized=kind == "quantized", width=256 if kind == "wide" else WIDTH)
        )
    OPENED.append(Engine(path, EngineSettings(context=1024, batch=128, threads=1, **more)))  # type: ignore[arg-type]
    return OPENED[-1]


def logits(engine: Engine, tokens: list[int], *, reuse: bool = True) -> np.ndarray:
    kept = engine.take_up(tokens, reuse=reuse)
    return engine.decode([Feed(0, kept, tokens[kept:])])[0]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("shared", [0, 1, 47, 48, 49, 63, 95, 100])
def test_what_is_reused_of_another_prompt_changes_no_bit(kind: str, shared: int) -> None:
    engine = engine_of(kind)
    tokens = engine.tokenize(TEXT)[:101]
    fresh = logits(engine, tokens, reuse=False)
    other = tokens[:shared] + engine.tokenize(" another question" * 9)
    logits(engine, other, reuse=False)
    assert np.array_equal(logits(engine, tokens), fresh)
    assert engine.take_up(tokens) == len(tokens) // PIECE * PIECE


@pytest.mark.parametrize("kind", KINDS)
def test_tokens_that_were_written_one_by_one_are_not_reused_as_if_they_had_been_read(kind: str) -> None:
    engine = engine_of(kind)
    tokens = engine.tokenize(TEXT)[:100]
    fresh = logits(engine, tokens, reuse=False)
    logits(engine, tokens[:60], reuse=False)
    for position in range(60, 99):
        engine.decode([Feed(0, position, [tokens[position]])])
    assert engine.take_up(tokens) == PIECE
    assert np.array_equal(logits(engine, tokens), fresh)


LINES = st.lists(
    st.integers(1, 60).map(lambda size: " ".join(f"w{n * size % 97}" for n in range(size))), max_size=6
)


@settings(max_examples=25, deadline=None)
@given(same=LINES, first=LINES, second=LINES)
def test_prompts_that_begin_with_the_same_lines_share_them(
    same: list[str], first: list[str], second: list[str]
) -> None:
    engine = engine_of("quantized")
    head, one, two = ("".join(f"{line}\n" for line in lines) for lines in (same, first, second))
    before, tokens = (engine.tokenize(text)[:1000] for text in (head + one + "?", head + two + "!"))
    fresh = logits(engine, tokens, reuse=False)
    logits(engine, before, reuse=False)
    kept = engine.take_up(tokens)
    shared = common_prefix([before, tokens[:-1]])
    assert kept <= shared
    assert shared - kept < SHORTEST or b"\n" not in b"".join(
        map(engine.piece, tokens[kept + SHORTEST : shared])
    )
    assert np.array_equal(logits(engine, tokens), fresh)


@settings(max_examples=15, deadline=None)
@given(order=st.permutations(range(5)), repeat=st.integers(0, 4))
def test_answers_do_not_depend_on_the_order_in_which_they_are_asked(order: list[int], repeat: int) -> None:
    engine = engine_of("quantized")
    prompts = [engine.tokenize(TEXT[: 300 + 30 * number] + f" question {number}? ") for number in range(5)]

    def written(numbers: list[int]) -> dict[int, str]:
        tasks = {number: Task(prompts[number], (Prose(12),), Stream("s", number)) for number in numbers}
        Writer(engine, temperature=0.7).write(list(tasks.values()))
        return {number: task.text for number, task in tasks.items()}

    engine.cut(0)
    plain = written(list(range(5)))
    assert written([*order]) == plain
    assert written([repeat]) == {repeat: plain[repeat]}


def test_a_piece_of_another_size_is_a_setting() -> None:
    engine = engine_of("plain", ubatch=16)
    tokens = engine.tokenize(TEXT)[:100]
    logits(engine, tokens, reuse=False)
    assert engine.take_up(tokens) == 96
    assert engine_of("plain").batch % PIECE == 0


def test_a_lora_adapter_changes_what_the_model_computes(tmp_path: Path) -> None:
    model, lora = write_tiny_gguf(tmp_path / "m.gguf"), write_lora(tmp_path / "lora.gguf")
    tuned = Engine(str(model), EngineSettings(context=256, batch=64, threads=1, lora=str(lora)))
    plain = engine_of("plain")
    tokens = plain.tokenize(TEXT)[:50]
    difference = np.abs(logits(tuned, tokens) - logits(plain, tokens, reuse=False)).max()
    assert 0.01 < difference < 100
    tuned.close()
    with pytest.raises(AdapterError, match=r"cannot apply the LoRA adapter .*m\.gguf"):
        Engine(str(model), EngineSettings(context=256, batch=64, threads=1, lora=str(model)))


def test_a_quantized_cache_answers_nearly_the_same_and_needs_flash_attention(tiny_model: Path) -> None:
    tokens = engine_of("wide").tokenize(TEXT)[:90]
    small = engine_of(
        "wide", flash_attention=True, kv_type="q8_0"
    )  # in blocks of 32: heads have to be as wide
    difference = np.abs(logits(small, tokens) - logits(engine_of("wide"), tokens)).max()
    assert 0 < difference < 0.5
    with pytest.raises(SettingsError, match=r"q8_0 only with flash_attention=true"):
        load_adapter("llama_cpp", {"model": str(tiny_model), "kv_type": "q8_0"})
