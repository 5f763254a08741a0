"""Scores of texts after a prompt: the probabilities of writing them."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from evaluation.adapters.base import Usage
from evaluation.adapters.llama.engine import Engine, EngineSettings, Feed
from evaluation.adapters.llama.writing.scorer import Scorer
from tests.tiny_gguf import write_tiny_gguf

pytestmark = pytest.mark.llama


@pytest.fixture
def engine(tiny_model: Path) -> Iterator[Engine]:
    engine = Engine(str(tiny_model), EngineSettings(context=512, batch=64, threads=1, sequences=4))
    yield engine
    engine.close()


def test_scores_are_the_log_probabilities_of_writing_each_option(engine: Engine) -> None:
    prompt, options = engine.tokenize("ids: "), ["U1", "Q2", "U3"]
    usage = Usage()
    scores = Scorer(engine, parallel=2).score(prompt, options, usage)
    assert usage.generated_tokens == 0
    for option, score in zip(options, scores, strict=True):
        tokens = engine.tokenize(option)
        engine.set_head([], reuse=False)
        [rows] = engine.decode([Feed(0, 0, [*prompt, *tokens[:-1]], every=True)])
        rows = rows[len(prompt) - 1 :].astype(np.float64)
        expected = sum(row[t] - math.log(np.exp(row).sum()) for row, t in zip(rows, tokens, strict=True))
        assert score == pytest.approx(expected, abs=1e-3)


def test_the_scores_of_a_next_token_are_probabilities_and_those_of_writing_it(engine: Engine) -> None:
    prompt, scorer = engine.tokenize("Which letter? "), Scorer(engine, parallel=2)
    usage = Usage()
    scores = scorer.next_token(prompt, usage)
    assert np.exp(scores).sum() == pytest.approx(1)
    assert usage.generated_tokens == 0
    for letter, score in zip("AB", scorer.score(prompt, "AB", Usage()), strict=True):
        assert scores[engine.tokenize(letter)[0]] == pytest.approx(score, abs=1e-3)


def test_scores_of_a_model_whose_memory_cannot_be_cut_are_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    alone = Engine(
        str(write_tiny_gguf(tmp_path / "m.gguf")), EngineSettings(context=512, batch=64, threads=1)
    )
    prompt, options, plain, again = (
        alone.tokenize("Which one? " * 9),
        ["one two", "three four"],
        Usage(),
        Usage(),
    )
    scores = Scorer(alone).score(prompt, options, plain)
    alone.cut(0)
    monkeypatch.setattr(alone._api, "llama_memory_seq_rm", lambda *_: False)
    assert Scorer(alone).score(prompt, options, again) == scores
    assert again.evaluated_tokens == plain.evaluated_tokens + len(prompt)
    assert again.passes == plain.passes + 1
    monkeypatch.undo()
    alone.close()
