"""Restores the gold of public rows from the grading record of their unit."""

from __future__ import annotations

from collections.abc import Iterator
from typing import cast

from evaluation.goldevidence.data.case import Case
from evaluation.goldevidence.grading.frozen import from_record
from evaluation.goldevidence.records import EpisodeGold, EpisodeRecord, EpisodeRow, Gold, Meta


def answers(record: EpisodeRecord) -> Iterator[tuple[str, EpisodeGold]]:
    """Yield the row id and the gold of each row of a unit. The gold serves as argument of `with_answer`."""
    for fields, (case, _) in zip(record["rows"], from_record(record), strict=True):
        place = fields[-1]
        ledger = record["ledgers"][place] if isinstance(place, int) else ""
        yield str(case.id), _answer(case, ledger)


def _answer(case: Case, ledger: str) -> EpisodeGold:
    gold: Gold = {"value": case.gold, "support_ids": case.gold_ids}
    if ledger:
        gold["ledger"] = ledger
    meta = {
        "key": case.key,
        "state_mode": case.mode,
        "distractor_profile": case.profile,
        "depth": case.depth,
        "distractor_share": case.share,
        "condition": case.condition,
        "family": case.family,
        "dial": case.dial,
        "asks": list(case.asks),
    }
    return {"gold": gold, "meta": cast(Meta, {name: value for name, value in meta.items() if value})}


def with_answer(row: EpisodeRow, answer: EpisodeGold) -> EpisodeRow:
    """A public row with its gold. A row that has gold already is returned unchanged."""
    if "gold" in row:
        return row
    meta = cast(Meta, {**answer["meta"], **row["meta"]})
    return cast(EpisodeRow, {**row, "meta": meta, "gold": answer["gold"]})
