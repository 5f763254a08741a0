"""From a model's choice among lines to an answer."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from evaluation.adapters.base import Usage
from evaluation.adapters.llama.engine import Engine
from evaluation.goldevidence.adapters.llama_cpp import EpisodeLlamaAdapter, LlamaSettings
from evaluation.goldevidence.adapters.shown import shown
from tests.evaluation.conftest import condition_row
from tests.smollm2 import model_path

pytestmark = pytest.mark.llama


def chosen(model: Path, place: int, monkeypatch: pytest.MonkeyPatch, **settings: Any) -> dict[str, object]:
    """The adapter's answer if the choice at this place, among three lines and none, is the likeliest."""
    adapter = EpisodeLlamaAdapter(
        LlamaSettings(model=str(model), context=4096, threads=1, mode="select", **settings)
    )
    scores = [float(each == place) for each in range(4 if adapter.prompts.none else 3)]
    monkeypatch.setattr(adapter._selection, "by_label", lambda *_, **__: (scores, Usage()))
    row: Any = condition_row()
    try:
        return dict(adapter.answer(row, shown(row, "closed_book")).output)
    finally:
        adapter.close()


def test_none_of_the_lines_is_an_abstention_and_no_selection(tiny_model, monkeypatch) -> None:
    none = chosen(tiny_model, 3, monkeypatch, prompt="ruled@1")
    assert none == {
        "value": None, "support_ids": [], "shown_uids": ["U000001", "U000003", "U000004"],
    }  # fmt: skip
    line = chosen(tiny_model, 2, monkeypatch, prompt="ruled@1")
    assert (line["support_ids"], line["selected_uid"]) == (["U000004"], "U000004")


def test_an_older_set_offers_no_such_choice(tiny_model, monkeypatch) -> None:
    last = chosen(tiny_model, 2, monkeypatch, prompt="standard@2")
    assert last["support_ids"] == ["U000004"]


@pytest.mark.parametrize("mode", ["select", "select_logprob"])
@pytest.mark.parametrize("prompt", ["ruled@1", "bare@1"])
def test_a_model_chooses_a_line_or_none_under_a_newer_set(tiny_model, mode: str, prompt: str) -> None:
    adapter = EpisodeLlamaAdapter(
        LlamaSettings(model=str(tiny_model), context=4096, threads=1, mode=mode, prompt=prompt)
    )
    row: Any = condition_row()
    try:
        answer = adapter.answer(row, shown(row, "closed_book"))
    finally:
        adapter.close()
    assert answer.usage.generated_tokens == 0
    assert answer.output["support_ids"] in ([], ["U000001"], ["U000003"], ["U000004"])


def biased(
    monkeypatch: pytest.MonkeyPatch, mode: str, *pieces: Collection[bytes]
) -> list[Mapping[str, object]]:
    """Answers of the real model to three lines, each with the logits of some tokens raised by 100."""
    settings = {"mode": mode, "prompt": "ruled@1", "context": 1024, "threads": 1, "calibrate": False}
    adapter = EpisodeLlamaAdapter(LlamaSettings.model_validate({"model": model_path()} | settings))
    decode, bias = Engine.decode, np.zeros(1, np.float32)
    monkeypatch.setattr(Engine, "decode", lambda engine, feeds: [row + bias for row in decode(engine, feeds)])
    row: Any = condition_row()
    said = []
    try:
        for some in pieces:
            bias = np.array(
                [100.0 * (each.strip() in some) for each in adapter.model.engine.pieces], np.float32
            )
            said.append(adapter.answer(row, shown(row, "closed_book")).output)
    finally:
        adapter.close()
    return said


@pytest.mark.tokenizer
def test_the_real_model_chooses_a_line_or_none_where_its_letter_is_likeliest(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    second, none = biased(monkeypatch, "select", {b"B"}, {b"D"})
    assert (second["support_ids"], second["selected_uid"]) == (["U000003"], "U000003")
    assert (none["value"], none["support_ids"], "selected_uid" in none) == (None, [], False)


@pytest.mark.tokenizer
def test_the_grammar_lets_the_real_model_write_that_no_line_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    [none] = biased(monkeypatch, "answer", {b"null", b"[]", b"[]}"})
    assert (none["value"], none["support_ids"]) == (None, [])
