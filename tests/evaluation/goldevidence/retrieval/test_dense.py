"""Dense retrieval through the real llama.cpp, with a random model: vectors, their cache, errors."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from evaluation.adapters.llama.embedder import BATCH, Embedder
from evaluation.core.errors import AdapterError
from evaluation.goldevidence.data.ledger import Entry
from evaluation.goldevidence.retrieval import Pool, candidates, dense
from tests.tiny_gguf import write_tiny_gguf

pytestmark = pytest.mark.llama
LEDGER = [Entry(f"U{n:06}", n, "SET", f"tag.{n % 3:02}", f"amber-{n:04}") for n in range(1, 13)]


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_tiny_gguf(tmp_path_factory.mktemp("models") / "tiny.gguf")


@pytest.fixture
def named(model: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv(dense.SETTING, str(model))
    return model


def test_vectors_have_length_1_and_belong_to_their_text_alone(model: Path) -> None:
    texts = ["teal", "a longer text about amber", "", "teal"]
    embedder = Embedder(str(model), threads=1)
    together = embedder.embed(texts)
    assert together.shape == (4, embedder.size)
    np.testing.assert_allclose(np.linalg.norm(together, axis=1), [1, 1, 0, 1], atol=1e-5)
    np.testing.assert_allclose(together[0], together[3], atol=1e-3)
    np.testing.assert_allclose(together[1], embedder.embed(texts[1:2])[0], atol=1e-3)
    assert abs(float(together[0] @ together[1])) < 0.999


def test_more_and_longer_texts_than_a_batch_holds_are_all_embedded(model: Path) -> None:
    texts = [f"line {n} " + "word " * (n * 10) for n in range(70)]
    vectors = Embedder(str(model), threads=1).embed(texts)
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)
    assert len(texts[-1]) > BATCH
    np.testing.assert_allclose(vectors[-1], Embedder(str(model), threads=1).embed(texts[-1:])[0], atol=1e-3)


def test_a_line_that_says_what_is_asked_comes_first(named: Path) -> None:
    question = LEDGER[4].line()
    scores = dense.scores(Pool(LEDGER), question, "tag.00")
    assert scores.shape == (12,)
    assert scores.argmax() == 4
    assert scores[4] == pytest.approx(1, abs=1e-3)
    assert LEDGER[4] in candidates(Pool(LEDGER), question, "tag.00", k=2, retriever="dense")


def test_lines_are_embedded_once(named: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    embed = Embedder.embed
    monkeypatch.setattr(Embedder, "embed", lambda self, texts: asked.extend(texts) or embed(self, texts))
    dense._known().clear()
    for question in ("one?", "two?", "one?"):
        dense.scores(Pool(LEDGER), question, "")
    assert asked == ["one?", *(entry.line() for entry in LEDGER), "two?"]


def test_a_file_that_is_no_model_is_a_clear_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "text.gguf").write_text("hello")
    monkeypatch.setenv(dense.SETTING, str(tmp_path / "text.gguf"))
    with pytest.raises(AdapterError, match="not a GGUF file"):
        dense.scores(Pool(LEDGER), "What?", "")
