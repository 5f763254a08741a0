"""Which line a model chooses, and that it may choose none of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from evaluation.adapters.base import Usage
from evaluation.adapters.llama.language_model import Ask
from evaluation.adapters.prompt_sets import PromptChoice
from evaluation.core.errors import AdapterError
from evaluation.goldevidence.adapters.prompts import SETS, Prompts
from evaluation.goldevidence.adapters.selection import Selection
from evaluation.goldevidence.adapters.shown import Shown, shown
from tests.evaluation.conftest import ENTRIES, condition_row, make_row

QUESTION = "What is the current value of tag.00?"


class Scorer:
    """A model that prefers later labels, and scores texts by their length."""

    labels = dict.fromkeys("ABCD", 0)

    def __init__(self) -> None:
        self.asked: list[tuple[str, Sequence[str]]] = []

    def score_labels(self, ask: Ask, labels: Sequence[str]) -> tuple[list[float], Usage]:
        self.asked.append((ask.user, labels))
        return [float(place) for place in range(len(labels))], Usage()

    def score_texts(self, ask: Ask, texts: Sequence[str]) -> tuple[list[float], Usage]:
        self.asked.append((ask.user, texts))
        return [float(len(text)) for text in texts], Usage()


def selection(prompt: str, *, may_be_none: bool, calibrate: bool = False) -> tuple[Selection, Scorer]:
    model: Any = Scorer()
    prompts = Prompts(PromptChoice(SETS[prompt]))
    return Selection(model, prompts, calibrate=calibrate, may_be_none=may_be_none), model


def two() -> Shown:
    return shown(condition_row(candidates=[ENTRIES[3], ENTRIES[0]]), "closed_book")


@pytest.mark.parametrize("prompt", ["ruled@1", "bare@1"])
def test_none_of_the_lines_has_the_label_behind_theirs_and_the_last_score(prompt: str) -> None:
    selects, model = selection(prompt, may_be_none=True)
    scores, _ = selects.by_label("row", two(), QUESTION)
    [(user, labels)] = model.asked
    assert (scores, labels) == ([0.0, 1.0, 2.0], ["A", "B", "C"])
    assert "\nB. step=1 SET tag.00 = amber-0001\nC. none of these lines\n" in user


def test_where_a_line_has_to_be_chosen_none_is_not_offered() -> None:
    for prompt in ("standard@2", "ruled@1"):
        selects, model = selection(prompt, may_be_none=False)
        assert len(selects.by_label("row", two(), QUESTION)[0]) == 2
        assert len(selects.by_text("row", two(), QUESTION)[0]) == 2
        assert not any("none of these" in user for user, _ in model.asked)


def test_none_is_scored_in_its_own_words_too() -> None:
    selects, model = selection("ruled@1", may_be_none=True)
    scores, _ = selects.by_text("row", two(), QUESTION)
    [(user, texts)] = model.asked
    assert texts[-1] == "none of these lines"
    assert len(scores) == 3
    assert "\n- none of these lines\n" in user


def test_what_is_preferred_among_labels_is_subtracted_that_of_none_included() -> None:
    selects, model = selection("ruled@1", may_be_none=True, calibrate=True)
    scores, _ = selects.by_label("row", two(), QUESTION)
    assert scores == [0.0, 0.0, 0.0]
    assert "C. N/A\n" in model.asked[1][0], "nothing speaks for none where no line says anything"


def test_none_takes_one_of_the_labels() -> None:
    seen = shown(condition_row(candidates=ENTRIES[:4]), "closed_book")
    selection("ruled@1", may_be_none=False)[0].check("row", seen, by_letter=True)
    with pytest.raises(AdapterError, match="3 labels of one token for lines"):
        selection("ruled@1", may_be_none=True)[0].check("row", seen, by_letter=True)


def test_lines_of_a_whole_text_are_not_scored_in_their_own_words() -> None:
    seen = Shown("book", "- [U000001] step=1 SET tag.01 = x", ())
    with pytest.raises(AdapterError, match="would cost more than generating the answer"):
        selection("ruled@1", may_be_none=True)[0].check(make_row()["id"], seen, by_letter=False)
