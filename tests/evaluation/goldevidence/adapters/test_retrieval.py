"""The `retrieval` adapter without a model: it reports the lines that it chose among."""

from __future__ import annotations

import pytest

from evaluation import goldevidence
from evaluation.adapters.base import Answer, Usage
from evaluation.adapters.settings import read_settings
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


def test_a_row_without_an_answer_keeps_what_was_shown_and_picked() -> None:
    output = {"state": "cut_off", "shown_uids": [], "selected_uid": parse_book(ROWS[0]["book"])[0].uid}
    assert KIND.prediction(ROWS[0], Answer(output, Usage())) == {"id": ROWS[0]["id"], **output}


def lines_shown(**settings: object) -> list[list[str]]:
    """The lines that each row is shown."""
    chosen = {"retriever": "bm25", "k": 20, "order": "shuffle", "drop_prob": 0.5} | settings
    adapter = create_adapter(RetrievalSettings.model_validate(chosen))
    return [adapter.predict(row, protocol="closed_book")["shown_uids"] for row in ROWS]


def test_another_order_is_of_the_same_lines() -> None:
    plain, other, third = lines_shown(), lines_shown(order_seed=1), lines_shown(order_seed=2)
    assert plain != other != third
    assert [sorted(lines) for lines in plain] == [sorted(lines) for lines in other]
    assert [sorted(lines) for lines in plain] == [sorted(lines) for lines in third]


def test_another_choice_of_what_is_dropped_leaves_the_order_of_whole_lists_as_it_is() -> None:
    assert [set(lines) for lines in lines_shown()] != [set(lines) for lines in lines_shown(drop_seed=1)]
    assert lines_shown(drop_prob=0.0) == lines_shown(drop_prob=0.0, drop_seed=1)


def test_the_variables_of_the_reference_name_these_seeds() -> None:
    variables = {
        "GOLDEVIDENCEBENCH_RETRIEVAL_ORDER_SEED": "3",
        "GOLDEVIDENCEBENCH_RETRIEVAL_DROP_SEED": "5",
    }
    settings = read_settings(RetrievalSettings, {}, variables)
    assert (settings.order_seed, settings.drop_seed) == (3, 5)
