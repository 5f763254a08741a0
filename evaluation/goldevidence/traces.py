"""Traces: what a retrieval system did with one row, kept beside its prediction in a sweep.

The reference's definitions: the *correct* line is the latest one of the key after the authority filter, a
NOTE included; it counts as included before it is dropped; a line is selected when the answer cites it
anywhere. They serve comparison with published figures. Boards use `decomposition.observe`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

from evaluation.goldevidence import answers
from evaluation.goldevidence.decomposition import Choice, Selected
from evaluation.goldevidence.ledger import Entry, parse_book
from evaluation.retrieval import LATEST, Pool, candidates, get_retriever

Row = dict[str, Any]
Trace = dict[str, Any]


def trace(
    row: Row, pool: Pool, *, k: int, retriever: str = "key", wrong_type: str = "none", ties: str = LATEST
) -> tuple[list[Entry], Trace]:
    """The candidates by rising step, and where the correct line stands among them.

    `correct_rank` counts from the latest candidate for the key retriever, from the best scored otherwise.
    """
    key, question = row["meta"]["key"], row["question"]
    found = candidates(pool, question, key, k=k, retriever=retriever, wrong_type=wrong_type, ties=ties)
    correct = next((entry for entry in pool.latest_first if entry.key == key), None)
    ranked = found[::-1] if retriever == "key" else pool.rank(get_retriever(retriever), question, key, ties)
    return found, {
        "id": row["id"],
        "key": key,
        "k": k,
        "wrong_type": wrong_type if retriever == "key" else retriever,
        "correct_uid": correct.uid if correct else None,
        "correct_included": correct in found,
        "correct_rank": 1 + ranked.index(correct) if correct in found else None,
        "selected_count": len(found),
    }


def choice_of(row: Row, prediction: Row, trace: Trace) -> Choice:
    """The trace of a row with gold and its prediction as a Choice."""
    entries, supports = _by_uid(row["book"]), row["gold"].get("support_ids") or []
    said = answers.read(prediction) or answers.UNPARSED
    value, cited = said.value, said.cited
    gold = supports[0] if supports else None
    correct, chosen = trace["correct_uid"] or gold, trace.get("selected_uid")
    included = trace["correct_included"] is True
    return Choice(
        present=included,
        value_ok=value == answers.normalize(row["gold"]["value"]),
        picks_gold=correct in cited,
        cites_gold=gold in cited,
        selected=_selected(entries.get(chosen or ""), gold),
        abstained=value is None and not cited,
        value_in_line=_contained(value, entries.get(correct or "")),
        consistent=int(chosen in cited) if chosen else -1,
        forged_shown=included and "selected_spoofed" in trace,
        forged_selected=bool(trace.get("selected_spoofed")),
    )


def _selected(line: Entry | None, gold: str | None) -> Selected:
    if line is None:
        return Selected.NOTHING
    if line.op == "NOTE":
        return Selected.NOTE
    return Selected.GOLD if line.uid == gold else Selected.UPDATE


def _contained(value: str | None, line: Entry | None) -> int:
    return -1 if value is None or line is None or line.value is None else int(value in line.value)


@lru_cache(maxsize=64)
def _by_uid(book: str) -> Mapping[str, Entry]:
    return {entry.uid: entry for entry in parse_book(book)}


def mean_rank(traces: Sequence[Trace]) -> float | None:
    """The mean rank of correct lines that were retrieved."""
    ranks = [trace["correct_rank"] for trace in traces if trace["correct_rank"] is not None]
    return sum(ranks) / len(ranks) if ranks else None
