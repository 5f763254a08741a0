"""Traces: how a retrieval system processed one row, stored beside its prediction in a sweep.

Traces follow the reference, so that its published figures can be compared. The *correct* line is the latest of the key
after the authority filter, and may be a NOTE. A line counts as selected if it is among the citations of the answer.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Required, TypedDict

from evaluation.goldevidence.conditions.rows import shown_entries
from evaluation.goldevidence.data import answers
from evaluation.goldevidence.data.ledger import Entry, parse_book
from evaluation.goldevidence.grading.choices import Choice, Selected, picks
from evaluation.goldevidence.records import CanonicalPrediction, EpisodePrediction, EpisodeRow
from evaluation.goldevidence.retrieval import LATEST, Pool, candidates, get_retriever

if TYPE_CHECKING:
    from evaluation.goldevidence.conditions.conditions import Condition


class Trace(TypedDict, total=False):
    """The trace of one row as JSON data. Traces of the reference and of earlier releases lack some fields."""

    id: Required[str]
    key: str | None
    k: int | None
    wrong_type: str | None
    correct_uid: Required[str | None]
    correct_included: Required[bool]
    correct_rank: Required[int | None]
    selected_count: int
    drop_prob: float
    dropped_correct: bool
    order: str | None
    authority_spoof_rate: float
    authority_spoof_count: int
    reranked_uid: str | None
    selected_uid: str | None
    selected_spoofed: bool
    retriever: str
    rerank_mode: str | None
    authority_filter: bool | None
    pick_then_answer: bool
    choice: list[int]  # the fields of a `Choice`, which saves reading the rows again


def trace(
    row: EpisodeRow,
    pool: Pool,
    *,
    k: int,
    retriever: str = "key",
    wrong_type: str = "none",
    ties: str = LATEST,
) -> tuple[list[Entry], Trace]:
    """Return the candidates of a row by rising step, and its trace with the rank of the correct line among them.

    With the retriever `key` the latest candidate has rank 1; with other retrievers, the candidate with the best score.
    `wrong_type` (one of RIVALS) chooses a wrong line to add. `ties` says which of two equal scores comes first.
    """
    key, question = row["meta"]["key"], row["question"]
    retrieved = candidates(pool, question, key, k=k, retriever=retriever, wrong_type=wrong_type, ties=ties)
    correct = next((entry for entry in pool.latest_first if entry.key == key), None)
    ranked = (
        retrieved[::-1] if retriever == "key" else pool.rank(get_retriever(retriever), question, key, ties)
    )
    return retrieved, {
        "id": row["id"],
        "key": key,
        "k": k,
        "wrong_type": wrong_type if retriever == "key" else retriever,
        "correct_uid": correct.uid if correct else None,
        "correct_included": correct in retrieved,
        "correct_rank": 1 + ranked.index(correct) if correct in retrieved else None,
        "selected_count": len(retrieved),
    }


def condition_trace(row: EpisodeRow, prediction: CanonicalPrediction, condition: Condition) -> Trace:
    """Return the trace of a row with candidates. The selected line is the selector's choice, else the first citation.

    If the correct line is not among the candidates, the trace counts it as not included, as boards do. The
    reference counts it as included.
    """
    shown, gold = shown_entries(row), row["gold"]["support_ids"][0]
    latest_first = [entry.uid for entry in sorted(shown, key=lambda entry: -entry.step)]
    chosen = prediction.get("selected_uid") or next(iter(prediction.get("support_ids") or ()), None)
    return {
        "id": row["id"],
        "key": row["meta"]["key"],
        "k": condition.k,
        "wrong_type": condition.wrong_type,
        "correct_uid": gold,
        "correct_included": row["gold"]["present"],
        "correct_rank": 1 + latest_first.index(gold) if gold in latest_first else None,
        "selected_count": len(shown),
        "drop_prob": condition.drop_prob,
        "dropped_correct": gold not in latest_first,
        "order": condition.order,
        "authority_spoof_rate": condition.spoof_rate,
        "authority_spoof_count": len(row["gold"]["spoofed"]),
        "reranked_uid": prediction.get("selected_uid"),
        "selected_uid": chosen,
        "selected_spoofed": chosen in row["gold"]["spoofed"],
    }


def own_trace(
    row: EpisodeRow, prediction: EpisodePrediction | None, settings: Mapping[str, Any]
) -> Trace | None:
    """Return the trace of a row that shows a whole text and has one gold line.

    Returns None for other rows, and if the prediction does not list the lines shown.
    """
    shown, supports = prediction and prediction.get("shown_uids"), row["gold"].get("support_ids") or []
    if not prediction or not isinstance(shown, list) or len(supports) != 1:
        return None
    gold, retriever = supports[0], settings.get("retriever", "key")
    chosen = prediction.get("selected_uid") or next(iter(prediction.get("support_ids") or ()), None)
    return {
        "id": row["id"],
        "key": row["meta"].get("key"),
        "k": int(settings["k"]) if str(settings.get("k", "")).isdigit() else None,
        "wrong_type": settings.get("wrong_type") if retriever == "key" else retriever,
        "correct_uid": gold,
        "correct_included": gold in shown,
        "correct_rank": 1 + shown.index(gold) if gold in shown else None,
        "selected_count": len(shown),
        "order": settings.get("order"),
        "reranked_uid": prediction.get("selected_uid"),
        "selected_uid": chosen,
    }


def choice_of(row: EpisodeRow, prediction: CanonicalPrediction, trace: Trace) -> Choice:
    entries, supports = _lines(row), row["gold"].get("support_ids") or []
    answer = answers.read(prediction) or answers.UNPARSED
    value, cited = answer.value, answer.cited
    gold = supports[0] if supports else None
    correct, chosen = trace["correct_uid"] or gold, trace.get("selected_uid")
    picked = prediction.get("selected_uid") or trace.get("reranked_uid")
    included = trace["correct_included"] is True
    return Choice(
        present=included,
        value_ok=value == answers.normalize(row["gold"]["value"]),
        picks_gold=correct in cited,
        cites_gold=gold in cited,
        selected=_selected(entries.get(chosen or ""), gold),
        abstained=value is None and not cited,
        value_in_line=-1 if row["meta"].get("derived_op") else _contained(value, entries.get(correct or "")),
        agrees=int(chosen in cited) if chosen else -1,
        forged_shown=included and "selected_spoofed" in trace,
        forged_selected=bool(trace.get("selected_spoofed")),
        shown=trace.get("selected_count") or 0,
        selector_picks=picks(picked, correct or ""),
    )


def _selected(line: Entry | None, gold: str | None) -> Selected:
    if line is None:
        return Selected.NOTHING
    if line.op == "NOTE":
        return Selected.NOTE
    return Selected.GOLD if line.uid == gold else Selected.UPDATE


def _contained(value: str | None, line: Entry | None) -> int:
    return -1 if value is None or line is None or line.value is None else int(value in line.value)


def _lines(row: EpisodeRow) -> Mapping[str, Entry]:
    if row.get("candidates") is not None:
        return {entry.uid: entry for entry in shown_entries(row)}
    return _by_uid(row["book"])


@lru_cache(maxsize=64)
def _by_uid(book: str) -> Mapping[str, Entry]:
    return {entry.uid: entry for entry in parse_book(book)}


def mean_rank(traces: Sequence[Trace]) -> float | None:
    ranks = [trace["correct_rank"] for trace in traces if trace["correct_rank"] is not None]
    return sum(ranks) / len(ranks) if ranks else None
