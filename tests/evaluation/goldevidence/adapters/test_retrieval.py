"""The `retrieval` adapter without a model: it says which lines it chose among."""

from __future__ import annotations

import pytest

from evaluation import goldevidence
from evaluation.adapters.base import Answer, Usage
from evaluation.core.errors import AdapterError
from evaluation.goldevidence.adapters.episode_rows import KIND
from evaluation.goldevidence.adapters.retrieval import RetrievalSettings, create_adapter
from evaluation.goldevidence.data.ledger import parse_book

CONFIG = {"episodes": 1, "steps": 60, "queries": 2, "twins": False, "derived_query_rate": 0.0}
ROWS = [
    {name: value for name, value in row.items() if name != "gold"}
    for row in goldevidence.generate(CONFIG, seed=2)
]


@pytest.mark.parametrize("order", ["step", "reverse"])
@pytest.mark.parametrize("selector_only", [False, True])
def test_the_lines_stand_in_the_order_in_which_the_selector_saw_them(order: str, selector_only: bool) -> None:
    settings = RetrievalSettings(retriever="bm25", k=5, order=order, selector_only=selector_only)
    adapter = create_adapter(settings)
    for row in ROWS:
        line = KIND.prediction(row, Answer(adapter.predict(row, protocol="closed_book"), Usage()))
        step = {entry.uid: entry.step for entry in parse_book(row["book"])}
        steps = [step[uid] for uid in line["shown_uids"]]
        assert len(steps) == 5
        assert steps == sorted(steps, reverse=order == "reverse")
        assert line["selected_uid"] in line["shown_uids"]
        assert set(line["support_ids"]) <= set(line["shown_uids"])


def test_an_output_that_lists_a_line_of_another_episode_is_an_error() -> None:
    output = {"value": None, "shown_uids": ["UFFFFFF"]}
    with pytest.raises(AdapterError, match=f"{ROWS[0]['id']}: 'shown_uids' names 'UFFFFFF'"):
        KIND.prediction(ROWS[0], Answer(output, Usage()))


def test_a_row_without_an_answer_keeps_what_was_shown() -> None:
    output = {"state": "cut_off", "shown_uids": []}
    assert KIND.prediction(ROWS[0], Answer(output, Usage())) == {"id": ROWS[0]["id"], **output}
