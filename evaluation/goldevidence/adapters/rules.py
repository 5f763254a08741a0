"""Answers that follow from ledger entries by rule: what a system without a language model says."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from evaluation.core.errors import AdapterError
from evaluation.goldevidence.adapters.outputs import support_limit
from evaluation.goldevidence.data.ledger import Entry
from evaluation.goldevidence.generator.queries import Query, asked_key, gold, read
from evaluation.goldevidence.records import EpisodeOutput, EpisodeRow
from evaluation.goldevidence.selectors.rules import answer as line_answer
from evaluation.goldevidence.systems.families import is_of_family, solved

_KEY = re.compile(r"tag\.\d{2,}")


def asked(row: EpisodeRow) -> Query:
    """What a row asks, from its `meta`; the key from the question where `meta` has none, and none where it asks of a
    manager.
    """
    meta = row.get("meta") or {}
    manager = meta.get("derived_manager")
    key = meta.get("key") or _described(row) or next(iter(_KEY.findall(row["question"])), None)
    if key is None and manager is None and not is_of_family(row):
        raise AdapterError(f"row {row.get('id')}: neither its meta nor its question names a key")
    return Query(key or "", meta.get("derived_op"), manager)


def cited_at_most(row: EpisodeRow) -> int:
    """How many lines an answer to a row may cite: one, or several of a question about several lines, or none."""
    if not (row.get("meta") or {}).get("requires_citation", True):
        return 0
    question = read(row["question"])
    several = question is not None and (question.derived_op == "reports" or question.args is not None)
    return support_limit(row) if several else 1


def _described(row: EpisodeRow) -> str | None:
    """The key of a question that calls it by something else than its name, by the text of its row."""
    return asked_key(row["question"], row.get("book") or row.get("document") or "")


def state_of(entries: Iterable[Entry]) -> dict[str, Entry]:
    """Each key's latest authoritative entry: greatest step, the later line on a tie.

    None where a later line without a marker leaves open who has authority (see `ledger.unclear`).
    """
    state: dict[str, Entry] = {}
    for entry in entries:
        if entry.op != "NOTE" and (entry.key not in state or entry.step >= state[entry.key].step):
            state[entry.key] = entry
    return {key: entry for key, entry in state.items() if entry.authoritative}


def answer(row: EpisodeRow, state: Mapping[str, Entry]) -> EpisodeOutput:
    """The output that a state of the ledger implies.

    Args:
        row: The question.
        state: Each key's latest authoritative entry.

    Returns:
        `value` and `support_ids`; null without support where the state says nothing.
    """
    if is_of_family(row):
        value, support_ids = solved(row)
        return {"value": value, "support_ids": support_ids}
    query = asked(row)
    if query.manager is None and query.key not in state:
        return {"value": None, "support_ids": []}
    try:
        implied = gold(query, state)
    except ValueError:  # a derived question about a value of another kind, e.g. the parity of a word
        return {"value": None, "support_ids": [state[query.key].uid]}
    return {"value": implied["value"], "support_ids": implied["support_ids"][: support_limit(row)]}


def answer_from_line(row: EpisodeRow, line: Entry | None) -> EpisodeOutput:
    """The output that one selected line implies.

    The line is cited whether or not it answers the question, and named as the one that was selected.

    Args:
        row: The question.
        line: The selected line; None for no line, hence null without support.

    Returns:
        `value`, `support_ids` and, with a line, `selected_uid`.
    """
    if line is None:
        return {"value": None, "support_ids": []}
    value = line_answer(line, asked(row).derived_op)
    return {"value": value, "support_ids": [line.uid], "selected_uid": line.uid}
