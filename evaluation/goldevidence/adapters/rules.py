"""Answers that follow from ledger entries by rule: what a system without a language model says."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from evaluation.adapters.base import Row
from evaluation.core.errors import AdapterError
from evaluation.goldevidence.adapters.outputs import support_limit
from evaluation.goldevidence.data.answers import SELECTED
from evaluation.goldevidence.data.ledger import Entry
from evaluation.goldevidence.generator.queries import Query, gold
from evaluation.goldevidence.selectors.answer import answer as line_answer

_KEY = re.compile(r"tag\.\d{2,}")


def asked(row: Mapping[str, Any]) -> Query:
    """What a row asks, from its `meta`; the key from the question where `meta` has none, and none where it asks of a
    manager.
    """
    meta = row.get("meta") or {}
    manager = meta.get("derived_manager")
    key = meta.get("key") or next(iter(_KEY.findall(row["question"])), None)
    if key is None and manager is None:
        raise AdapterError(f"row {row.get('id')}: neither its meta nor its question names a key")
    return Query(key or "", meta.get("derived_op"), manager)


def state_of(entries: Iterable[Entry]) -> dict[str, Entry]:
    """Each key's latest authoritative entry: greatest step, the later line on a tie.

    None where a later line without a marker leaves open who has authority (see `ledger.unclear`).
    """
    state: dict[str, Entry] = {}
    for entry in entries:
        if entry.op != "NOTE" and (entry.key not in state or entry.step >= state[entry.key].step):
            state[entry.key] = entry
    return {key: entry for key, entry in state.items() if entry.authoritative}


def answer(row: Mapping[str, Any], state: Mapping[str, Entry]) -> Row:
    """The output that a state of the ledger implies; null without support where it says nothing."""
    query = asked(row)
    if query.manager is None and query.key not in state:
        return {"value": None, "support_ids": []}
    try:
        implied = gold(query, state)
    except ValueError:  # a derived question about a value of another kind, e.g. the parity of a word
        return {"value": None, "support_ids": [state[query.key].uid]}
    return {"value": implied["value"], "support_ids": implied["support_ids"][: support_limit(row)]}


def answer_from_line(row: Mapping[str, Any], line: Entry | None) -> Row:
    """The output that one selected line implies. It is cited whether or not it answers the question, and named as the
    one that was selected.
    """
    if line is None:
        return {"value": None, "support_ids": []}
    value = line_answer(line, asked(row).derived_op)
    return {"value": value, "support_ids": [line.uid], SELECTED: line.uid}
