"""Candidates: the reference's lists, and the rules behind them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import orjson
import pytest

from evaluation.core import jsonl
from evaluation.core.errors import BenchmarkError, UnknownNameError
from evaluation.core.rng import Stream
from evaluation.goldevidence.conditions.perturb import arrange
from evaluation.goldevidence.data.ledger import Entry, parse_book
from evaluation.goldevidence.retrieval import EARLIEST, LATEST, RETRIEVERS, Pool, candidates, get_retriever
from evaluation.goldevidence.retrieval.dense import SETTING
from evaluation.goldevidence.selectors import get_selector
from evaluation.goldevidence.selectors.linear import load
from evaluation.goldevidence.selectors.rules import authority_filter
from tests.reference import reference_path

LEDGER = [
    Entry("U000001", 1, "SET", "tag.00", "amber-0001"),
    Entry("U000002", 2, "SET", "tag.01", "jade-0002"),
    Entry("U000003", 3, "SET", "tag.00", "teal-0003"),
    Entry("U000004", 4, "NOTE", "tag.00", "ochre-0004"),
    Entry("U000005", 5, "CLEAR", "tag.01", None),
    Entry("U000006", 6, "SET", "tag.00", "sable-0006"),
]
QUESTION = "What is the value of tag.00?"


def uids(entries: list[Entry]) -> list[str]:
    return [entry.uid for entry in entries]


def chosen(**settings: Any) -> list[str]:
    return uids(candidates(Pool(LEDGER), QUESTION, "tag.00", **settings))


def reference_cases() -> Iterator[tuple[dict[str, Any], dict[str, Any], Pool]]:
    """(the reference's result, the row, the ledger behind the authority filter if it was on)."""
    manifest = orjson.loads(reference_path("gold/manifest.json").read_bytes())
    for dataset in manifest["retrieval"]["datasets"].values():
        for file in dataset["files"]:
            rows = {row["id"]: row for row in jsonl.read(reference_path(f"gold/{file['data']}"))}
            ledgers = {book: parse_book(book) for book in {row["book"] for row in rows.values()}}
            pools = {(book, False): Pool(ledger) for book, ledger in ledgers.items()}
            pools |= {(book, True): Pool(authority_filter(ledger)) for book, ledger in ledgers.items()}
            for case in jsonl.read(reference_path(f"gold/{file['cands']}")):
                row = rows[case["id"]]
                yield case, row, pools[row["book"], bool(case["authority_filter"])]


def test_every_candidate_list_order_and_choice_of_the_reference_is_reproduced() -> None:
    manifest = orjson.loads(reference_path("gold/manifest.json").read_bytes())["retrieval"]
    policies = {
        f"linear:{name}": load(reference_path(f"gold/{path}"))
        for name, path in manifest["linear_models"].items()
    }
    policies |= {"first": get_selector("first_shown"), "last": get_selector("last_occurrence")}
    compared = 0
    for case, row, pool in reference_cases():
        key, question = row["meta"]["key"], row["question"]
        wrong_type = case["wrong_type"] if case["retriever"] == "key" else "none"
        result = candidates(
            pool,
            question,
            key,
            k=case["k"],
            retriever=case["retriever"],
            wrong_type=wrong_type,
            ties=EARLIEST,
        )
        assert uids(result) == case["candidates"], case
        assert uids(arrange(result, case["correct_uid"], "gold_middle", Stream())) == case["gold_middle"], (
            case
        )
        for name, uid in case["choice"].items():
            policy, _, order = name.partition("@")
            shown = arrange(result, case["correct_uid"], order, Stream()) if order else result
            line = (policies.get(policy) or get_selector(policy))(shown, question, key)
            assert line is not None
            assert line.uid == uid, (name, case)
            compared += 1
    assert compared > 90_000


def test_the_key_retriever_takes_the_latest_lines_of_the_key_by_rising_step() -> None:
    assert chosen(k=2) == ["U000004", "U000006"]


def test_same_key_adds_the_next_older_line_of_the_key() -> None:
    assert chosen(k=2, wrong_type="same_key") == ["U000003", "U000004", "U000006"]
    assert chosen(k=9, wrong_type="same_key") == ["U000001", "U000003", "U000004", "U000006"]


def test_other_key_adds_the_latest_line_of_another_key() -> None:
    assert chosen(k=1, wrong_type="other_key") == ["U000005", "U000006"]


def test_k_below_one_still_retrieves_one_line() -> None:
    assert chosen(k=0) == ["U000006"]


def test_a_key_that_was_never_written_retrieves_nothing() -> None:
    assert candidates(Pool(LEDGER), QUESTION, "tag.77", k=4) == []
    assert candidates(Pool([]), QUESTION, "tag.00", k=4, retriever="bm25") == []


@pytest.mark.parametrize("retriever", ["bm25", "tfidf"])
def test_of_equal_scores_the_latest_wins_unless_the_earliest_is_asked_for(retriever: str) -> None:
    ledger = [Entry(f"U00000{step}", step, "SET", "tag.00", f"amber-000{step}") for step in range(1, 6)]
    for ties, uid in ((LATEST, "U000005"), (EARLIEST, "U000001")):
        result = candidates(Pool(ledger), QUESTION, "tag.00", k=1, retriever=retriever, ties=ties)
        assert uids(result) == [uid]


@pytest.mark.parametrize("retriever", ["bm25", "tfidf"])
def test_lexical_retrievers_rank_lines_that_name_the_key_first(retriever: str) -> None:
    result = candidates(Pool(LEDGER), QUESTION, "tag.00", k=4, retriever=retriever)
    assert {entry.key for entry in result} == {"tag.00"}


def test_a_question_without_known_words_scores_every_line_alike() -> None:
    for name in ("bm25", "tfidf"):
        assert not get_retriever(name)(Pool(LEDGER), "zzz", "tag.00").any()


def test_an_unknown_retriever_or_rival_is_named_with_its_nearest_match() -> None:
    with pytest.raises(UnknownNameError, match="Did you mean 'bm25'"):
        get_retriever("bm52")
    with pytest.raises(UnknownNameError, match="Did you mean 'same_key'"):
        chosen(k=1, wrong_type="samekey")


def test_every_registered_retriever_loads() -> None:
    assert all(callable(get_retriever(name)) for name in RETRIEVERS)


def test_dense_without_a_model_says_which_setting_to_make(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(SETTING, raising=False)
    with pytest.raises(BenchmarkError, match=SETTING):
        chosen(k=1, retriever="dense")
    monkeypatch.setenv(SETTING, "/nowhere.gguf")
    with pytest.raises(BenchmarkError, match="no model file"):
        chosen(k=1, retriever="dense")
