"""Conditions: one way each of showing the same question with a few ledger lines instead of the whole book.

A condition is frozen with a version, so that what was shown, and whether the gold line was among it, is
known to the oracle and never taken from a submission. Drop, shuffle and disguise depend on the seed, the
row's id and the condition's name alone.

Only questions that one ledger line answers become condition rows (`eligible`): a `reports` question has
several gold lines or none, and "the gold line" would not mean anything.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from typing import Any

from evaluation.core.checks import Checks
from evaluation.core.rng import Stream
from evaluation.goldevidence.conditions.perturb import ORDERS, Disguised, arrange, drop, spoof
from evaluation.goldevidence.data.case import CLOSED_BOOK
from evaluation.goldevidence.data.ledger import Entry, unclear
from evaluation.goldevidence.retrieval import RETRIEVERS, RIVALS, Pool, candidates

Row = dict[str, Any]
SEPARATOR = "@"
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")


@dataclass(frozen=True, slots=True)
class Condition:
    """How candidates are chosen and shown. Raises SettingsError naming every field that does not validate."""

    name: str
    k: int = 4
    order: str = "shuffle"  # gold_first | gold_middle | gold_last | shuffle
    wrong_type: str = "same_key"  # none | same_key | other_key
    drop_prob: float = 0.0
    include_clear: bool = True
    query_sandwich: bool = False  # the question before and after the candidates
    retriever: str = "key"  # key | bm25 | tfidf | dense
    spoof_rate: float = 0.0  # share of lines with disguised authority

    def __post_init__(self) -> None:
        checks = Checks(self)
        if not isinstance(self.name, str) or not _NAME.fullmatch(self.name):
            checks.refuse("name", f"must be letters, digits, '.', '_' or '-', at most 64, not {self.name!r}.")
        elif self.name == CLOSED_BOOK:
            checks.refuse("name", f"{CLOSED_BOOK!r} names the rows that show the whole book; choose another.")
        checks.integer("k", 1, 1000)
        checks.one_of("order", ORDERS)
        checks.one_of("wrong_type", RIVALS)
        checks.one_of("retriever", RETRIEVERS)
        for rate in ("drop_prob", "spoof_rate"):
            checks.rate(rate)
        for flag in ("include_clear", "query_sandwich"):
            checks.boolean(flag)
        checks.done()

    @classmethod
    def from_mapping(cls, data: Mapping[str, Any]) -> Condition:
        """A condition from JSON data. Without a name it gets one that says what it is."""
        Checks.names("setting", data, NAMES)
        return cls(**{"name": condition_name(data)} | dict(data))

    def as_dict(self) -> dict[str, Any]:
        """The condition as JSON-able data."""
        return asdict(self)


NAMES = tuple(field.name for field in fields(Condition))


def condition_name(settings: Mapping[str, Any]) -> str:
    """`k4-gold_first`; what differs from the defaults is added: `bm25-k2-shuffle-drop0.4`."""
    retriever, rival = settings.get("retriever", "key"), settings.get("wrong_type", "same_key")
    parts = [
        retriever if retriever != "key" else "",
        f"k{settings.get('k', 4)}",
        settings.get("order", "shuffle"),
        rival if rival != "same_key" else "",
        f"drop{settings['drop_prob']}" if settings.get("drop_prob") else "",
        f"spoof{settings['spoof_rate']}" if settings.get("spoof_rate") else "",
        "" if settings.get("include_clear", True) else "noclear",
        "sandwich" if settings.get("query_sandwich") else "",
    ]
    return "-".join(str(part) for part in parts if part)


def eligible(row: Row) -> bool:
    """Whether exactly one ledger line answers the question."""
    return row["meta"].get("derived_op") != "reports" and len(row["gold"].get("support_ids") or ()) == 1


def condition_row(row: Row, pool: Pool | Sequence[Entry], condition: Condition, seed: int) -> Row:
    """The row under a condition, id `<row id>@<condition name>`, without document and book.

    `pool` is the book's ledger. `candidates` are `{uid, step, op, key, value}` in the order shown, a
    disguised one with a `remark`. `gold` also holds `present` (the gold line is shown and no later line
    without a marker puts it in doubt; its `value` is what held, shown or not) and, by id, the disguises
    (`spoofed`); both go when the gold goes. `meta.last_update_step` would give
    the gold line away and is left out.
    """
    name = f"{row['id']}{SEPARATOR}{condition.name}"
    gold = row["gold"]["support_ids"][0]
    shown = _shown(row, pool if isinstance(pool, Pool) else Pool(pool), condition, gold, Stream(seed, name))
    meta = {field: value for field, value in row["meta"].items() if field != "last_update_step"}
    kept = {field: value for field, value in row.items() if field not in ("document", "book")}
    return kept | {
        "id": name,
        "candidates": [_public(line) for line in shown],
        "gold": row["gold"]
        | {
            "present": _establishes(gold, row["meta"]["key"], [line.entry for line in shown]),
            "spoofed": {line.entry.uid: line.kind for line in shown if line.kind},
        },
        "meta": meta | {"condition": condition.name, "query_sandwich": condition.query_sandwich},
    }


def condition_rows(
    rows: Iterable[Row], entries: Sequence[Entry], conditions: Iterable[Condition], seed: int
) -> Iterator[Row]:
    """Every eligible row of one episode under every condition, condition by condition."""
    pool, asked = Pool(entries), [row for row in rows if eligible(row)]
    for condition in conditions:
        for row in asked:
            yield condition_row(row, pool, condition, seed)


def shown_entries(row: Row) -> list[Entry]:
    """The candidates of a condition row as ledger entries, in the order shown."""
    return [
        Entry(line["uid"], line["step"], line["op"], line["key"], line["value"]) for line in row["candidates"]
    ]


def _shown(row: Row, pool: Pool, condition: Condition, gold: str, stream: Stream) -> list[Disguised]:
    found = candidates(
        pool if condition.include_clear else pool.without_clear,
        row["question"],
        row["meta"]["key"],
        k=condition.k,
        retriever=condition.retriever,
        wrong_type=condition.wrong_type,
    )
    kept = drop(found, gold, condition.drop_prob, stream)
    return spoof(arrange(kept, gold, condition.order, stream), condition.spoof_rate, stream)


def _establishes(gold: str, key: str, shown: Sequence[Entry]) -> bool:
    return any(entry.uid == gold for entry in shown) and not unclear((entry[1:] for entry in shown), key)


def _public(line: Disguised) -> dict[str, Any]:
    public = line.entry._asdict()
    return public | {"remark": line.remark} if line.remark else public
