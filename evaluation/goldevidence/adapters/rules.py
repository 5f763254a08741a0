"""Answers questions from ledger entries by fixed rules, without a language model."""

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
    """Return the query of a row, from its `meta` or its question. The key is empty if it asks about several keys."""
    meta = row.get("meta") or {}
    manager = meta.get("derived_manager")
    key = (
        meta.get("key")
        or asked_key(row["question"], row.get("book") or row.get("document") or "")
        or next(iter(_KEY.findall(row["question"])), None)
    )
    if key is None and manager is None and not is_of_family(row):
        raise AdapterError(f"row {row.get('id')}: neither its meta nor its question names a key")
    return Query(key or "", meta.get("derived_op"), manager)


def cited_at_most(row: EpisodeRow) -> int:
    """Return the maximum number of citations: 0 if the row requires none, 1 if one line answers it, else its limit."""
    if not (row.get("meta") or {}).get("requires_citation", True):
        return 0
    question = read(row["question"])
    several = question is not None and (question.derived_op == "reports" or question.args is not None)
    return support_limit(row) if several else 1


def state_of(entries: Iterable[Entry]) -> dict[str, Entry]:
    """Return the latest entry of each key, ignoring NOTEs.

    The latest entry has the greatest step; of entries with equal steps the later line counts. A key is omitted if its
    latest line lacks the word UPDATE or NOTE, because its value is then unclear (see `ledger.unclear`).
    """
    state: dict[str, Entry] = {}
    for entry in entries:
        if entry.op != "NOTE" and (entry.key not in state or entry.step >= state[entry.key].step):
            state[entry.key] = entry
    return {key: entry for key, entry in state.items() if entry.authoritative}


def answer(row: EpisodeRow, state: Mapping[str, Entry]) -> EpisodeOutput:
    """Answer a row, given the latest entry of each key. The value is null if the key has no entry."""
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
    """Answer a row from `line`, even if it is the wrong line, and cite it. Without a line the answer is null."""
    if line is None:
        return {"value": None, "support_ids": []}
    value = line_answer(line, asked(row).derived_op)
    return {"value": value, "support_ids": [line.uid], "selected_uid": line.uid}
