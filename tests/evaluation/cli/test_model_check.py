"""`goldevidencebench model-check`: facts of the file, result of the smoke test, and exit code."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from evaluation.cli import main
from tests.evaluation.adapters.llama.test_smoke import smollm2
from tests.tiny_gguf import CHAT_TEMPLATE, write_tiny_gguf

pytestmark = pytest.mark.llama


@pytest.mark.tokenizer
def test_a_real_model_is_described_and_passes(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["model-check", str(smollm2()), "--threads", "1"]) == 0
    said = capsys.readouterr().out
    for words in ("HuggingFaceTB", "apache-2.0", "8,192 tokens", "No problem found with this model."):
        assert words in said


def test_random_weights_do_not_pass_and_json_says_the_same(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = write_tiny_gguf(tmp_path / "tiny.gguf", chat_template=CHAT_TEMPLATE)
    assert main(["model-check", str(path)]) == 1
    words = capsys.readouterr().out
    assert main(["model-check", str(path), "--json"]) == 1
    said = json.loads(capsys.readouterr().out)
    assert said["file"]["name"] == "tiny"
    [doubt] = said["test"]["doubts"]
    assert doubt in words
    assert f"{said['test']['perplexity']:,.1f}" in words


def test_what_is_no_model_is_an_error_in_a_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "x.gguf").write_text("not a model")
    assert main(["model-check", str(tmp_path / "x.gguf")]) == 2
    assert "is not a GGUF file" in capsys.readouterr().err
    assert main(["model-check", str(tmp_path / "nowhere.gguf")]) == 2
