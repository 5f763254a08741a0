"""From a model's choice among lines to an answer."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from evaluation.adapters.base import Usage
from evaluation.goldevidence.adapters.llama_cpp import EpisodeLlamaAdapter, LlamaSettings
from evaluation.goldevidence.adapters.shown import shown
from tests.evaluation.conftest import condition_row

pytestmark = pytest.mark.llama


def chosen(model: Path, place: int, monkeypatch: pytest.MonkeyPatch, **settings: Any) -> dict[str, object]:
    """The answer of the adapter where the choice of this place among three lines and none is the likeliest."""
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
